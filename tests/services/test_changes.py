from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.changes.events import Event
from sitecrawl.changes.kinds import EventKind, Severity
from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.services.change_detection import detect_changes
from sitecrawl.services.changes import (
    close_incident,
    confirm_removals,
    edit_change,
    list_changes,
    list_events,
    list_incidents,
    snooze_incident,
)
from sitecrawl.services.inventory_comparison import diff
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.changes import ChangeFilter
from sitecrawl.store.queries.scans import site_for
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.changes import open_incident
from tests.store.crawling import Crawling
from tests.store.scanning import SITE, UNCHANGED, Scanning, scan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.services.change_detection import Comparison
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Site

MAP, OTHER_MAP = f"https://{SITE}/a.xml", f"https://{SITE}/b.xml"
PAGES = [f"https://{SITE}/blog/post-{n}" for n in range(8)]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(f"sqlite:///{tmp_path}/changes.db") as opened:
        yield opened


def site_of(database: Database) -> Site:
    site = site_for(database, SITE)
    assert site is not None
    return site


def compared(database: Database, documents: dict[str, Any], **options: Any) -> Comparison:
    comparison = detect_changes(database, scan(database, documents, **options))
    assert comparison is not None
    return comparison


def told(database: Database, scan_id: int) -> list[tuple[str, str]]:
    """Kind and URL of the changes of a scan."""
    rows = list_changes(database, site_of(database), ChangeFilter(scan_id=scan_id)).rows
    return sorted((row.kind.value, row.url or "") for row in rows)


def titles(database: Database, scan_id: int) -> list[str]:
    found = list_events(database, site_of(database), ChangeFilter(scan_id=scan_id))
    return [row.title for row in found.rows if not row.is_silent]


def test_the_first_scan_is_a_silent_baseline(database: Database) -> None:
    first = compared(database, {MAP: PAGES})
    assert first.baseline == "first_scan"
    assert first.counts == {"pages": 8}
    assert told(database, first.scan_id) == []


def test_pages_come_go_missing_are_removed_and_return(database: Database) -> None:
    compared(database, {MAP: PAGES[:6]})
    more = compared(database, {MAP: PAGES})
    assert told(database, more.scan_id) == [("added", PAGES[6]), ("added", PAGES[7])]
    assert titles(database, more.scan_id) == ["/blog: 2 new articles"]
    fewer = compared(database, {MAP: PAGES[1:]})
    assert told(database, fewer.scan_id) == []
    still = compared(database, {MAP: UNCHANGED})
    assert told(database, still.scan_id) == [("removed", PAGES[0])]
    assert titles(database, still.scan_id) == [f"{PAGES[0]} was removed"]
    back = compared(database, {MAP: PAGES})
    assert told(database, back.scan_id) == [("returned", PAGES[0])]
    assert back.counts["pages"] == 8


def test_comparing_again_finds_nothing_new(database: Database) -> None:
    compared(database, {MAP: PAGES[:6]})
    more = compared(database, {MAP: PAGES})
    again = detect_changes(database, more.scan_id)
    assert again is not None
    assert (again.is_new, more.is_new) == (False, True)
    assert len(told(database, more.scan_id)) == 2


def test_scans_that_nobody_compared_are_caught_up_in_their_order(database: Database) -> None:
    scan(database, {MAP: PAGES[:6]})
    second = scan(database, {MAP: PAGES})
    scan(database, {MAP: []}, ScanStatus.FAILED)
    third = compared(database, {MAP: PAGES[1:]})
    assert third.before_scan_id == second
    assert told(database, second) == [("added", PAGES[6]), ("added", PAGES[7])]
    fourth = compared(database, {MAP: PAGES[1:]})
    assert told(database, fourth.scan_id) == [("removed", PAGES[0])]


@pytest.mark.parametrize(
    "broken", [FetchOutcome.NOT_FOUND, FetchOutcome.HTTP_ERROR, FetchOutcome.TIMEOUT, []]
)
def test_a_broken_sitemap_removes_nothing(database: Database, broken: Any) -> None:
    compared(database, {MAP: PAGES})
    for _ in range(3):
        found = compared(database, {MAP: broken})
        assert {kind for kind, _ in told(database, found.scan_id)} <= {"sitemap_changed"}
    [incident] = list_incidents(database, site_of(database)).rows
    assert (incident.key, incident.status) == (f"sitemap:{MAP}", "open")
    found = compared(database, {MAP: PAGES})
    [incident] = list_incidents(database, site_of(database)).rows
    assert incident.status == "closed"
    assert [kind for kind, _ in told(database, found.scan_id)] == ["sitemap_changed"]


def test_a_page_that_moves_to_another_sitemap_only_changes_its_source(database: Database) -> None:
    compared(database, {MAP: PAGES, OTHER_MAP: PAGES[:1]})
    found = compared(database, {MAP: PAGES[:2], OTHER_MAP: PAGES})
    assert {kind for kind, _ in told(database, found.scan_id)} == {"source_changed"}
    assert titles(database, found.scan_id) == []
    after = compared(database, {MAP: UNCHANGED, OTHER_MAP: UNCHANGED})
    assert told(database, after.scan_id) == []


def test_more_that_another_document_says_of_a_page_is_no_update(database: Database) -> None:
    def listed(without_lastmod: list[str], with_lastmod: list[str]) -> int:
        scanning = Scanning(database)
        scanning.name([OTHER_MAP, MAP])
        scanning.fetched(scanning.list_pages(OTHER_MAP, without_lastmod), entries=2)
        new = [page for page in with_lastmod if page not in without_lastmod]
        stamps = [f"2026-05-0{number}" for number, _ in enumerate(new, 1)]
        scanning.fetched(scanning.list_pages(MAP, with_lastmod, lastmods=stamps), entries=8)
        scanning.finish()
        assert detect_changes(database, scanning.handle.scan_id) is not None
        return scanning.handle.scan_id

    extra = f"https://{SITE}/extra"
    listed([extra, PAGES[7]], PAGES)
    second = listed([extra], PAGES)
    assert told(database, second) == [("source_changed", PAGES[7])]


def test_a_collapse_holds_removals_until_the_next_scan(database: Database) -> None:
    many = [f"https://{SITE}/p/{n}" for n in range(200)]
    compared(database, {MAP: many})
    found = compared(database, {MAP: many[:120]})
    assert found.is_holding
    assert titles(database, found.scan_id) == [
        "inventory collapsed: 80 of 200 pages are no longer listed; removals wait for the next scan"
    ]
    back = compared(database, {MAP: many})
    assert told(database, back.scan_id) == []
    [incident] = list_incidents(database, site_of(database)).rows
    assert incident.status == "closed"


def test_a_person_confirms_removals(database: Database) -> None:
    many = [f"https://{SITE}/p/{n}" for n in range(200)]
    compared(database, {MAP: many})
    found = compared(database, {MAP: many[:120]})
    assert confirm_removals(database, site_of(database), found.scan_id) == 80
    assert len(told(database, found.scan_id)) == 80
    after = compared(database, {MAP: UNCHANGED})
    assert told(database, after.scan_id) == []


def test_renamed_pages_have_moved(database: Database) -> None:
    new = [url.replace("/blog/", "/articles/") for url in PAGES]
    keep = [f"https://{SITE}/keep/{n}" for n in range(9)]
    compared(database, {MAP: [*PAGES, *keep]})
    found = compared(database, {MAP: [*new, *keep]})
    assert told(database, found.scan_id) == [("moved", url) for url in PAGES]
    assert titles(database, found.scan_id) == ["/blog: 8 articles moved to /articles"]
    after = compared(database, {MAP: UNCHANGED})
    assert told(database, after.scan_id) == []


def scan_of_root(database: Database, status: int | None, outcome: FetchOutcome) -> int:
    crawling = Crawling(database)
    crawling.list_in_sitemap("/a")
    crawling.start()
    crawling.visit("/", status=status, outcome=outcome, title="Root")
    scan_id = crawling.end().id
    detect_changes(database, scan_id)
    return scan_id


@pytest.mark.parametrize("failure", [FetchOutcome.UNREACHABLE, FetchOutcome.TIMEOUT])
def test_an_answer_is_compared_with_the_last_one_that_there_was(
    database: Database, failure: FetchOutcome
) -> None:
    scan_of_root(database, 200, FetchOutcome.OK)
    assert told(database, scan_of_root(database, None, failure)) == []
    assert told(database, scan_of_root(database, 200, FetchOutcome.OK)) == []
    scan_of_root(database, None, failure)
    broken = scan_of_root(database, 500, FetchOutcome.HTTP_ERROR)
    [change] = list_changes(database, site_of(database), ChangeFilter(scan_id=broken)).rows
    assert (change.before, change.after) == ({"status": 200}, {"status": 500})


def test_any_two_scans_can_be_compared(database: Database) -> None:
    first = scan(database, {MAP: PAGES[:4]})
    scan(database, {MAP: PAGES[2:]})
    third = scan(database, {MAP: PAGES[3:6]})
    found = diff(database, site_of(database), first, third)
    assert [(page.kind, page.url) for page in found.pages] == [
        *(("added", url) for url in PAGES[4:6]),
        *(("removed", url) for url in PAGES[:3]),
    ]


def test_a_title_that_is_read_for_the_first_time_is_no_difference(database: Database) -> None:
    for title in ("", "Home", "Welcome"):
        crawling = Crawling(database)
        crawling.list_in_sitemap("/", "/about")
        if title:
            crawling.start()
            crawling.visit("/", title=title)
        crawling.end()
    assert diff(database, site_of(database), 1, 2).pages == ()
    [changed] = diff(database, site_of(database), 2, 3).pages
    assert (changed.before, changed.after) == ({"title": "Home"}, {"title": "Welcome"})


def scan_with_robots(database: Database, text: str, settings: dict[str, Any] | None = None) -> int:
    scanning = Scanning(database, settings=settings or {})
    robots_id = scanning.document(f"https://{SITE}/robots.txt", kind=DocumentKind.ROBOTS_TXT)
    body = text.encode()
    sha256 = hashlib.sha256(body).hexdigest()
    scanning.writer.keep_body(sha256, body)
    scanning.document(MAP, parent_id=robots_id)
    scanning.fetched(robots_id, fingerprint="", status=200, sha256=sha256)
    shown = PAGES[1:] if settings else PAGES[:7]
    scanning.fetched(scanning.list_pages(MAP, shown), entries=len(shown))
    scanning.finish()
    detect_changes(database, scanning.handle.scan_id)
    return scanning.handle.scan_id


def test_robots_changes_tell_their_impact_and_are_an_incident_until_it_ends(
    database: Database,
) -> None:
    free = "User-agent: *\nDisallow: /private\n"
    scan_with_robots(database, free)
    blocked = scan_with_robots(database, f"{free}Disallow: /blog/\n")
    [title] = titles(database, blocked)
    assert title.startswith("robots.txt blocks 7 known URLs")
    [change] = list_changes(database, site_of(database), ChangeFilter(scan_id=blocked)).rows
    assert change.evidence["by_line"] == [{"line": 3, "rule": "Disallow: /blog/", "pages": 7}]
    same = scan_with_robots(database, f"# new\n{free}Disallow: /blog/\n")
    assert titles(database, same) == []
    scan_with_robots(database, free)
    [incident] = list_incidents(database, site_of(database)).rows
    assert (incident.kind, incident.status) == ("robots_changed", "closed")


def test_an_incident_that_gets_graver_is_news_again(database: Database) -> None:
    scan_id = scan(database, {MAP: PAGES})
    site_id, now = site_of(database).id, datetime.now(UTC)
    news = []
    for severity in (Severity.MEDIUM, Severity.LOW, Severity.CRITICAL, Severity.CRITICAL):
        event = Event(EventKind.BROKEN, severity, f"{severity} trouble", incident="broken:/blog")
        with database.writing() as connection:
            news.append(open_incident(connection, site_id, scan_id, event, now)[1])
    assert news == [True, False, True, False]
    [incident] = list_incidents(database, site_of(database)).rows
    assert (incident.severity, incident.title) == ("critical", "critical trouble")


def test_other_settings_are_no_change_of_the_site(database: Database) -> None:
    scan_with_robots(database, "", {"skip_paths": ["/a"]})
    other = scan_with_robots(database, "", {"skip_paths": []})
    assert told(database, other) == []
    first = scan_with_robots(database, "", {"skip_paths": []})
    comparison = detect_changes(database, other)
    assert comparison is not None
    assert comparison.baseline == "other settings than in the scan before: skip_paths"
    assert told(database, first) == []


def test_people_deal_with_changes_and_incidents(database: Database) -> None:
    compared(database, {MAP: PAGES[:6]})
    more = compared(database, {MAP: PAGES})
    site = site_of(database)
    change = list_changes(database, site, ChangeFilter(scan_id=more.scan_id)).rows[0]
    edited = edit_change(database, site, change.id, status="closed", assignee="Ada", note="fine")
    assert (edited.status, edited.assignee, edited.note) == ("closed", "Ada", "fine")
    kept = edit_change(database, site, change.id, note=None)
    assert (kept.status, kept.assignee, kept.note) == ("closed", "Ada", None)
    assert len(list_changes(database, site, ChangeFilter(status="open")).rows) == 1
    with pytest.raises(InvalidInputError, match="status: 'done' is neither open nor closed"):
        edit_change(database, site, change.id, status="done")
    with pytest.raises(NotFoundError):
        edit_change(database, site, 999, status="closed")
    compared(database, {MAP: FetchOutcome.NOT_FOUND})
    [incident] = list_incidents(database, site).rows
    until = datetime(2026, 12, 1, tzinfo=UTC)
    assert snooze_incident(database, site, incident.id, until).snoozed_until == until
    assert close_incident(database, site, incident.id, "known").status == "closed"
    with pytest.raises(ConflictError):
        close_incident(database, site, incident.id)


def test_lists_go_on_behind_a_cursor(database: Database) -> None:
    compared(database, {MAP: PAGES[:1]})
    compared(database, {MAP: PAGES})
    site = site_of(database)
    first = list_changes(database, site, limit=4)
    second = list_changes(database, site, cursor=first.next_cursor, limit=4)
    urls = [row.url for row in (*first.rows, *second.rows)]
    assert urls == PAGES[:0:-1]
    assert second.next_cursor is None


def test_postgres_tells_the_same(postgres_tables_url: str) -> None:
    with open_database(postgres_tables_url) as database:
        test_pages_come_go_missing_are_removed_and_return(database)
