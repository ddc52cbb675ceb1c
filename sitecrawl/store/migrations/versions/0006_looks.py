"""Looks: what further mentions have alike is kept once, and each of them refers to it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_INDEX = "ix_other_mentions_page_id"

_TAKE_ASIDE = """
CREATE TEMPORARY TABLE moved AS
SELECT other.*, d.site_id * 4294967296 + dense_rank() OVER (PARTITION BY d.site_id
    ORDER BY other.source, other.region, other.rel, other.path) AS look_id
FROM other_mentions AS other JOIN documents AS d ON d.id = other.document_id
"""
_FIND_LOOKS = """
INSERT INTO mention_looks (id, source, region, rel, path)
SELECT DISTINCT look_id, source, region, rel, path FROM moved ORDER BY look_id
"""
_PUT_BACK = """
INSERT INTO other_mentions (
    document_id, position, page_id, scan_id, look_id, anchor, lastmod, details)
SELECT document_id, position, page_id, scan_id, look_id, anchor, lastmod, details FROM moved
ORDER BY document_id, position, page_id
"""

_FURTHER_MENTIONS = """
CREATE VIEW further_mentions AS
SELECT other.page_id, other.document_id, other.position, look.source, other.lastmod, other.details,
    other.scan_id, look.region, other.anchor, look.rel, look.path
FROM other_mentions AS other CROSS JOIN mention_looks AS look WHERE look.id = other.look_id
"""
_MENTIONS = """
CREATE VIEW mentions AS
SELECT id AS page_id, document_id, position, source, lastmod, details, seen_scan_id AS scan_id,
    region, anchor, rel, path FROM pages
UNION ALL SELECT page_id, document_id, position, source, lastmod, details, scan_id,
    region, anchor, rel, path FROM further_mentions
"""


def upgrade() -> None:
    # On SQLite it may be that no scan has needed the index yet.
    indexes = sa.inspect(op.get_bind()).get_indexes("other_mentions")
    op.execute("DROP VIEW mentions")
    op.execute(_TAKE_ASIDE)
    op.drop_table("other_mentions")
    _create_looks()
    _create_other_mentions()
    for statement in (_FIND_LOOKS, _PUT_BACK, "DROP TABLE moved"):
        op.execute(statement)
    if indexes:
        op.create_index(_INDEX, "other_mentions", ["page_id"])
    for statement in (_FURTHER_MENTIONS, _MENTIONS):
        op.execute(statement)


def _create_looks() -> None:
    op.create_table(
        "mention_looks",
        sa.Column("id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("region", sa.Text()),
        sa.Column("rel", sa.Text()),
        sa.Column("path", sa.Text()),
        sqlite_with_rowid=False,
    )


def _create_other_mentions() -> None:
    op.create_table(
        "other_mentions",
        sa.Column("document_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("position", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("page_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("scan_id", sa.BigInteger(), nullable=False),
        sa.Column("look_id", sa.BigInteger(), nullable=False),
        sa.Column("anchor", sa.Text()),
        sa.Column("lastmod", sa.Text()),
        sa.Column("details", sa.Text()),
        sqlite_with_rowid=False,
    )
