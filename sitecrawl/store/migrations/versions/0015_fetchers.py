"""Pages that wait for a fetcher with a browser."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "fetchers_3"
down_revision = "worker_tags_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, column in (
        ("host_queues", "needs_browser"),
        ("shared_frontiers", "has_browser"),
        ("scan_fetchers", "has_browser"),
    ):
        op.add_column(
            table, sa.Column(column, sa.Boolean(), nullable=False, server_default=sa.false())
        )
    # What was read and not taken is fetched again when its scan is resumed.
    op.execute("DELETE FROM visit_answers")
    op.add_column("visit_answers", sa.Column("rendering", sa.Text()))
    op.execute(
        "CREATE INDEX ix_visit_answers_wanted ON visit_answers (scan_id, number)"
        " WHERE rendering = 'wanted'"
    )
