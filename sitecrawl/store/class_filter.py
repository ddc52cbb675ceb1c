"""Reads those pages of an inventory that are of a category, a type, a language or a cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sitecrawl.classify.languages import primary_language
from sitecrawl.store.classified_columns import CLASSIFIED_COLUMNS, page_columns
from sitecrawl.store.queries.classification import classifier_of
from sitecrawl.store.queries.pages import export_columns, page_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.classify.pages import PageClass
    from sitecrawl.store.engine import Database
    from sitecrawl.store.pagechunks import PageChunk
    from sitecrawl.store.queries.pages import PageFilter
    from sitecrawl.store.queries.scans import Scan


def chunks_by_class(
    database: Database, scan: Scan, wanted: PageFilter, columns: Sequence[str]
) -> Iterator[PageChunk]:
    """As ``page_chunks``; a class follows from more columns than may be asked for."""
    classifier = classifier_of(database, scan)
    known = export_columns(database, scan.site_id)
    needed = [name for name in CLASSIFIED_COLUMNS if name in known and name not in columns]
    others = replace(wanted, category="", page_type="", language="", cluster="")
    for chunk in page_chunks(database, scan, others, [*columns, *needed]):
        classes = classifier.classify(page_columns(chunk))
        if matching := chunk.only([_is_wanted(found, wanted) for found in classes]):
            yield matching


def _is_wanted(found: PageClass, wanted: PageFilter) -> bool:
    return (
        wanted.category in {"", found.category}
        and wanted.page_type in {"", found.page_type}
        and wanted.language in {"", found.language, primary_language(found.language)}
        and (not wanted.cluster or wanted.cluster in found.clusters)
    )
