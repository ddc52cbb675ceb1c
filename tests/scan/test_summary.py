from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.errors import ExitCode
from sitecrawl.items import FetchOutcome
from sitecrawl.scan.lifecycle import exit_code
from sitecrawl.scan.summary import build_summary, scan_ending
from sitecrawl.store.vocabulary import ScanStatus
from tests.scan.build import make_scan

if TYPE_CHECKING:
    from sitecrawl.scan import Scan
    from sitecrawl.scan.summary import Summary

ROOT = "http://example.com/"
CUT = {"what": "more sitemaps", "setting": "SITECRAWL_MAX_SITEMAPS", "limit": 2}
STAGES: list[dict[str, Any]] = [
    {"stage": "entry", "has_run": True, "ended": "nothing left to fetch", "truncated": []},
    {"stage": "sitemaps", "has_run": True, "ended": "nothing left to fetch", "truncated": [CUT]},
]


def a_scan(documents: dict[str, int] | None = None, *, is_cut: bool = False) -> Scan:
    scan = make_scan()
    scan.root_url = ROOT
    scan.counters.documents.update(documents or {})
    scan.counters.stages = STAGES if is_cut else STAGES[:1]
    return scan


def a_full_scan() -> Scan:
    scan = a_scan({"ok": 4, "http_error": 1}, is_cut=True)
    counters = scan.counters
    counters.pages_by_source.update(feed=20, sitemap=100)
    counters.pages_refused.update(offsite=3, skipped_path=40, too_long=0)
    counters.pages_unchanged = 30
    counters.mentions = 200
    counters.first_page = f"{ROOT}a"
    counters.findings["truncated"] = 2
    return scan


def summary_of(scan: Scan) -> Summary:
    return build_summary(
        scan,
        status=ScanStatus.PARTIAL,
        reason="stopped by the user",
        asked="example.com",
        seconds=1.23456,
    )


def test_figures() -> None:
    summary = summary_of(a_full_scan())
    assert (summary.asked, summary.root_url) == ("example.com", ROOT)
    assert (summary.scan_id, summary.status) == (None, ScanStatus.PARTIAL)
    assert summary.reason == "stopped by the user"
    assert (summary.pages, summary.pages_unchanged, summary.mentions) == (150, 30, 200)
    assert (summary.requests, summary.received_bytes, summary.seconds) == (0, 0, 1.235)
    assert summary.example == f"{ROOT}a"
    assert summary.documents == {"ok": 4, "http_error": 1}
    assert summary.findings == {"truncated": 2}


def test_the_most_come_first_and_zero_is_not_shown() -> None:
    summary = summary_of(a_full_scan())
    assert list(summary.by_source.items()) == [("sitemap", 100), ("feed", 20)]
    assert list(summary.refused.items()) == [("skipped_path", 40), ("offsite", 3)]


def test_limits_of_the_scan_stand_beside_those_of_its_stages() -> None:
    scan = a_full_scan()
    assert summary_of(scan).truncated == [CUT]
    scan.counters.hit("pages not fetched", "SITECRAWL_MAX_PAGES", 5)
    scan.counters.hit("pages not fetched", "SITECRAWL_MAX_PAGES", 5)
    pages = {"what": "pages not fetched", "setting": "SITECRAWL_MAX_PAGES", "limit": 5}
    assert summary_of(scan).truncated == [CUT, pages]


def test_it_can_be_kept_as_evidence() -> None:
    kept = json.loads(json.dumps(summary_of(a_full_scan()).as_dict()))
    assert kept["status"] == "partial"
    assert kept["pages"] == 150


def test_rendering_is_shown_only_if_a_page_had_to_be_rendered() -> None:
    scan = a_full_scan()
    scan.counters.rendering["unavailable"] = "no browser"
    assert summary_of(scan).rendered == {}
    scan.counters.rendering["missed"] = 1
    assert summary_of(scan).rendered["unavailable"] == "no browser"


@pytest.mark.parametrize(
    ("close_reason", "failure", "status", "words"),
    [
        ("finished", "", ScanStatus.FINISHED, "every document that was asked for has been read"),
        ("shutdown", "", ScanStatus.PARTIAL, "stopped by the user"),
        ("time_limit", "", ScanStatus.PARTIAL, "SITECRAWL_MAX_SCAN_MINUTES"),
        ("unreachable", "", ScanStatus.FAILED, "cannot be reached"),
        ("unreachable", "http://x/ says no", ScanStatus.FAILED, "http://x/ says no"),
        ("store", "", ScanStatus.FAILED, "the database could not be used any more"),
        ("memusage_exceeded", "", ScanStatus.PARTIAL, "memusage_exceeded"),
    ],
)
def test_endings(close_reason: str, failure: str, status: ScanStatus, words: str) -> None:
    found, reason = scan_ending(close_reason, a_scan(), failure)
    assert found is status
    assert words in reason


READ = {"ok": 5, "not_modified": 1, "not_found": 1}
FAILED = {"http_error": 1, "incomplete": 1}


@pytest.mark.parametrize(
    ("documents", "limit", "words"),
    [
        (READ, "", "every document that was asked for has been read"),
        (READ, "SITECRAWL_MAX_CRAWL_DEPTH", "a limit was hit"),
        (READ | FAILED, "", "2 of 9 documents could not be read"),
        (
            READ | FAILED,
            "SITECRAWL_MAX_PAGE_BYTES",
            "a limit was hit, 2 of 9 documents could not be read",
        ),
    ],
)
def test_a_scan_that_finished_says_what_may_be_missing(
    documents: dict[str, int], limit: str, words: str
) -> None:
    scan = a_scan(documents)
    if limit:
        scan.counters.hit("what lies beyond", limit, 2)
    assert scan_ending("finished", scan) == (ScanStatus.FINISHED, words)
    assert scan_ending("shutdown", scan)[1] == "stopped by the user"


def test_a_limit_that_leaves_out_what_is_known_makes_a_scan_partial() -> None:
    words = "limit reached: SITECRAWL_MAX_SITEMAPS=2, more sitemaps"
    assert scan_ending("finished", a_scan(READ, is_cut=True)) == (ScanStatus.PARTIAL, words)
    scan = a_scan(READ)
    scan.counters.hit("pages left to visit", "SITECRAWL_MAX_CRAWL_PAGES", 200)
    scan.counters.visits_waiting = 9_937
    words = "limit reached: SITECRAWL_MAX_CRAWL_PAGES=200, 9,937 known pages were not visited"
    assert scan_ending("finished", scan) == (ScanStatus.PARTIAL, words)


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (
            "http://example.com",
            "robots.txt could not be fetched (HTTP 503): no page was fetched, and",
        ),
        ("http://cdn.example.com", "robots.txt of other hosts could not be fetched: 1"),
        ("https://example.com", "every document that was asked for has been read"),
    ],
)
def test_a_robots_txt_that_could_not_be_fetched_is_said(server: str, words: str) -> None:
    scan = a_scan()
    scan.counters.pages_by_source["sitemap"] = 1
    scan.counters.robots_unavailable[server] = "HTTP 503"
    status, reason = scan_ending("finished", scan)
    assert status is ScanStatus.FINISHED
    assert reason.startswith(words)


def test_a_scan_that_could_read_nothing_has_failed() -> None:
    scan = a_scan()
    scan.counters.robots_unavailable["http://example.com"] = "HTTP 304"
    status, reason = scan_ending("finished", scan)
    assert status is ScanStatus.FAILED
    assert "HTTP 304" in reason


@pytest.mark.parametrize(("pages", "status"), [(0, ScanStatus.FAILED), (3, ScanStatus.FINISHED)])
def test_a_root_that_could_not_be_read_is_said(pages: int, status: ScanStatus) -> None:
    scan = a_scan()
    scan.counters.pages_by_source["sitemap"] = pages
    scan.root_problem = "the root page http://example.com/ answered 403 Forbidden: ask"
    assert scan_ending("finished", scan) == (status, scan.root_problem)


@pytest.mark.parametrize(
    ("has_run", "in_sitemaps", "words"),
    [
        (True, 0, "every document has been read, and every link that may be followed"),
        (False, 9, "the sitemaps have been read; the crawl did not run (it was told not to)"),
        (False, 0, "no sitemap lists a page; the crawl did not run (it was told not to)"),
    ],
)
def test_a_scan_claims_only_what_its_stages_did(
    has_run: bool, in_sitemaps: int, words: str
) -> None:
    scan = a_scan()
    scan.counters.pages_in_sitemaps = in_sitemaps
    crawl = {"stage": "crawl", "has_run": has_run, "ended": "it was told not to"}
    scan.counters.stages = [*STAGES[:1], {**crawl, "truncated": []}]
    assert scan_ending("finished", scan) == (ScanStatus.FINISHED, words)


def test_pages_on_the_list_that_nobody_visited_are_counted() -> None:
    scan = a_full_scan()
    scan.counters.listed_visited = 40
    assert summary_of(scan).unvisited == 110


_READ_OUTCOMES = {"ok", "not_modified", "not_found", "fresh", "blocked_by_robots", "redirected"}
_OTHER_WORDS = {*_READ_OUTCOMES, "host_paused", "over_budget", "slot_timeout"}


@pytest.mark.parametrize("outcome", sorted(set(FetchOutcome) - _OTHER_WORDS))
def test_a_document_that_failed_in_any_way_was_not_read(outcome: str) -> None:
    scan = a_scan({outcome: 1})
    assert scan_ending("finished", scan)[1] == "1 of 1 documents could not be read"


def left_alone(server: str, refused: int, documents: dict[str, int] | None = None) -> Scan:
    scan = a_scan(documents)
    host = scan.politeness.host(server)
    host.pace.leave_alone(server, f"{server} failed")
    host.refused[server] += refused
    return scan


@pytest.mark.parametrize(
    ("scan", "status", "words"),
    [
        (left_alone("http://example.com", 0), ScanStatus.PARTIAL, "http://example.com failed"),
        (left_alone("http://example.com", 3), ScanStatus.PARTIAL, "http://example.com failed"),
        (left_alone("https://cdn.example", 1), ScanStatus.PARTIAL, "https://cdn.example failed"),
        # https cannot be reached, http can, and nothing else was asked for by https
        (left_alone("https://example.com", 0), ScanStatus.FINISHED, "every document"),
        (
            a_scan({"host_paused": 1}),
            ScanStatus.PARTIAL,
            "a host asked to wait longer than the time of a stage",
        ),
        (
            a_scan({"over_budget": 1}),
            ScanStatus.PARTIAL,
            "the page limit was reached (SITECRAWL_MAX_PAGES)",
        ),
        (
            a_scan({"slot_timeout": 2}),
            ScanStatus.PARTIAL,
            "requests whose turn did not come in time: 2",
        ),
        (
            left_alone("http://a.example", 1, {"over_budget": 1}),
            ScanStatus.PARTIAL,
            "http://a.example failed; the page limit was reached",
        ),
    ],
)
def test_what_politeness_left_out_makes_a_scan_partial(
    scan: Scan, status: ScanStatus, words: str
) -> None:
    found, reason = scan_ending("finished", scan)
    assert found is status
    assert reason.startswith(words)
    assert scan_ending("shutdown", scan)[1] == "stopped by the user"


def test_a_scan_that_lost_something_is_not_whole() -> None:
    scan = a_scan(READ)
    scan.counters.items_lost = 1
    status, reason = scan_ending("finished", scan)
    assert status is ScanStatus.PARTIAL
    assert "internal error" in reason


@pytest.mark.parametrize(
    ("status", "failed_feeds", "code"),
    [
        (ScanStatus.FINISHED, 0, 0),
        (ScanStatus.FAILED, 0, 1),
        (ScanStatus.PARTIAL, 0, 3),
        (ScanStatus.INTERRUPTED, 0, 1),
        (None, 0, 1),
        (ScanStatus.FINISHED, 1, 1),
        (ScanStatus.PARTIAL, 2, 1),
    ],
)
def test_exit_codes(status: ScanStatus | None, failed_feeds: int, code: int) -> None:
    scan = a_scan()
    scan.counters.feeds_failed = failed_feeds
    summary = SimpleNamespace(status=status) if status else None
    lifecycle = SimpleNamespace(scan=scan, summary=summary)
    crawler: Any = SimpleNamespace(get_extension=lambda _: lifecycle)
    assert exit_code(crawler) == code
    assert int(ExitCode.USAGE) == 2
