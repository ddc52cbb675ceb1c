from __future__ import annotations

from datetime import time

import pytest

from sitecrawl.robots.pace import parse_crawl_delay, parse_request_rate


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("0", 0.0), ("2", 2.0), ("2.5", 2.5), ("2.", 2.0), (".5", 0.5), ("86400", 86400.0)],
)
def test_crawl_delay(value: str, seconds: float) -> None:
    assert parse_crawl_delay(value, 7) == (seconds, 7)


@pytest.mark.parametrize(
    "value", ["", "-1", "2s", "1,5", "inf", "nan", "1e3", "1_0", "٣", "9" * 400, "two"]
)
def test_what_is_no_crawl_delay(value: str) -> None:
    assert parse_crawl_delay(value, 7) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1/5", (1, 5, None, None)),
        ("1/5s", (1, 5, None, None)),
        ("10 / 1M", (10, 60, None, None)),
        ("1/2h", (1, 7200, None, None)),
        ("3/1d", (3, 86400, None, None)),
        ("1/10m 0600-0845", (1, 600, time(6), time(8, 45))),
        ("1/10m 6:00 - 8:45 UTC", (1, 600, time(6), time(8, 45))),
        ("1/1 2200-2400", (1, 1, time(22), time.max)),
    ],
)
def test_request_rate(value: str, expected: tuple[object, ...]) -> None:
    assert parse_request_rate(value, 7) == (*expected, 7)


@pytest.mark.parametrize(
    "value", ["", "1", "0/5", "1/0", "-1/5", "1/5w", "1/5 0600", "1/5 2500-2600", "a/b", "1/5 x"]
)
def test_what_is_no_request_rate(value: str) -> None:
    assert parse_request_rate(value, 7) is None


@pytest.mark.parametrize(
    ("hours", "inside", "outside"),
    [("0600-0845", time(8, 45), time(8, 46)), ("2200-0600", time(23), time(12))],
)
def test_hours(hours: str, inside: time, outside: time) -> None:
    rate = parse_request_rate(f"2/10 {hours}", 1)
    assert rate is not None
    assert (rate.holds_at(inside), rate.holds_at(outside)) == (True, False)
    assert rate.seconds_between == 5.0
