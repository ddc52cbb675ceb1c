"""Pages that went, came back, or of which it is uncertain whether they are still there."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.changes.presence import Check, Listing, Presence, PresenceState
from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.queries.scan_pairs import in_lists, page_ref
from sitecrawl.store.writers.bulk import insert_columns
from sitecrawl.urls.refusal import FOUND_BY_VISIT, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.changes.kinds import PageRef
    from sitecrawl.store.queries.scan_pairs import Pair

_CREATE_UNCERTAIN: Final = "CREATE TEMPORARY TABLE uncertain_pages (page_id BIGINT PRIMARY KEY)"
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
    OR page_id IN (SELECT page_id FROM uncertain_pages))
"""
_UNCERTAIN: Final = """
SELECT {ref}, p.document_id, p.title FROM uncertain_pages AS u CROSS JOIN pages AS p {class}
WHERE p.id = u.page_id ORDER BY p.number
"""
_OTHER_DOCUMENTS: Final = """
SELECT DISTINCT o.page_id, o.document_id
FROM uncertain_pages AS u CROSS JOIN other_mentions AS o WHERE o.page_id = u.page_id
"""
_CHECKS: Final = """
SELECT v.page_id, v.outcome, v.reason, v.redirect_target, v.canonical, v.text_hash, v.fingerprint
FROM uncertain_pages AS u CROSS JOIN visits AS v
WHERE v.page_id = u.page_id AND v.scan_id = {scan} AND v.outcome IS NOT NULL
AND v.outcome NOT IN ({not_sent})
ORDER BY v.id
"""


@dataclass(slots=True)
class UncertainPage:
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


def uncertain_pages(connection: Connection, pair: Pair) -> list[UncertainPage]:
    """Pages that went, came back, or whose state is open; those of our own rules are left out."""
    names = pair.names()
    connection.exec_driver_sql("DROP TABLE IF EXISTS uncertain_pages")
    connection.exec_driver_sql(_CREATE_UNCERTAIN)
    lost = set(connection.exec_driver_sql(_LOST.format_map(names)).scalars())
    back = set(connection.exec_driver_sql(_ENDED.format_map(names)).scalars()) - lost
    _add_pages(connection, lost | back)
    presences = _presences(connection, names)
    _add_pages(connection, presences.keys() - lost - back)
    found: dict[int, UncertainPage] = {}
    for row in connection.exec_driver_sql(_UNCERTAIN.format_map(names)):
        page = page_ref(row)
        known = presences.get(page.id)
        if known is None and (page.id in back or not _is_of_site(page.reason)):
            continue
        listing = Listing.LISTED if page.id in back else Listing.DROPPED
        if known is not None and known.state is PresenceState.PRESENT and page.id not in lost:
            listing = Listing.LISTED
        found[page.id] = UncertainPage(
            page, row[8] or "", known, page.id in lost, listing, documents={row[7]}
        )
    _add_documents(connection, pair, found)
    _add_checks(connection, names, found)
    return list(found.values())


def _add_pages(connection: Connection, ids: Iterable[int]) -> None:
    if wanted := sorted(ids):
        insert_columns(connection, "uncertain_pages", {"page_id": wanted}, {})


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


def _add_documents(connection: Connection, pair: Pair, found: dict[int, UncertainPage]) -> None:
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
    connection: Connection, names: Mapping[str, str], found: dict[int, UncertainPage]
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
    for ids in in_lists(documents):
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
    for ids in in_lists(documents):
        for child, parent in connection.exec_driver_sql(_PARENTS.format(ids=ids)):
            found[child].add(parent)
    return found
