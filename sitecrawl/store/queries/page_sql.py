"""The SQL that pages are read with: tables, columns, and what conditions name.

``p`` is the row of a page, ``{m}`` the mention that it is listed by.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.store.queries.page_filter import TEXT_SORTS, PageSort
from sitecrawl.store.queries.sitemap_comparison import IS_ORPHAN
from sitecrawl.store.schema.types import iso_text
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.refusal import BROKEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sitecrawl.store.queries.page_filter import Condition

_BROKEN_REASONS: Final = ", ".join(f"'{reason}'" for reason in sorted(BROKEN))
STATUS: Final = (
    f"CASE WHEN {{reason}} IS NULL THEN '{PageStatus.LISTED}'"
    f" WHEN {{reason}} IN ({_BROKEN_REASONS}) THEN '{PageStatus.BROKEN}'"
    f" ELSE '{PageStatus.REFUSED}' END"
)

# What can be read of a page, as SQL: ``p`` is its row, ``{m}`` the mention that it is listed by.
COLUMNS: Final = {
    **{name: f"p.{name}" for name in ("id", "number", "url", "reason", "rule", "title")},
    **{name: f"p.{name}" for name in ("verdict_id", "first_scan_id", "importance")},
    **{name: f"p.{name}" for name in ("changefreq", "sitemap_priority", "language", "category")},
    **{name: f"{{m}}.{name}" for name in ("document_id", "source", "lastmod", "region", "anchor")},
    **{name: f"s.{name}" for name in ("inlinks", "link_region", "declared_type")},
    **{name: f"s.{name}" for name in ("own_language", "text_language")},
    "class_id": "pc.class_id",
}

# Tables beside ``pages AS p``, by the name that columns and conditions know them under.
JOINS: Final = {
    "pc": "LEFT JOIN page_classes AS pc ON pc.page_number = p.number",
    "k": "LEFT JOIN classes AS k ON k.id = pc.class_id",
    "d": "LEFT JOIN documents AS d ON d.id = {m}.document_id",
    "first": "LEFT JOIN started AS first ON first.id = p.first_scan_id",
    "r": "LEFT JOIN verdicts AS r ON r.id = p.verdict_id",
    "s": "LEFT JOIN page_signals AS s ON s.page_id = p.id",
    "v": "LEFT JOIN visited AS v ON v.page_id = p.id",
    "f": "LEFT JOIN further AS f ON f.page_number = p.number",
    # A text for each row of a table that is smaller than the pages (``select_pages``).
    "ktext": "LEFT JOIN ktext ON ktext.id = pc.class_id",
    "dtext": "LEFT JOIN dtext ON dtext.id = {m}.document_id",
    "firsttext": "LEFT JOIN firsttext ON firsttext.id = p.first_scan_id",
    "rtext": "LEFT JOIN rtext ON rtext.id = p.verdict_id",
    "vtext": "LEFT JOIN vtext ON vtext.id = p.id",
}
# Of each such table the column that it is looked up by, and where its rows come from.
TEXT_SOURCES: Final = {
    "ktext": ("k.id", "FROM classes AS k"),
    "dtext": ("d.id", "FROM documents AS d"),
    "firsttext": ("first.id", "FROM started AS first"),
    "rtext": ("r.id", "FROM verdicts AS r"),
    "vtext": ("v.page_id", "FROM visited AS v"),
}
BY_CLASS: Final = frozenset({"pc", "k", "ktext"})
_TABLE_NAME: Final = re.compile(r"\b([a-z]+)\.")

# Of a page that was fetched twice, the last fetch counts. Of one that this scan has not visited,
# the last visit before: only scans that were the last to read a page are looked at.
_VISITED: Final = """
visited AS MATERIALIZED (
    SELECT page_id, scan_id, outcome, clicks, status, content_type, text_hash, canonical,
        duplicate_of
    FROM (
        SELECT visit.page_id, visit.scan_id, visit.outcome, visit.clicks, fetched.status,
            fetched.content_type, visit.text_hash, visit.canonical,
            (SELECT original.url FROM visits AS original
             WHERE original.page_id = visit.duplicate_of AND original.scan_id = visit.scan_id
             ORDER BY original.id LIMIT 1) AS duplicate_of,
            row_number() OVER (
                PARTITION BY visit.page_id
                ORDER BY visit.outcome IS NULL, visit.id DESC, fetched.id DESC) AS rank
        FROM {few_visits}visits AS visit LEFT JOIN fetches AS fetched
            ON fetched.document_id = visit.document_id AND fetched.scan_id = visit.scan_id
        WHERE (visit.scan_id = {scan} OR (
            visit.outcome IS NOT NULL AND visit.scan_id IN (
                SELECT coalesce(gone_scan_id, last_scan_id) FROM documents
                WHERE site_id = {site} AND kind = 'page'
                AND coalesce(gone_scan_id, last_scan_id) < {scan}))){visit_is_of_few}
    ) AS ranked WHERE rank = 1)
"""
# Most further mentions have the source of the first one, and add nothing. They are looked up by the
# number of the page: pages are read in that order, so each look-up is near the one before. Mentions
# are many and contexts few: they are told apart by their context before their source is read.
_FURTHER: Final = """
further AS MATERIALIZED (
    SELECT own.number AS page_number, {source_list} AS sources FROM (
        SELECT DISTINCT mentioned.page_id, context.source FROM (
            SELECT DISTINCT other.page_id, other.context_id
            FROM {few_mentions}other_mentions AS other
            WHERE {mention_is_of_site} AND {mention_counts}{other_is_of_few}
        ) AS mentioned CROSS JOIN link_contexts AS context
        WHERE context.id = mentioned.context_id ORDER BY mentioned.page_id, context.source
    ) AS named CROSS JOIN pages AS own
    WHERE own.id = named.page_id AND {is_further} GROUP BY own.number)
"""

# The same from the index of the inventory, for a tenth of the time.
FURTHER_INDEXED: Final = """
further AS MATERIALIZED (
    SELECT l.number AS page_number, {facet_sources} AS sources
    FROM page_facets AS g CROSS JOIN page_index AS l
    WHERE g.site_id = {site} AND {has_further} AND l.facet_id = g.id)
"""

# Rows of scans are long, and the database would read much of one for each page.
_STARTED: Final = """
started AS MATERIALIZED (SELECT id, started_at FROM scans WHERE site_id = {site})
"""

COMMON_TABLES: Final = {"v": _VISITED, "f": _FURTHER, "first": _STARTED}

BY_OWN_MENTION: Final = "FROM {pages} AS p {joins} WHERE p.site_id = {site} AND {own_counts}"
# Pages whose own mention no longer counts, but another one does: rare, as the end of each scan
# corrects it; it happens when a scan was interrupted or a document could not be fetched. The cross
# join keeps SQLite from reading every mention of a crawl to find that none is needed.
BY_OTHER_MENTION: Final = """
FROM (
    SELECT other.*, row_number() OVER (
        PARTITION BY other.page_id ORDER BY other.document_id, other.position) AS rank
    FROM {pages} AS p CROSS JOIN further_mentions AS other
    WHERE p.site_id = {site} AND NOT {own_counts} AND other.page_id = p.id AND {other_counts}
    {page_is_of_few}
) AS m
JOIN {pages} AS p ON p.id = m.page_id {joins}
WHERE m.rank = 1
"""

# A search engine may show it: nothing refuses it, and its last visit found neither an error nor
# that it does not want to be found or is a copy of another page.
_INDEXABLE: Final = """
(p.reason IS NULL AND coalesce(r.allowed, 1 = 1) AND coalesce(v.status, 200) < 300
AND NOT EXISTS (
    SELECT 1 FROM page_facts AS facts
    WHERE facts.scan_id = v.scan_id AND facts.page_id = p.id
    AND NOT facts.is_indexable))
"""
_HAS_SOURCE: Final = """
({m}.source = {v_source} OR p.id IN (
    SELECT other.page_id FROM further_mentions AS other
    WHERE other.source = {v_source} AND {other_counts}))
"""
_HAS_CLUSTER: Final = """
pc.class_id IN (SELECT id FROM classes WHERE site_id = {site} AND {clusters_have_it})
"""

# What conditions and orders name, beside ``{site}``, ``{scan}`` and what ``membership`` has.
ATTRIBUTES: Final = {
    **{name: f"p.{name}" for name in ("number", "url", "title", "reason", "first_scan_id")},
    "lastmod": "{m}.lastmod",
    "source": "{m}.source",
    "status": STATUS.format(reason="p.reason"),
    "last_scan_id": "d.last_scan_id",
    "robots_allowed": "r.allowed",
    **{name: f"k.{name}" for name in ("template", "category", "type", "language")},
    **{name: f"k.{name}" for name in ("depth", "priority")},
    "visited": "(v.outcome IS NOT NULL)",
    "http_status": "v.status",
    "clicks": "v.clicks",
    "indexable": _INDEXABLE,
    "orphan": IS_ORPHAN,
    "has_source": _HAS_SOURCE,
    "has_cluster": _HAS_CLUSTER,
}
_SORTED_BY: Final = {
    PageSort.FIRST_SEEN: "number",
    PageSort.LAST_SEEN: "last_scan_id",
    **{sort: sort.value for sort in PageSort if not sort.endswith("_seen")},
}
_NAME: Final = re.compile(r"\{(\w+)\}")


class Dialect(NamedTuple):
    """What the two databases spell differently."""

    is_sqlite: bool
    value: str
    text_key: str
    """The type of the key of a temporary table of texts."""
    c: str
    """Compares texts by their characters, as SQLite does; a server may have another order."""
    source_list: str
    facet_sources: str
    has_further: str
    clusters_have_it: str
    is_one_of_numbers: str
    few: str


SQLITE: Final = Dialect(
    is_sqlite=True,
    value=":{}",
    text_key="INTEGER PRIMARY KEY",
    c="",
    source_list="json_group_array(named.source)",
    facet_sources="g.sources",
    has_further="json_array_length(g.sources) > 1",
    clusters_have_it="EXISTS ("
    "SELECT 1 FROM json_each(clusters) AS entry WHERE entry.value = {v_cluster})",
    is_one_of_numbers="p.number IN (SELECT entry.value FROM json_each({v_numbers}) AS entry)",
    few="number IN (SELECT entry.value FROM json_each({v_numbers}) AS entry)",
)
POSTGRES: Final = Dialect(
    is_sqlite=False,
    value="%({})s",
    text_key="BIGINT PRIMARY KEY",
    c=' COLLATE "C"',
    source_list="json_agg(named.source ORDER BY named.source)",
    facet_sources="CAST(g.sources AS json)",
    has_further="jsonb_array_length(g.sources) > 1",
    clusters_have_it="jsonb_exists(clusters, {v_cluster})",
    is_one_of_numbers="p.number = ANY(CAST({v_numbers} AS bigint[]))",
    few="number = ANY(CAST({v_numbers} AS bigint[]))",
)


def dialect_of(name: str) -> Dialect:
    return SQLITE if name == "sqlite" else POSTGRES


def spelled(sql: str, names: Mapping[str, str]) -> str:
    """The SQL with what stands for these names; others stay."""
    return _NAME.sub(lambda match: names.get(match[1], match[0]), sql)


def names_in(sql: str) -> set[str]:
    return set(_NAME.findall(sql))


def sort_key(sort: PageSort, names: Mapping[str, str], dialect: Dialect) -> str:
    """What pages are sorted by, as SQL that is never NULL."""
    own = names[_SORTED_BY[sort]]
    if sort in TEXT_SORTS:
        return f"coalesce({own}, ''){dialect.c}"
    return own if sort is PageSort.FIRST_SEEN else f"coalesce({own}, -1)"


def bound_values(conditions: Iterable[Condition], dialect: Dialect) -> dict[str, Any]:
    """The values of the conditions as the driver takes them."""
    return {
        name: bound_value(value, dialect)
        for condition in conditions
        for name, value in condition.values.items()
    }


def bound_value(value: Any, dialect: Dialect) -> Any:
    if isinstance(value, tuple | list):
        return json.dumps(value) if dialect.is_sqlite else list(value)
    if isinstance(value, datetime) and dialect.is_sqlite:
        return iso_text(value, "milliseconds")
    return value


def tables_of(*sql: str) -> set[str]:
    """The names of tables in the SQL, and of those that they are joined by."""
    tables = {name for text in sql for name in _TABLE_NAME.findall(text)}
    return tables if tables.isdisjoint(BY_CLASS) else tables | {"pc"}
