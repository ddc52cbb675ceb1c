"""Scans from Python: ``sitecrawl.discover`` and its siblings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.services.scan_process import ScanHandle, run_in_child, run_in_child_async
from sitecrawl.services.scan_process import start_scan as start_in_child
from sitecrawl.services.scans import ScanRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sitecrawl.services.scan_process import ScanProgress, ScanResult


def discover(
    domain: str,
    *,
    profile: str | None = None,
    database: str | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Callable[[ScanProgress], None] | None = None,
) -> ScanResult:
    """Scan a site, given by its domain or URL, and return when the scan has ended.

    - *profile*: the name of a profile, such as ``docs``.
    - *database*: a URL such as ``sqlite:///sitecrawl.db``; by default that of the settings.
    - *settings*: settings by name, such as ``{"SITECRAWL_MAX_CRAWL_PAGES": 500}``.
    - *progress*: called about once a second, on another thread.

    The scan runs in a process of its own, so this works in notebooks, threads and workers, any
    number of times. Raises ``ScanFailedError`` if nothing of the site could be read, and
    ``ScanCrashedError`` if the process died.
    """
    return run_in_child(_request(domain, profile, database, settings), progress)


async def adiscover(
    domain: str,
    *,
    profile: str | None = None,
    database: str | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Callable[[ScanProgress], None] | None = None,
) -> ScanResult:
    """As :func:`discover`, for asyncio; *progress* is called on the event loop."""
    return await run_in_child_async(_request(domain, profile, database, settings), progress)


def start_scan(
    domain: str,
    *,
    profile: str | None = None,
    database: str | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Callable[[ScanProgress], None] | None = None,
) -> ScanHandle:
    """Start a scan, and return as soon as it has its number."""
    return start_in_child(_request(domain, profile, database, settings), progress)


def _request(
    domain: str,
    profile: str | None,
    database: str | None,
    settings: Mapping[str, Any] | None,
) -> ScanRequest:
    return ScanRequest(
        domain=domain,
        profile=profile or "default",
        database=database or "",
        settings=dict(settings or {}),
    )
