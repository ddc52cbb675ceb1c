"""The crawl: how links look, the frontier with what visits found, and the site's menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema import RowNumber

if TYPE_CHECKING:
    from collections.abc import Callable

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_LINK_COLUMNS = ("region", "anchor", "rel", "path")

_MENTIONS = """
CREATE VIEW mentions AS
SELECT id AS page_id, document_id, position, source, lastmod, details, seen_scan_id AS scan_id,
    region, anchor, rel, path
FROM pages
UNION ALL
SELECT page_id, document_id, position, source, lastmod, details, scan_id,
    region, anchor, rel, path
FROM other_mentions
"""


def upgrade() -> None:
    op.execute("DROP VIEW mentions")
    if op.get_bind().dialect.name == "sqlite":
        # What ALTER TABLE adds would come after the keys: then a migrated and a new database
        # would not be the same. The indexes come back with the next scan.
        _copy("pages", _create_pages)
        _copy("other_mentions", _create_other_mentions)
    else:
        for table in ("pages", "other_mentions"):
            for name in _LINK_COLUMNS:
                op.add_column(table, sa.Column(name, sa.Text()))
    op.execute(_MENTIONS)
    _create_visits()
    op.create_table(
        "menu_entries",
        sa.Column("scan_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("position", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("region", sa.Text(), nullable=False),
        sqlite_with_rowid=False,
    )


def _copy(table: str, create: Callable[[], None]) -> None:
    columns = ", ".join(each["name"] for each in sa.inspect(op.get_bind()).get_columns(table))
    op.rename_table(table, f"old_{table}")
    create()
    op.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM old_{table}")  # noqa: S608
    op.drop_table(f"old_{table}")


def _create_pages() -> None:
    op.create_table(
        "pages",
        sa.Column("number", RowNumber, primary_key=True),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.BigInteger(), nullable=False),
        sa.Column("seen_scan_id", sa.BigInteger(), nullable=False),
        sa.Column("first_scan_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("verdict_id", sa.BigInteger()),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("lastmod", sa.Text()),
        sa.Column("depth", sa.Integer()),
        sa.Column("reason", sa.Text()),
        sa.Column("rule", sa.Text()),
        sa.Column("changefreq", sa.Text()),
        sa.Column("sitemap_priority", sa.Float()),
        sa.Column("title", sa.Text()),
        sa.Column("language", sa.Text()),
        sa.Column("category", sa.Text()),
        sa.Column("importance", sa.Float()),
        sa.Column("priority", sa.Float()),
        sa.Column("details", sa.Text()),
        *(sa.Column(name, sa.Text()) for name in _LINK_COLUMNS),
    )


def _create_other_mentions() -> None:
    op.create_table(
        "other_mentions",
        sa.Column("document_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("position", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("page_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("lastmod", sa.Text()),
        sa.Column("details", sa.Text()),
        sa.Column("scan_id", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.Text()) for name in _LINK_COLUMNS),
        sqlite_with_rowid=False,
    )


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
