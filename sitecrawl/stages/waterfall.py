"""Whether what was found is enough: decided here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.config import Config


def sitemaps_are_enough(config: Config, pages: int) -> bool:
    """Whether the common places need not be tried after the sitemaps that robots.txt names."""
    return pages > 0 and pages >= config.min_sitemap_urls


def links_are_read(config: Config) -> bool:
    """Whether the links of the root count, even if no other page is visited."""
    return config.crawl != "never"


def crawl_is_needed(config: Config, pages_in_sitemaps: int) -> bool:
    """Whether links have to be followed after the sitemaps."""
    return not why_no_crawl(config, pages_in_sitemaps)


def why_no_crawl(config: Config, pages_in_sitemaps: int) -> str:
    """Why links are not followed, in words; ``""``: they are."""
    if config.crawl == "never":
        return "SITECRAWL_CRAWL is never"
    if config.crawl == "auto" and pages_in_sitemaps >= config.min_sitemap_urls:
        return "the sitemaps gave enough"
    return ""
