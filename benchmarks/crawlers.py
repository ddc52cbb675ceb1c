"""Who runs in the crawl benchmark: everyone visits all pages and leaves the URLs it found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from benchmarks.building import read_paths
from benchmarks.contestants import FEED_NAME, RUNS_DIR, Project, Tool
from benchmarks.measure import count_lines

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.frontiersite import FrontierManifest
    from benchmarks.pagesite import PageManifest

# What a crawler may list beside the pages: the head of every page names the feed.
_NAMED_BESIDE = frozenset({"feed.xml"})


def found_urls(feed: Path) -> set[str]:
    """Read the URLs of a feed of JSON lines; a fragment names no other page."""
    if not feed.is_file():
        return set()
    with feed.open(encoding="utf-8") as rows:
        return {urldefrag(json.loads(row)["url"]).url for row in rows}


def has_found_all(feed: Path, manifest: PageManifest) -> bool:
    """Whether every page of the site was found, and nothing that is none."""
    root = manifest.root_url
    pages = {root + path.removeprefix("/") for path in read_paths(manifest.folder)}
    found = found_urls(feed)
    return pages <= found <= pages | {root + name for name in _NAMED_BESIDE}


@dataclass(frozen=True, slots=True)
class SitecrawlPages(Project):
    """Crawls with everything on: all link sources, regions, the store, the evidence, the feed."""

    @property
    def folder(self) -> Path:
        return RUNS_DIR / f"{self.name}-pages"

    def command(self, root_url: str) -> list[str]:
        return crawl_command(self, root_url, max_pages=0)

    def urls_listed(self) -> int:
        return len(found_urls(self.folder / FEED_NAME))

    def is_right(self, urls: int, manifest: PageManifest) -> bool:
        return has_found_all(self.folder / FEED_NAME, manifest)


@dataclass(frozen=True, slots=True)
class SitecrawlFrontier(Project):
    """Crawls a few pages of a site that names many; the feed lists those that wait as well."""

    max_pages: int = 250

    @property
    def folder(self) -> Path:
        return RUNS_DIR / f"{self.name}-frontier"

    def command(self, root_url: str) -> list[str]:
        return crawl_command(self, root_url, max_pages=self.max_pages)

    def urls_listed(self) -> int:
        return count_lines(self.folder / FEED_NAME)

    def is_right(self, urls: int, manifest: FrontierManifest) -> bool:
        return urls == manifest.pages


def crawl_command(project: Project, root_url: str, *, max_pages: int) -> list[str]:
    command = [project.script("scrapy"), "crawl", "crawl"]
    command += ["-a", f"domain={root_url}", "-a", "profile=fast"]
    command += ["-s", "SITECRAWL_MAX_CRAWL_DEPTH=0", "-s", f"SITECRAWL_MAX_CRAWL_PAGES={max_pages}"]
    return [*command, "-O", str(project.folder / FEED_NAME)]


@dataclass(frozen=True, slots=True)
class CrawlPeer(Tool):
    """Visits the pages and keeps their URLs, and no more than that."""

    def command(self, root_url: str) -> list[str]:
        return [*Tool.command(self, root_url), str(self.folder / FEED_NAME)]

    def urls_listed(self) -> int:
        return len(found_urls(self.folder / FEED_NAME))

    def is_right(self, urls: int, manifest: PageManifest) -> bool:
        return has_found_all(self.folder / FEED_NAME, manifest)


CRAWL_PEERS = (
    CrawlPeer("crawlspider", ("scrapy==2.19.0",), "crawlspider_pages.py"),
    CrawlPeer("crawlee-parsel", ("crawlee[parsel]==1.11.0",), "crawlee_parsel.py"),
    CrawlPeer(
        "trafilatura-spider",
        ("trafilatura==2.3.1", "lxml_html_clean==0.4.6"),
        "trafilatura_spider.py",
    ),
    CrawlPeer("lean-scrapy", ("scrapy==2.19.0", "selectolax==1.0.2"), "selectolax_spider.py"),
)
SITECRAWL_PAGES = SitecrawlPages()
SITECRAWL_FRONTIER = SitecrawlFrontier()
