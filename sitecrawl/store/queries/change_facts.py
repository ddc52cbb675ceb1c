"""What two scans of a site show when they are compared: pages that came, went and changed.

Everything is read from what scans have changed (``page_versions``, ``page_absences``, new numbers
of pages, visits of the scan), never by reading all pages of two inventories. All statements are run
on the connection of the comparison, which makes the temporary tables.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.changes.kinds import PageRef
from sitecrawl.changes.lastmod import LastmodFigures
from sitecrawl.changes.moves import MovingPage
from sitecrawl.changes.presence import Check, Listing, Presence, PresenceState
from sitecrawl.items import NOT_SENT, DocumentKind, FetchOutcome
from sitecrawl.store.queries.scans import membership
from sitecrawl.store.writers.bulk import insert_columns
from sitecrawl.urls.refusal import FOUND_BY_VISIT, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.scans import Scan

# Where neither menu nor links are known, that is the root and the pages right below it.
IMPORTANT_PRIORITY: Final = 0.9
_IDS_AT_ONCE: Final = 5_000
_NOT_SENT: Final = ", ".join(f"'{outcome}'" for outcome in sorted(NOT_SENT))
# After these it is not known what the page would have answered.
_NOT_ANSWERED: Final = ", ".join(
    f"'{outcome}'"
    for outcome in sorted(
        {
            *NOT_SENT,
            *(FetchOutcome.TIMEOUT, FetchOutcome.UNREACHABLE),
            *(FetchOutcome.ADDRESS_NOT_ALLOWED, FetchOutcome.BLOCKED_BY_ROBOTS),
        }
    )
)
# Refused for what the site says, and not for what we leave out.
_OWN_REASONS: Final = ", ".join(
    f"'{reason}'" for reason in sorted((*FOUND_BY_VISIT, Reason.BLOCKED_BY_ROBOTS))
)
IS_OF_SITE: Final = f"(p.reason IS NULL OR p.reason IN ({_OWN_REASONS}))"

_REF: Final = """
p.id, p.url, coalesce(k.template, ''), coalesce(k.type, ''), p.importance, k.priority, p.reason
"""
_CLASS: Final = """
LEFT JOIN page_classes AS pc ON pc.page_number = p.number
LEFT JOIN classes AS k ON k.id = pc.class_id
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """A scan and the one that it is compared with."""

    scan: Scan
    before: Scan
    last_page_number: int
    """Of the comparison before: pages with higher numbers are new."""
    earlier_page_number: int
    """Of the one before that: pages with higher numbers may be where others moved to."""

    def names(self) -> dict[str, str]:
        """What stands for names in statements; ``pages`` is as of the scan."""
        return membership(self.scan) | {
            "before": str(int(self.before.id)),
            "class": _CLASS,
            "ref": _REF,
            "not_sent": _NOT_SENT,
            "not_answered": _NOT_ANSWERED,
            "is_of_site": IS_OF_SITE,
        }


def _ref(row: Sequence[Any]) -> PageRef:
    number, url, template, page_type, importance, priority, reason = row[:7]
    is_important = importance is not None or (priority or 0) >= IMPORTANT_PRIORITY
    return PageRef(number, url, template, page_type, is_important, reason)


# --- pages that came ------------------------------------------------------------------------------

_ADDED: Final = """
SELECT {ref}, p.document_id, p.number, p.title FROM {pages} AS p {class}
WHERE p.site_id = {site} AND p.number > {earlier} AND p.first_scan_id <= {scan}
AND NOT EXISTS (
    SELECT 1 FROM page_absences AS absent
    WHERE absent.page_id = p.id AND absent.from_scan_id <= {scan}
    AND (absent.until_scan_id IS NULL OR absent.until_scan_id > {scan}))
AND ({is_of_site} OR p.reason = '{offsite}')
ORDER BY p.number
"""


class AddedPage(NamedTuple):
    page: PageRef
    document_id: int
    is_new: bool
    """Otherwise the comparison before has told of it."""
    title: str


def added_pages(connection: Connection, pair: Pair) -> list[AddedPage]:
    """Pages that the scan knows and the one before did not, and those of the comparison before.

    Pages of other hosts are among them.
    """
    names = pair.names() | {
        "earlier": str(int(pair.earlier_page_number)),
        "offsite": Reason.OFFSITE.value,
    }
    rows = connection.exec_driver_sql(_ADDED.format_map(names))
    return [
        AddedPage(_ref(row), row[7], row[8] > pair.last_page_number, row[9] or "") for row in rows
    ]


# --- pages that went ------------------------------------------------------------------------------

_CREATE_WATCHED: Final = "CREATE TEMPORARY TABLE watched_pages (page_id BIGINT PRIMARY KEY)"
_LOST: Final = """
SELECT page_id FROM page_absences
WHERE site_id = {site} AND from_scan_id > {before} AND from_scan_id <= {scan}
AND (until_scan_id IS NULL OR until_scan_id > {scan})
"""
_ENDED: Final = """
SELECT page_id FROM page_absences
WHERE site_id = {site} AND until_scan_id > {before} AND until_scan_id <= {scan}
"""
_PRESENCE: Final = """
SELECT page_id, state, since_scan_id, scans, flaps, evidence FROM page_presence
WHERE site_id = {site} AND (state IN ('missing', 'unknown')
    OR page_id IN (SELECT page_id FROM visits WHERE scan_id = {scan} AND outcome IS NOT NULL)
    OR page_id IN (SELECT page_id FROM watched_pages))
"""
_WATCHED: Final = """
SELECT {ref}, p.document_id, p.title FROM watched_pages AS w CROSS JOIN pages AS p {class}
WHERE p.id = w.page_id ORDER BY p.number
"""
_OTHER_DOCUMENTS: Final = """
SELECT DISTINCT o.page_id, o.document_id
FROM watched_pages AS w CROSS JOIN other_mentions AS o WHERE o.page_id = w.page_id
"""
_CHECKS: Final = """
SELECT v.page_id, v.outcome, v.reason, v.redirect_target, v.canonical, v.text_hash, v.fingerprint
FROM watched_pages AS w CROSS JOIN visits AS v
WHERE v.page_id = w.page_id AND v.scan_id = {scan} AND v.outcome IS NOT NULL
AND v.outcome NOT IN ({not_sent})
ORDER BY v.id
"""


@dataclass(slots=True)
class WatchedPage:
    """A page that is not simply there, or was not."""

    page: PageRef
    title: str
    presence: Presence | None
    is_lost: bool
    """It went in this scan."""
    listing: Listing = Listing.DROPPED
    check: Check = Check.NONE
    documents: set[int] = field(default_factory=set)
    redirect_target: str | None = None
    canonical: str | None = None


def watched_pages(connection: Connection, pair: Pair) -> list[WatchedPage]:
    """Pages that went, came back, or whose state is open; those of our own rules are left out."""
    names = pair.names()
    connection.exec_driver_sql("DROP TABLE IF EXISTS watched_pages")
    connection.exec_driver_sql(_CREATE_WATCHED)
    lost = set(connection.exec_driver_sql(_LOST.format_map(names)).scalars())
    back = set(connection.exec_driver_sql(_ENDED.format_map(names)).scalars()) - lost
    _watch(connection, lost | back)
    presences = _presences(connection, names)
    _watch(connection, presences.keys() - lost - back)
    found: dict[int, WatchedPage] = {}
    for row in connection.exec_driver_sql(_WATCHED.format_map(names)):
        page = _ref(row)
        known = presences.get(page.id)
        if known is None and (page.id in back or not _is_of_site(page.reason)):
            continue
        listing = Listing.LISTED if page.id in back else Listing.DROPPED
        if known is not None and known.state is PresenceState.PRESENT and page.id not in lost:
            listing = Listing.LISTED
        found[page.id] = WatchedPage(
            page, row[8] or "", known, page.id in lost, listing, documents={row[7]}
        )
    _add_documents(connection, pair, found)
    _add_checks(connection, names, found)
    return list(found.values())


def _watch(connection: Connection, ids: Iterable[int]) -> None:
    if wanted := sorted(ids):
        insert_columns(connection, "watched_pages", {"page_id": wanted}, {})


def _is_of_site(reason: str | None) -> bool:
    return reason is None or reason in FOUND_BY_VISIT or reason == Reason.BLOCKED_BY_ROBOTS


def _presences(connection: Connection, names: Mapping[str, str]) -> dict[int, Presence]:
    from sitecrawl.store.schema import page_presence

    kind = page_presence.c.evidence.type.dialect_impl(connection.dialect)
    read = kind.result_processor(connection.dialect, None) or (lambda value: value)
    rows = connection.exec_driver_sql(_PRESENCE.format_map(names))
    return {
        row[0]: Presence(PresenceState(row[1]), row[2], row[3], row[4], read(row[5]) or {})
        for row in rows
    }


def _add_documents(connection: Connection, pair: Pair, found: dict[int, WatchedPage]) -> None:
    for page_id, document_id in connection.exec_driver_sql(_OTHER_DOCUMENTS):
        if page_id in found:
            found[page_id].documents.add(document_id)
    absent = [each for each in found.values() if each.listing is not Listing.LISTED]
    documents = {number for each in absent for number in each.documents}
    unread = unread_documents(connection, pair, documents)
    for each in absent:
        if not each.documents.isdisjoint(unread):
            each.listing = Listing.UNREAD


def _add_checks(
    connection: Connection, names: Mapping[str, str], found: dict[int, WatchedPage]
) -> None:
    for row in connection.exec_driver_sql(_CHECKS.format_map(names)):
        if (each := found.get(row[0])) is not None:
            each.check = _check(row[1], row[2])
            if row[2] == Reason.SOFT_404 and each.listing is Listing.UNREAD:
                each.check = Check.FAILED  # less certain than a status, and nothing else says so
            each.redirect_target, each.canonical = row[3], row[4]


def _check(outcome: str, reason: str | None) -> Check:
    if reason in {Reason.NOT_FOUND, Reason.SOFT_404} or outcome == FetchOutcome.NOT_FOUND:
        return Check.GONE
    if outcome == FetchOutcome.REDIRECTED or reason == Reason.REDIRECTED:
        return Check.REDIRECTED
    is_read = outcome in {FetchOutcome.OK, FetchOutcome.NOT_MODIFIED, FetchOutcome.FRESH}
    return Check.FOUND if is_read else Check.FAILED


# --- documents that could not be read -------------------------------------------------------------

_DOCUMENTS: Final = """
SELECT d.id, d.kind, d.gone_scan_id, f.outcome, f.complete, f.entries,
    (SELECT max(earlier.entries) FROM fetches AS earlier
     WHERE earlier.document_id = d.id AND earlier.scan_id < {scan})
FROM documents AS d LEFT JOIN fetches AS f ON f.document_id = d.id AND f.scan_id = {scan}
WHERE d.id IN ({ids}) ORDER BY f.id
"""
_PARENTS: Final = "SELECT child_id, parent_id FROM document_links WHERE child_id IN ({ids})"
_CONFIRMING: Final = frozenset({FetchOutcome.NOT_MODIFIED, FetchOutcome.FRESH})


def unread_documents(connection: Connection, pair: Pair, documents: Iterable[int]) -> set[int]:
    """Those of the documents that the scan could not read, or did not ask for.

    A sitemap that has become empty, or answers 404 although it is asked for, counts as one that
    could not be read: that is how generators fail. One that no document names any more is gone for
    good, unless what named it could not be read.
    """
    states = _document_states(connection, pair, documents)
    parents = _parents(
        connection, [number for number, is_read in states.items() if is_read is None]
    )
    above = _document_states(
        connection, pair, {parent for group in parents.values() for parent in group} - states.keys()
    )
    for number in [number for number, is_read in states.items() if is_read is None]:
        named_by = [states.get(each, above.get(each)) for each in parents.get(number, ())]
        states[number] = all(is_read is not False for is_read in named_by)
    return {number for number, is_read in states.items() if not is_read}


def _document_states(
    connection: Connection, pair: Pair, documents: Iterable[int]
) -> dict[int, bool | None]:
    """Whether each was read; None: it is gone without having been asked for."""
    found: dict[int, bool | None] = {}
    for ids in _in_lists(documents):
        statement = _DOCUMENTS.format(scan=int(pair.scan.id), ids=ids)
        for row in connection.exec_driver_sql(statement):
            found[row[0]] = _is_read(row, pair.scan.id)
    return found


def _is_read(row: Sequence[Any], scan_id: int) -> bool | None:
    _, kind, gone_scan_id, outcome, complete, entries, most_entries = row
    if outcome is None:
        return None if gone_scan_id is not None and gone_scan_id <= scan_id else False
    if kind == DocumentKind.PAGE:
        return bool(complete) or outcome in {*_CONFIRMING, FetchOutcome.NOT_FOUND}
    if outcome in _CONFIRMING:
        return True
    is_emptied = kind == DocumentKind.SITEMAP and not entries and (most_entries or 0) > 0
    return bool(complete) and not is_emptied


def _parents(connection: Connection, documents: Iterable[int]) -> dict[int, set[int]]:
    found: defaultdict[int, set[int]] = defaultdict(set)
    for ids in _in_lists(documents):
        for child, parent in connection.exec_driver_sql(_PARENTS.format(ids=ids)):
            found[child].add(parent)
    return found


def _in_lists(numbers: Iterable[int]) -> Iterator[str]:
    wanted = sorted(numbers)
    for first in range(0, len(wanted), _IDS_AT_ONCE):
        yield ", ".join(str(int(number)) for number in wanted[first : first + _IDS_AT_ONCE])


# --- what moved pages are known by ----------------------------------------------------------------

_LAST_VISITS: Final = """
SELECT v.page_id, v.text_hash, v.fingerprint, v.title FROM visits AS v
WHERE v.page_id IN ({ids}) AND v.scan_id <= {scan} AND v.outcome IN ('ok', 'not_modified')
AND v.reason IS NULL
ORDER BY v.page_id, v.scan_id
"""
_BY_URL: Final = "SELECT id, url FROM pages WHERE site_id = {site} AND url IN ({marks})"


def visited_texts(
    connection: Connection, pair: Pair, ids: Iterable[int]
) -> dict[int, tuple[str, int | None, str]]:
    """By page, the hash of its text, its fingerprint and its title when it last answered."""
    found: dict[int, tuple[str, int | None, str]] = {}
    for some in _in_lists(ids):
        statement = _LAST_VISITS.format(ids=some, scan=int(pair.scan.id))
        for page_id, text_hash, fingerprint, title in connection.exec_driver_sql(statement):
            found[page_id] = text_hash or "", fingerprint, title or ""
    return found


def pages_of_urls(connection: Connection, site_id: int, urls: Iterable[str]) -> dict[str, int]:
    """The ids of pages by the exact URLs that are asked for."""
    wanted = sorted(set(urls))
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    found: dict[str, int] = {}
    for first in range(0, len(wanted), 500):
        some = wanted[first : first + 500]
        statement = _BY_URL.format(site=int(site_id), marks=", ".join([mark] * len(some)))
        rows = connection.exec_driver_sql(statement, tuple(some))
        found |= {url: page_id for page_id, url in rows}
    return found


def moving_page(
    page: PageRef,
    title: str,
    texts: Mapping[int, tuple[str, int | None, str]],
    redirects_to: int | None = None,
    canonical_id: int | None = None,
) -> MovingPage:
    text_hash, fingerprint, own_title = texts.get(page.id, ("", None, ""))
    return MovingPage(
        page.id,
        page.url,
        page.template,
        page.type,
        title or own_title,
        text_hash,
        fingerprint,
        redirects_to,
        canonical_id,
    )


# --- what sitemaps say of pages -------------------------------------------------------------------

_CREATE_RESTATED: Final = """
CREATE TEMPORARY TABLE restated_pages (
    page_id BIGINT PRIMARY KEY, url TEXT, old_url TEXT, old_document_id BIGINT,
    document_id BIGINT, old_lastmod TEXT, lastmod TEXT, old_changefreq TEXT, changefreq TEXT,
    old_priority DOUBLE PRECISION, priority DOUBLE PRECISION)
"""
# A page that another document lists now may have less said of it, which is no change of the page.
_RESTATED: Final = """
INSERT INTO restated_pages
SELECT p.id, p.url, coalesce((
        SELECT named.url FROM page_versions AS named
        WHERE named.page_id = p.id AND named.until_scan_id >= was.until_scan_id
        AND named.url IS NOT NULL ORDER BY named.until_scan_id LIMIT 1), p.url),
    was.document_id, p.document_id,
    CASE WHEN {lastmod} THEN was.lastmod END, CASE WHEN {lastmod} THEN p.lastmod END,
    CASE WHEN {changefreq} THEN was.changefreq END, CASE WHEN {changefreq} THEN p.changefreq END,
    CASE WHEN {priority} THEN was.sitemap_priority END,
    CASE WHEN {priority} THEN p.sitemap_priority END
FROM (
    SELECT page_id, min(until_scan_id) AS until_scan_id FROM page_versions
    WHERE site_id = {site} AND until_scan_id > {before} AND until_scan_id <= {scan}
    GROUP BY page_id
) AS changed CROSS JOIN page_versions AS was CROSS JOIN {pages} AS p
WHERE was.page_id = changed.page_id AND was.until_scan_id = changed.until_scan_id
AND p.id = changed.page_id AND {is_of_site}
AND ({lastmod} OR {changefreq} OR {priority} OR was.document_id <> p.document_id
    OR was.url IS NOT NULL)
"""
_DIFFERS: Final = (
    "(was.{name} IS DISTINCT FROM p.{name}"
    " AND (p.{name} IS NOT NULL OR was.document_id = p.document_id))"
)
IS_RESTATED: Final = """
(r.old_lastmod IS DISTINCT FROM r.lastmod OR r.old_changefreq IS DISTINCT FROM r.changefreq
    OR r.old_priority IS DISTINCT FROM r.priority)
"""
_COUNT_RESTATED: Final = """
SELECT count(CASE WHEN {is_restated} THEN 1 END),
    count(CASE WHEN r.old_document_id <> r.document_id THEN 1 END),
    count(CASE WHEN r.old_lastmod IS DISTINCT FROM r.lastmod THEN 1 END),
    count(CASE WHEN r.lastmod IS NOT NULL AND substr(r.lastmod, 1, 10) > '{tomorrow}' THEN 1 END)
FROM restated_pages AS r
"""
_EQUAL_STAMPS: Final = """
SELECT count(*) FROM restated_pages AS r WHERE r.lastmod IS NOT NULL
GROUP BY r.lastmod ORDER BY 1 DESC LIMIT 1
"""
_NEW_URLS: Final = "SELECT r.old_url, r.url FROM restated_pages AS r WHERE r.old_url <> r.url"
_EXAMPLES: Final = "SELECT r.url FROM restated_pages AS r WHERE {condition} LIMIT {limit}"
_TEXTS_AND_STAMPS: Final = """
SELECT r.page_id IS NOT NULL AND r.lastmod IS DISTINCT FROM r.old_lastmod,
    v.text_hash IS DISTINCT FROM b.text_hash, count(*)
FROM visits AS v JOIN visits AS b ON b.page_id = v.page_id AND b.scan_id = (
    SELECT max(e.scan_id) FROM visits AS e
    WHERE e.page_id = v.page_id AND e.scan_id < {scan} AND e.text_hash IS NOT NULL)
JOIN pages AS p ON p.id = v.page_id AND p.lastmod IS NOT NULL
LEFT JOIN restated_pages AS r ON r.page_id = v.page_id
WHERE v.scan_id = {scan} AND v.text_hash IS NOT NULL AND b.text_hash IS NOT NULL
GROUP BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Restated:
    """How many pages the documents speak of otherwise."""

    updated: int
    """By lastmod, changefreq or priority."""
    relisted: int
    """By another document."""
    figures: LastmodFigures
    new_urls: Sequence[tuple[str, str]]


def restated_pages(connection: Connection, pair: Pair, known: int, moment: datetime) -> Restated:
    """Leaves them in the temporary table ``restated_pages``."""
    names = pair.names()
    names |= {
        "lastmod": _DIFFERS.format(name="lastmod"),
        "changefreq": _DIFFERS.format(name="changefreq"),
        "priority": _DIFFERS.format(name="sitemap_priority"),
        "is_restated": IS_RESTATED,
        "tomorrow": f"{moment + timedelta(days=1):%Y-%m-%d}",
    }
    connection.exec_driver_sql("DROP TABLE IF EXISTS restated_pages")
    for statement in (_CREATE_RESTATED, _RESTATED):
        connection.exec_driver_sql(statement.format_map(names))
    updated, relisted, changed, future = connection.exec_driver_sql(
        _COUNT_RESTATED.format_map(names)
    ).one()
    equal = connection.exec_driver_sql(_EQUAL_STAMPS).scalar() or 0
    texts: dict[tuple[bool, bool], int] = {}
    for new_stamp, new_text, number in connection.exec_driver_sql(
        _TEXTS_AND_STAMPS.format_map(names)
    ):
        texts[bool(new_stamp), bool(new_text)] = number
    figures = LastmodFigures(
        known=known,
        changed=changed,
        equal=equal,
        future=future,
        checked_same_text=texts.get((True, False), 0),
        checked_new_text=texts.get((True, True), 0),
        text_changed=texts.get((True, True), 0) + texts.get((False, True), 0),
        text_changed_silently=texts.get((False, True), 0),
    )
    rows = connection.exec_driver_sql(_NEW_URLS)
    return Restated(updated, relisted, figures, [(old, new) for old, new in rows])


def restated_examples(connection: Connection, condition: str, limit: int) -> list[str]:
    """URLs of rows of ``restated_pages AS r`` that the condition holds for."""
    statement = _EXAMPLES.format(condition=condition, limit=int(limit))
    return list(connection.exec_driver_sql(statement).scalars())


# --- what pages say of themselves -----------------------------------------------------------------

_STATUS: Final = """
CASE WHEN {v}.reason = 'soft_404' THEN 404 ELSE (
    SELECT f.status FROM fetches AS f
    WHERE f.document_id = {v}.document_id AND f.scan_id = {v}.scan_id ORDER BY f.id DESC LIMIT 1
) END
"""
_VISIT_FIELDS: Final = {
    "redirect_target": "{v}.redirect_target",
    "title": "{v}.title",
    "canonical": "{v}.canonical",
    "text": "{v}.text_hash",
    "h1": "{v}f.h1",
    "description": "{v}f.description",
    "robots_meta": "{v}f.robots_meta",
    "robots_header": "{v}f.robots_header",
    "hreflang": "{v}f.alternates_hash",
    "indexable": "{v}f.is_indexable",
}
_COMPARED: Final = """
SELECT {ref}, v.reason, {columns}
FROM visits AS v JOIN visits AS b ON b.page_id = v.page_id AND b.scan_id = (
    SELECT max(e.scan_id) FROM visits AS e
    WHERE e.page_id = v.page_id AND e.scan_id < {scan} AND e.outcome IS NOT NULL
    AND e.outcome NOT IN ({not_answered}))
JOIN pages AS p ON p.id = v.page_id
LEFT JOIN page_facts AS vf ON vf.scan_id = v.scan_id AND vf.page_id = v.page_id
LEFT JOIN page_facts AS bf ON bf.scan_id = b.scan_id AND bf.page_id = b.page_id
{class}
WHERE v.scan_id = {scan} AND v.outcome IS NOT NULL AND v.outcome NOT IN ({not_answered})
AND b.outcome IS NOT NULL
AND (v.outcome <> b.outcome OR coalesce(v.reason, '') <> coalesce(b.reason, '') OR {differs})
ORDER BY p.number, v.id, b.id
"""


class VisitChange(NamedTuple):
    """A visited page that is not what it was when it answered last."""

    page: PageRef
    reason: str | None
    """Why it is no page after all."""
    before: dict[str, Any]
    after: dict[str, Any]


def visit_changes(connection: Connection, pair: Pair) -> Iterator[VisitChange]:
    """Each page once, with the fields that differ; content only where both visits read it."""
    columns = [_STATUS.format(v=visit) for visit in "bv"]
    columns += [f"{visit}f.page_id IS NOT NULL" for visit in "bv"]
    columns += [sql.format(v=visit) for sql in _VISIT_FIELDS.values() for visit in "bv"]
    differs = " OR ".join(
        f"{sql.format(v='v')} IS DISTINCT FROM {sql.format(v='b')}"
        for sql in _VISIT_FIELDS.values()
    )
    names = pair.names() | {
        "columns": ", ".join(columns),
        "differs": differs,
    }
    last_id = None
    for row in connection.exec_driver_sql(_COMPARED.format_map(names)):
        page = _ref(row)
        if page.id == last_id:
            continue
        last_id = page.id
        before, after = _visit_difference(row[8:])
        if before or after:
            yield VisitChange(page, row[7], before, after)


def _visit_difference(values: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    old_status, new_status, old_is_read, new_is_read, *fields = values
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if old_status != new_status:
        before["status"], after["status"] = old_status, new_status
    for index, name in enumerate(_VISIT_FIELDS):
        old, new = fields[2 * index : 2 * index + 2]
        is_comparable = name == "redirect_target" or (old_is_read and new_is_read)
        if old != new and is_comparable:
            if name == "indexable":
                old, new = bool(old), bool(new)
            before[name], after[name] = old, new
    return before, after


# --- all known addresses --------------------------------------------------------------------------

_KNOWN: Final = """
SELECT p.url, p.importance IS NOT NULL OR coalesce(k.priority, 0) >= {important}
FROM pages AS p {class} WHERE p.site_id = {site} AND {is_of_site} AND {own_counts}
"""
_COUNT: Final = """
SELECT (SELECT count(*) FROM pages WHERE site_id = {site} AND first_scan_id <= {scan})
    - (SELECT count(*) FROM page_absences WHERE site_id = {site} AND from_scan_id <= {scan}
       AND (until_scan_id IS NULL OR until_scan_id > {scan}))
"""
_DELTA: Final = """
SELECT (SELECT count(*) FROM pages
        WHERE site_id = {site} AND number > {last} AND first_scan_id <= {scan})
    - (SELECT count(*) FROM page_absences
       WHERE site_id = {site} AND from_scan_id > {before} AND from_scan_id <= {scan}
       AND (until_scan_id IS NULL OR until_scan_id > {scan}))
    + (SELECT count(*) FROM page_absences
       WHERE site_id = {site} AND until_scan_id > {before} AND until_scan_id <= {scan}
       AND from_scan_id <= {before})
"""
# From the end, which is near.
_LAST_NUMBER: Final = """
SELECT number FROM pages WHERE site_id = {site} AND first_scan_id <= {scan}
ORDER BY number DESC LIMIT 1
"""


def known_urls(connection: Connection, scan: Scan) -> Iterator[tuple[list[str], list[bool]]]:
    """The addresses of all pages in lists, and which are important."""
    names = membership(scan) | {
        "class": _CLASS,
        "is_of_site": IS_OF_SITE,
        "important": str(IMPORTANT_PRIORITY),
    }
    result = connection.exec_driver_sql(_KNOWN.format_map(names))
    for rows in result.partitions(_IDS_AT_ONCE):
        yield [row[0] for row in rows], [bool(row[1]) for row in rows]


def count_known(connection: Connection, scan: Scan) -> int:
    """How many pages there were as of the scan, the refused ones included."""
    names = {"site": str(int(scan.site_id)), "scan": str(int(scan.id))}
    return int(connection.exec_driver_sql(_COUNT.format_map(names)).scalar_one())


def count_more(connection: Connection, pair: Pair) -> int:
    """How many pages more there are than before; negative: fewer."""
    names = pair.names() | {"last": str(int(pair.last_page_number))}
    return int(connection.exec_driver_sql(_DELTA.format_map(names)).scalar_one())


def last_page_number(connection: Connection, scan: Scan) -> int:
    """The highest number of a page as of the scan."""
    names = {"site": str(int(scan.site_id)), "scan": str(int(scan.id))}
    return int(connection.exec_driver_sql(_LAST_NUMBER.format_map(names)).scalar() or 0)


_REFS: Final = "SELECT {ref} FROM pages AS p {class} WHERE p.id IN ({ids})"


def page_refs(connection: Connection, ids: Iterable[int]) -> dict[int, PageRef]:
    found: dict[int, PageRef] = {}
    for some in _in_lists(ids):
        statement = _REFS.format_map({"ref": _REF, "class": _CLASS, "ids": some})
        for row in connection.exec_driver_sql(statement):
            page = _ref(row)
            found[page.id] = page
    return found
