from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.sitemaps.entries import NO_PRIORITY, normalize_changefreq, normalize_priority
from sitecrawl.sitemaps.lastmod import normalize_feed_date, normalize_lastmod, usual_lastmods


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026", "2026"),
        ("2026-05", "2026-05"),
        ("2026-05-06", "2026-05-06"),
        ("2026-05-06T07:08Z", "2026-05-06T07:08:00Z"),
        ("2026-05-06T07:08:09Z", "2026-05-06T07:08:09Z"),
        ("2026-05-06T07:08:09+00:00", "2026-05-06T07:08:09Z"),
        ("2026-05-06T07:08:09-00:00", "2026-05-06T07:08:09Z"),
        ("2026-05-06T07:08:09+02:00", "2026-05-06T05:08:09Z"),
        ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z"),
        ("2026-05-06T07:08:09.123456Z", "2026-05-06T07:08:09.123456Z"),
        ("2026-05-06T07:08:09.1-05:30", "2026-05-06T12:38:09.1Z"),
        ("2024-02-29", "2024-02-29"),
        # Without a zone the time is nobody's: it stays what it is.
        ("2026-05-06T07:08", "2026-05-06T07:08:00"),
        ("2026-05-06T07:08:09", "2026-05-06T07:08:09"),
        # Tolerated
        (" 2026-05-06\n", "2026-05-06"),
        ("2026-05-06 07:08:09", "2026-05-06T07:08:09"),
        ("2026-05-06 07:08:09 +0200", "2026-05-06T05:08:09Z"),
        ("2026-05-06t07:08:09z", "2026-05-06T07:08:09Z"),
        ("2026-05-06T07:08:09+02", "2026-05-06T05:08:09Z"),
        ("2026-05-06 07:08:09 UTC", "2026-05-06T07:08:09Z"),
        ("2026-05-06T07:08:09.12345678901Z", "2026-05-06T07:08:09.123456789Z"),
        # Not dates
        ("", ""), ("yesterday", ""), ("0000-00-00", ""), ("0000", ""), ("2026-13-45", ""),
        ("2026-02-29", ""), ("06/05/2026", ""), ("06/05/2026 10:00", ""), ("1778051289", ""),
        ("2026-5-6", ""), ("20260506", ""), ("2026-05-06T24:00:00Z", ""), ("2026-05-06T07:60Z", ""),
        ("2026-05-06T", ""), ("2026-05-06T07:08:09+99:00", ""), ("0001-01-01T00:00:00+05:00", ""),
        ("9999-12-31T23:59:59-05:00", ""), ("\uff12026-05-06", ""), ("2026-05-06\n2026-05-07", ""),
        ("2026-05-06" + " " * 100 + "x", ""), ("9" * 10_000, ""),
    ],
)  # fmt: skip
def test_dates(value: str, expected: str) -> None:
    assert normalize_lastmod(value) == expected
    assert usual_lastmods([value]) in ([expected], None)
    assert usual_lastmods(["2026-01-01", value, ""]) in (["2026-01-01", expected, ""], None)


EARLIEST, LATEST = (datetime(year, 1, 1) for year in (2, 9998))  # noqa: DTZ001 - a zone comes later


@given(
    st.datetimes(EARLIEST, LATEST),
    st.integers(-23 * 60, 23 * 60),
)
@settings(max_examples=500)
def test_a_moment_is_the_same_in_every_zone(moment: datetime, minutes: int) -> None:
    local = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)), microsecond=0)
    expected = local.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
    assert normalize_lastmod(local.isoformat()) == expected
    assert normalize_lastmod(expected) == expected


DATES = st.one_of(
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.isoformat() + "+00:00"),
    st.text(st.sampled_from("0123456789-:TZ+. \n"), max_size=26),
    st.sampled_from(["", "2026-05-06T07:08:09+00:00", "2026-05-06", "2024-02-29", "2026-02-30"]),
)


@given(st.lists(DATES, max_size=6))
@settings(max_examples=500)
def test_a_column_is_its_values(column: list[str]) -> None:
    assert usual_lastmods(column) in ([normalize_lastmod(value) for value in column], None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Wed, 06 May 2026 07:08:09 GMT", "2026-05-06T07:08:09Z"),
        ("06 May 2026 07:08 +0200", "2026-05-06T05:08:00Z"),
        ("Wed, 06 May 2026 07:08:09 EST", "2026-05-06T12:08:09Z"),
        ("2026-05-06T07:08:09Z", "2026-05-06T07:08:09Z"),
        ("soon", ""),
        ("", ""),
        ("Wed, 99 May 2026 07:08:09 GMT", ""),
    ],
)
def test_feed_dates(value: str, expected: str) -> None:
    assert normalize_feed_date(value) == expected


@given(st.text(max_size=70))
@settings(max_examples=500)
def test_any_text_is_a_date_or_none(text: str) -> None:
    assert normalize_feed_date(text) == "" or text.strip()
    assert normalize_changefreq(text) in {text.strip().lower(), ""}
    assert -1.0 <= normalize_priority(text) <= 1.0


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0.8", 0.8), (" 1 ", 1.0), ("1.", 1.0), (".5", 0.5), ("0", 0.0), ("&#48;.5", 0.5)]
    + [
        (text, NO_PRIORITY)
        for text in ("1.1", "-0.1", "high", "nan", "1e-1", "0_1", "0,5", "\u0661")
    ],
)
def test_priorities(value: str, expected: float) -> None:
    assert normalize_priority(value) == expected
