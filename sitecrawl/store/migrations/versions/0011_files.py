"""Passages of files know the page of the file; contents know their format."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "files_1"
down_revision = "addresses_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "page_contents",
        sa.Column("format", sa.String(10), nullable=False, server_default="html"),
    )
    op.add_column("page_contents", sa.Column("problem", sa.String(20)))
    op.add_column("passages", sa.Column("file_page", sa.Integer()))
