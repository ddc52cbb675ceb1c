"""The politeness ledger in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    """What a person should know beside the figures."""
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
