"""Priority: it follows from what was learned of the site, so a page's row need not hold it."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # By hand: Alembic's way for SQLite would copy the table, and ALTER TABLE keeps the rest as is.
    op.execute("ALTER TABLE pages DROP COLUMN priority")
