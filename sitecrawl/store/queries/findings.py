"""Reads what is wrong with the entries of sitemaps and with visited pages, and near duplicates."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import and_, func, select

from sitecrawl.findings.text_similarity import (
    TextSketch,
    near_duplicates,
    shingles,
    word_difference,
)
from sitecrawl.items import SITEMAP_SOURCES, DocumentKind, FetchOutcome, Source
from sitecrawl.robots.policy import VerdictReason
from sitecrawl.store.compression import unpack_text
from sitecrawl.store.queries.scans import membership
from sitecrawl.store.schema import iso_text, page_texts, pages, visits
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy.engine import Connection

    from sitecrawl.findings.text_similarity import Shingles, TextDifference
    from sitecrawl.store.queries.scans import Scan


_SITEMAPS: Final = "(SELECT id FROM documents WHERE site_id = {site} AND kind = '{kind}')"
# What a feed names that is used as a sitemap is no entry of one.
_IS_ENTRY: Final = """
(({own_counts} AND p.source IN {entry} AND p.document_id IN {sitemaps}) OR p.id IN (
    SELECT other.page_id FROM further_mentions AS other
    WHERE other.source IN {entry} AND other.document_id IN {sitemaps} AND {other_counts}))
"""
_OF_REASONS: Final = """
SELECT p.url, coalesce(p.rule, ''), count(*) OVER ()
FROM pages AS p WHERE p.site_id = {site} AND p.reason IN {reasons} AND {is_entry}
ORDER BY p.number LIMIT {limit}
"""
_BLOCKED: Final = """
SELECT p.url, coalesce(v.rule, ''), count(*) OVER ()
FROM pages AS p JOIN verdicts AS v ON v.id = p.verdict_id
WHERE p.site_id = {site} AND NOT v.allowed AND v.reason = '{by_rule}' AND {is_entry}
ORDER BY p.number LIMIT {limit}
"""
_NOINDEX: Final = """
SELECT p.url, '', count(*) OVER ()
FROM pages AS p
WHERE p.site_id = {site} AND p.reason IS NULL AND {is_entry} AND p.id IN (
    SELECT facts.page_id FROM page_facts AS facts
    WHERE facts.scan_id = {scan} AND facts.is_noindex)
ORDER BY p.number LIMIT {limit}
"""
_FAILED: Final = """
SELECT p.url, failed.words, count(*) OVER ()
FROM pages AS p JOIN (
    SELECT visit.page_id AS page_id,
        max(coalesce('HTTP ' || CAST(f.status AS TEXT), f.outcome)) AS words
    FROM visits AS visit
    JOIN fetches AS f ON f.document_id = visit.document_id AND f.scan_id = visit.scan_id
    WHERE visit.scan_id = {scan} AND visit.outcome = f.outcome AND f.outcome IN {failures}
    GROUP BY visit.page_id
) AS failed ON failed.page_id = p.id
WHERE p.site_id = {site} AND p.reason IS NULL AND {is_entry}
ORDER BY p.number LIMIT {limit}
"""
# Only the first mention has the address as it was written.
_INSECURE: Final = """
SELECT p.url, d.url, count(*) OVER ()
FROM pages AS p JOIN documents AS d ON d.id = p.document_id
WHERE p.site_id = {site} AND p.source IN {entry} AND p.document_id IN {sitemaps} AND {own_counts}
AND substr(p.url, 1, 7) = 'http://' AND substr(d.url, 1, 8) = 'https://'
AND coalesce(p.reason, '') <> '{offsite}'
ORDER BY p.number LIMIT {limit}
"""
# A page is there once by its own mention, if that is an entry, and once by each further one.
_REPEATED: Final = """
SELECT url, CAST(entries AS TEXT) || ' entries', count(*) OVER () FROM (
    SELECT p.number, p.url, again.entries + CASE
        WHEN p.source = '{sitemap}' AND p.document_id IN {sitemaps} AND {own_counts} THEN 1
        ELSE 0 END AS entries
    FROM (
        SELECT other.page_id, count(*) AS entries FROM further_mentions AS other
        WHERE other.document_id IN {sitemaps} AND other.source = '{sitemap}' AND {other_counts}
        GROUP BY other.page_id
    ) AS again
    JOIN pages AS p ON p.id = again.page_id WHERE p.site_id = {site}
) AS counted
WHERE entries > 1 ORDER BY number LIMIT {limit}
"""

_FAILURES: Final = (
    *(FetchOutcome.HTTP_ERROR, FetchOutcome.TIMEOUT, FetchOutcome.UNREACHABLE),
    *(FetchOutcome.TOO_LARGE, FetchOutcome.INCOMPLETE),
)


class Found(NamedTuple):
    """How many there are, and the first of them: an address and a detail each."""

    total: int
    items: list[tuple[str, str]]


class SitemapEntries:
    """The entries of the sitemaps that belong to the inventory of a scan."""

    def __init__(self, connection: Connection, scan: Scan, max_items: int) -> None:
        self._connection = connection
        names = membership(scan)
        names["sitemaps"] = _SITEMAPS.format(site=names["site"], kind=DocumentKind.SITEMAP.value)
        names["entry"] = _words(sorted(SITEMAP_SOURCES))
        names["is_entry"] = _IS_ENTRY.format_map(names)
        self._names = names | {
            "sitemap": Source.SITEMAP.value,
            "by_rule": VerdictReason.RULE.value,
            "offsite": Reason.OFFSITE.value,
            "failures": _words(_FAILURES),
            "limit": str(int(max_items)),
        }

    def refused_for(self, *reasons: Reason) -> Found:
        """Those that are refused; the detail is the rule."""
        return self._found(_OF_REASONS, reasons=_words(reasons))

    def blocked(self) -> Found:
        """Those that a rule of robots.txt does not allow."""
        return self._found(_BLOCKED)

    def noindex(self) -> Found:
        """Visited ones that are not to be found by search engines."""
        return self._found(_NOINDEX)

    def failed(self) -> Found:
        """Visited ones that gave an error, or no answer."""
        return self._found(_FAILED)

    def insecure(self) -> Found:
        """Addresses with http in maps with https."""
        return self._found(_INSECURE)

    def repeated(self) -> Found:
        return self._found(_REPEATED)

    def _found(self, statement: str, **names: str) -> Found:
        sql = statement.format_map(self._names | names)
        return found_rows(self._connection.exec_driver_sql(sql).all())


def found_rows(rows: Iterable[Any]) -> Found:
    """Of rows with an address, a detail, and the number of all rows there would be."""
    items, total = [], 0
    for url, detail, number in rows:
        items.append((url, detail))
        total = number
    return Found(total, items)


def _words(values: Iterable[str]) -> str:
    return "({})".format(", ".join(f"'{value!s}'" for value in values))


# Nobody had a sitemap's pages before; 1970-01-01 is what a program writes that knows no date.
_FIRST_YEAR: Final = "1995"
# Clocks and time zones differ.
_LEEWAY: Final = timedelta(days=1)

_DATED: Final = """
SELECT p.id AS page_id, p.document_id AS document_id, p.lastmod AS lastmod
FROM pages AS p JOIN documents AS d ON d.id = p.document_id
WHERE p.site_id = {site} AND d.kind = '{kind}' AND p.source = '{sitemap}' AND {own_counts}
UNION ALL
SELECT other.page_id, other.document_id, other.lastmod
FROM further_mentions AS other JOIN documents AS d ON d.id = other.document_id
WHERE d.site_id = {site} AND d.kind = '{kind}' AND other.source = '{sitemap}' AND {other_counts}
"""
_BY_SITEMAP: Final = """
SELECT d.url, count(*), count(nullif(entry.lastmod, '')), min(nullif(entry.lastmod, '')),
    max(nullif(entry.lastmod, ''))
FROM ({dated}) AS entry JOIN documents AS d ON d.id = entry.document_id
GROUP BY d.id, d.url ORDER BY d.id
"""
_IMPLAUSIBLE: Final = """
SELECT p.url, wrong.lastmod, count(*) OVER () FROM (
    SELECT page_id, min(lastmod) AS lastmod FROM ({dated}) AS entry
    WHERE lastmod > '' AND (lastmod < '{first_year}' OR lastmod > '{tomorrow}')
    GROUP BY page_id
) AS wrong JOIN pages AS p ON p.id = wrong.page_id
ORDER BY p.number LIMIT {limit}
"""


class LastmodRange(NamedTuple):
    """The dates of one sitemap."""

    sitemap: str
    entries: int
    dated: int
    first: str | None
    last: str | None


def lastmod_ranges(connection: Connection, scan: Scan) -> list[LastmodRange]:
    """The sitemaps in the order in which they were found."""
    names = _names(scan)
    rows = connection.exec_driver_sql(_BY_SITEMAP.format_map(names)).all()
    return [LastmodRange._make(row) for row in rows]


def implausible_lastmods(connection: Connection, scan: Scan, max_items: int) -> Found:
    """Pages with a date after the scan, or from before there were sitemaps."""
    names = _names(scan) | {
        "first_year": _FIRST_YEAR,
        # Dates are kept so that they compare as text.
        "tomorrow": iso_text(scan.started_at + _LEEWAY),
        "limit": str(int(max_items)),
    }
    return found_rows(connection.exec_driver_sql(_IMPLAUSIBLE.format_map(names)).all())


def _names(scan: Scan) -> dict[str, str]:
    names = membership(scan)
    names |= {"kind": DocumentKind.SITEMAP.value, "sitemap": Source.SITEMAP.value}
    return names | {"dated": _DATED.format_map(names)}


_TRAPS: Final = tuple(
    reason
    for reason in Reason
    if reason.startswith("trap_") and reason is not Reason.TRAP_PARAMETER
)
_TRAPPED: Final = """
SELECT p.reason, coalesce(p.rule, ''), min(p.url), count(*)
FROM pages AS p
WHERE p.site_id = {site} AND p.reason IN ({traps}) AND {own_counts}
GROUP BY p.reason, coalesce(p.rule, '') ORDER BY 4 DESC, 1, 2
"""


class Trapped(NamedTuple):
    """Addresses without an end that share what they were refused by."""

    reason: str
    rule: str
    example: str
    pages: int


class Canonical(NamedTuple):
    """A page and what it names as its canonical address, which may be relative."""

    page_id: int
    url: str
    canonical: str


def start_pages(connection: Connection, scan: Scan) -> set[int]:
    """Where the crawl started: these need no link."""
    is_start = (visits.c.scan_id == scan.id) & visits.c.found_by.is_(None)
    return set(connection.scalars(select(visits.c.page_id).where(is_start)))


def redirect_targets(connection: Connection, scan: Scan) -> dict[str, str]:
    """By address, where it redirects to."""
    statement = (
        select(visits.c.url, visits.c.rule)
        .where(visits.c.scan_id == scan.id, visits.c.reason == Reason.REDIRECTED)
        .order_by(visits.c.id)
    )
    return {row.url: row.rule or "" for row in connection.execute(statement)}


def duplicate_texts(connection: Connection, scan: Scan, max_items: int) -> Found:
    """Pages with the same text as an earlier one, with that one."""
    original = pages.alias("original")
    statement = (
        select(visits.c.url, original.c.url, func.count().over())
        .join_from(visits, original, original.c.id == visits.c.duplicate_of)
        .where(visits.c.scan_id == scan.id, visits.c.reason.is_(None))
        .order_by(visits.c.id)
        .limit(max_items)
    )
    return found_rows(connection.execute(statement).all())


def named_canonicals(connection: Connection, scan: Scan) -> list[Canonical]:
    """Listed pages that name a canonical address."""
    statement = (
        select(visits.c.page_id, visits.c.url, visits.c.canonical)
        .where(
            visits.c.scan_id == scan.id,
            visits.c.canonical.is_not(None),
            visits.c.canonical != "",
            visits.c.reason.is_(None),
        )
        .order_by(visits.c.id)
    )
    return [Canonical(*row) for row in connection.execute(statement)]


def trapped_pages(connection: Connection, scan: Scan) -> list[Trapped]:
    """By what they were refused by, the most first."""
    names = membership(scan) | {"traps": ", ".join(f"'{reason.value}'" for reason in _TRAPS)}
    rows = connection.exec_driver_sql(_TRAPPED.format_map(names)).all()
    return [Trapped._make(row) for row in rows]


_ROWS_AT_ONCE: Final = 500
_KNOWN_TEXTS: Final = 1_000
# A text is compared only if it is the one that the scan has seen.
_IS_OWN_TEXT: Final = and_(
    page_texts.c.page_id == visits.c.page_id, page_texts.c.text_hash == visits.c.text_hash
)


class NearDuplicatePage(NamedTuple):
    """A page whose main text is nearly that of an earlier one."""

    page_id: int
    url: str
    original_id: int
    original: str
    similarity: float
    """The share of their shingles that both have, see findings/text_similarity.py."""


def near_duplicate_pages(connection: Connection, scan: Scan) -> Iterator[NearDuplicatePage]:
    """Pages with nearly the text of an earlier one, in the order of the visits."""
    statement = (
        select(visits.c.page_id, visits.c.url, page_texts.c.content)
        .join_from(visits, page_texts, _IS_OWN_TEXT)
        .where(
            visits.c.scan_id == scan.id, visits.c.reason.is_(None), visits.c.duplicate_of.is_(None)
        )
        .order_by(visits.c.number)
        .execution_options(yield_per=_ROWS_AT_ONCE)
    )
    found, sketches = [], []
    for page_id, url, content in connection.execute(statement):
        found.append((page_id, url))
        sketches.append(TextSketch.of(shingles(unpack_text(content))))

    @lru_cache(maxsize=_KNOWN_TEXTS)
    def read_shingles(index: int) -> Shingles:
        own = page_texts.c.page_id == found[index][0]
        content = connection.scalars(select(page_texts.c.content).where(own)).one()
        return shingles(unpack_text(content))

    for near in near_duplicates(sketches, read_shingles):
        yield NearDuplicatePage(*found[near.text], *found[near.original], near.similarity)


def text_difference(
    connection: Connection, scan: Scan, before: int, after: int
) -> TextDifference | None:
    """In which words two pages differ, by their ids; None: the text of one was not kept."""
    statement = (
        select(visits.c.page_id, page_texts.c.content)
        .join_from(visits, page_texts, _IS_OWN_TEXT)
        .where(visits.c.scan_id == scan.id, visits.c.page_id.in_([before, after]))
    )
    texts: dict[int, bytes] = {row.page_id: row.content for row in connection.execute(statement)}
    if before not in texts or after not in texts:
        return None
    return word_difference(unpack_text(texts[before]), unpack_text(texts[after]))
