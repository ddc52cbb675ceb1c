"""Reads what is wrong with visited pages: their heads, contents, redirects and answers.

All of it comes from the visits of one scan, so that it can be told of earlier scans as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.findings import kinds
from sitecrawl.findings.kinds import SiteFinding
from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.queries.scans import counts_in_scan
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.scans import Scan

# Pages of the site that were read as HTML. What a page says of itself stands in the visit that read
# it, which is one of an earlier scan if the page has not changed since.
_AUDITED: Final = """
SELECT v.id, v.page_id, v.url, v.clicks, r.title, r.canonical,
    f.elapsed_ms, f.bytes, f.is_noindex, f.is_nofollow, f.canonical_id, f.description, f.h1,
    f.h1_count, f.images, f.images_without_alt, f.insecure_resources, f.insecure_example,
    f.bad_hreflang, f.read_scan_id,
    f.canonical_id <> f.page_id AND EXISTS (
        SELECT 1 FROM visits AS t WHERE t.scan_id = {scan} AND t.page_id = f.canonical_id
    ) AS is_canonicalized
FROM visits AS v
JOIN page_facts AS f ON f.scan_id = v.scan_id AND f.page_id = v.page_id
JOIN visits AS r ON r.page_id = f.page_id AND r.scan_id = f.read_scan_id
WHERE v.scan_id = {scan} AND v.reason IS NULL AND v.external_hops = 0 AND v.outcome IS NOT NULL
"""
_SIMPLE: Final = """
SELECT a.page_id, a.url, {detail} FROM ({audited}) AS a WHERE {condition} ORDER BY a.id
"""
# Pages that search engines may show: only of these the words in search results matter. A copy of
# the whole site, such as a test server, names the addresses of the original: its pages count.
_INDEXABLE: Final = "NOT a.is_noindex AND NOT coalesce(a.is_canonicalized, FALSE)"
# The first of them names the second one, the others name the first.
_REPEATED: Final = """
SELECT page_id, url, words || ' (on ' || CAST(number AS TEXT) || ' pages, such as ' || CASE
    WHEN url = first_url THEN next_url ELSE first_url END || ')'
FROM (
    SELECT a.id, a.page_id, a.url, a.{column} AS words,
        count(*) OVER (PARTITION BY a.{column}) AS number,
        first_value(a.url) OVER (PARTITION BY a.{column} ORDER BY a.id) AS first_url,
        lead(a.url) OVER (PARTITION BY a.{column} ORDER BY a.id) AS next_url
    FROM ({audited}) AS a WHERE a.{column} IS NOT NULL AND {indexable}
) AS counted WHERE number > 1 ORDER BY number DESC, words, id
"""
_CANONICAL_TARGETS: Final = """
SELECT a.page_id, a.url, coalesce(a.canonical, '') || {detail}
FROM ({audited}) AS a
JOIN visits AS t ON t.scan_id = {scan} AND t.page_id = a.canonical_id
LEFT JOIN page_facts AS tf ON tf.scan_id = {scan} AND tf.page_id = a.canonical_id
WHERE a.is_canonicalized AND t.outcome IS NOT NULL AND {condition} ORDER BY a.id
"""
_CANONICAL_OFFSITE: Final = """
SELECT a.page_id, a.url, coalesce(a.canonical, p.url)
FROM ({audited}) AS a JOIN pages AS p ON p.id = a.canonical_id
WHERE p.reason IN {outside} ORDER BY a.id
"""
# Only where the other page was read can be told whether it answers.
_NO_RETURN: Final = """
SELECT a.page_id, a.url, alternate.language || ': ' || other.url
FROM ({audited}) AS a
JOIN page_alternates AS alternate
    ON alternate.scan_id = a.read_scan_id AND alternate.page_id = a.page_id
JOIN page_facts AS other_facts
    ON other_facts.scan_id = {scan} AND other_facts.page_id = alternate.alternate_id
JOIN visits AS other ON other.scan_id = {scan} AND other.page_id = alternate.alternate_id
WHERE alternate.alternate_id <> a.page_id AND other.reason IS NULL AND NOT EXISTS (
    SELECT 1 FROM page_alternates AS back
    WHERE back.scan_id = other_facts.read_scan_id AND back.page_id = other_facts.page_id
    AND back.alternate_id = a.page_id)
ORDER BY a.id, alternate.alternate_id
"""
_ALTERNATE_BROKEN: Final = """
SELECT a.page_id, a.url, alternate.language || ': ' || other.url || ' (' || CASE
    WHEN other.reason IS NOT NULL THEN other.reason
    WHEN other.outcome IN {failures} THEN other.outcome ELSE 'noindex' END || ')'
FROM ({audited}) AS a
JOIN page_alternates AS alternate
    ON alternate.scan_id = a.read_scan_id AND alternate.page_id = a.page_id
JOIN visits AS other ON other.scan_id = {scan} AND other.page_id = alternate.alternate_id
LEFT JOIN page_facts AS other_facts
    ON other_facts.scan_id = {scan} AND other_facts.page_id = alternate.alternate_id
WHERE alternate.alternate_id <> a.page_id AND other.outcome IS NOT NULL
AND (other.reason IN {unusable} OR other.outcome IN {failures}
    OR coalesce(other_facts.is_noindex, FALSE))
ORDER BY a.id, alternate.alternate_id
"""
# An address that only a sitemap names is a finding of the sitemap.
_IS_LINKED: Final = """
EXISTS (
    SELECT 1 FROM mentions AS m JOIN documents AS d ON d.id = m.document_id AND d.kind = '{page}'
    WHERE m.page_id = v.page_id AND m.source <> 'start' AND {counts})
"""
_REFUSED: Final = """
SELECT v.page_id, v.url, coalesce(v.rule, '') FROM visits AS v
WHERE v.scan_id = {scan} AND v.external_hops = 0 AND v.outcome IS NOT NULL
AND v.reason IN {reasons} AND {is_linked}
ORDER BY v.id
"""
_FAILED: Final = """
SELECT v.page_id, v.url, max(coalesce('HTTP ' || CAST(f.status AS TEXT), v.outcome))
FROM visits AS v
LEFT JOIN fetches AS f ON f.document_id = v.document_id AND f.scan_id = v.scan_id
    AND f.outcome = v.outcome
WHERE v.scan_id = {scan} AND v.external_hops = 0 AND v.reason IS NULL AND v.outcome IN {failures}
AND {is_linked}
GROUP BY v.id, v.page_id, v.url ORDER BY v.id
"""
# Visited only where the crawl may leave the site.
_EXTERNAL: Final = """
SELECT v.page_id, v.url, max(coalesce(v.rule, 'HTTP ' || CAST(f.status AS TEXT), v.outcome))
FROM visits AS v
LEFT JOIN fetches AS f ON f.document_id = v.document_id AND f.scan_id = v.scan_id
    AND f.outcome = v.outcome
WHERE v.scan_id = {scan} AND v.external_hops > 0 AND {condition}
GROUP BY v.id, v.page_id, v.url ORDER BY v.id
"""
# A page that links to another twice is one source.
_SOURCES: Final = """
SELECT page_id, url, anchor, number FROM (
    SELECT page_id, d.url AS url, anchor,
        row_number() OVER (PARTITION BY page_id ORDER BY d.id) AS rank,
        count(*) OVER (PARTITION BY page_id) AS number
    FROM (
        SELECT m.page_id, m.document_id, min(m.anchor) AS anchor FROM mentions AS m
        WHERE m.page_id IN (
            SELECT v.page_id FROM visits AS v WHERE v.scan_id = {scan} AND {condition})
        AND m.source <> 'start' AND {counts}
        GROUP BY m.page_id, m.document_id
    ) AS linking JOIN documents AS d ON d.id = linking.document_id AND d.kind = '{page}'
) AS ranked WHERE rank <= {limit} ORDER BY page_id, rank
"""
_SPEEDS: Final = """
SELECT f.elapsed_ms, f.bytes FROM page_facts AS f
JOIN visits AS v ON v.scan_id = f.scan_id AND v.page_id = f.page_id
WHERE f.scan_id = {scan} AND f.read_scan_id = {scan} AND v.reason IS NULL AND v.external_hops = 0
"""
_VISITED: Final = """
SELECT v.url FROM visits AS v WHERE v.scan_id = {scan} AND v.outcome IS NOT NULL
"""
_PREVIOUS: Final = """
SELECT max(s.id) FROM scans AS s
WHERE s.site_id = {site} AND s.id < {scan} AND s.status IN ('finished', 'partial')
AND s.pruned_at IS NULL AND EXISTS (SELECT 1 FROM page_facts AS f WHERE f.scan_id = s.id)
"""

_FAILURES: Final = (
    *(FetchOutcome.HTTP_ERROR, FetchOutcome.TIMEOUT, FetchOutcome.UNREACHABLE),
    *(FetchOutcome.TOO_LARGE, FetchOutcome.INCOMPLETE),
)
_MISSING: Final = (Reason.NOT_FOUND, Reason.SOFT_404)
_ENDLESS: Final = (Reason.REDIRECT_LOOP, Reason.TOO_MANY_REDIRECTS)


def _long(column: str, limit: int) -> tuple[str, str]:
    """Condition and detail of a text that search results would cut."""
    detail = f"CAST(length(a.{column}) AS TEXT) || ' characters: ' || a.{column}"
    return f"length(a.{column}) > {limit} AND {_INDEXABLE}", detail


# By kind: which pages, and what is said of each.
_CONDITIONS: Final[dict[SiteFinding, tuple[str, str]]] = {
    SiteFinding.TITLE_MISSING: (f"a.title IS NULL AND {_INDEXABLE}", "''"),
    SiteFinding.TITLE_TOO_LONG: _long("title", kinds.MAX_TITLE_CHARACTERS),
    SiteFinding.DESCRIPTION_MISSING: (f"a.description IS NULL AND {_INDEXABLE}", "''"),
    SiteFinding.DESCRIPTION_TOO_LONG: _long("description", kinds.MAX_DESCRIPTION_CHARACTERS),
    SiteFinding.H1_MISSING: (f"a.h1 IS NULL AND {_INDEXABLE}", "''"),
    SiteFinding.H1_TOO_LONG: _long("h1", kinds.MAX_H1_CHARACTERS),
    SiteFinding.H1_MULTIPLE: (
        f"a.h1_count > 1 AND {_INDEXABLE}",
        "CAST(a.h1_count AS TEXT) || ' h1, the first: ' || coalesce(a.h1, '')",
    ),
    SiteFinding.CANONICAL_MISSING: ("a.canonical IS NULL AND NOT a.is_noindex", "''"),
    SiteFinding.CANONICALIZED: ("a.is_canonicalized", "coalesce(a.canonical, '')"),
    SiteFinding.NOINDEX: ("a.is_noindex", "''"),
    SiteFinding.NOINDEX_CANONICAL: (
        "a.is_noindex AND a.is_canonicalized",
        "'canonical: ' || coalesce(a.canonical, '')",
    ),
    SiteFinding.NOFOLLOW: ("a.is_nofollow", "''"),
    SiteFinding.MIXED_CONTENT: (
        "a.insecure_resources > 0",
        "CAST(a.insecure_resources AS TEXT) || ' by http, such as ' || a.insecure_example",
    ),
    SiteFinding.IMAGE_ALT_MISSING: (
        "a.images_without_alt > 0",
        "CAST(a.images_without_alt AS TEXT) || ' of ' || CAST(a.images AS TEXT) || ' images'",
    ),
    SiteFinding.HREFLANG_INVALID: ("a.bad_hreflang IS NOT NULL", "a.bad_hreflang"),
    SiteFinding.SLOW_PAGE: (
        f"a.elapsed_ms > {kinds.SLOW_MILLISECONDS} AND a.read_scan_id = {{scan}}",
        "CAST(a.elapsed_ms AS TEXT) || ' ms'",
    ),
    SiteFinding.HEAVY_PAGE: (
        f"a.bytes > {kinds.HEAVY_BYTES}",
        "CAST(a.bytes / 1000 AS TEXT) || ' KB of HTML'",
    ),
    SiteFinding.DEEP_PAGE: (
        f"a.clicks > {kinds.MAX_CLICKS}",
        "CAST(a.clicks AS TEXT) || ' clicks'",
    ),
}
_DUPLICATES: Final = {
    SiteFinding.TITLE_DUPLICATE: "title",
    SiteFinding.DESCRIPTION_DUPLICATE: "description",
    SiteFinding.H1_DUPLICATE: "h1",
}


class PageItem(NamedTuple):
    """A page with a finding."""

    page_id: int
    url: str
    detail: str


class LinkSources(NamedTuple):
    """The pages that link to one page."""

    total: int
    first: list[tuple[str, str]]
    """Address and anchor text."""


NO_SOURCES: Final = LinkSources(0, [])


class PageFindings:
    """What is wrong with the pages that a scan has visited."""

    def __init__(self, connection: Connection, scan: Scan) -> None:
        self._connection = connection
        names = {
            "scan": str(int(scan.id)),
            "site": str(int(scan.site_id)),
            "indexable": _INDEXABLE,
            "outside": _words([Reason.OFFSITE, Reason.SCHEME_NOT_ALLOWED]),
            "failures": _words(_FAILURES),
            "unusable": _words([*_MISSING, *_ENDLESS, Reason.REDIRECTED]),
            "page": DocumentKind.PAGE.value,
            "counts": counts_in_scan(scan, "m"),
        }
        self._names = names | {
            "audited": _AUDITED.format_map(names),
            "is_linked": _IS_LINKED.format_map(names),
        }

    def by_kind(self) -> Iterator[tuple[SiteFinding, list[PageItem]]]:
        """Every kind, also those that no page has."""
        for kind, (condition, detail) in _CONDITIONS.items():
            names = {"condition": condition.format_map(self._names), "detail": detail}
            yield kind, self._items(_SIMPLE, **names)
        for kind, column in _DUPLICATES.items():
            yield kind, self._items(_REPEATED, column=column)
        yield from self._canonicals()
        yield SiteFinding.HREFLANG_NO_RETURN, self._items(_NO_RETURN)
        yield SiteFinding.HREFLANG_BROKEN, self._items(_ALTERNATE_BROKEN)
        yield SiteFinding.BROKEN_LINK, self._items(_REFUSED, reasons=_words(_MISSING))
        yield SiteFinding.PAGE_ERROR, self._items(_FAILED)
        external = _with_sources(SiteFinding.BROKEN_EXTERNAL_LINK)
        yield SiteFinding.BROKEN_EXTERNAL_LINK, self._items(_EXTERNAL, condition=external)
        yield (
            SiteFinding.REDIRECTED_LINK,
            self._items(_REFUSED, reasons=_words([Reason.REDIRECTED])),
        )
        yield SiteFinding.REDIRECT_LOOP, self._items(_REFUSED, reasons=_words(_ENDLESS))

    def sources(self, kind: SiteFinding, limit: int) -> dict[int, LinkSources]:
        """By page: which pages link to those of this kind, the first *limit* of each."""
        rows = self._rows(_SOURCES, condition=_with_sources(kind), limit=str(int(limit)))
        found: dict[int, LinkSources] = {}
        for page_id, url, anchor, number in rows:
            found.setdefault(page_id, LinkSources(number, [])).first.append((url, anchor or ""))
        return found

    def speeds(self) -> list[tuple[int, int]]:
        """Of each page that was read in this scan: milliseconds until it answered, and bytes."""
        return [(elapsed_ms, size) for elapsed_ms, size in self._rows(_SPEEDS)]

    def visited_urls(self) -> set[str]:
        return {url for (url,) in self._rows(_VISITED)}

    def previous_scan_id(self) -> int | None:
        """The newest earlier scan that ended in order and has visited pages."""
        found: int | None = self._connection.exec_driver_sql(
            _PREVIOUS.format_map(self._names)
        ).scalar()
        return found

    def _canonicals(self) -> Iterator[tuple[SiteFinding, list[PageItem]]]:
        conditions = {
            SiteFinding.CANONICAL_BROKEN: (
                "(t.reason IN {missing} OR t.outcome IN {failures})",
                "' (' || coalesce(t.reason, t.outcome) || ')'",
            ),
            SiteFinding.CANONICAL_REDIRECT: ("t.outcome = 'redirected'", "''"),
            SiteFinding.CANONICAL_NOINDEX: ("tf.is_noindex", "''"),
            SiteFinding.CANONICAL_CHAIN: (
                "tf.canonical_id <> tf.page_id",
                "' -> ' || coalesce(t.canonical, '')",
            ),
        }
        names = self._names | {"missing": _words(_MISSING)}
        for kind, (condition, detail) in conditions.items():
            sql = {"condition": condition.format_map(names), "detail": detail}
            yield kind, self._items(_CANONICAL_TARGETS, **sql)
        yield SiteFinding.CANONICAL_OFFSITE, self._items(_CANONICAL_OFFSITE)

    def _items(self, statement: str, **names: str) -> list[PageItem]:
        return [PageItem(*row) for row in self._rows(statement, **names)]

    def _rows(self, statement: str, **names: str) -> list[tuple[Any, ...]]:
        sql = statement.format_map(self._names | names)
        return [tuple(row) for row in self._connection.exec_driver_sql(sql).all()]


def _with_sources(kind: SiteFinding) -> str:
    """Which visits are of a kind whose pages are named with those that link to them."""
    match kind:
        case SiteFinding.BROKEN_LINK:
            return f"v.reason IN {_words(_MISSING)}"
        case SiteFinding.BROKEN_EXTERNAL_LINK:
            is_missing = f"v.reason IN {_words([*_MISSING, *_ENDLESS])}"
            has_failed = f"v.reason IS NULL AND v.outcome IN {_words(_FAILURES)}"
            return f"v.external_hops > 0 AND ({is_missing} OR {has_failed})"
        case SiteFinding.PAGE_ERROR:
            return f"v.reason IS NULL AND v.outcome IN {_words(_FAILURES)}"
        case SiteFinding.REDIRECTED_LINK:
            return f"v.reason = '{Reason.REDIRECTED.value}'"
        case SiteFinding.REDIRECT_LOOP:
            return f"v.reason IN {_words(_ENDLESS)}"
    raise ValueError(f"{kind} has no sources")


def _words(values: Iterable[str]) -> str:
    return "({})".format(", ".join(f"'{value!s}'" for value in values))
