"""Answers know which of their sentences the sources do not support."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import Json

revision = "support_1"
down_revision = "files_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "conversation_turns",
        sa.Column("unsupported", Json(), nullable=False, server_default="[]"),
    )
