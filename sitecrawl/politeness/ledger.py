"""The politeness ledger: what was sent to each host, in figures and in words."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_STEP = 1.01
_SHORTEST_SECONDS = 1e-6


class GapHistogram:
    """The smallest and the median of any number of gaps, in memory that does not grow.

    Gaps are counted in classes whose bounds are 1 % apart: from a microsecond to a year that is
    at most some 3,000 counters, and the median is right to within 1 %. The smallest is exact.
    """

    def __init__(self) -> None:
        self.smallest = math.inf
        self._classes: Counter[int] = Counter()

    def add(self, seconds: float) -> None:
        self.smallest = min(self.smallest, seconds)
        self._classes[math.floor(math.log(max(seconds, _SHORTEST_SECONDS), _STEP))] += 1

    def record(self) -> dict[str, Any]:
        """All of it as JSON, for :meth:`merge`."""
        return {"smallest": self.smallest if self._classes else None, "classes": self._classes}

    def merge(self, record: Mapping[str, Any]) -> None:
        """Count the gaps that another process has measured."""
        if record["smallest"] is not None:
            self.smallest = min(self.smallest, record["smallest"])
        for number, count in record["classes"].items():
            self._classes[int(number)] += count

    @property
    def has_any(self) -> bool:
        return bool(self._classes)

    @property
    def median(self) -> float:
        """The middle one, or the mean of the two in the middle."""
        total = self._classes.total()
        return (self._at((total - 1) // 2) + self._at(total // 2)) / 2

    def _at(self, rank: int) -> float:
        seen = 0
        for number, count in sorted(self._classes.items()):
            seen += count
            if rank < seen:
                return max(float(_STEP ** (number + 0.5)), self.smallest)
        return math.inf


@dataclass(frozen=True, slots=True)
class HostFigures:
    """One host in the politeness ledger; seconds are None where there was nothing to measure."""

    host: str
    requests: int
    smallest_gap_seconds: float | None
    median_gap_seconds: float | None
    most_in_flight: int
    pauses: int
    longest_pause_seconds: float | None
    received_bytes: int
    statuses: dict[str, int]
    failed: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


class HostLedger:
    """Counts what is sent to one host and what comes back.

    * A request counts from the moment it is written to its connection (or handed to a download
      handler that does not say when that is): each retry and each hop of a redirect counts, a
      connection that could not be made does not.
    * A gap lies between two such moments.
    * Bytes are those of bodies as they came over the wire, before they are unpacked.
    * A pause is the time in which nothing was sent after the host had asked for it (429, 503): from
      that answer to the next request.
    * Statuses are those of answers; what has failed got no answer, or not all of it.
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self.requests = 0
        self.received_bytes = 0
        self.statuses: Counter[str] = Counter()
        self.failed = 0
        self._gaps = GapHistogram()
        self._in_flight = 0
        self._most_in_flight = 0
        self._pauses = 0
        self._longest_pause = 0.0
        self._last_sent: float | None = None
        self._asked_to_wait_at: float | None = None

    def sent(self, now: float) -> None:
        """A request is written to its connection; ``ended`` or ``take_back`` follows."""
        self.requests += 1
        self._in_flight += 1
        self._most_in_flight = max(self._most_in_flight, self._in_flight)
        if self._asked_to_wait_at is not None:
            self._longest_pause = max(self._longest_pause, now - self._asked_to_wait_at)
            self._pauses += 1
            self._asked_to_wait_at = None
        if self._last_sent is not None:
            self._gaps.add(now - self._last_sent)
        self._last_sent = now

    def ended(self) -> None:
        """The answer to a request is complete, or will not come."""
        self._in_flight -= 1

    def take_back(self) -> None:
        """A request that was counted was not sent: its connection could not be made."""
        self.requests -= 1
        self._in_flight -= 1

    def asked_to_wait(self, now: float) -> None:
        if self._asked_to_wait_at is None:
            self._asked_to_wait_at = now

    def answered(self, status: int) -> None:
        self.statuses[str(status)] += 1

    def answer_failed(self) -> None:
        """No answer came to a request, or it was cut off."""
        self.failed += 1

    def received(self, number_of_bytes: int) -> None:
        self.received_bytes += number_of_bytes

    def record(self) -> dict[str, Any]:
        """All of it as JSON, for :meth:`merge`."""
        return {
            "requests": self.requests,
            "received_bytes": self.received_bytes,
            "statuses": self.statuses,
            "failed": self.failed,
            "gaps": self._gaps.record(),
            "most_in_flight": self._most_in_flight,
            "pauses": self._pauses,
            "longest_pause": self._longest_pause,
        }

    def merge(self, record: Mapping[str, Any]) -> None:
        """Add what another process has sent to the host, before or after this one.

        The time between the last request of one process and the first of another is no gap of
        either: none of them has measured it.
        """
        self.requests += record["requests"]
        self.received_bytes += record["received_bytes"]
        self.statuses.update(record["statuses"])
        self.failed += record["failed"]
        self._gaps.merge(record["gaps"])
        self._most_in_flight = max(self._most_in_flight, record["most_in_flight"])
        self._pauses += record["pauses"]
        self._longest_pause = max(self._longest_pause, record["longest_pause"])

    def figures(self) -> HostFigures:
        has_gaps = self.requests > 1 and self._gaps.has_any
        return HostFigures(
            host=self.host,
            requests=self.requests,
            smallest_gap_seconds=round(self._gaps.smallest, 4) if has_gaps else None,
            median_gap_seconds=round(self._gaps.median, 4) if has_gaps else None,
            most_in_flight=self._most_in_flight,
            pauses=self._pauses,
            longest_pause_seconds=round(self._longest_pause, 3) if self._longest_pause else None,
            received_bytes=self.received_bytes,
            statuses=dict(sorted(self.statuses.items())),
            failed=self.failed,
        )


_THOUSAND = 1000


def ledger_words(report: Mapping[str, Any]) -> str:
    """One line on what was sent.

    >>> ledger_words({"hosts": 1, "requests": 2, "received_bytes": 5, "by_host": [
    ...     {"most_in_flight": 1, "smallest_gap_seconds": 0.2, "median_gap_seconds": 0.2}]})
    '2 requests to 1 host, at most 1 at once, 0.200 s apart at least (median 0.200 s), 5 bytes'
    """
    busiest = report["by_host"]
    parts = [f"{_number(report['requests'], 'request')} to {_number(report['hosts'], 'host')}"]
    if busiest:
        parts.append(f"at most {max(host['most_in_flight'] for host in busiest)} at once")
    gaps = [each for host in busiest if (each := host["smallest_gap_seconds"]) is not None]
    if gaps:
        median = busiest[0]["median_gap_seconds"]
        parts.append(f"{min(gaps):.3f} s apart at least (median {median:.3f} s)")
    parts.append(byte_words(report["received_bytes"]))
    return ", ".join(parts)


def ledger_notes(report: Mapping[str, Any]) -> Iterator[str]:
    """Notes for a person, beside the figures."""
    for host in report["by_host"]:
        if pause := host["longest_pause_seconds"]:
            yield f"{host['host']} asked to wait; the longest pause was {pause:,.1f} s"
        asked, kept = host.get("robots_asked_seconds", 0), host.get("robots_kept_seconds", 0)
        if asked > kept:
            yield (
                f"{host['host']} asks for {asked:g} s between requests, {kept:g} s were kept"
                " (SITECRAWL_MAX_CRAWL_DELAY_SECONDS)"
            )


def byte_words(number: float) -> str:
    """
    >>> byte_words(999), byte_words(1_234_567)
    ('999 bytes', '1.2 MB')
    """
    for unit in ("bytes", "KB", "MB", "GB"):
        if number < _THOUSAND or unit == "GB":
            break
        number /= _THOUSAND
    return f"{number:,.0f} {unit}" if unit == "bytes" else f"{number:,.1f} {unit}"


def _number(number: int, of_what: str) -> str:
    return f"{number:,} {of_what}{'' if number == 1 else 's'}"
