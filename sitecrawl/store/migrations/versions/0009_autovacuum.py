"""Documents are found by kind; the largest tables of PostgreSQL are vacuumed early."""

from __future__ import annotations

from alembic import op

revision = "autovacuum_1"
down_revision = "fetchers_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_documents_site_id_kind", "documents", ["site_id", "kind"])
    if op.get_bind().dialect.name != "postgresql":
        return
    for table in ("pages", "other_mentions", "visits"):
        op.execute(
            f"ALTER TABLE {table} SET (autovacuum_vacuum_scale_factor = 0.02,"
            " autovacuum_analyze_scale_factor = 0.02)"
        )
