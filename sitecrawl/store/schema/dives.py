"""The tables of dives: what pages say, as passages with vectors, and what was asked about it."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime, metadata

# One run that made pages of a site searchable.
dives = Table(
    "dives",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    # The scan that fetched the pages; NULL: kept bodies were enough.
    Column("scan_id", ForeignKey("scans.id")),
    # Which pages were wanted, by the fields of the filter that differ from its defaults.
    Column("wanted", Json, nullable=False),
    # The job of the monitor that runs it; NULL: a command does.
    Column("job_id", BigInteger),
    # queued, running, finished, partial, failed, cancelled
    Column("status", String(20), nullable=False),
    Column("reason", Text),
    # Numbers so far, by the fields of ``DiveCounts``.
    Column("counts", Json, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Index("ix_dives_site_id_id", "site_id", "id"),
    Index("ix_dives_job_id", "job_id"),
    sqlite_autoincrement=True,
)

# Pages that a dive wants to have fetched; those that were go.
dive_pages = Table(
    "dive_pages",
    metadata,
    Column("dive_id", ForeignKey("dives.id"), primary_key=True),
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
)

# The content of a page as it was last read.
page_contents = Table(
    "page_contents",
    metadata,
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("dive_id", ForeignKey("dives.id"), nullable=False),
    # Of the body that was read, and of the settings that it was read with: the same again is
    # not read again.
    Column("body_sha256", String(64), nullable=False),
    Column("reader", Text, nullable=False),
    # html, pdf, docx, ...
    Column("format", String(10), nullable=False),
    # encrypted, damaged, too_large, too_slow; NULL: it was read.
    Column("problem", String(20)),
    Column("title", Text, nullable=False),
    Column("author", Text, nullable=False),
    # YYYY-MM-DD, or empty.
    Column("published", String(10), nullable=False),
    Column("language", Text, nullable=False),
    Column("passages", Integer, nullable=False),
    Index("ix_page_contents_site_id", "site_id"),
    sqlite_with_rowid=False,
)

passages = Table(
    "passages",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", Integer, nullable=False),
    Column("page_id", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    # From the outermost section to the innermost, one a line.
    Column("headings", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("language", Text, nullable=False),
    Column("text_hash", String(16), nullable=False),
    # Of a PDF file or of slides, from 1.
    Column("file_page", Integer),
    # The same text stands in an earlier passage of the site, which is found instead.
    Column("is_repeated", Boolean, nullable=False),
    Index("uq_passages_page_id_position", "page_id", "position", unique=True),
    Index("ix_passages_site_id_text_hash", "site_id", "text_hash"),
    sqlite_autoincrement=True,
)

embedding_models = Table(
    "embedding_models",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("dimensions", Integer, nullable=False),
)

# Vectors of length 1, as 16-bit floats.
passage_vectors = Table(
    "passage_vectors",
    metadata,
    Column("model_id", BigInteger, primary_key=True, autoincrement=False),
    Column("passage_id", BigInteger, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Index("ix_passage_vectors_passage_id", "passage_id"),
    Index("ix_passage_vectors_site_id_model_id", "site_id", "model_id"),
    sqlite_with_rowid=False,
)

# Counted up whenever vectors of a site are added or removed, so that copies in memory are renewed.
vector_versions = Table(
    "vector_versions",
    metadata,
    Column("site_id", ForeignKey("sites.id"), primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
)

# Clusters by meaning, made anew by each dive.
topics = Table(
    "topics",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    # The terms that its pages have in common and others do not.
    Column("name", Text, nullable=False),
    Column("pages", Integer, nullable=False),
    Index("ix_topics_site_id", "site_id"),
    sqlite_autoincrement=True,
)

# Where a page stands on the map of topics, from 0 to 1.
page_topics = Table(
    "page_topics",
    metadata,
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("topic_id", ForeignKey("topics.id"), nullable=False),
    Column("x", Float, nullable=False),
    Column("y", Float, nullable=False),
    Index("ix_page_topics_site_id", "site_id"),
    Index("ix_page_topics_topic_id", "topic_id"),
    sqlite_with_rowid=False,
)

# Pages about the same that their titles promise, too: they compete in search engines.
competing_pages = Table(
    "competing_pages",
    metadata,
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("other_id", BigInteger, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("cosine", Float, nullable=False),
    Column("words", Text, nullable=False),
    Index("ix_competing_pages_site_id", "site_id"),
    sqlite_with_rowid=False,
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    # Who asks; NULL: the command.
    Column("user_id", BigInteger),
    Column("title", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_conversations_site_id_id", "site_id", "id"),
    sqlite_autoincrement=True,
)

# One question with its answer.
conversation_turns = Table(
    "conversation_turns",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("conversation_id", ForeignKey("conversations.id"), nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", Text, nullable=False),
    # extractive, model, not_found
    Column("kind", String(20), nullable=False),
    Column("model", Text),
    # Label, passage, page and the words that are quoted, as they were when they were cited.
    Column("citations", Json, nullable=False),
    # Sentences of the answer whose words their sources do not have, with what is missing.
    Column("unsupported", Json, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("answer_tokens", Integer, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    Index("ix_conversation_turns_conversation_id", "conversation_id"),
    sqlite_autoincrement=True,
)

# Questions that the site does not answer.
content_gaps = Table(
    "content_gaps",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    Column("question", Text, nullable=False),
    # The question without case and punctuation, so that it is counted once.
    Column("key", Text, nullable=False),
    Column("asked", Integer, nullable=False),
    Column("last_asked_at", UtcDateTime, nullable=False),
    UniqueConstraint("site_id", "key"),
    sqlite_autoincrement=True,
)
