"""Pages are no longer counted by class when a scan ends: who shows the figures counts."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # By hand: Alembic's way for SQLite would copy the table.
    op.execute("ALTER TABLE classifications DROP COLUMN counts")
