"""Previews of a site, without a scan and a record: robots.txt, the first sitemaps and the root."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from sitecrawl.html.page import read_page
from sitecrawl.items import COMMON_PLACE, DocumentKind, FetchOutcome, SitemapPointer
from sitecrawl.scan.documents import document_request, failed_document_of, fetched_document
from sitecrawl.sitemaps.entries import SitemapKind
from sitecrawl.sitemaps.reader import SitemapReader
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.stages.waterfall import sitemaps_are_enough
from sitecrawl.urls.address import origin_of, resolve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from sitecrawl.items import Document
    from sitecrawl.scan.robots import AuthorityRobots

# How many of the pages and maps that a document lists are remembered.
_MAX_FIRST = 20
_UNREACHABLE = {FetchOutcome.UNREACHABLE, FetchOutcome.TIMEOUT, FetchOutcome.INCOMPLETE}


@dataclass(frozen=True, slots=True)
class PreviewedSitemap:
    """A sitemap of the first level: how many pages and how many further maps it lists."""

    document: Document
    kind: SitemapKind | None
    pages: int = 0
    maps: int = 0
    first_pages: tuple[str, ...] = ()
    first_maps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreviewedRoot:
    """The root page: its title, and the first pages of the site that it links to."""

    document: Document
    title: str = ""
    first_pages: tuple[str, ...] = ()


@dataclass(slots=True)
class SitePreview:
    """What a preview has read."""

    root_url: str
    robots: AuthorityRobots
    maps: list[PreviewedSitemap] = field(default_factory=list)
    """Those that robots.txt names, read or not, and those found at common places."""
    maps_not_read: int = 0
    """Further ones that robots.txt names."""
    map_requests: int = 0
    guesses: int = 0
    """Common places that were tried."""

    @property
    def pages(self) -> int:
        return sum(each.pages for each in self.maps)

    @property
    def further_maps(self) -> int:
        return self.maps_not_read + sum(each.maps for each in self.maps)


class RobotsSpider(SiteSpider):
    """Fetches robots.txt alone.

    It is run by ``sitecrawl robots``, and has no name for ``scrapy crawl``: nothing is stored.
    """

    stages: ClassVar[tuple[type, ...]] = ()
    is_stored: ClassVar[bool] = False
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "SITECRAWL_CONDITIONAL_REQUESTS": False,
        "SITECRAWL_PROGRESS": "off",
        "SITECRAWL_RENDER": "never",
    }
    preview: SitePreview | None = None
    is_stopped = False
    """By a signal, such as Ctrl-C."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, name="preview", **kwargs)

    async def start(self) -> AsyncIterator[Any]:
        self.preview = await self.read_site()
        return
        yield  # an async generator is what Scrapy asks for

    def closed(self, reason: str) -> None:
        super().closed(reason)
        self.is_stopped = reason == "shutdown"

    def on_read(self, part: AuthorityRobots | PreviewedSitemap | PreviewedRoot) -> None:
        """Called with each part of the preview as soon as it has been read; override it."""

    async def read_site(self) -> SitePreview:
        root_url = self.context.target.url
        robots = await self.context.robots_of(root_url)
        is_https = root_url.startswith("https:")
        if self.context.target.is_bare and is_https and robots.document.outcome in _UNREACHABLE:
            root_url = "http:" + root_url.removeprefix("https:")
            robots = await self.context.robots_of(root_url)
        self.on_read(robots)
        return SitePreview(root_url, robots)


class PlanSpider(RobotsSpider):
    """Fetches robots.txt and the sitemaps of the first level, for ``sitecrawl plan``."""

    max_maps: ClassVar[int] = 50

    async def read_site(self) -> SitePreview:
        preview = await super().read_site()
        named = {pointer.url: pointer for pointer in preview.robots.pointers()}
        for pointer in islice(named.values(), self.max_maps):
            preview.maps.append(await self._read(preview, pointer))
            self.on_read(preview.maps[-1])
        preview.maps_not_read = max(len(named) - self.max_maps, 0)
        places = (
            origin_of(preview.root_url) + place for place in self.context.config.sitemap_places
        )
        for url in places:
            if self._is_enough(preview):
                break
            if url not in named:
                await self._guess(preview, url)
        return preview

    def _is_enough(self, preview: SitePreview) -> bool:
        """Decided as in a scan; further maps may list any number of pages."""
        enough = sitemaps_are_enough(self.context.config, preview.pages)
        return enough or preview.further_maps > 0

    async def _guess(self, preview: SitePreview, url: str) -> None:
        preview.guesses += 1
        seen = await self._read(preview, SitemapPointer(url, COMMON_PLACE, None, is_guess=True))
        if seen.kind is not None:
            preview.maps.append(seen)
            self.on_read(seen)

    async def _read(self, preview: SitePreview, pointer: SitemapPointer) -> PreviewedSitemap:
        config = self.context.config
        request = document_request(
            pointer.url,
            DocumentKind.SITEMAP,
            pointer.found_by,
            callback=None,
            errback=None,
            timeout_seconds=config.sitemap_timeout_seconds,
            max_bytes=config.max_sitemap_bytes,
            is_guess=pointer.is_guess,
        )
        try:
            response = await self.crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001  any failure of a download is an answer
            document = failed_document_of(error, request)
            preview.map_requests += document.outcome is not FetchOutcome.BLOCKED_BY_ROBOTS
            return PreviewedSitemap(document, None)
        preview.map_requests += 1
        document = fetched_document(response)
        if document.outcome is not FetchOutcome.OK:
            return PreviewedSitemap(document, None)
        reader = SitemapReader(document.body, document.final_url, config.sitemap_limits())
        pages = maps = 0
        first_pages: list[str] = []
        first_maps: list[str] = []
        for chunk in reader.steps():
            if chunk is not None:
                pages += len(chunk.pages.locs)
                maps += len(chunk.children.locs)
                first_pages += chunk.pages.locs[: _MAX_FIRST - len(first_pages)]
                first_maps += chunk.children.locs[: _MAX_FIRST - len(first_maps)]
        kind = None if reader.kind is SitemapKind.INVALID else reader.kind
        base = document.final_url
        return PreviewedSitemap(
            document, kind, pages, maps, _resolved(first_pages, base), _resolved(first_maps, base)
        )


class PreviewSpider(PlanSpider):
    """Also reads the root and the first maps of an index, for the form that adds a site."""

    max_maps = 5
    children_read = 0

    async def read_site(self) -> SitePreview:
        preview = await super().read_site()
        children = [url for each in preview.maps for url in each.first_maps]
        for url in children[: self.max_maps]:
            pointer = SitemapPointer(url, "a sitemap index", None, depth=1)
            preview.maps.append(await self._read(preview, pointer))
            self.on_read(preview.maps[-1])
            self.children_read += 1
        if preview.robots.policy.decide(preview.root_url).allowed:
            self.on_read(await self._read_root(preview.root_url))
        return preview

    async def _read_root(self, url: str) -> PreviewedRoot:
        config = self.context.config
        request = document_request(
            url,
            DocumentKind.PAGE,
            "a person",
            callback=None,
            errback=None,
            timeout_seconds=config.page_timeout_seconds,
            max_bytes=config.max_page_bytes,
        )
        try:
            response = await self.crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001  any failure of a download is an answer
            return PreviewedRoot(failed_document_of(error, request))
        document = fetched_document(response)
        reading = read_page(document.body, response.url, content_type=document.content_type)
        links = _resolved(reading.links.locs, reading.base)
        own = dict.fromkeys(each for each in links if origin_of(each) == origin_of(response.url))
        return PreviewedRoot(document, reading.title, tuple(islice(own, _MAX_FIRST)))


def _resolved(locs: Iterable[str], base: str) -> tuple[str, ...]:
    return tuple(url for loc in locs if (url := resolve(loc, base)))
