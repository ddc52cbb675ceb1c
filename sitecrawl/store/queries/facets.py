"""Counts pages by everything that few values describe: category, template, status, source, ...

All of it is one statement that counts the combinations of these values, which are few; the index
has them stored (``schema/page_index.py``).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from sitecrawl.store import schema as t
from sitecrawl.store.queries.feed import FeedFields
from sitecrawl.store.queries.page_filter import LISTED_PAGES
from sitecrawl.store.queries.page_index import page_index
from sitecrawl.store.queries.page_sql import ATTRIBUTES, dialect_of
from sitecrawl.store.queries.pages import reading_pages, select_pages
from sitecrawl.store.vocabulary import PageStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.scans import Scan

# What makes a combination, beside the class and the sources.
COMBINED: Final = (
    *("reason", "source", "robots_allowed", "visited", "http_status", "clicks"),
    *("indexable", "orphan", "last_scan_id"),
)
OF_CLASS: Final = (*("template", "category", "type", "language", "depth", "priority", "clusters"),)
_FLAGS: Final = ("robots_allowed", "visited", "indexable", "orphan")
FACETS: Final = (
    *("status", "reason", "source", "category", "type", "template", "cluster", "language"),
    *("depth", "clicks", "visited", "http_status", "robots_allowed", "indexable", "orphan"),
)
_LISTS: Final = {"source": "sources", "cluster": "clusters"}


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value and how many pages have it; None: those that have no value."""

    value: str | float | bool | None
    pages: int


@dataclass(frozen=True, slots=True)
class Facets:
    """How many pages there are, and how many have each value of each facet, the most first."""

    pages: int
    values: Mapping[str, Sequence[FacetValue]]


def count_facets(database: Database, scan: Scan, wanted: PageFilter = LISTED_PAGES) -> Facets:
    """Count the wanted pages by each of FACETS; a page counts for each of its sources."""
    column = combination(database, scan)
    with reading_pages(database, scan, wanted, [column]) as connection:
        if index := page_index(connection, scan, wanted):
            pages_of = index.pages_by_facet()
            rows = _stored(connection, scan, pages_of)
        else:
            counted: Counter[str] = Counter()
            chosen = (column, "count(*)")
            for some in select_pages(connection, scan, wanted, chosen, "GROUP BY 1"):
                counted.update(dict(some))
            classes = classes_of(connection, scan)
            rows = [(facet_values(text, classes), pages) for text, pages in counted.items()]
    return _facets(rows)


def combination(database: Database, scan: Scan) -> str:
    """SQL of a text that is the same for pages that have everything in common."""
    parts = ", ".join(
        [
            "pc.class_id",
            FeedFields(database, scan).column("sources"),
            *(ATTRIBUTES[name] for name in COMBINED[:-1]),
            "CASE WHEN d.last_scan_id <> {scan} THEN d.last_scan_id END",
        ]
    )
    is_sqlite = dialect_of(database.engine.dialect.name).is_sqlite
    return f"json_array({parts})" if is_sqlite else f"CAST(json_build_array({parts}) AS TEXT)"


def classes_of(connection: Connection, scan: Scan) -> dict[int, Any]:
    own = t.classes.c.site_id == scan.site_id
    return {row.id: row for row in connection.execute(select(t.classes).where(own))}


def facet_values(text: str, classes: Mapping[int, Any]) -> dict[str, Any]:
    """What the pages with this combination have, as ``page_facets`` has it."""
    class_id, sources, *rest = json.loads(text)
    values: dict[str, Any] = dict(zip(COMBINED, rest, strict=True))
    for name in _FLAGS:
        values[name] = None if values[name] is None else bool(values[name])
    # SQLite remembers that a text was made as JSON, and nests it; PostgreSQL quotes it.
    values["sources"] = json.loads(sources) if isinstance(sources, str) else sources
    return values | {name: getattr(classes[class_id], name) for name in OF_CLASS}


def _stored(
    connection: Connection, scan: Scan, pages_of: Mapping[int, int]
) -> list[tuple[Mapping[str, Any], int]]:
    own = t.page_facets.c.site_id == scan.site_id
    rows = connection.execute(select(t.page_facets).where(own))
    return [(row._asdict(), pages_of[row.id]) for row in rows if row.id in pages_of]


def _facets(rows: Iterable[tuple[Mapping[str, Any], int]]) -> Facets:
    counts: dict[str, Counter[Any]] = {name: Counter() for name in FACETS}
    total = 0
    plain = [name for name in FACETS if name not in {"status", *_LISTS}]
    for row, pages in rows:
        total += pages
        counts["status"][PageStatus.of(row["reason"]).value] += pages
        for name in plain:
            counts[name][row[name]] += pages
        for name, column in _LISTS.items():
            for value in row[column]:
                counts[name][value] += pages
    return Facets(
        total,
        {
            name: [FacetValue(value, pages) for value, pages in _most_first(counter)]
            for name, counter in counts.items()
        },
    )


def _most_first(counter: Counter[Any]) -> list[tuple[Any, int]]:
    return sorted(counter.items(), key=lambda each: (-each[1], str(each[0])))
