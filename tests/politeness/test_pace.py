from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.politeness.pace import (
    HostPace,
    PaceRules,
    backoff_seconds,
    parse_http_date,
    parse_retry_after,
)

RULES = PaceRules(
    max_crawl_delay_seconds=30,
    max_retry_after_seconds=3600,
    busy_backoff_seconds=1,
    max_errors_in_a_row=5,
)
HTTP, HTTPS = "http://example.com", "https://example.com"


def make_pace(**rules: Any) -> HostPace:
    return HostPace("example.com", replace(RULES, **rules))


def answer(pace: HostPace, status: int, retry_after: float | None = None, now: float = 0) -> str:
    return pace.answered(f"{HTTPS}/", status, retry_after, now, chance=0)


class TestGaps:
    def test_the_first_may_leave_at_once(self) -> None:
        assert make_pace().wait_seconds(0, 0.5) == 0

    def test_nothing_leaves_while_one_is_leaving(self) -> None:
        pace = make_pace()
        pace.begin()
        assert pace.wait_seconds(0, 0.5) == math.inf

    def test_the_gap_runs_from_the_moment_of_sending(self) -> None:
        pace = make_pace()
        pace.begin()
        pace.sent(10.0)
        assert pace.wait_seconds(10.0, 0.5) == 0.5
        assert pace.wait_seconds(10.5, 0.5) == 0

    def test_what_never_left_holds_nobody_up(self) -> None:
        pace = make_pace()
        pace.begin()
        pace.withdrawn()
        assert pace.wait_seconds(0, 0.5) == 0

    def test_without_a_gap_several_may_leave_at_once(self) -> None:
        pace = make_pace()
        pace.begin()
        assert pace.wait_seconds(0, 0) == 0


class TestRobots:
    def test_its_pause_holds(self) -> None:
        pace = make_pace()
        assert pace.set_robots(HTTPS, 2.0) == (2, 2)
        pace.begin()
        pace.sent(100)
        assert pace.wait_seconds(100, 0.5) == 2
        assert pace.wait_seconds(100, 50) == 50, "a slow site may need more than it asks for"

    @pytest.mark.parametrize("pause", [None, 0.0, -1.0, math.inf, math.nan])
    def test_no_wish(self, pause: float | None) -> None:
        pace = make_pace()
        assert pace.set_robots(HTTPS, pause) is None
        assert pace.robots is None

    @pytest.mark.parametrize(("cap", "kept"), [(30, 30), (0, 600), (900, 600)])
    def test_the_cap(self, cap: float, kept: float) -> None:
        assert make_pace(max_crawl_delay_seconds=cap).set_robots(HTTPS, 600) == (600, kept)

    def test_the_slowest_server_of_a_host_decides(self) -> None:
        pace = make_pace()
        pace.set_robots(HTTPS, 3)
        pace.set_robots("https://www.example.com", 9)
        assert pace.robots == (9, 9)
        pace.set_robots("https://www.example.com", None)  # read again: it has changed
        assert pace.robots == (3, 3)


class TestPauses:
    @pytest.mark.parametrize("status", [429, 503])
    def test_retry_after(self, status: int) -> None:
        pace = make_pace()
        words = answer(pace, status, 120, now=1000)
        assert words == "example.com asks to wait: nothing is sent to it for 120.0 s"
        assert pace.wait_seconds(1000, 0.5) == 120
        assert pace.wait_seconds(1120, 0.5) == 0

    @pytest.mark.parametrize("status", [200, 301, 304, 404, 403, 500, 502, 504])
    def test_other_answers_do_not_pause(self, status: int) -> None:
        pace = make_pace()
        answer(pace, status, 120, now=1000)
        assert pace.wait_seconds(1000, 0.5) == 0

    def test_a_cap_and_none(self) -> None:
        pace = make_pace()
        answer(pace, 429, 1e60)
        assert pace.paused_until == 3600
        pace = make_pace(max_retry_after_seconds=0)
        answer(pace, 429, 86_400)
        assert pace.paused_until == 86_400

    def test_a_shorter_wish_does_not_shorten_a_longer_one(self) -> None:
        pace = make_pace()
        answer(pace, 429, 120)
        assert answer(pace, 429, 5, now=1) == ""
        assert pace.paused_until == 120

    def test_without_retry_after_longer_each_time(self) -> None:
        pace, now, waits = make_pace(max_errors_in_a_row=0), 0.0, []
        for _ in range(6):
            answer(pace, 503, None, now)
            waits.append(pace.paused_until - now)
            now = pace.paused_until
        assert waits == [1, 2, 4, 8, 16, 32]
        answer(pace, 200, now=now)
        answer(pace, 503, now=now)
        assert pace.paused_until - now == 1


class TestErrorsInARow:
    @given(st.lists(st.sampled_from([429, 500, 503, 0]), max_size=40))
    def test_without_a_good_answer_left_alone_after_five_urls(self, answers: list[int]) -> None:
        """0 stands for no answer."""
        pace = make_pace()
        for number, status in enumerate(answers, 1):
            url = f"{HTTPS}/{number}"
            if status:
                pace.answered(url, status, 0, 0, 0)
            else:
                pace.failed(url, "no answer in time")
            assert (HTTPS in pace.left_alone) is (number >= 5)
            assert not pace.url_to_check(HTTPS), "there is nothing that it ever answered"

    def test_retries_of_one_url_count_once(self) -> None:
        pace = make_pace(max_errors_in_a_row=2)
        for _ in range(9):
            assert pace.failed(f"{HTTPS}/slow", "no answer in time") == ""
        assert not pace.left_alone
        assert pace.failed(f"{HTTPS}/other", "no answer in time")

    def test_what_has_answered_before_is_asked_once_more(self) -> None:
        pace = make_pace()
        pace.answered(f"{HTTPS}/good", 404, None, 0, 0)
        for number in range(5):
            assert pace.url_to_check(HTTPS) == ""
            assert pace.failed(f"{HTTPS}/{number}", "HTTP 500") == ""
        assert pace.url_to_check(HTTPS) == f"{HTTPS}/good"
        assert pace.url_to_check(HTTPS) == "", "once"
        pace.failed(f"{HTTPS}/6", "HTTP 500")
        assert not pace.left_alone, "the check decides"
        words = pace.failed(f"{HTTPS}/good", "no answer in time")
        assert "failed for 6 URLs in a row (the last time: no answer in time)" in words
        assert pace.left_alone == {HTTPS: words}
        assert pace.failed(f"{HTTPS}/7", "no answer in time") == "", "said once"

    def test_who_says_that_it_is_busy_is_not_asked_once_more(self) -> None:
        pace = make_pace()
        pace.answered(f"{HTTPS}/good", 200, None, 0, 0)
        for number in range(5):
            assert not pace.left_alone
            pace.answered(f"{HTTPS}/{number}", [429, 503][number % 2], 0, 0, 0)
        assert HTTPS in pace.left_alone
        assert pace.url_to_check(HTTPS) == ""

    def test_a_good_answer_ends_the_row(self) -> None:
        pace = make_pace()
        pace.answered(f"{HTTPS}/good", 200, None, 0, 0)
        for row in range(3):
            for number in range(5):
                pace.failed(f"{HTTPS}/{row}/{number}", "HTTP 500")
            assert pace.url_to_check(HTTPS) == f"{HTTPS}/good", "in each row"
            pace.answered(f"{HTTPS}/good", 200, None, 0, 0)
        assert not pace.left_alone

    def test_servers_of_a_host_are_counted_apart(self) -> None:
        pace = make_pace(max_errors_in_a_row=2)
        for number in range(3):
            pace.failed(f"{HTTPS}/{number}", "the connection was refused")
        pace.failed(f"{HTTP}/", "the connection was refused")
        assert list(pace.left_alone) == [HTTPS]

    def test_no_limit(self) -> None:
        pace = make_pace(max_errors_in_a_row=0)
        for number in range(100):
            pace.failed(f"{HTTPS}/{number}", "no answer in time")
        assert not pace.left_alone


@given(st.floats(0.001, 10), st.integers(1, 29), st.floats(0, 1), st.floats(0, 1))
def test_each_is_longer_than_the_one_before(
    first: float, times: int, chance: float, other: float
) -> None:
    assert backoff_seconds(first, times + 1, chance) > backoff_seconds(first, times, other)
    assert backoff_seconds(first, times, chance) >= first


@given(st.integers(-5, 10**9))
def test_it_is_always_a_number(times: int) -> None:
    assert 0.2 <= backoff_seconds(0.2, times, 1) <= 0.25 * 2**30


NOW = datetime(2030, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("120", 120),
        (" 120 ", 120),
        ("1.5", 1.5),
        ("Tue, 01 Jan 2030 12:02:00 GMT", 120),
        ("Tue, 01 Jan 2030 12:02:00 +0000", 120),
        ("Tue, 01 Jan 2030 13:02:00 +0100", 120),
        ("Tue, 01 Jan 2030 12:02:00", 120),
        ("Tuesday, 01-Jan-30 12:02:00 GMT", 120),
        ("Tue Jan  1 12:02:00 2030", 120),
        ("Tue, 01 Jan 2030 11:00:00 GMT", 0),
        ("", None),
        ("-1", None),
        ("1e9", None),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("Tue, 32 Jan 2030 12:00:00 GMT", None),
        ("Tue, 01 Jan 99999 12:00:00 GMT", None),
        ("Tue, 01 Jan 2030 12:00:00 +99999999999999", None),
        ("9" * 65, None),
        ("١٢", None),
    ],
)
def test_values(value: str, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


def test_a_huge_number_is_a_number_for_the_caller_to_cap() -> None:
    seconds = parse_retry_after("9" * 64, NOW)
    assert seconds is not None
    assert seconds > 1e63


@given(st.text(max_size=80))
def test_whatever_comes_is_no_less_than_nothing(value: str) -> None:
    seconds = parse_retry_after(value, NOW)
    assert seconds is None or seconds >= 0
    date = parse_http_date(value)
    assert date is None or date.tzinfo is UTC


@given(st.integers(0, 10**6))
def test_seconds_and_date_mean_the_same(seconds: int) -> None:
    date = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert parse_retry_after(date, NOW) == parse_retry_after(str(seconds), NOW) == seconds
