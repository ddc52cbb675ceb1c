"""Settings and figures that the tests of politeness share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.stages.stored import evidence, summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

    Fetch = Callable[..., CrawlResult]

# Gaps of 50 to 150 ms instead of 200 to 500: the same, only sooner done.
SHORTEST_GAP = 0.05
PACE: dict[str, object] = {
    "DOWNLOAD_DELAY": 0.1,
    "DOWNLOAD_DELAY_JITTER": 0.5,
    "AUTOTHROTTLE_START_DELAY": 0.1,
    "SITECRAWL_RETRY_BACKOFF_SECONDS": 0.05,
    "SITECRAWL_BUSY_BACKOFF_SECONDS": 0.05,
}
NO_PAUSE: dict[str, object] = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False}
ONE_AT_ONCE: dict[str, object] = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
AT_ANY_ADDRESS: dict[str, object] = {"SITECRAWL_ADDRESS_ALLOW": "127.0.0.0/8"}
# A server on a busy machine sees a request later than it was sent.
TOLERANCE = 0.01


def paths(number: int) -> list[str]:
    return [f"/page{n}" for n in range(number)]


def ledger(done: CrawlResult) -> dict[str, Any]:
    """The ledger of the scan, which evidence and summary have alike."""
    ((content, metadata),) = evidence(done, "politeness_ledger")
    assert summary(done)["politeness"] == metadata
    assert content in done.stderr
    return metadata


def only_host(done: CrawlResult) -> dict[str, Any]:
    (figures,) = ledger(done)["by_host"]
    found: dict[str, Any] = figures
    return found


def silence_after(site: SiteServer, path: str) -> float:
    """Seconds from the first answer for *path* to the next request of any kind."""
    refused = site.requests(path)[0]
    return min(e.started for e in site.requests() if e.started > refused.ended) - refused.ended
