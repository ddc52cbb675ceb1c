"""Says how complete a scan was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sitecrawl.store.queries.coverage import CrawlCoverage


def coverage_words(coverage: CrawlCoverage) -> Iterator[str]:
    """What was visited, what was not and why, and which limits were hit."""
    if not coverage.has_crawled:
        yield f"the crawl did not run{_because(coverage)}: {_known_without_crawl(coverage)}"
    else:
        failed = f" ({coverage.failed:,} could not be read)" if coverage.failed else ""
        yield f"the crawl visited {coverage.visited:,} of {coverage.known:,} known pages{failed}"
        if coverage.waiting:
            yield f"{coverage.waiting:,} were still in the queue when it ended{_because(coverage)}"
        if coverage.held:
            yield f"{coverage.held:,} were skipped: similar pages had given nothing new"
    if coverage.scan_status != "finished":
        yield f"scan {coverage.scan_id} is {coverage.scan_status}, so there may be more"
    for limit in coverage.limits:
        yield f"limit hit: {limit_words(limit)}"


def completeness_words(coverage: CrawlCoverage) -> Iterator[str]:
    """How many sitemaps were read, and how far the crawl came."""
    if coverage.sitemaps:
        yield f"{coverage.sitemaps:,} sitemap{' was' if coverage.sitemaps == 1 else 's were'} read"
    else:
        yield "no sitemap was read"
    yield from coverage_words(coverage)


def limit_words(limit: Mapping[str, Any]) -> str:
    if not limit["setting"]:
        return f"{limit['what']}: only the first {limit['limit']:,} count"
    return f"{limit['what']}: {limit['setting']}={limit['limit']:g} can be raised"


def _known_without_crawl(coverage: CrawlCoverage) -> str:
    if coverage.visited:
        return "only the links of the root are known"
    return "no link is known"


def _because(coverage: CrawlCoverage) -> str:
    return f" ({coverage.ended})" if coverage.ended else ""
