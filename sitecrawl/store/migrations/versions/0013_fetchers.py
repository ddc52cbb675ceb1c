"""What the fetchers of a scan share and report: budget, end, ledger."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import Json, UtcDateTime

revision = "fetchers_2"
down_revision = "support_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "shared_frontiers",
        sa.Column("scan_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("page_requests", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("scan_id", name="pk_shared_frontiers"),
    )
    op.create_table(
        "scan_fetchers",
        sa.Column("scan_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("seen_at", UtcDateTime(), nullable=True),
        sa.Column("report", Json(), nullable=True),
        sa.PrimaryKeyConstraint("scan_id", "holder", name="pk_scan_fetchers"),
    )
    op.execute("DELETE FROM host_queues WHERE queue = ''")
    # What was read and not taken is fetched again when its scan is resumed.
    op.drop_table("visit_answers")
    op.create_table(
        "visit_answers",
        sa.Column("scan_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("ends_crawl", sa.Boolean(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("scan_id", "number", name="pk_visit_answers"),
    )
