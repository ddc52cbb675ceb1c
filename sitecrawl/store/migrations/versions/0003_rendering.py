"""Rendering: which visited pages a browser has shown, and what that brought."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema import RowNumber

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_NEW = (("rendered", sa.String(20)), ("only_rendered", sa.Integer()))
_INDEXES = ("uq_visits_scan_id_number", "ix_visits_scan_id_family", "ix_visits_page_id")


def upgrade() -> None:
    if op.get_bind().dialect.name != "sqlite":
        for name, kind in _NEW:
            op.add_column("visits", sa.Column(name, kind))
        return
    # What ALTER TABLE adds would come after the keys: then a migrated and a new database would not
    # be the same.
    columns = ", ".join(each["name"] for each in sa.inspect(op.get_bind()).get_columns("visits"))
    for name in _INDEXES:
        op.drop_index(name, "visits")
    op.rename_table("visits", "old_visits")
    _create_visits()
    op.execute(f"INSERT INTO visits ({columns}) SELECT {columns} FROM old_visits")  # noqa: S608
    op.drop_table("old_visits")


def _create_visits() -> None:
    op.create_table(
        "visits",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("scan_id", sa.BigInteger(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("family", sa.Text()),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("clicks", sa.Integer(), nullable=False),
        sa.Column("external_hops", sa.Integer(), nullable=False),
        sa.Column("found_by", sa.Integer()),
        sa.Column("redirected_from", sa.Text()),
        sa.Column("outcome", sa.String(20)),
        sa.Column("document_id", sa.BigInteger()),
        sa.Column("is_productive", sa.Boolean()),
        sa.Column("reason", sa.Text()),
        sa.Column("rule", sa.Text()),
        sa.Column("title", sa.Text()),
        sa.Column("language", sa.Text()),
        sa.Column("canonical", sa.Text()),
        sa.Column("category", sa.Text()),
        sa.Column("text_hash", sa.String(16)),
        sa.Column("folded_hash", sa.BigInteger()),
        sa.Column("fingerprint", sa.BigInteger()),
        sa.Column("duplicate_of", sa.BigInteger()),
        *(sa.Column(name, kind) for name, kind in _NEW),
    )
    op.create_index("uq_visits_scan_id_number", "visits", ["scan_id", "number"], unique=True)
    held = sa.text("family IS NOT NULL")
    op.create_index(
        "ix_visits_scan_id_family",
        "visits",
        ["scan_id", "family"],
        sqlite_where=held,
        postgresql_where=held,
    )
    op.create_index("ix_visits_page_id", "visits", ["page_id"])
