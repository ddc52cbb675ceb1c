"""What the next scan needs to ask a site only for what has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from sitecrawl.store.tables import document_links, documents

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


@dataclass(frozen=True, slots=True)
class Validators:
    """What is known of the content that was last read completely from a document."""

    document_id: int
    kind: str
    format: str | None
    etag: str | None
    last_modified: str | None
    sha256: str | None
    listed: int
    policies: dict[str, str]
    """By authority, the fingerprint of the robots rules that its pages were judged by."""


def load_validators(database: Database, site_id: int, fingerprint: str) -> dict[str, Validators]:
    """By URL, the documents whose stored content counts under the same settings.

    ``fingerprint`` is of the settings that decide what is read from a document.
    """
    statement = select(
        documents.c.url,
        documents.c.id,
        documents.c.kind,
        documents.c.format,
        documents.c.etag,
        documents.c.last_modified,
        documents.c.sha256,
        documents.c.listed,
        documents.c.policies,
    ).where(
        documents.c.site_id == site_id,
        documents.c.content_scan_id.is_not(None),
        documents.c.content_fingerprint == fingerprint,
    )
    with database.reading() as connection:
        return {row[0]: Validators(*row[1:]) for row in connection.execute(statement).all()}


def children(database: Database, document_id: int) -> list[tuple[str, str]]:
    """The documents that this one names, in its order, as it was last read, and how it does."""
    parent, child = documents.alias("parent"), documents.alias("child")
    statement = (
        select(child.c.url, child.c.found_by)
        .join_from(document_links, parent, document_links.c.parent_id == parent.c.id)
        .join(child, document_links.c.child_id == child.c.id)
        .where(
            document_links.c.parent_id == document_id,
            document_links.c.scan_id >= func.coalesce(parent.c.content_scan_id, 0),
        )
        .order_by(document_links.c.position, child.c.id)
    )
    with database.reading() as connection:
        return [(row.url, row.found_by) for row in connection.execute(statement)]
