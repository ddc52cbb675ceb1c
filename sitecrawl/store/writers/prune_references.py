"""Which rows of pruned scans the other scans still need.

A scan leaves most of what it knows to the scans after it: a page that has not changed is stored
once, by the scan that read it. So of a pruned scan these rows stay:

- visits: of each page the newest, if an inventory shows it because no later scan has visited it;
  those that read what a document has today, which conditional requests and the next crawl need;
  those that read what ``page_facts`` of another scan say; and the visits that led to them;
- fetches: those of the visits and documents above; those that tell when a mention was read, was
  last seen, and was dropped; and the last answer and the last good copy of each robots.txt;
- page facts: of each page the newest, and those of the scan that read what it has today, which the
  next scan takes over if the page has not changed;
- language versions (``page_alternates``) that go with page facts that stay;
- the newest menu, whose pages lose their importance when the next one lacks them.

What pages were before the oldest scan that is left (``page_versions``, ``page_absences``) goes.

Temporary tables, which end with the connection, hold the keys of these rows. Scans that run
meanwhile cannot come to need more: whatever they refer to is the newest of its kind now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import column, table

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.queries.known_documents import ROBOTS_ANSWERS
from sitecrawl.store.writers.bulk import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

_NEVER: Final = 2**63 - 1

_TABLES: Final = {
    "pruned": "scan_id BIGINT PRIMARY KEY",
    "pruned_sites": "site_id BIGINT PRIMARY KEY, oldest_kept BIGINT",
    "needed_facts": "scan_id BIGINT, page_id BIGINT, PRIMARY KEY (scan_id, page_id)",
    "needed_readings": "scan_id BIGINT, page_id BIGINT, PRIMARY KEY (scan_id, page_id)",
    "needed_menus": "scan_id BIGINT PRIMARY KEY",
    "needed_visits": "id BIGINT PRIMARY KEY",
    "needed_fetches": "id BIGINT PRIMARY KEY",
    "mention_spans": "document_id BIGINT, scan_id BIGINT, dropped BIGINT, confirmed BIGINT",
}

_FIND_SITES: Final = """
INSERT INTO pruned_sites
SELECT site_id, min(CASE WHEN id NOT IN (SELECT scan_id FROM pruned) THEN id END) FROM scans
WHERE site_id IN (SELECT site_id FROM scans WHERE id IN (SELECT scan_id FROM pruned))
GROUP BY site_id
"""
_FIND_FACTS: Final = """
INSERT INTO needed_facts
SELECT scan_id, page_id FROM (
    SELECT facts.scan_id, facts.page_id, row_number() OVER (
        PARTITION BY facts.page_id ORDER BY facts.scan_id DESC) AS rank
    FROM page_facts AS facts JOIN scans ON scans.id = facts.scan_id
    WHERE scans.site_id IN (SELECT site_id FROM pruned_sites)
) AS ranked
WHERE rank = 1 AND scan_id IN (SELECT scan_id FROM pruned)
"""
_FIND_FACTS_OF_CONTENT: Final = """
INSERT INTO needed_facts
SELECT facts.scan_id, facts.page_id
FROM visits JOIN documents ON documents.id = visits.document_id
JOIN page_facts AS facts ON facts.scan_id = visits.scan_id AND facts.page_id = visits.page_id
WHERE visits.scan_id IN (SELECT scan_id FROM pruned)
AND documents.content_scan_id = visits.scan_id
ON CONFLICT DO NOTHING
"""
_FIND_FACTS_OF_PAGES: Final = """
INSERT INTO needed_facts
SELECT facts.scan_id, facts.page_id
FROM pages JOIN page_facts AS facts
    ON facts.scan_id = pages.checked_scan_id AND facts.page_id = pages.id
WHERE pages.site_id IN (SELECT site_id FROM pruned_sites)
AND pages.checked_scan_id IN (SELECT scan_id FROM pruned)
ON CONFLICT DO NOTHING
"""
_FIND_READINGS: Final = """
INSERT INTO needed_readings
SELECT DISTINCT facts.read_scan_id, facts.page_id
FROM page_facts AS facts JOIN scans ON scans.id = facts.scan_id
WHERE scans.site_id IN (SELECT site_id FROM pruned_sites)
AND facts.read_scan_id IN (SELECT scan_id FROM pruned)
AND (facts.scan_id NOT IN (SELECT scan_id FROM pruned) OR EXISTS (
    SELECT 1 FROM needed_facts AS needed
    WHERE needed.scan_id = facts.scan_id AND needed.page_id = facts.page_id))
"""
_FIND_MENUS: Final = """
INSERT INTO needed_menus
SELECT max(entries.scan_id)
FROM (SELECT DISTINCT scan_id FROM menu_entries) AS entries JOIN scans ON scans.id = entries.scan_id
WHERE scans.site_id IN (SELECT site_id FROM pruned_sites) GROUP BY scans.site_id
"""

# The scans that were the last to read a page are those whose visits an inventory shows
# (queries/pages.py).
_FIND_NEWEST_VISITS: Final = """
INSERT INTO needed_visits
SELECT id FROM (
    SELECT id, page_id, scan_id, outcome IS NOT NULL AND is_shown AS is_shown,
        row_number() OVER (PARTITION BY page_id ORDER BY id DESC) AS of_all,
        row_number() OVER (PARTITION BY page_id ORDER BY outcome IS NULL, id DESC) AS of_visited,
        row_number() OVER (
            PARTITION BY page_id ORDER BY outcome IS NULL OR NOT is_shown, id DESC) AS of_shown
    FROM (
        SELECT id, page_id, scan_id, outcome, scan_id IN (
            SELECT coalesce(gone_scan_id, last_scan_id) FROM documents
            WHERE site_id IN (SELECT site_id FROM pruned_sites) AND kind = {page}
            AND coalesce(gone_scan_id, last_scan_id) IS NOT NULL) AS is_shown
        FROM visits WHERE scan_id IN (SELECT scan_id FROM pruned)
    ) AS of_pruned
) AS ranked
WHERE (of_shown = 1 AND is_shown) OR ((of_all = 1 OR of_visited = 1) AND NOT EXISTS (
    SELECT 1 FROM visits AS later
    WHERE later.page_id = ranked.page_id AND later.scan_id > ranked.scan_id
    AND later.scan_id NOT IN (SELECT scan_id FROM pruned)))
"""
_FIND_READING_VISITS: Final = """
INSERT INTO needed_visits
SELECT visits.id FROM visits JOIN documents ON documents.id = visits.document_id
WHERE visits.scan_id IN (SELECT scan_id FROM pruned) AND (
    visits.scan_id = documents.content_scan_id OR visits.scan_id = documents.last_scan_id
    OR visits.scan_id = documents.gone_scan_id)
ON CONFLICT DO NOTHING
"""
_FIND_CHECKING_VISITS: Final = """
INSERT INTO needed_visits
SELECT visits.id FROM pages CROSS JOIN visits
WHERE pages.site_id IN (SELECT site_id FROM pruned_sites)
AND pages.checked_scan_id IN (SELECT scan_id FROM pruned)
AND visits.page_id = pages.id AND visits.scan_id = pages.checked_scan_id
ON CONFLICT DO NOTHING
"""
_FIND_VISITS_OF_FACTS: Final = """
INSERT INTO needed_visits
SELECT visits.id FROM needed_readings AS reading CROSS JOIN visits
WHERE visits.page_id = reading.page_id AND visits.scan_id = reading.scan_id
ON CONFLICT DO NOTHING
"""
_FIND_ORIGINALS: Final = """
INSERT INTO needed_visits
SELECT original.id
FROM needed_visits AS needed CROSS JOIN visits AS copy CROSS JOIN visits AS original
WHERE copy.id = needed.id AND original.page_id = copy.duplicate_of
AND original.scan_id = copy.scan_id
ON CONFLICT DO NOTHING
"""
_FIND_FINDERS: Final = """
INSERT INTO needed_visits
SELECT finder.id
FROM needed_visits AS needed CROSS JOIN visits AS found CROSS JOIN visits AS finder
WHERE found.id = needed.id AND finder.scan_id = found.scan_id AND finder.number = found.found_by
ON CONFLICT DO NOTHING
"""

_FIND_FETCHES_OF_VISITS: Final = """
INSERT INTO needed_fetches
SELECT fetches.id FROM needed_visits AS needed CROSS JOIN visits CROSS JOIN fetches
WHERE visits.id = needed.id AND fetches.document_id = visits.document_id
AND fetches.scan_id = visits.scan_id
ON CONFLICT DO NOTHING
"""
_FIND_FETCHES_OF_DOCUMENTS: Final = """
INSERT INTO needed_fetches
SELECT fetches.id FROM fetches JOIN documents ON documents.id = fetches.document_id
WHERE fetches.scan_id IN (SELECT scan_id FROM pruned) AND (
    fetches.scan_id = documents.content_scan_id OR fetches.scan_id = documents.last_scan_id
    OR fetches.scan_id = documents.gone_scan_id)
ON CONFLICT DO NOTHING
"""
# As ``why`` tells of mentions, and as an inventory as of an earlier scan is found.
_FIND_SPANS: Final = """
INSERT INTO mention_spans
SELECT document_id, scan_id, dropped, (
    SELECT max(fetches.scan_id) FROM fetches
    WHERE fetches.document_id = dropping.document_id AND fetches.outcome IN ({read})
    AND fetches.scan_id >= dropping.scan_id AND fetches.scan_id < coalesce(dropped, {never}))
FROM (
    SELECT document_id, scan_id, (
        SELECT min(fetches.scan_id) FROM fetches
        WHERE fetches.document_id = reading.document_id AND fetches.complete
        AND fetches.scan_id > reading.scan_id) AS dropped
    FROM (
        SELECT document_id, seen_scan_id AS scan_id FROM pages
        WHERE site_id IN (SELECT site_id FROM pruned_sites)
        UNION
        SELECT document_id, scan_id FROM other_mentions
        WHERE document_id IN (
            SELECT id FROM documents WHERE site_id IN (SELECT site_id FROM pruned_sites))
    ) AS reading
) AS dropping
"""
_FIND_FETCHES_OF_MENTIONS: Final = """
INSERT INTO needed_fetches
SELECT fetches.id FROM mention_spans AS span CROSS JOIN fetches
WHERE fetches.document_id = span.document_id AND (
    fetches.scan_id = span.scan_id OR fetches.scan_id = span.dropped
    OR fetches.scan_id = span.confirmed)
ON CONFLICT DO NOTHING
"""
_FIND_ROBOTS_COPIES: Final = """
INSERT INTO needed_fetches
SELECT id FROM (
    SELECT id, is_answer, is_good,
        row_number() OVER (PARTITION BY document_id ORDER BY NOT is_answer, id DESC) AS of_answers,
        row_number() OVER (PARTITION BY document_id ORDER BY NOT is_good, id DESC) AS of_good
    FROM (
        SELECT fetches.id, fetches.document_id, fetches.outcome IN ({answers}) AS is_answer,
            fetches.outcome = {ok} AND (fetches.received_bytes = 0 OR EXISTS (
                SELECT 1 FROM blobs WHERE blobs.sha256 = fetches.sha256)) AS is_good
        FROM fetches JOIN documents ON documents.id = fetches.document_id
        WHERE documents.kind = {robots} AND fetches.scan_id IN (SELECT scan_id FROM pruned)
    ) AS of_pruned
) AS ranked
WHERE (of_answers = 1 AND is_answer) OR (of_good = 1 AND is_good)
ON CONFLICT DO NOTHING
"""

PRUNED: Final = table("pruned", column("scan_id"))
"""The scans that are pruned; a temporary table."""

REMOVABLE: Final = {
    "evidence": "1 = 1",
    "visits": "id NOT IN (SELECT id FROM needed_visits)",
    "fetches": "id NOT IN (SELECT id FROM needed_fetches)",
    "page_facts": "page_id NOT IN (SELECT page_id FROM needed_facts AS needed"
    " WHERE needed.scan_id = page_facts.scan_id)",
    "page_alternates": "page_id NOT IN (SELECT page_id FROM needed_readings AS needed"
    " WHERE needed.scan_id = page_alternates.scan_id)",
    "menu_entries": "scan_id NOT IN (SELECT scan_id FROM needed_menus)",
    "host_queues": "1 = 1",
    "shared_frontiers": "1 = 1",
    "scan_fetchers": "1 = 1",
    "visit_answers": "1 = 1",
}
"""By table, SQL: whether a row of a pruned scan is removed."""

_BEFORE_ALL_KEPT: Final = """
EXISTS (
    SELECT 1 FROM pruned_sites AS of_site
    WHERE of_site.site_id = {table}.site_id AND {table}.until_scan_id <= of_site.oldest_kept)
"""
OUTLIVED: Final = {
    table: _BEFORE_ALL_KEPT.format(table=table) for table in ("page_versions", "page_absences")
}
"""By table, SQL: whether a row tells only of what was before every scan that is left."""


def find_needed_rows(connection: Connection, scan_ids: Sequence[int]) -> None:
    """Fill the tables that ``REMOVABLE`` refers to, if the scans with these ids are pruned."""
    for name, columns in _TABLES.items():
        connection.exec_driver_sql(f"CREATE TEMPORARY TABLE {name} ({columns})")
    if scan_ids:
        connection.execute(PRUNED.insert(), [{"scan_id": scan_id} for scan_id in scan_ids])
    names = {
        "page": literal(DocumentKind.PAGE),
        "robots": literal(DocumentKind.ROBOTS_TXT),
        "ok": literal(FetchOutcome.OK),
        "read": ", ".join(map(literal, (FetchOutcome.OK, FetchOutcome.NOT_MODIFIED))),
        "answers": ", ".join(map(literal, ROBOTS_ANSWERS)),
        "never": literal(_NEVER),
    }
    for statement in (
        *(_FIND_SITES, _FIND_FACTS, _FIND_FACTS_OF_CONTENT, _FIND_FACTS_OF_PAGES),
        *(_FIND_READINGS, _FIND_MENUS),
        *(_FIND_NEWEST_VISITS, _FIND_READING_VISITS, _FIND_CHECKING_VISITS),
        *(_FIND_VISITS_OF_FACTS, _FIND_ORIGINALS),
    ):
        connection.exec_driver_sql(statement.format_map(names))
    while connection.exec_driver_sql(_FIND_FINDERS).rowcount > 0:
        pass  # each time those one click nearer to where the crawl started
    for statement in (
        *(_FIND_FETCHES_OF_VISITS, _FIND_FETCHES_OF_DOCUMENTS, _FIND_SPANS),
        *(_FIND_FETCHES_OF_MENTIONS, _FIND_ROBOTS_COPIES),
    ):
        connection.exec_driver_sql(statement.format_map(names))
