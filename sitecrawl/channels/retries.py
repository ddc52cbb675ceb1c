"""When a delivery that failed is tried again: ten times over three days, with jitter."""

from __future__ import annotations

from datetime import timedelta

_MINUTE, _HOUR = 60, 3600
# Together 68 hours; with the jitter at most three days.
DELAYS_SECONDS = (
    *(10, _MINUTE, 5 * _MINUTE, 30 * _MINUTE),
    *(2 * _HOUR, 5 * _HOUR, 10 * _HOUR, 14 * _HOUR, 18 * _HOUR, 18 * _HOUR),
)
MAX_ATTEMPTS = len(DELAYS_SECONDS) + 1
# Receivers that come back are not met by everything at the same moment.
JITTER = 0.05
_MAX_RETRY_AFTER_SECONDS = 6 * _HOUR


def delay_before_next(attempts: int, chance: float, retry_after: float = 0.0) -> timedelta | None:
    """How long to wait after so many failed attempts; None: give up.

    *chance* is a random number from 0 to 1. A receiver's ``Retry-After`` makes the pause longer.

    >>> delay_before_next(1, 0.5), delay_before_next(1, 0.5, retry_after=30)
    (datetime.timedelta(seconds=10), datetime.timedelta(seconds=30))
    >>> delay_before_next(MAX_ATTEMPTS, 0.5) is None
    True
    """
    if attempts >= MAX_ATTEMPTS:
        return None
    base = DELAYS_SECONDS[attempts - 1]
    seconds = base * (1 + JITTER * (2 * chance - 1))
    return timedelta(seconds=max(seconds, min(retry_after, _MAX_RETRY_AFTER_SECONDS)))
