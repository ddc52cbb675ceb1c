"""The rules of a channel: which events it gets, and when."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sitecrawl.changes.kinds import EventKind, Severity
from sitecrawl.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_MAX_TAGS = 100
_MAX_HOURS = 24 * 90
_HOURS_OF_DAY = 24
_DAYS_OF_WEEK = 7


class Cadence(StrEnum):
    """How often a channel gets messages."""

    AT_ONCE = "at_once"
    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"


class Phase(StrEnum):
    """Which part of an incident a message is about."""

    OPENED = "opened"
    STILL_OPEN = "still_open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Rules:
    """Which events a channel gets, and when; by default all of them at once."""

    kinds: tuple[str, ...] = ()
    """Of events; empty: all."""
    min_severity: Severity = Severity.INFO
    min_pages: int = 0
    min_important_pages: int = 0
    tags: tuple[str, ...] = ()
    """Only of sites with one of these tags; empty: of all."""
    cadence: Cadence = Cadence.AT_ONCE
    digest_hour: int = 9
    """Of daily and weekly digests, in the time zone."""
    digest_weekday: int = 0
    """Of weekly digests; 0 is Monday."""
    quiet_from: str = ""
    """Such as ``22:00``; events in quiet hours are sent at their end."""
    quiet_until: str = ""
    timezone: str = "UTC"
    critical_at_once: bool = True
    """Critical events wait neither for a digest nor for the end of quiet hours."""
    tell_closed: bool = True
    """Also send a message when an incident is over that was announced."""
    remind_hours: int = 0
    """Remind of an incident that is still open after so many hours; 0: never."""
    damping_hours: int = 24
    """An incident that comes back within this time is announced only if it lasts as long."""

    def __post_init__(self) -> None:
        _check_numbers(self)
        _check_times(self)
        if unknown := [kind for kind in self.kinds if kind not in {*EventKind}]:
            known = ", ".join(EventKind)
            raise InvalidInputError("kinds", f"expected some of {known}, not {unknown[0]!r}")
        if len(self.tags) > _MAX_TAGS:
            raise InvalidInputError("tags", f"expected at most {_MAX_TAGS}")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """Read what a person or the database gives; InvalidInputError names the field."""
        known = {each.name: each.type for each in fields(cls)}
        if unknown := sorted(set(values) - set(known)):
            raise InvalidInputError(
                unknown[0], f"there is no such rule; there are {', '.join(known)}"
            )
        return cls(**{name: _read(name, known[name], value) for name, value in values.items()})

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"kinds": list(self.kinds), "tags": list(self.tags)}

    def matches(
        self, kind: str, severity: str, pages: int, important_pages: int, tags: Collection[str]
    ) -> bool:
        """Whether an event of a site with these tags is one for the channel."""
        return (
            (not self.kinds or kind in self.kinds)
            and severity_of(severity).rank >= self.min_severity.rank
            and pages >= self.min_pages
            and important_pages >= self.min_important_pages
            and (not self.tags or not {*self.tags}.isdisjoint(tags))
        )

    def is_urgent(self, severity: str) -> bool:
        return self.critical_at_once and severity_of(severity) is Severity.CRITICAL


def severity_of(text: str) -> Severity:
    """A severity that this version does not know counts as high, so that it is announced."""
    return Severity(text) if text in {*Severity} else Severity.HIGH


def _read(name: str, kind: Any, value: Any) -> Any:
    text = str(kind)
    if text.startswith("tuple"):
        return _words(name, value)
    if text in {"Severity", "Cadence"}:
        choices = Severity if text == "Severity" else Cadence
        if value not in {*choices}:
            raise InvalidInputError(name, f"expected one of {', '.join(choices)}, not {value!r}")
        return choices(value)
    expected = {"int": int, "str": str, "bool": bool}[text]
    if type(value) is not expected:
        raise InvalidInputError(name, f"expected {_EXPECTED[expected]}, not {value!r}")
    return value


_EXPECTED = {int: "a whole number", str: "a text", bool: "true or false"}


def _words(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, (list, tuple)):
        raise InvalidInputError(name, f"expected a list of texts, not {value!r}")
    if any(not isinstance(word, str) or not word.strip() for word in value):
        raise InvalidInputError(name, "expected a list of texts that are not empty")
    return tuple(dict.fromkeys(word.strip() for word in value))


def _check_numbers(rules: Rules) -> None:
    for name, end in (
        ("digest_hour", _HOURS_OF_DAY),
        ("digest_weekday", _DAYS_OF_WEEK),
        ("remind_hours", _MAX_HOURS),
        ("damping_hours", _MAX_HOURS),
    ):
        if not 0 <= getattr(rules, name) < end:
            raise InvalidInputError(name, f"expected 0 to {end - 1}, not {getattr(rules, name)}")
    for name in ("min_pages", "min_important_pages"):
        if getattr(rules, name) < 0:
            raise InvalidInputError(name, "expected 0 or more")


def _check_times(rules: Rules) -> None:
    try:
        ZoneInfo(rules.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInputError(
            "timezone", f"{rules.timezone!r} is not known; write one such as Europe/Berlin"
        ) from None
    if bool(rules.quiet_from) != bool(rules.quiet_until):
        missing = "quiet_until" if rules.quiet_from else "quiet_from"
        raise InvalidInputError(missing, "quiet hours need a start and an end")
    for name in ("quiet_from", "quiet_until"):
        text = getattr(rules, name)
        if text and not _CLOCK.fullmatch(text):
            raise InvalidInputError(name, f"expected a time such as 22:00, not {text!r}")
    if rules.quiet_from and rules.quiet_from == rules.quiet_until:
        raise InvalidInputError(
            "quiet_until", "quiet hours must end at another time than they start"
        )


class Due(NamedTuple):
    """When an event is sent, and whether it waits for others, to be sent together."""

    at: datetime
    is_digest: bool


def due(
    rules: Rules, now: datetime, *, is_urgent: bool = False, held_until: datetime | None = None
) -> Due:
    """When an event of *now* is sent; a snooze delays also an urgent one."""
    moment = max(now, held_until) if held_until else now
    if not is_urgent:
        if rules.cadence is not Cadence.AT_ONCE:
            moment = _next_digest(rules, moment)
        moment = _after_quiet_hours(rules, moment)
    is_at_once = moment == now and (is_urgent or rules.cadence is Cadence.AT_ONCE)
    return Due(moment, not is_at_once)


def is_quiet(rules: Rules, moment: datetime) -> bool:
    """
    >>> rules = Rules(quiet_from="22:00", quiet_until="07:00")
    >>> is_quiet(rules, datetime(2026, 1, 1, 6, 59, tzinfo=UTC))
    True
    >>> is_quiet(rules, datetime(2026, 1, 1, 7, 0, tzinfo=UTC))
    False
    """
    if not rules.quiet_from:
        return False
    clock = f"{moment.astimezone(ZoneInfo(rules.timezone)):%H:%M}"
    if rules.quiet_from < rules.quiet_until:
        return rules.quiet_from <= clock < rules.quiet_until
    return clock >= rules.quiet_from or clock < rules.quiet_until


def _after_quiet_hours(rules: Rules, moment: datetime) -> datetime:
    if not is_quiet(rules, moment):
        return moment
    hour, minute = map(int, rules.quiet_until.split(":"))
    return _next_clock(moment, rules, time(hour, minute))


def _next_digest(rules: Rules, moment: datetime) -> datetime:
    if rules.cadence is Cadence.HOURLY:
        return moment.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    weekday = rules.digest_weekday if rules.cadence is Cadence.WEEKLY else None
    return _next_clock(moment, rules, time(rules.digest_hour), weekday)


def _next_clock(
    moment: datetime, rules: Rules, clock: time, weekday: int | None = None
) -> datetime:
    """The first time after *moment* when clocks of the time zone show *clock*, in UTC."""
    zone = ZoneInfo(rules.timezone)
    day = moment.astimezone(zone).date()
    while True:
        # When clocks go back, an hour comes twice; the first one that is not over counts.
        for fold in (0, 1):
            found = datetime.combine(day, clock.replace(fold=fold), zone).astimezone(UTC)
            if found > moment and weekday in {None, day.weekday()}:
                return found
        day += timedelta(days=1)
