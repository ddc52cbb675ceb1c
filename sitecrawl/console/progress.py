"""What a scan says of its progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SETTLED_SECONDS = 2.0  # before, the rate says little
_FAST = 10


@dataclass(frozen=True, slots=True)
class ProgressFigures:
    """The figures of a moment."""

    stage: str
    found: int
    """Pages on the list so far."""
    visited: int
    waiting: int | None
    """Pages that are known and to be visited; None: no crawl runs."""
    rate: float
    """Visits per second in the crawl, URLs per second before."""
    seconds: float
    stage_seconds: float = 0.0

    def counts(self) -> Iterator[str]:
        """
        >>> list(ProgressFigures("sitemaps", 19_147, 1, None, 980.4, 21.2).counts())
        ['19,147 pages found', '980/s']
        >>> list(ProgressFigures("crawl", 5_256, 320, 80, 4.21, 76.0).counts())
        ['5,256 pages found', '320 visited', '80 waiting', '4.2/s']
        """
        yield f"{self.found:,} pages found"
        if self.waiting is not None:
            yield f"{self.visited:,} visited"
            yield f"{self.waiting:,} waiting"
        yield f"{self.rate:,.0f}/s" if self.rate >= _FAST else f"{self.rate:.1f}/s"

    def time(self) -> str:
        """
        >>> ProgressFigures("crawl", 5_256, 320, 80, 4.0, 76.0, 70.0).time()
        '1:16, about 0:20 left'
        """
        elapsed = _clock(self.seconds)
        if not self.waiting or not self.rate or self.stage_seconds < _SETTLED_SECONDS:
            return elapsed
        return f"{elapsed}, about {_clock(self.waiting / self.rate)} left"


def _clock(seconds: float) -> str:
    """
    >>> _clock(59.6), _clock(3_725)
    ('1:00', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
