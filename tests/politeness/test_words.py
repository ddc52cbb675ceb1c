from __future__ import annotations

from typing import Any

from sitecrawl.politeness.words import ledger_notes, ledger_words

BUSY: dict[str, Any] = {
    "host": "example.com",
    "requests": 1200,
    "smallest_gap_seconds": 0.2101,
    "median_gap_seconds": 0.3604,
    "most_in_flight": 2,
    "longest_pause_seconds": 120.2,
    "received_bytes": 1_000_000,
    "robots_asked_seconds": 60,
    "robots_kept_seconds": 30,
}
ASKED_ONCE: dict[str, Any] = {
    "host": "cdn.example",
    "requests": 1,
    "smallest_gap_seconds": None,
    "median_gap_seconds": None,
    "most_in_flight": 1,
    "longest_pause_seconds": None,
    "received_bytes": 234_567,
}


def report(*hosts: dict[str, Any]) -> dict[str, Any]:
    return {
        "hosts": len(hosts),
        "requests": sum(host["requests"] for host in hosts),
        "received_bytes": sum(host["received_bytes"] for host in hosts),
        "by_host": list(hosts),
        "left_alone": [],
    }


def test_two_hosts() -> None:
    assert ledger_words(report(BUSY, ASKED_ONCE)) == (
        "1,201 requests to 2 hosts, at most 2 at once,"
        " 0.210 s apart at least (median 0.360 s), 1.2 MB"
    )


def test_one_request_has_no_gap() -> None:
    words = ledger_words(report(ASKED_ONCE))
    assert words == "1 request to 1 host, at most 1 at once, 234.6 KB"


def test_nothing_sent() -> None:
    assert ledger_words(report()) == "0 requests to 0 hosts, 0 bytes"


def test_notes() -> None:
    pause, cap = ledger_notes(report(BUSY, ASKED_ONCE))
    assert pause == "example.com asked to wait; the longest pause was 120.2 s"
    assert cap.startswith("example.com asks for 60 s between requests, 30 s were kept")
    assert "SITECRAWL_MAX_CRAWL_DELAY_SECONDS" in cap


def test_what_is_kept_as_asked_needs_no_note() -> None:
    kept = {**ASKED_ONCE, "robots_asked_seconds": 5, "robots_kept_seconds": 5}
    assert list(ledger_notes(report(kept))) == []
