from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.items import FetchOutcome
from sitecrawl.politeness.scan import NotSentReason, ScanBudget, ScanPoliteness
from tests.politeness.test_pace import RULES

URL = "https://example.com/a"


def make_scan(
    max_pages: int = 0, max_seconds: float = 0, slot_wait_seconds: float = 0
) -> ScanPoliteness:
    return ScanPoliteness(RULES, ScanBudget(max_pages, max_seconds, 0), slot_wait_seconds)


def reason(
    scan: ScanPoliteness, url: str = URL, *, is_page: bool = True, now: float = 0, **limits: float
) -> tuple[str, str]:
    refusal = scan.refusal(url, is_page=is_page, now=now, **limits)
    return (refusal.reason, refusal.words) if refusal else ("", "")


def test_reasons_are_outcomes_of_a_fetch() -> None:
    assert {FetchOutcome(each) for each in NotSentReason}


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("https://example.com/a", "https://example.com/b?c", True),
        ("https://example.com/", "http://example.com/", True),
        ("https://example.com/", "http://www.example.com/", True),
        ("https://EXAMPLE.com:443/", "http://example.com:80/", True),
        ("https://example.com/", "https://shop.example.com/", False),
        ("https://example.com/", "https://example.com:8443/", False),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8001/", False),
    ],
)
def test_what_is_one_host(one: str, other: str, is_same: bool) -> None:
    scan = make_scan()
    assert (scan.host(one) is scan.host(other)) is is_same


def test_a_robots_pace_holds_for_the_whole_host() -> None:
    scan = make_scan()
    assert scan.set_robots_pace("https://www.example.com/robots.txt", 60) == (60, 30)
    assert scan.host("http://example.com/").pace.robots == (60, 30)
    assert scan.set_robots_pace(URL, 10) == (10, 10)


class TestRefusals:
    def test_nothing_is_refused_without_cause(self) -> None:
        assert reason(make_scan()) == ("", "")

    def test_pages_over_the_budget(self) -> None:
        scan = make_scan(max_pages=1)
        assert reason(scan) == ("", "")
        scan.budget.take_page()
        why = "the page limit was reached (SITECRAWL_MAX_PAGES=1)"
        assert reason(scan) == ("over_budget", why)
        assert reason(scan, is_page=False) == ("", "")
        assert scan.limits() == [
            {"what": "pages not fetched", "setting": "SITECRAWL_MAX_PAGES", "limit": 1}
        ]

    def test_everything_after_the_time(self) -> None:
        scan = make_scan(max_seconds=60)
        assert reason(scan, is_page=False, now=59) == ("", "")
        assert reason(scan, is_page=False, now=60)[0] == "over_budget"

    def test_a_server_that_is_left_alone(self) -> None:
        scan = make_scan()
        for number in range(5):
            scan.host(URL).pace.failed(f"{URL}{number}", "no answer in time")
        assert reason(scan)[0] == "host_paused"
        assert reason(scan, "http://example.com/") == ("", "")
        assert scan.is_waiting_in_vain(URL, 0, math.inf)
        (left,) = scan.report()["left_alone"]
        assert left["server"] == "https://example.com"
        assert left["refused"] == 1
        assert "5 URLs in a row" in left["reason"]

    def test_a_pause_is_waited_for(self) -> None:
        scan = make_scan(max_seconds=1000)
        scan.host(URL).pace.answered(URL, 429, 900, 0, 0)
        assert reason(scan) == ("", "")
        assert not scan.is_waiting_in_vain(URL, 0, 950)

    def test_but_not_beyond_the_end_of_the_scan(self) -> None:
        scan = make_scan(max_seconds=1000)
        scan.host(URL).pace.answered(URL, 429, 900, 200, 0)
        words = "example.com asks to wait 900 s, longer than the scan may still take"
        assert words in reason(scan, now=200)[1]
        assert scan.report()["left_alone"][0]["refused"] == 1

    def test_nor_beyond_the_end_of_a_stage(self) -> None:
        scan = make_scan()
        scan.host(URL).pace.answered(URL, 429, 900, 0, 0)
        words = "example.com asks to wait 900 s, longer than its stage may still take"
        assert reason(scan, deadline=500) == ("host_paused", words)
        assert reason(scan, deadline=1000) == ("", "")

    def test_after_a_pause_deadlines_are_not_its_matter(self) -> None:
        scan = make_scan()
        scan.host(URL).pace.answered(URL, 429, 10, 0, 0)
        assert reason(scan, now=20, deadline=5) == ("", "")


class TestWaiting:
    def test_until_it_expires(self) -> None:
        scan = make_scan(slot_wait_seconds=10)
        assert scan.end_of_wait(9, expires=10, deadline=math.inf) is None
        end = scan.end_of_wait(10, expires=10, deadline=math.inf)
        assert end is not None
        assert end.words == "its turn did not come within 10 s (SITECRAWL_SLOT_WAIT_SECONDS)"
        assert [cut["setting"] for cut in scan.limits()] == ["SITECRAWL_SLOT_WAIT_SECONDS"]

    def test_until_its_stage_ends(self) -> None:
        scan = make_scan(slot_wait_seconds=10)
        end = scan.end_of_wait(5, expires=10, deadline=5)
        assert end is not None
        assert end.reason is NotSentReason.SLOT_TIMEOUT
        assert scan.limits() == [], "the stage says so itself"

    def test_for_ever(self) -> None:
        assert make_scan().slot_wait_seconds == math.inf


class TestReport:
    def test_hosts_by_what_was_sent(self) -> None:
        scan = make_scan()
        scan.set_robots_pace("https://b.example/", 60)
        for url in ("https://a.example/", "https://b.example/", "https://b.example/"):
            scan.host(url).ledger.sent(0)
        scan.host("https://never.example/")
        report = scan.report()
        assert (report["hosts"], report["requests"]) == (2, 3)
        assert [host["host"] for host in report["by_host"]] == ["b.example", "a.example"]
        assert report["by_host"][0]["robots_asked_seconds"] == 60
        assert report["by_host"][0]["robots_kept_seconds"] == 30
        assert "robots_asked_seconds" not in report["by_host"][1]

    def test_a_site_that_leads_to_ever_new_hosts_does_not_fill_it(self) -> None:
        scan = make_scan()
        for number in range(1_000):
            scan.host(f"https://h{number}.example/").ledger.sent(0)
        report = scan.report()
        assert (report["hosts"], report["requests"]) == (1_000, 1_000)
        assert len(report["by_host"]) == 100

    def test_what_fetchers_sent_is_part_of_it(self) -> None:
        scan, fetcher = make_scan(), make_scan()
        scan.host(URL).ledger.sent(0)
        for url in (URL, "https://other.example/"):
            fetcher.host(url).ledger.sent(0)
            fetcher.host(url).ledger.answered(503)
            fetcher.host(url).ledger.received(7)
        fetcher.host(URL).pace.leave_alone("https://example.com", "it fails")
        fetcher.host(URL).refused["https://example.com"] += 2
        for name in ("m/1", "m/2"):
            scan.merge(name, json.loads(json.dumps(fetcher.record())))
        report = scan.report()
        assert (report["hosts"], report["requests"], report["received_bytes"]) == (2, 5, 28)
        assert [host["requests"] for host in report["by_host"]] == [3, 2]
        assert report["by_host"][0]["statuses"] == {"503": 2}
        assert report["left_alone"] == [
            {"server": "https://example.com", "reason": "it fails", "refused": 4}
        ]
        assert report["by_fetcher"] == [
            {
                "fetcher": name,
                "hosts": 2,
                "requests": 2,
                "received_bytes": 14,
                "statuses": {"503": 2},
                "failed": 0,
                "pauses": 0,
            }
            for name in ("m/1", "m/2")
        ]


@given(st.integers(1, 50), st.lists(st.sampled_from(["take", "return"]), max_size=100))
def test_never_more_pages_than_the_limit(limit: int, steps: list[str]) -> None:
    budget, out = ScanBudget(limit, 0, 0), 0
    for step in steps:
        if step == "take":
            assert budget.take_page() == (out < limit)
            out = min(out + 1, limit)
        elif out:
            budget.return_page()
            out -= 1
        assert budget.pages == out
        assert budget.has_pages == (out < limit)


def test_no_limit() -> None:
    budget = ScanBudget(0, 0, started=5)
    assert all(budget.take_page() for _ in range(1000))
    assert budget.ends_at == math.inf
    assert not budget.is_over(1e12)
    assert not list(budget.warnings(1e12))


@pytest.mark.parametrize(("now", "is_over"), [(100, False), (159.9, False), (160, True)])
def test_time(now: float, is_over: bool) -> None:
    assert ScanBudget(0, 60, started=100).is_over(now) is is_over


def test_one_warning_at_four_fifths_of_the_pages() -> None:
    budget, heard = ScanBudget(10, 0, 0), []
    for _ in range(10):
        budget.take_page()
        heard.append(list(budget.warnings(0)))
    assert [len(each) for each in heard] == [0] * 7 + [1] + [0] * 2
    assert heard[7] == ["8 of 10 pages are used (SITECRAWL_MAX_PAGES)"]


def test_one_warning_at_four_fifths_of_the_time() -> None:
    budget = ScanBudget(0, 3600, started=100)
    assert not list(budget.warnings(100 + 2879))
    warning = "80% of the 60 minutes are used (SITECRAWL_MAX_SCAN_MINUTES)"
    assert list(budget.warnings(100 + 2880)) == [warning]
    assert not list(budget.warnings(100 + 3599))
