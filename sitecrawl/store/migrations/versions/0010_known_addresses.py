"""Known addresses: where a user has signed in from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import RowNumber, UtcDateTime

revision = "addresses_1"
down_revision = "autovacuum_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "known_addresses",
        sa.Column("user_id", RowNumber, nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("last_used_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_known_addresses_user_id_users"),
        sa.PrimaryKeyConstraint("user_id", "address", name="pk_known_addresses"),
    )
