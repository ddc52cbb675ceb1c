from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.changes.kinds import Severity
from sitecrawl.channels.rules import Cadence, Due, Rules, due, is_quiet
from sitecrawl.errors import InvalidInputError

NIGHT = {"quiet_from": "22:00", "quiet_until": "07:00", "timezone": "Europe/Berlin"}


def at(text: str, zone: str = "Europe/Berlin") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


@pytest.mark.parametrize(
    ("rules", "event", "is_told"),
    [
        ({}, {}, True),
        ({"kinds": ["removed"]}, {}, False),
        ({"kinds": ["removed", "added"]}, {}, True),
        ({"min_severity": "high"}, {}, False),
        ({"min_severity": "high"}, {"severity": "critical"}, True),
        ({"min_severity": "critical"}, {"severity": "never heard of"}, False),
        ({"min_severity": "high"}, {"severity": "never heard of"}, True),
        ({"min_pages": 11}, {}, False),
        ({"min_pages": 10}, {}, True),
        ({"min_important_pages": 1}, {}, False),
        ({"tags": ["shop"]}, {}, False),
        ({"tags": ["shop", "news"]}, {"tags": ["news"]}, True),
    ],
)
def test_which_events_are_told(rules: dict[str, Any], event: dict[str, Any], is_told: bool) -> None:
    given_event = {
        "kind": "added",
        "severity": "medium",
        "pages": 10,
        "important_pages": 0,
        "tags": [],
    }
    assert Rules.from_dict(rules).matches(**{**given_event, **event}) is is_told


@pytest.mark.parametrize(
    ("rules", "now", "expected"),
    [
        ({}, at("2026-03-10T03:00"), Due(at("2026-03-10T03:00"), is_digest=False)),
        (NIGHT, at("2026-03-10T12:00"), Due(at("2026-03-10T12:00"), is_digest=False)),
        (NIGHT, at("2026-03-10T23:00"), Due(at("2026-03-11T07:00"), is_digest=True)),
        (NIGHT, at("2026-03-10T06:59"), Due(at("2026-03-10T07:00"), is_digest=True)),
        # the night in which clocks go forward is an hour shorter
        (NIGHT, at("2026-03-28T23:00"), Due(at("2026-03-29T07:00"), is_digest=True)),
        ({"cadence": "hourly"}, at("2026-03-10T12:00"), Due(at("2026-03-10T13:00"), True)),
        ({"cadence": "hourly"}, at("2026-03-10T12:59"), Due(at("2026-03-10T13:00"), True)),
        (
            {"cadence": "daily", "timezone": "Europe/Berlin"},
            at("2026-03-10T09:00"),
            Due(at("2026-03-11T09:00"), is_digest=True),
        ),
        (
            {"cadence": "weekly", "digest_weekday": 4, "digest_hour": 17, "timezone": "Asia/Tokyo"},
            at("2026-03-10T12:00", "Asia/Tokyo"),
            Due(at("2026-03-13T17:00", "Asia/Tokyo"), is_digest=True),
        ),
        # a digest that falls into quiet hours waits for their end
        (
            {**NIGHT, "cadence": "daily", "digest_hour": 5},
            at("2026-03-10T12:00"),
            Due(at("2026-03-11T07:00"), is_digest=True),
        ),
    ],
)
def test_when_events_are_told(rules: dict[str, Any], now: datetime, expected: Due) -> None:
    assert due(Rules.from_dict(rules), now) == expected


def test_what_is_critical_does_not_wait() -> None:
    now = at("2026-03-10T23:00")
    rules = Rules.from_dict({**NIGHT, "cadence": "weekly"})
    assert rules.is_urgent("critical")
    assert due(rules, now, is_urgent=True) == Due(now, is_digest=False)
    assert not Rules.from_dict({"critical_at_once": False}).is_urgent("critical")


def test_a_snooze_holds_also_what_is_critical() -> None:
    now = at("2026-03-10T23:00")
    until = now + timedelta(hours=2)
    assert due(Rules(), now, is_urgent=True, held_until=until) == Due(until, is_digest=True)


_CLOCKS = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))


_MOMENTS = st.datetimes(datetime(2025, 1, 1), datetime(2028, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  hypothesis adds it
_RULES = st.builds(
    lambda clocks, zone, **others: Rules(
        quiet_from=clocks[0], quiet_until=clocks[1], timezone=zone, **others
    ),
    st.lists(_CLOCKS, min_size=2, max_size=2, unique=True),
    st.sampled_from(["UTC", "Asia/Kolkata", "Europe/Berlin", "Australia/Lord_Howe"]),
    digest_hour=st.integers(0, 23),
    digest_weekday=st.integers(0, 6),
    cadence=st.sampled_from(Cadence),
)


@given(now=_MOMENTS, rules=_RULES)
def test_nothing_is_told_too_early_too_late_or_in_quiet_hours(now: datetime, rules: Rules) -> None:
    moment, _ = due(rules, now)
    longest = {Cadence.AT_ONCE: 1, Cadence.HOURLY: 1, Cadence.DAILY: 2, Cadence.WEEKLY: 8}
    assert now <= moment <= now + timedelta(days=longest[rules.cadence], hours=2)
    if rules.timezone in {
        "UTC",
        "Asia/Kolkata",
    }:  # elsewhere the end may be an hour that is skipped
        assert not is_quiet(rules, moment)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"kind": ["added"]}, "kind"),
        ({"kinds": "added"}, "kinds"),
        ({"kinds": [""]}, "kinds"),
        ({"kinds": [1]}, "kinds"),
        ({"kinds": ["gone"]}, "kinds"),
        ({"min_severity": "loud"}, "min_severity"),
        ({"cadence": "yearly"}, "cadence"),
        ({"min_pages": -1}, "min_pages"),
        ({"min_pages": True}, "min_pages"),
        ({"min_pages": "3"}, "min_pages"),
        ({"digest_hour": 24}, "digest_hour"),
        ({"digest_weekday": 7}, "digest_weekday"),
        ({"quiet_from": "22:00"}, "quiet_until"),
        ({"quiet_from": "22:00", "quiet_until": "24:00"}, "quiet_until"),
        ({"quiet_from": "22:00", "quiet_until": "22:00"}, "quiet_until"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"timezone": "../../etc/passwd"}, "timezone"),
        ({"timezone": ""}, "timezone"),
    ],
)
def test_what_cannot_be_used_is_named(values: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Rules.from_dict(values)
    assert caught.value.field == field


def test_rules_survive_the_database() -> None:
    rules = Rules(kinds=("added",), min_severity=Severity.HIGH, tags=("a", "b"), remind_hours=12)
    assert Rules.from_dict(rules.as_dict()) == rules
