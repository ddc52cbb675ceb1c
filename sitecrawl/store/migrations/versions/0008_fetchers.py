"""Fetchers: which process fetches the pages of a host, and what it has read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import UtcDateTime

revision = "fetchers_1"
down_revision = "workspaces_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("visits", sa.Column("queue", sa.Text(), nullable=True))
    op.execute(
        "CREATE INDEX ix_visits_scan_id_queue_number ON visits (scan_id, queue, number)"
        " WHERE queue IS NOT NULL AND outcome IS NULL"
    )
    op.create_table(
        "host_queues",
        sa.Column("scan_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("token", sa.Integer(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("expires_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("scan_id", "queue", name="pk_host_queues"),
    )
    op.create_table(
        "visit_answers",
        sa.Column("scan_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("scan_id", "number", name="pk_visit_answers"),
    )
