"""Schedules: when a site is due, and what cannot be a schedule."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.errors import InvalidInputError
from sitecrawl.scheduling.schedule import Schedule, checked_schedule


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


# Each in local time of the zone, with its offset, so that the clock on the wall can be read.
@pytest.mark.parametrize(
    ("cron", "zone", "after", "runs"),
    [
        ("0 6 * * *", "UTC", "2026-03-01T06:00:00+00:00", ["2026-03-02T06:00:00+00:00"]),
        ("0 6 * * MON-FRI", "UTC", "2026-03-06T07:00+00:00", ["2026-03-09T06:00:00+00:00"]),
        ("15,45 8-9 1 * *", "UTC", "2026-03-01T08:20+00:00", ["2026-03-01T08:45:00+00:00"]),
        # Either day will do, if neither begins with a star.
        ("0 0 13 * FRI", "UTC", "2026-03-01T00:00+00:00", ["2026-03-06T00:00:00+00:00"]),
        # Both are needed, if one does.
        ("0 0 */2 * FRI", "UTC", "2026-03-01T00:00+00:00", ["2026-03-13T00:00:00+00:00"]),
        ("0 0 L * *", "UTC", "2028-02-01T00:00+00:00", ["2028-02-29T00:00:00+00:00"]),
        ("0 0 * * MON#2", "UTC", "2026-03-01T00:00+00:00", ["2026-03-09T00:00:00+00:00"]),
        (
            "0 6 * * *",
            "Europe/Berlin",
            "2026-03-28T00:00+01:00",
            ["2026-03-28T06:00:00+01:00", "2026-03-29T06:00:00+02:00"],
        ),
        # 02:30 does not exist on that day: it runs right after the gap, and once.
        (
            "30 2 * * *",
            "Europe/Berlin",
            "2026-03-28T12:00+01:00",
            ["2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"],
        ),
        # 02:30 comes twice: it runs once.
        (
            "30 2 * * *",
            "Europe/Berlin",
            "2026-10-24T12:00+02:00",
            ["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"],
        ),
        # What runs every half hour does so in both of them.
        (
            "*/30 * * * *",
            "Europe/Berlin",
            "2026-10-25T02:10+02:00",
            [
                "2026-10-25T02:30:00+02:00",
                "2026-10-25T02:00:00+01:00",
                "2026-10-25T02:30:00+01:00",
            ],
        ),
    ],
)
def test_cron_expressions(cron: str, zone: str, after: str, runs: list[str]) -> None:
    schedule = checked_schedule(1440, cron, zone)
    moment, found = at(after), []
    for _ in runs:
        moment = schedule.next_after(moment)
        assert moment.tzinfo is UTC
        found.append(moment.astimezone(ZoneInfo(zone)).isoformat())
    assert found == runs


@pytest.mark.parametrize(
    ("interval", "cron", "zone", "field", "words"),
    [
        (4, None, "UTC", "interval_minutes", "4 is not from 5"),
        (10_000_000, None, "UTC", "interval_minutes", "is not from 5 to 527,040"),
        (60, "* * * * *", "UTC", "cron", "1 minutes apart"),
        (60, "0,3 6 * * *", "UTC", "cron", "3 minutes apart"),
        (60, "58,0 * * * *", "UTC", "cron", "2 minutes apart"),
        (60, "60 * * * *", "UTC", "cron", "bad minute"),
        (60, "0 6 * * FUNDAY", "UTC", "cron", "bad day-of-week"),
        (60, "0 0 31 2 *", "UTC", "cron", "bad day-of-month"),
        (60, "0 6 * *", "UTC", "cron", "five fields"),
        (60, "0 0 6 * * *", "UTC", "cron", "five fields"),
        (60, "0 6 " + "1," * 200 + "1 * *", "UTC", "cron", "five fields"),
        (60, None, "Mars/Olympus", "timezone", "not a time zone"),
        (60, None, "../../etc/passwd", "timezone", "not a time zone"),
        (60, None, "", "timezone", "not a time zone"),
    ],
)
def test_what_is_no_schedule_is_refused(
    interval: int, cron: str | None, zone: str, field: str, words: str
) -> None:
    with pytest.raises(InvalidInputError, match=words) as caught:
        checked_schedule(interval, cron, zone)
    assert caught.value.field == field


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1)),  # noqa: DTZ001  the zone is added
    st.sampled_from(["*/5 * * * *", "0 6 * * *", "30 2 29 2 *", "0 0 1 1 *", "59 23 * * SUN"]),
    st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia"]),
)
def test_what_is_next_comes_later_and_in_order(naive: datetime, cron: str, zone: str) -> None:
    moment, schedule = naive.replace(tzinfo=UTC), Schedule(cron=cron, timezone=zone)
    first = schedule.next_after(moment)
    second = schedule.next_after(first)
    assert moment < first < second
    assert schedule.next_after(first - timedelta(microseconds=1)) == first


def test_nicknames_are_stored_as_what_they_mean() -> None:
    assert checked_schedule(60, " @Daily ").cron == "0 0 * * *"
