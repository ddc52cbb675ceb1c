"""The depth of a page is no longer stored: its address says it."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # By hand: Alembic's way for SQLite would copy the table under another name.
    op.execute("ALTER TABLE pages DROP COLUMN depth")
