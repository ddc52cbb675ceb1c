"""Classification: what is learned of a site, its clusters, and what pages say of themselves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema import Json, RowNumber

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# Until now the language of a page was what hreflang, the page itself or its path says, and nobody
# knows which. From now on it is hreflang's, and documents are read again.
_KEEP_OWN_LANGUAGES = """
INSERT INTO page_signals (page_id, site_id, own_language)
SELECT page_id, site_id, language FROM (
    SELECT v.page_id, s.site_id, v.language, row_number() OVER (
        PARTITION BY v.page_id ORDER BY v.scan_id DESC) AS place
    FROM visits AS v JOIN scans AS s ON s.id = v.scan_id
    WHERE v.language IS NOT NULL
) AS newest
WHERE place = 1
"""
_FORGET_LANGUAGES = "UPDATE pages SET language = NULL WHERE language IS NOT NULL"


def upgrade() -> None:
    op.create_table(
        "page_signals",
        sa.Column("page_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("inlinks", sa.Integer()),
        sa.Column("own_language", sa.Text()),
        sa.Column("text_language", sa.Text()),
        sa.Column("declared_type", sa.Text()),
        sa.Column("link_region", sa.Text()),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "classifications",
        sa.Column(
            "site_id",
            RowNumber,
            sa.ForeignKey("sites.id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("last_page_number", sa.BigInteger(), nullable=False),
        sa.Column("model", Json, nullable=False),
        sa.Column("counts", Json, nullable=False),
    )
    op.create_table(
        "clusters",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("parent", sa.Text()),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("sample", Json, nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.UniqueConstraint("site_id", "key"),
    )
    op.execute(_KEEP_OWN_LANGUAGES)
    op.execute(_FORGET_LANGUAGES)
