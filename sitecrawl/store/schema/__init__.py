"""The tables, as SQLAlchemy Core: a module per topic, all of them to be had here."""

from __future__ import annotations

from typing import Final

from sitecrawl.store.schema.changes import (
    changes,
    comparisons,
    events,
    incidents,
    page_presence,
)
from sitecrawl.store.schema.channels import (
    announcements,
    channels,
    deliveries,
    delivery_attempts,
)
from sitecrawl.store.schema.dives import (
    competing_pages,
    content_gaps,
    conversation_turns,
    conversations,
    dive_pages,
    dives,
    embedding_models,
    page_contents,
    page_topics,
    passage_vectors,
    passages,
    topics,
    vector_versions,
)
from sitecrawl.store.schema.fetchers import (
    FETCHER_INDEXES,
    host_queues,
    scan_fetchers,
    shared_frontiers,
    visit_answers,
)
from sitecrawl.store.schema.history import page_absences, page_versions
from sitecrawl.store.schema.inventory import (
    DEFERRED_INDEXES,
    INVENTORY_INDEXES,
    SITE_INDEX,
    VIEWS,
    blobs,
    classes,
    classifications,
    clusters,
    document_links,
    documents,
    evidence,
    fetches,
    link_contexts,
    mentions,
    other_mentions,
    page_classes,
    pages,
    scans,
    sites,
    verdicts,
)
from sitecrawl.store.schema.monitor import (
    JOB_INDEXES,
    jobs,
    site_groups,
    site_inventories,
    watched_sites,
    workers,
    workspaces,
)
from sitecrawl.store.schema.page_index import indexed_sites, page_facets, page_index
from sitecrawl.store.schema.types import (
    Json,
    RowNumber,
    UtcDateTime,
    iso_text,
    metadata,
)
from sitecrawl.store.schema.users import (
    api_tokens,
    audit_log,
    idempotency_keys,
    identities,
    known_addresses,
    login_failures,
    memberships,
    one_time_links,
    saved_views,
    sessions,
    users,
)
from sitecrawl.store.schema.visits import (
    VISIT_INDEXES,
    menu_entries,
    page_alternates,
    page_facts,
    page_signals,
    page_texts,
    visits,
)

PARTIAL_INDEXES = {**INVENTORY_INDEXES, **VISIT_INDEXES, **JOB_INDEXES, **FETCHER_INDEXES}
# By default PostgreSQL vacuums a table once a fifth of its rows have changed, and analyses it once
# a tenth has: long after one large scan, where the table has the rows of many sites. As text:
# ``postgresql_with`` of a table would import the dialect wherever the schema is imported.
POSTGRESQL_STORAGE: Final = tuple(
    f"ALTER TABLE {table.name} SET (autovacuum_vacuum_scale_factor = 0.02,"
    " autovacuum_analyze_scale_factor = 0.02)"
    for table in (pages, other_mentions, visits)
)


__all__ = [
    "DEFERRED_INDEXES",
    "PARTIAL_INDEXES",
    "POSTGRESQL_STORAGE",
    "SITE_INDEX",
    "VIEWS",
    "Json",
    "RowNumber",
    "UtcDateTime",
    "announcements",
    "api_tokens",
    "audit_log",
    "blobs",
    "changes",
    "channels",
    "classes",
    "classifications",
    "clusters",
    "comparisons",
    "competing_pages",
    "content_gaps",
    "conversation_turns",
    "conversations",
    "deliveries",
    "delivery_attempts",
    "dive_pages",
    "dives",
    "document_links",
    "documents",
    "embedding_models",
    "events",
    "evidence",
    "fetches",
    "host_queues",
    "idempotency_keys",
    "identities",
    "incidents",
    "indexed_sites",
    "iso_text",
    "jobs",
    "known_addresses",
    "link_contexts",
    "login_failures",
    "memberships",
    "mentions",
    "menu_entries",
    "metadata",
    "one_time_links",
    "other_mentions",
    "page_absences",
    "page_alternates",
    "page_classes",
    "page_contents",
    "page_facets",
    "page_facts",
    "page_index",
    "page_presence",
    "page_signals",
    "page_texts",
    "page_topics",
    "page_versions",
    "pages",
    "passage_vectors",
    "passages",
    "saved_views",
    "scan_fetchers",
    "scans",
    "sessions",
    "shared_frontiers",
    "site_groups",
    "site_inventories",
    "sites",
    "topics",
    "users",
    "vector_versions",
    "verdicts",
    "visit_answers",
    "visits",
    "watched_sites",
    "workers",
    "workspaces",
]
