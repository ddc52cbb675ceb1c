"""Writes what the crawl found out into the pages at the end of a scan, before it counts as ended.

Until then the pages of a first scan have no index, so that they can only be appended. Links to each
page are counted.

Folders that are listed twice, as ``/docs/`` and as ``/docs/index.html``, are one page. Servers
differ in what they show for a folder, so this is learned from the visits of a scan: both addresses
were visited, and their main texts are the same. Then the one that was visited later is refused as
an index page of the other, and a record of evidence says how many pairs were compared.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import bindparam, func, or_, select, update

from sitecrawl.html.links import Region
from sitecrawl.items import DocumentKind, EvidenceType, FetchOutcome
from sitecrawl.store.queries.scans import membership
from sitecrawl.store.schema import evidence, page_facts, sites, visits
from sitecrawl.store.writers.bulk import insert_columns, literal
from sitecrawl.store.writers.pages import keep_versions
from sitecrawl.urls.address import resolve
from sitecrawl.urls.canonical import KeyRules, page_key
from sitecrawl.urls.redirects import endless_redirects, shown_chain
from sitecrawl.urls.refusal import FOUND_BY_CRAWL, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.writers.records import ScanHandle


# From the part of a page that matters most to the one that matters least.
_REGIONS: Final = (
    *(Region.NAVIGATION, Region.HEADER, Region.BREADCRUMB, Region.CONTENT),
    *(Region.ASIDE, Region.PAGINATION, Region.FOOTER),
)

_FORGET_LINKS = """
UPDATE page_signals SET inlinks = NULL, link_region = NULL
WHERE site_id = {site} AND inlinks IS NOT NULL
"""

# A page that links to another twice counts once.
_COUNT_LINKS = """
INSERT INTO page_signals (page_id, site_id, inlinks, link_region)
SELECT page_id, {site}, count(DISTINCT document_id), CASE min(rank) {names} END
FROM (
    SELECT p.id AS page_id, p.document_id, CASE p.region {ranks} END AS rank
    FROM pages AS p
    JOIN documents AS linking ON linking.id = p.document_id AND linking.kind = {page}
    WHERE p.site_id = {site} AND {own_counts}
    UNION ALL
    SELECT other.page_id, other.document_id, CASE other.region {ranks} END
    FROM further_mentions AS other
    JOIN documents AS linking ON linking.id = other.document_id
        AND linking.site_id = {site} AND linking.kind = {page}
    WHERE {other_counts}
) AS links
GROUP BY page_id
ON CONFLICT (page_id) DO UPDATE SET inlinks = excluded.inlinks, link_region = excluded.link_region
"""


_OF_CRAWL = visits.c.checked_for.is_(None)
_OF_REDIRECTS = (Reason.REDIRECTED, Reason.REDIRECT_LOOP, Reason.TOO_MANY_REDIRECTS)
_THEN = " -> "

# The first page with a text is the original of the others. Tables with keys: joins of the visits
# with themselves would take a time that grows with the square of their number.
_CREATE_ORIGINALS = """
CREATE TEMPORARY TABLE originals (text_hash TEXT PRIMARY KEY, page_id BIGINT)
"""
_FIND_ORIGINALS = """
INSERT INTO originals
SELECT text_hash, page_id FROM (
    SELECT page_id, text_hash, row_number() OVER (
        PARTITION BY text_hash ORDER BY number) AS rank
    FROM visits WHERE scan_id = {scan} AND text_hash IS NOT NULL AND reason IS NULL
) AS ordered WHERE rank = 1
"""
_MARK_DUPLICATES = """
UPDATE visits SET duplicate_of = originals.page_id
FROM originals
WHERE visits.scan_id = {scan} AND visits.reason IS NULL
AND visits.text_hash = originals.text_hash AND visits.page_id <> originals.page_id
"""

_CREATE_CUT = "CREATE TEMPORARY TABLE cut (family TEXT PRIMARY KEY, reason TEXT)"
_CUT_HELD = """
UPDATE visits SET reason = cut.reason, rule = cut.family
FROM cut
WHERE visits.scan_id = {scan} AND visits.number IS NULL AND visits.family = cut.family
"""
_CREATE_COPIES = "CREATE TEMPORARY TABLE copies (url TEXT PRIMARY KEY, original TEXT)"
_REFUSE_COPIES = """
UPDATE visits SET reason = {of_copies}, rule = copies.original
FROM copies
WHERE visits.scan_id = {scan} AND visits.url = copies.url AND visits.reason IS NULL
"""

# Of several visits of one page the greatest text stands for what changes, and any will do.
_KEEP_VISITED = keep_versions(
    """
    FROM (
        SELECT page_id, max(title) AS title, max(reason) AS reason,
            max(CASE WHEN outcome IN ({read}) THEN 1 ELSE 0 END) AS is_read
        FROM visits
        WHERE scan_id = {scan} AND outcome IS NOT NULL OR scan_id = {scan} AND reason IS NOT NULL
        GROUP BY page_id
    ) AS v JOIN pages ON pages.id = v.page_id WHERE 1 = 1""",
    differs="""
    coalesce(v.title, pages.title) IS DISTINCT FROM pages.title
    OR v.reason IS NOT NULL AND v.reason IS DISTINCT FROM pages.reason
    OR v.reason IS NULL AND v.is_read = 1 AND pages.reason IN ({found_by_crawl})""",
    new_title="coalesce(v.title, pages.title)",
)
_APPLY_VISITS = """
UPDATE pages SET
    title = coalesce(v.title, pages.title),
    category = coalesce(v.category, pages.category),
    reason = coalesce(v.reason, pages.reason),
    rule = coalesce(v.rule, pages.rule),
    checked_scan_id = CASE WHEN v.outcome IS NULL THEN pages.checked_scan_id ELSE {scan} END
FROM visits AS v
WHERE v.scan_id = {scan} AND pages.id = v.page_id
AND (v.outcome IS NOT NULL OR v.reason IS NOT NULL)
"""

# What an earlier visit had found out about a page stands until another one has read it.
_FORGET_REASONS = """
UPDATE pages SET reason = NULL, rule = NULL
FROM visits AS v
WHERE v.scan_id = {scan} AND v.outcome IN ({read}) AND v.reason IS NULL AND pages.id = v.page_id
AND pages.reason IN ({found_by_crawl})
"""

# Pages that have not changed since an earlier scan: they are what that scan has read.
_CARRY_FACTS = """
INSERT INTO page_facts (scan_id, page_id, {columns})
SELECT {scan}, v.page_id, {known_columns}
FROM visits AS v JOIN documents AS d ON d.id = v.document_id
JOIN page_facts AS known ON known.scan_id = d.content_scan_id AND known.page_id = v.page_id
WHERE v.scan_id = {scan} AND v.outcome = {not_modified}
ON CONFLICT DO NOTHING
"""

_APPLY_MENU = """
UPDATE pages SET importance = 1.0, title = coalesce(pages.title, m.title)
FROM (
    SELECT page_id, title, row_number() OVER (PARTITION BY page_id ORDER BY position) AS rank
    FROM menu_entries WHERE scan_id = {scan}
) AS m
WHERE m.rank = 1 AND pages.id = m.page_id
"""

# Only a scan that has read the root knows the menu. Nothing but a menu makes a page important, so
# the pages of earlier menus are all that has to be looked at.
_FORGET_MENU = """
UPDATE pages SET importance = NULL
WHERE id IN (
    SELECT page_id FROM menu_entries
    WHERE scan_id IN (SELECT id FROM scans WHERE site_id = {site} AND id < {scan}))
AND importance IS NOT NULL
AND id NOT IN (SELECT page_id FROM menu_entries WHERE scan_id = {scan})
AND EXISTS (SELECT 1 FROM visits WHERE scan_id = {scan} AND number = 1 AND outcome IS NOT NULL)
"""

_UNCUT_PAGES = """
UPDATE pages SET reason = NULL, rule = NULL
FROM visits AS v
WHERE v.scan_id = {scan} AND v.reason IS NOT NULL AND pages.id = v.page_id
AND (v.number IS NULL OR v.reason = {of_copies})
"""
_UNCUT_VISITS = """
UPDATE visits SET reason = NULL, rule = NULL
WHERE scan_id = {scan} AND (number IS NULL OR reason = {of_copies})
"""


def finalize_crawl(
    connection: Connection, scan: ScanHandle, cut: Mapping[str, str], copies: Mapping[str, str]
) -> None:
    """Write down what the crawl found out.

    *cut* are the patterns it gave up, with the reason; *copies* are visited URLs that are the same
    page as another, with the URL of that one.
    """
    has_visits = select(visits.c.id).where(visits.c.scan_id == scan.scan_id).limit(1)
    if connection.execute(has_visits).first() is None:
        return
    _cut_held(connection, scan, cut)
    _refuse_copies(connection, scan, copies)
    _mark_endless_redirects(connection, scan)
    _resolve_canonicals(connection, scan)
    merge_index_pages(connection, scan)
    statements = [
        *(_CREATE_ORIGINALS, _FIND_ORIGINALS, _MARK_DUPLICATES, "DROP TABLE originals"),
        *(_KEEP_VISITED, _FORGET_REASONS, _APPLY_VISITS, _APPLY_MENU, _FORGET_MENU),
    ]
    values = {
        "scan": literal(scan.scan_id),
        "site": literal(scan.site_id),
        "read": ", ".join(map(literal, (FetchOutcome.OK, FetchOutcome.NOT_MODIFIED))),
        "found_by_crawl": ", ".join(map(literal, sorted(FOUND_BY_CRAWL))),
    }
    for statement in statements:
        connection.exec_driver_sql(statement.format_map(values))
    _carry_facts(connection, scan)


def _carry_facts(connection: Connection, scan: ScanHandle) -> None:
    """Take the facts of unchanged pages from the scan that has read them."""
    columns = [each.name for each in page_facts.c if each.name not in {"scan_id", "page_id"}]
    names = {
        "scan": literal(scan.scan_id),
        "not_modified": literal(FetchOutcome.NOT_MODIFIED),
        "columns": ", ".join(columns),
        "known_columns": ", ".join(f"known.{name}" for name in columns),
    }
    connection.exec_driver_sql(_CARRY_FACTS.format_map(names))


def finalize_inlinks(connection: Connection, scan: Scan) -> None:
    """Count the links to each page, and note the most prominent region that they stand in."""
    ids = membership(scan)
    own = (visits.c.scan_id == scan.id) & visits.c.outcome.is_not(None) & _OF_CRAWL
    visited = connection.scalar(select(func.count()).where(own)) or 0
    if not visited:
        return
    connection.exec_driver_sql(_FORGET_LINKS.format_map(ids))
    # One page alone says nothing of how much others are linked.
    if visited > 1:
        order = list(enumerate(map(literal, _REGIONS), 1))
        connection.exec_driver_sql(
            _COUNT_LINKS.format_map(
                ids
                | {
                    "page": literal(DocumentKind.PAGE),
                    "ranks": " ".join(f"WHEN {name} THEN {rank}" for rank, name in order),
                    "names": " ".join(f"WHEN {rank} THEN {name}" for rank, name in order),
                }
            )
        )


def reopen_crawl(connection: Connection, scan: ScanHandle) -> None:
    """Before a crawl goes on: what was given up may be visited after all."""
    of_copies = literal(Reason.TRAP_PARAMETER)
    for statement in (_UNCUT_PAGES, _UNCUT_VISITS):
        sql = statement.format(scan=int(scan.scan_id), of_copies=of_copies)
        connection.exec_driver_sql(sql)


def _mark_endless_redirects(connection: Connection, scan: ScanHandle) -> None:
    """Redirects that lead to each other are found by links as well, and not one by the other."""
    recorded = select(sites.c.key_rules).where(sites.c.id == scan.site_id)
    rules = KeyRules(**connection.scalars(recorded).one())
    own = (visits.c.scan_id == scan.scan_id) & visits.c.reason.in_(_OF_REDIRECTS)
    columns = (visits.c.id, visits.c.url, visits.c.outcome, visits.c.reason, visits.c.rule)
    ids: dict[str, int] = {}
    targets: dict[str, str] = {}
    shown: dict[str, str] = {}
    refused: dict[str, Reason] = {}
    for visit_id, url, outcome, reason, rule in connection.execute(select(*columns).where(own)):
        key = page_key(url, rules)
        shown[key] = url
        if reason != Reason.REDIRECTED:
            refused[key] = Reason(reason)
        if outcome == FetchOutcome.REDIRECTED:
            # In a crawl that goes on it may be a chain that was written here, from this address on.
            following = rule.split(_THEN)[:2][-1]
            ids[key], targets[key] = visit_id, page_key(following, rules)
            shown.setdefault(targets[key], following)
    endless = endless_redirects(targets, refused)
    refusals = [
        {"visit": ids[key], "reason": reason, "rule": _THEN.join(map(shown.__getitem__, chain))}
        for key, reason in endless.items()
        for chain in [shown_chain(key, targets)]
    ]
    if refusals:
        connection.execute(update(visits).where(visits.c.id == bindparam("visit")), refusals)


def _resolve_canonicals(connection: Connection, scan: ScanHandle) -> None:
    """Make the canonical addresses absolute, which pages may name by a path."""
    own = (visits.c.scan_id == scan.scan_id) & visits.c.canonical.is_not(None)
    columns = (visits.c.id, visits.c.url, visits.c.canonical)
    resolved = [
        {"visit": visit_id, "canonical": address}
        for visit_id, url, canonical in connection.execute(select(*columns).where(own))
        if (address := resolve(canonical, url)) and address != canonical
    ]
    if resolved:
        connection.execute(update(visits).where(visits.c.id == bindparam("visit")), resolved)


def _cut_held(connection: Connection, scan: ScanHandle, cut: Mapping[str, str]) -> None:
    if not cut:
        return
    connection.exec_driver_sql(_CREATE_CUT)
    insert_columns(
        connection, "cut", {"family": list(cut), "reason": [str(each) for each in cut.values()]}, {}
    )
    connection.exec_driver_sql(_CUT_HELD.format(scan=int(scan.scan_id)))
    connection.exec_driver_sql("DROP TABLE cut")


def _refuse_copies(connection: Connection, scan: ScanHandle, copies: Mapping[str, str]) -> None:
    if not copies:
        return
    connection.exec_driver_sql(_CREATE_COPIES)
    columns = {"url": list(copies), "original": list(copies.values())}
    insert_columns(connection, "copies", columns, {})
    of_copies = literal(Reason.TRAP_PARAMETER)
    sql = _REFUSE_COPIES.format(scan=int(scan.scan_id), of_copies=of_copies)
    connection.exec_driver_sql(sql)
    connection.exec_driver_sql("DROP TABLE copies")


_INDEX: Final = re.compile(
    r"(?<=/)(?:index\.(?:x?html?|shtml|php|aspx?|jsp)|default\.(?:html?|aspx?))\Z", re.IGNORECASE
)
_MAX_EXAMPLES: Final = 5
_CREATE_FOLDERS: Final = "CREATE TEMPORARY TABLE index_folders (url TEXT PRIMARY KEY)"
_FOLDERS: Final = """
SELECT v.url, v.number, v.page_id, v.id, v.text_hash FROM visits AS v
JOIN index_folders ON index_folders.url = v.url
WHERE v.scan_id = {scan} AND v.text_hash IS NOT NULL AND v.checked_for IS NULL
AND (v.reason IS NULL OR v.reason = '{reason}')
"""


class _Visited(NamedTuple):
    url: str
    number: int
    page_id: int
    visit_id: int
    text_hash: str


def merge_index_pages(connection: Connection, scan: ScanHandle) -> None:
    """Refuse one of a folder and its index page where they were proven to be the same."""
    indexes = _index_pages(connection, scan)
    if not indexes:
        return
    connection.exec_driver_sql(_CREATE_FOLDERS)
    insert_columns(connection, "index_folders", {"url": list(indexes)}, {})
    statement = _FOLDERS.format(scan=int(scan.scan_id), reason=Reason.INDEX_PAGE.value)
    folders = [_Visited._make(row) for row in connection.exec_driver_sql(statement)]
    connection.exec_driver_sql("DROP TABLE index_folders")
    pairs = [(folder, index) for folder in folders for index in indexes[folder.url]]
    same = [sorted(pair, key=_order) for pair in pairs if pair[0].text_hash == pair[1].text_hash]
    if same:
        refusals = [
            {"visit": later.visit_id, "rule": first.url, "duplicate_of": first.page_id}
            for first, later in same
        ]
        values = {"reason": Reason.INDEX_PAGE, "rule": bindparam("rule")}
        refuse = update(visits).where(visits.c.id == bindparam("visit"))
        connection.execute(
            refuse.values(**values, duplicate_of=bindparam("duplicate_of")), refusals
        )
    if pairs:
        connection.execute(evidence.insert().values(_record(scan, pairs, same)))


def _index_pages(connection: Connection, scan: ScanHandle) -> dict[str, list[_Visited]]:
    """By the address of their folder."""
    columns = (visits.c.url, visits.c.number, visits.c.page_id, visits.c.id, visits.c.text_hash)
    statement = select(*columns).where(
        visits.c.scan_id == scan.scan_id,
        visits.c.text_hash.is_not(None),
        visits.c.checked_for.is_(None),  # what is listed does not depend on what was checked
        or_(visits.c.reason.is_(None), visits.c.reason == Reason.INDEX_PAGE),
        or_(visits.c.url.ilike("%/index.%"), visits.c.url.ilike("%/default.%")),
    )
    found: dict[str, list[_Visited]] = {}
    for row in connection.execute(statement):
        if index := _INDEX.search(row.url):
            found.setdefault(row.url[: index.start()], []).append(_Visited._make(row))
    return found


def _order(visited: _Visited) -> int:
    return visited.number


def _record(
    scan: ScanHandle,
    pairs: Sequence[tuple[_Visited, _Visited]],
    same: Sequence[Sequence[_Visited]],
) -> dict[str, Any]:
    names = Counter(index.url.rpartition("/")[2] for _, index in pairs)
    return {
        "scan_id": scan.scan_id,
        "type": EvidenceType.INDEX_PAGES,
        "content": f"{len(same)} of {len(pairs)} folders have the same text as their index page",
        "metadata": {
            "compared": len(pairs),
            "same": len(same),
            "names": dict(names),
            "examples": [[first.url, later.url] for first, later in same[:_MAX_EXAMPLES]],
        },
        "confidence": 1.0,
        "created_at": datetime.now(UTC),
    }
