from __future__ import annotations

import json
import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.politeness.ledger import GapHistogram, HostLedger, ledger_notes, ledger_words

GAPS = st.lists(st.floats(1e-5, 1e6), min_size=1, max_size=60)


@given(GAPS)
def test_median_to_within_a_percent_and_the_smallest_exactly(gaps: list[float]) -> None:
    histogram = GapHistogram()
    for gap in gaps:
        histogram.add(gap)
    assert histogram.smallest == min(gaps)
    assert histogram.median == pytest.approx(statistics.median(gaps), rel=0.01)


def test_a_million_gaps_take_no_more_room_than_a_thousand() -> None:
    histogram = GapHistogram()
    for number in range(1_000_000):
        histogram.add(0.2 + 0.3 * number / 1_000_000)
    assert len(histogram._classes) < 100
    assert histogram.smallest == 0.2
    assert histogram.median == pytest.approx(0.35, rel=0.01)


def test_gaps_of_nothing() -> None:
    histogram = GapHistogram()
    histogram.add(0.0)
    assert histogram.smallest == 0
    assert histogram.median < 1e-5


def test_figures() -> None:
    ledger = HostLedger("example.com")
    for now in (10.0, 10.5):  # two at once
        ledger.sent(now)
    ledger.received(600)
    ledger.ended()
    ledger.asked_to_wait(11.0)
    ledger.asked_to_wait(11.5)  # the other one's answer says so, too: the wait has begun before
    ledger.ended()
    ledger.sent(31.0)
    ledger.received(400)
    ledger.ended()
    ledger.answered(429)
    ledger.answered(200)
    ledger.answer_failed()
    assert ledger.figures().as_dict() == {
        "host": "example.com",
        "requests": 3,
        "smallest_gap_seconds": 0.5,
        "median_gap_seconds": pytest.approx((0.5 + 20.5) / 2, rel=0.01),
        "most_in_flight": 2,
        "pauses": 1,
        "longest_pause_seconds": 20.0,
        "received_bytes": 1000,
        "statuses": {"200": 1, "429": 1},
        "failed": 1,
    }


def test_what_was_not_sent_after_all_is_taken_back() -> None:
    ledger = HostLedger("example.com")
    ledger.sent(10.0)
    ledger.take_back()
    ledger.sent(20.0)
    figures = ledger.figures()
    assert (figures.requests, figures.most_in_flight) == (1, 1)
    assert figures.smallest_gap_seconds is None


def as_stored(ledger: HostLedger) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(json.dumps(ledger.record()))
    return record


@given(st.lists(GAPS, max_size=4))
def test_ledgers_of_several_processes_are_one(processes: list[list[float]]) -> None:
    merged = HostLedger("example.com")
    for gaps in processes:
        own, now = HostLedger("example.com"), 0.0
        for gap in (0.0, *gaps):
            now += gap
            own.sent(now)
            own.ended()
            own.answered(200)
            own.received(10)
        merged.merge(as_stored(own))
    every = [gap for gaps in processes for gap in gaps]
    figures = merged.figures()
    assert figures.requests == len(every) + len(processes)
    assert figures.received_bytes == 10 * figures.requests
    assert figures.statuses.get("200", 0) == figures.requests
    if every:
        smallest, median = figures.smallest_gap_seconds, figures.median_gap_seconds
        assert smallest == pytest.approx(min(every), rel=0.01, abs=1e-4)
        assert median == pytest.approx(statistics.median(every), rel=0.02, abs=1e-3)


def test_the_longest_pause_of_any_process() -> None:
    merged = HostLedger("example.com")
    for seconds in (5.0, 30.0, 7.0):
        own = HostLedger("example.com")
        own.sent(0.0)
        own.asked_to_wait(0.0)
        own.sent(seconds)
        merged.merge(as_stored(own))
    figures = merged.figures()
    assert (figures.pauses, figures.longest_pause_seconds) == (3, 30.0)


def test_what_nobody_could_measure_is_not_said() -> None:
    ledger = HostLedger("example.com")
    ledger.sent(10.0)
    figures = ledger.figures()
    assert (figures.requests, figures.most_in_flight) == (1, 1)
    assert figures.smallest_gap_seconds is figures.median_gap_seconds is None
    assert figures.longest_pause_seconds is None


def test_a_pause_that_nothing_followed_was_not_waited_for() -> None:
    ledger = HostLedger("example.com")
    ledger.sent(10.0)
    ledger.asked_to_wait(11.0)
    assert ledger.figures().longest_pause_seconds is None


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
