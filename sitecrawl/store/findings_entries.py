"""Reads what is wrong with the entries of a site's sitemaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.items import SITEMAP_SOURCES, DocumentKind, FetchOutcome, Source
from sitecrawl.robots.policy import VerdictReason
from sitecrawl.store.membership import membership
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from sitecrawl.store.facts import Scan

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
    SELECT visit.page_id FROM visits AS visit
    JOIN fetches AS f ON f.document_id = visit.document_id AND f.scan_id = visit.scan_id
    WHERE visit.scan_id = {scan} AND (
        CAST(f.directives AS TEXT) LIKE {value} OR CAST(f.directives AS TEXT) LIKE {value}))
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
    examples: list[tuple[str, str]]


class SitemapEntries:
    """The entries of the sitemaps that belong to the inventory of a scan."""

    def __init__(self, connection: Connection, scan: Scan, max_examples: int) -> None:
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
            "limit": str(int(max_examples)),
            "value": "?" if connection.dialect.name == "sqlite" else "%s",
        }

    def refused_for(self, *reasons: Reason) -> Found:
        """Those that are refused; the detail is the rule."""
        return self._found(_OF_REASONS, reasons=_words(reasons))

    def blocked(self) -> Found:
        """Those that a rule of robots.txt does not allow."""
        return self._found(_BLOCKED)

    def noindex(self) -> Found:
        """Visited ones that are not to be found by search engines."""
        return self._found(_NOINDEX, '%"noindex"%', '%"none"%')

    def failed(self) -> Found:
        """Visited ones that gave an error, or no answer."""
        return self._found(_FAILED)

    def insecure(self) -> Found:
        """Addresses with http in maps with https."""
        return self._found(_INSECURE)

    def repeated(self) -> Found:
        return self._found(_REPEATED)

    def _found(self, statement: str, *values: str, **names: str) -> Found:
        sql = statement.format_map(self._names | names)
        return found_rows(self._connection.exec_driver_sql(sql, values).all())


def found_rows(rows: Iterable[Any]) -> Found:
    """Of rows with an address, a detail, and the number of all rows there would be."""
    examples, total = [], 0
    for url, detail, number in rows:
        examples.append((url, detail))
        total = number
    return Found(total, examples)


def _words(values: Iterable[str]) -> str:
    return "({})".format(", ".join(f"'{value!s}'" for value in values))
