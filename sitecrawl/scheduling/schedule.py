"""When a watched site is due: every so many minutes, or by a cron expression in a time zone.

Cron expressions are read by cronsim, which is kept in step with Debian's cron by tests against it:
lists, ranges, steps, names, ``L`` and ``#``; day of month and day of week are both needed if one of
them begins with ``*``, and either is enough otherwise. When clocks are put forward, a job at an
hour that does not exist runs right after the gap; when they are put back, it runs once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from sitecrawl.errors import ExtraMissingError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_INTERVAL_MINUTES: Final = 5
MAX_INTERVAL_MINUTES: Final = 366 * 24 * 60
DEFAULT_INTERVAL_MINUTES: Final = 1440
_CRON_FIELDS: Final = 5
_MAX_CRON_LENGTH: Final = 200
# How many runs are compared to find two that are too close: enough for a day of lists.
_COMPARED_RUNS: Final = 300
_NICKNAMES: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}


@dataclass(frozen=True, slots=True)
class Schedule:
    """An interval, or instead of it a cron expression and its time zone.

    >>> Schedule(60).next_after(datetime(2026, 1, 1, 12, tzinfo=UTC)).isoformat()
    '2026-01-01T13:00:00+00:00'
    >>> Schedule(cron="30 6 * * MON", timezone="Europe/Berlin").next_after(
    ...     datetime(2026, 1, 1, tzinfo=UTC)
    ... ).isoformat()
    '2026-01-05T05:30:00+00:00'
    """

    interval_minutes: int = DEFAULT_INTERVAL_MINUTES
    cron: str | None = None
    timezone: str = "UTC"

    def next_after(self, moment: datetime) -> datetime:
        """The first time after *moment*, in UTC."""
        if self.cron is None:
            return moment + timedelta(minutes=self.interval_minutes)
        return next(_runs(self.cron, self.timezone, moment))

    def following(self, due: datetime, now: datetime) -> datetime:
        """The next due time after *due*; the run at *now* makes up for all that were missed.

        >>> Schedule(60).following(
        ...     datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2026, 1, 1, 15, 20, tzinfo=UTC)
        ... ).isoformat()
        '2026-01-01T16:00:00+00:00'
        """
        if self.cron is not None:
            return self.next_after(max(due, now))
        interval = timedelta(minutes=self.interval_minutes)
        return due + interval * max(1, (now - due) // interval + 1)

    def words(self) -> str:
        """
        >>> Schedule(1440).words(), Schedule(90).words(), Schedule(120).words()
        ('every day', 'every 90 minutes', 'every 2 hours')
        >>> Schedule(cron="0 6 * * *", timezone="Asia/Tokyo").words()
        '0 6 * * * (Asia/Tokyo)'
        """
        if self.cron is not None:
            return f"{self.cron} ({self.timezone})"
        for minutes, unit in ((1440, "day"), (60, "hour")):
            number, rest = divmod(self.interval_minutes, minutes)
            if not rest:
                return f"every {unit}" if number == 1 else f"every {number} {unit}s"
        return f"every {self.interval_minutes} minutes"


def checked_schedule(
    interval_minutes: int, cron: str | None = None, timezone: str = "UTC"
) -> Schedule:
    """The schedule, or ``InvalidInputError`` for what cannot be one."""
    if not MIN_INTERVAL_MINUTES <= interval_minutes <= MAX_INTERVAL_MINUTES:
        raise InvalidInputError(
            "interval_minutes",
            f"{interval_minutes} is not from {MIN_INTERVAL_MINUTES} to {MAX_INTERVAL_MINUTES:,}",
        )
    _checked_timezone(timezone)
    if not cron:
        return Schedule(interval_minutes, None, timezone)
    expression = _NICKNAMES.get(cron.strip().lower(), " ".join(cron.split()))
    if len(expression) > _MAX_CRON_LENGTH or len(expression.split()) != _CRON_FIELDS:
        raise InvalidInputError(
            "cron",
            f"{cron[:_MAX_CRON_LENGTH]!r} has not five fields; write minute, hour, day of month,"
            " month and day of week, such as '0 6 * * MON'",
        )
    _check_distance(expression, timezone)
    return Schedule(interval_minutes, expression, timezone)


def _checked_timezone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidInputError(
            "timezone", f"{name[:80]!r} is not a time zone; write one such as Europe/Berlin or UTC"
        ) from error


def _check_distance(expression: str, timezone: str) -> None:
    """Refuse an expression that asks for runs closer together than the smallest interval."""
    from cronsim import CronSimError

    start = datetime(2026, 1, 1, tzinfo=UTC)
    try:
        runs = _runs(expression, timezone, start)
        before = next(runs)
        for _ in range(_COMPARED_RUNS):
            after = next(runs)
            if after - before < timedelta(minutes=MIN_INTERVAL_MINUTES):
                raise InvalidInputError(
                    "cron",
                    f"{expression!r} asks for scans {(after - before).seconds // 60} minutes apart;"
                    f" at least {MIN_INTERVAL_MINUTES} minutes must lie between them",
                )
            before = after
    except CronSimError as error:
        raise InvalidInputError("cron", f"{expression!r}: {str(error).lower()}") from error
    except StopIteration:
        raise InvalidInputError("cron", f"{expression!r} is never due") from None


def _runs(expression: str, timezone: str, moment: datetime) -> Iterator[datetime]:
    """The times of a cron expression after a moment, in UTC."""
    try:
        from cronsim import CronSim
    except ImportError as error:
        raise ExtraMissingError(
            "cron expressions need the cronsim package: pip install 'sitecrawl[monitor]'"
        ) from error
    zone = UTC if timezone == "UTC" else _checked_timezone(timezone)
    return (run.astimezone(UTC) for run in CronSim(expression, moment.astimezone(zone)))
