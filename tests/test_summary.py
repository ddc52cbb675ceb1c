from __future__ import annotations

import json
from typing import Any

import pytest

from sitecrawl.exitcodes import ExitCode, exit_code
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
    "downloader/request_count": 9,
    "downloader/response_bytes": 1234,
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
        ("finished", "", ScanStatus.FINISHED, "read"),
        ("shutdown", "", ScanStatus.PARTIAL, "stopped by the user"),
        ("time_limit", "", ScanStatus.PARTIAL, "SITECRAWL_MAX_SCAN_MINUTES"),
        ("unreachable", "", ScanStatus.FAILED, "cannot be reached"),
        ("unreachable", "http://x/ says no", ScanStatus.FAILED, "http://x/ says no"),
        ("store", "disk full", ScanStatus.FAILED, "disk full"),
        ("memusage_exceeded", "", ScanStatus.PARTIAL, "memusage_exceeded"),
    ],
)
def test_endings(close_reason: str, failure: str, status: ScanStatus, words: str) -> None:
    found, reason = ending(close_reason, failure)
    assert found is status
    assert words in reason


class _Ended:
    """What ``exit_code`` reads of a crawler."""

    def __init__(self, status: str | None):
        self.stats = self
        self._status = status

    def get_value(self, name: str) -> str | None:
        assert name == "sitecrawl/scan/status"
        return self._status


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (ScanStatus.FINISHED, 0),
        (ScanStatus.FAILED, 1),
        (ScanStatus.PARTIAL, 3),
        (ScanStatus.INTERRUPTED, 1),
        (None, 1),
    ],
)
def test_exit_codes(status: str | None, code: int) -> None:
    assert exit_code(_Ended(status)) == code  # type: ignore[arg-type]
    assert int(ExitCode.USAGE) == 2
