from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.politeness.retryafter import parse_http_date, parse_retry_after

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
