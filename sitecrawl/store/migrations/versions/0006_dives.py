"""Dives: contents of pages, passages, vectors, conversations, gaps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime

revision = "dives_1"
down_revision = "users_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "embedding_models",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("dimensions", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_embedding_models"),
        sa.UniqueConstraint("name", name="uq_embedding_models_name"),
    )
    op.create_table(
        "passage_vectors",
        sa.Column("model_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("passage_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("model_id", "passage_id", name="pk_passage_vectors"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_passage_vectors_passage_id", "passage_vectors", ["passage_id"], unique=False
    )
    op.create_index(
        "ix_passage_vectors_site_id_model_id",
        "passage_vectors",
        ["site_id", "model_id"],
        unique=False,
    )
    op.create_table(
        "vector_versions",
        sa.Column("site_id", RowNumber, autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_vector_versions_site_id_sites"),
        sa.PrimaryKeyConstraint("site_id", name="pk_vector_versions"),
    )
    op.create_table(
        "passages",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("headings", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.String(length=16), nullable=False),
        sa.Column("is_repeated", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_passages"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_passages_site_id_text_hash", "passages", ["site_id", "text_hash"], unique=False
    )
    op.create_index(
        "uq_passages_page_id_position", "passages", ["page_id", "position"], unique=True
    )
    op.create_table(
        "content_gaps",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("last_asked_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_content_gaps_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_content_gaps"),
        sa.UniqueConstraint("site_id", "key", name="uq_content_gaps_site_id_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "conversations",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_conversations_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_conversations"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_conversations_site_id_id", "conversations", ["site_id", "id"], unique=False)
    op.create_table(
        "conversation_turns",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("conversation_id", RowNumber, nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("citations", Json(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("answer_tokens", sa.Integer(), nullable=False),
        sa.Column("asked_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name="fk_conversation_turns_conversation_id_conversations",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_conversation_turns"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_conversation_turns_conversation_id",
        "conversation_turns",
        ["conversation_id"],
        unique=False,
    )
    op.create_table(
        "dives",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("scan_id", RowNumber, nullable=True),
        sa.Column("wanted", Json(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("counts", Json(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"], name="fk_dives_scan_id_scans"),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_dives_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_dives"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_dives_site_id_id", "dives", ["site_id", "id"], unique=False)
    op.create_index("ix_dives_job_id", "dives", ["job_id"], unique=False)
    op.create_table(
        "dive_pages",
        sa.Column("dive_id", RowNumber, nullable=False),
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["dive_id"], ["dives.id"], name="fk_dive_pages_dive_id_dives"),
        sa.PrimaryKeyConstraint("dive_id", "page_id", name="pk_dive_pages"),
    )
    op.create_table(
        "page_contents",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("dive_id", RowNumber, nullable=False),
        sa.Column("body_sha256", sa.String(length=64), nullable=False),
        sa.Column("reader", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("published", sa.String(length=10), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("passages", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["dive_id"], ["dives.id"], name="fk_page_contents_dive_id_dives"),
        sa.PrimaryKeyConstraint("page_id", name="pk_page_contents"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_page_contents_site_id", "page_contents", ["site_id"], unique=False)
    op.create_table(
        "topics",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_topics_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_topics"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_topics_site_id", "topics", ["site_id"], unique=False)
    op.create_table(
        "page_topics",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("topic_id", RowNumber, nullable=False),
        sa.Column("x", sa.Float(), nullable=False),
        sa.Column("y", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name="fk_page_topics_topic_id_topics"),
        sa.PrimaryKeyConstraint("page_id", name="pk_page_topics"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_page_topics_site_id", "page_topics", ["site_id"], unique=False)
    op.create_index("ix_page_topics_topic_id", "page_topics", ["topic_id"], unique=False)
    op.create_table(
        "competing_pages",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("other_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("cosine", sa.Float(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("page_id", "other_id", name="pk_competing_pages"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_competing_pages_site_id", "competing_pages", ["site_id"], unique=False)
