from __future__ import annotations

import json
from typing import Any

import pytest

from sitecrawl.exitcodes import ExitCode, exit_code
from sitecrawl.items import FetchOutcome
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.summary import build_summary, ending

_CUT = {"what": "more sitemaps", "setting": "SITECRAWL_MAX_SITEMAPS", "limit": 2}
_STATS: dict[str, Any] = {
    "sitecrawl/scan/id": 7,
    "sitecrawl/scan/root_url": "https://www.example.com/",
    "sitecrawl/scan/status": ScanStatus.PARTIAL,
    "sitecrawl/scan/reason": "stopped by the user",
    "sitecrawl/pages/listed": 120,
    "sitecrawl/pages/unchanged": 30,
    "sitecrawl/mentions": 200,
    "sitecrawl/pages/example": "https://www.example.com/a",
    "sitecrawl/pages/source/feed": 20,
    "sitecrawl/pages/source/sitemap": 100,
    "sitecrawl/pages/refused/offsite": 3,
    "sitecrawl/pages/refused/skipped_path": 40,
    "sitecrawl/pages/refused/too_long": 0,
    "sitecrawl/documents/outcome/ok": 4,
    "sitecrawl/documents/outcome/http_error": 1,
    "sitecrawl/findings/truncated": 2,
    "sitecrawl/stages": [
        {"stage": "entry", "ended": "nothing left to fetch", "truncated": []},
        {"stage": "sitemaps", "ended": "nothing left to fetch", "truncated": [_CUT]},
    ],
    "sitecrawl/politeness": {"requests": 9, "received_bytes": 1234},
    "log_count/INFO": 5,
}


def test_figures() -> None:
    summary = build_summary(_STATS, "example.com", 1.23456)
    assert summary.asked == "example.com"
    assert summary.root_url == "https://www.example.com/"
    assert (summary.scan_id, summary.status) == (7, ScanStatus.PARTIAL)
    assert summary.reason == "stopped by the user"
    assert (summary.pages, summary.pages_unchanged, summary.mentions) == (150, 30, 200)
    assert (summary.requests, summary.received_bytes, summary.seconds) == (9, 1234, 1.235)
    assert summary.example == "https://www.example.com/a"
    assert summary.documents == {"ok": 4, "http_error": 1}
    assert summary.findings == {"truncated": 2}


def test_the_most_come_first_and_zero_is_not_shown() -> None:
    summary = build_summary(_STATS, "example.com", 1)
    assert list(summary.by_source.items()) == [("sitemap", 100), ("feed", 20)]
    assert list(summary.refused.items()) == [("skipped_path", 40), ("offsite", 3)]


def test_limits_of_every_stage_are_gathered() -> None:
    summary = build_summary(_STATS, "example.com", 1)
    assert summary.truncated == [_CUT]
    assert [stage["stage"] for stage in summary.stages] == ["entry", "sitemaps"]


def test_nothing_counted_is_a_failed_scan_of_nothing() -> None:
    summary = build_summary({}, "example.com", 0)
    assert summary.status is ScanStatus.FAILED
    assert summary.root_url == "example.com"
    assert (summary.scan_id, summary.pages, summary.requests) == (None, 0, 0)
    assert summary.example == ""
    assert not summary.by_source
    assert not summary.refused
    assert not summary.truncated


def test_it_can_be_kept_as_evidence() -> None:
    kept = json.loads(json.dumps(build_summary(_STATS, "example.com", 1).as_dict()))
    assert kept["status"] == "partial"
    assert kept["pages"] == 150


@pytest.mark.parametrize(
    ("close_reason", "failure", "status", "words"),
    [
        ("finished", "", ScanStatus.FINISHED, "everything that was found has been read"),
        ("shutdown", "", ScanStatus.PARTIAL, "stopped by the user"),
        ("time_limit", "", ScanStatus.PARTIAL, "SITECRAWL_MAX_SCAN_MINUTES"),
        ("unreachable", "", ScanStatus.FAILED, "cannot be reached"),
        ("unreachable", "http://x/ says no", ScanStatus.FAILED, "http://x/ says no"),
        ("store", "disk full", ScanStatus.FAILED, "disk full"),
        ("memusage_exceeded", "", ScanStatus.PARTIAL, "memusage_exceeded"),
    ],
)
def test_endings(close_reason: str, failure: str, status: ScanStatus, words: str) -> None:
    found, reason = ending(close_reason, {}, failure)
    assert found is status
    assert words in reason


_READ = {
    "sitecrawl/documents/outcome/ok": 5,
    "sitecrawl/documents/outcome/not_modified": 1,
    "sitecrawl/documents/outcome/not_found": 1,
    "sitecrawl/stages": [{"stage": "sitemaps", "ended": "", "truncated": []}],
}
_FAILED = {
    "sitecrawl/documents/outcome/http_error": 1,
    "sitecrawl/documents/outcome/incomplete": 1,
}
_HIT = {
    "sitecrawl/stages": [
        {"stage": "entry", "ended": "", "truncated": []},
        {"stage": "sitemaps", "ended": "", "truncated": [_CUT]},
    ]
}


@pytest.mark.parametrize(
    ("stats", "words"),
    [
        (_READ, "everything that was found has been read"),
        (_READ | _HIT, "a limit was hit"),
        (_READ | _FAILED, "2 of 9 documents could not be read"),
        (_READ | _FAILED | _HIT, "a limit was hit, 2 of 9 documents could not be read"),
    ],
)
def test_a_scan_that_finished_says_what_may_be_missing(stats: dict[str, Any], words: str) -> None:
    assert ending("finished", stats) == (ScanStatus.FINISHED, words)


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ("http://example.com", "robots.txt could not be had (HTTP 503): no page was fetched, and"),
        ("http://cdn.example.com", "robots.txt of other hosts could not be had: 1"),
        ("https://example.com", "everything that was found has been read"),
    ],
)
def test_a_robots_txt_that_could_not_be_had_is_said(server: str, words: str) -> None:
    stats = {
        "sitecrawl/scan/root_url": "http://example.com/",
        "sitecrawl/robots/not_had": {server: "HTTP 503"},
    }
    status, reason = ending("finished", stats)
    assert status is ScanStatus.FINISHED
    assert reason.startswith(words)


_READ_OUTCOMES = {"ok", "not_modified", "not_found", "fresh", "blocked_by_robots", "redirected"}
_OTHER_WORDS = {*_READ_OUTCOMES, "host_paused", "over_budget", "slot_timeout"}


@pytest.mark.parametrize("outcome", sorted(set(FetchOutcome) - _OTHER_WORDS))
def test_a_document_that_failed_in_any_way_was_not_read(outcome: str) -> None:
    stats = {f"sitecrawl/documents/outcome/{outcome}": 1}
    assert ending("finished", stats)[1] == "1 of 1 documents could not be read"


def _left_alone(server: str, refused: int) -> dict[str, Any]:
    left = {"server": server, "reason": f"{server} failed", "refused": refused}
    return {
        "sitecrawl/scan/root_url": "http://example.com/",
        "sitecrawl/politeness": {"left_alone": [left]},
    }


@pytest.mark.parametrize(
    ("stats", "status", "words"),
    [
        (_left_alone("http://example.com", 0), ScanStatus.PARTIAL, "http://example.com failed"),
        (_left_alone("http://example.com", 3), ScanStatus.PARTIAL, "http://example.com failed"),
        (_left_alone("https://cdn.example", 1), ScanStatus.PARTIAL, "https://cdn.example failed"),
        # https cannot be reached, http can, and nothing else was asked for by https
        (_left_alone("https://example.com", 0), ScanStatus.FINISHED, "everything"),
        (
            {"sitecrawl/documents/outcome/host_paused": 1},
            ScanStatus.PARTIAL,
            "a host asked to wait longer than the time of a stage",
        ),
        (
            {"sitecrawl/documents/outcome/over_budget": 1},
            ScanStatus.PARTIAL,
            "the page limit was reached (SITECRAWL_MAX_PAGES)",
        ),
        (
            {"sitecrawl/documents/outcome/slot_timeout": 2},
            ScanStatus.PARTIAL,
            "requests whose turn did not come in time: 2",
        ),
        (
            {**_left_alone("http://a.example", 1), "sitecrawl/documents/outcome/over_budget": 1},
            ScanStatus.PARTIAL,
            "http://a.example failed; the page limit was reached",
        ),
    ],
)
def test_what_politeness_left_out_makes_a_scan_partial(
    stats: dict[str, Any], status: ScanStatus, words: str
) -> None:
    found, reason = ending("finished", stats)
    assert found is status
    assert reason.startswith(words)
    assert ending("shutdown", stats)[1] == "stopped by the user"


def test_limits_of_the_scan_itself_stand_beside_those_of_its_stages() -> None:
    pages = {"what": "pages not fetched", "setting": "SITECRAWL_MAX_PAGES", "limit": 5}
    stats = {**_STATS, "sitecrawl/limits": [pages]}
    assert build_summary(stats, "example.com", 1).truncated == [_CUT, pages]
    assert ending("finished", {"sitecrawl/limits": [pages]})[1] == "a limit was hit"


def test_the_ledger_is_part_of_it() -> None:
    stats = {**_STATS, "sitecrawl/politeness": {"requests": 9}}
    assert build_summary(stats, "example.com", 1).politeness == {"requests": 9}
    without = {name: value for name, value in _STATS.items() if name != "sitecrawl/politeness"}
    assert build_summary(without, "example.com", 1).politeness == {}


def test_a_scan_that_lost_something_is_not_whole() -> None:
    status, reason = ending("finished", {**_READ, "sitecrawl/items/lost": 1})
    assert status is ScanStatus.PARTIAL
    assert "lost some of it; the log has more" in reason


def test_what_stopped_a_scan_comes_before_what_it_missed() -> None:
    assert ending("shutdown", _READ | _FAILED | _HIT)[1] == "stopped by the user"


class _Ended:
    """What ``exit_code`` reads of a crawler."""

    def __init__(self, status: str | None, failed_feeds: int | None):
        self.stats = self
        self._values = {
            "sitecrawl/scan/status": status,
            "sitecrawl/feeds/failed": failed_feeds,
        }

    def get_value(self, name: str) -> str | int | None:
        return self._values[name]


@pytest.mark.parametrize(
    ("status", "failed_feeds", "code"),
    [
        (ScanStatus.FINISHED, None, 0),
        (ScanStatus.FAILED, None, 1),
        (ScanStatus.PARTIAL, None, 3),
        (ScanStatus.INTERRUPTED, None, 1),
        (None, None, 1),
        (ScanStatus.FINISHED, 1, 1),
        (ScanStatus.PARTIAL, 2, 1),
    ],
)
def test_exit_codes(status: str | None, failed_feeds: int | None, code: int) -> None:
    assert exit_code(_Ended(status, failed_feeds)) == code  # type: ignore[arg-type]
    assert int(ExitCode.USAGE) == 2
