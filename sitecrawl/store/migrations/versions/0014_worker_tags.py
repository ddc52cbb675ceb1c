"""Tags of workers, and of the sites that need them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import Json

revision = "worker_tags_1"
down_revision = "fetchers_2"
branch_labels = None
depends_on = None

_SITES = sa.table(
    "watched_sites",
    sa.column("id", sa.BigInteger()),
    sa.column("settings", Json()),
    sa.column("needed_tags", sa.Text()),
)


def upgrade() -> None:
    for table, column in (("watched_sites", "worker_tags"), ("workers", "tags")):
        op.add_column(table, sa.Column(column, Json(), nullable=False, server_default="[]"))
    op.add_column(
        "watched_sites", sa.Column("needed_tags", sa.Text(), nullable=False, server_default="")
    )
    connection = op.get_bind()
    for row in connection.execute(sa.select(_SITES.c.id, _SITES.c.settings)).all():
        if str(row.settings.get("SITECRAWL_RENDER", "")).lower() == "always":
            is_it = _SITES.c.id == row.id
            connection.execute(sa.update(_SITES).where(is_it).values(needed_tags="browser"))
