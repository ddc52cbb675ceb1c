"""Looks at a site without scanning it: robots.txt, and the first sitemaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.parse.scanner import SitemapKind
from sitecrawl.parse.sitemap import SitemapReader
from sitecrawl.spiders.staged import StagedSpider
from sitecrawl.stages.base import SitemapPointer
from sitecrawl.stages.fetching import document_request, failed_document_of, fetched_document
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sitecrawl.items import Document
    from sitecrawl.stages.authority import AuthorityRobots

_MAX_MAPS = 50
_UNREACHABLE = {FetchOutcome.UNREACHABLE, FetchOutcome.TIMEOUT, FetchOutcome.INCOMPLETE}


@dataclass(frozen=True, slots=True)
class SurveyedMap:
    """A sitemap of the first level: how many pages and how many further maps it lists."""

    document: Document
    kind: SitemapKind | None
    pages: int = 0
    maps: int = 0


@dataclass(slots=True)
class Survey:
    """What was seen."""

    root_url: str
    robots: AuthorityRobots | None = None
    maps: list[SurveyedMap] = field(default_factory=list)
    maps_named: int = 0
    guesses: int = 0


class RobotsSpider(StagedSpider):
    """Fetches robots.txt and nothing else; stores nothing."""

    name = "robots"
    stages: ClassVar[tuple[type, ...]] = ()
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "ITEM_PIPELINES": {},
        "EXTENSIONS": {
            "scrapy.extensions.corestats.CoreStats": 0,
            "scrapy.extensions.throttle.AutoThrottle": 0,
            "sitecrawl.register.RobotsRegister": 50,
            "sitecrawl.extensions.bodylimit.BodyLimit": 100,
        },
        "SITECRAWL_CONDITIONAL_REQUESTS": False,
    }
    survey: Survey

    async def start(self) -> AsyncIterator[Any]:
        self.survey = Survey(self.context.target.url)
        await self.look()
        return
        yield  # an async generator is what Scrapy asks for

    async def look(self) -> None:
        survey = self.survey
        survey.robots = await self.context.robots_of(survey.root_url)
        is_https = survey.root_url.startswith("https:")
        outcome = survey.robots.document.outcome
        if self.context.target.is_bare and is_https and outcome in _UNREACHABLE:
            survey.root_url = "http:" + survey.root_url.removeprefix("https:")
            survey.robots = await self.context.robots_of(survey.root_url)


class PlanSpider(RobotsSpider):
    """Fetches robots.txt and the sitemaps of the first level; stores nothing."""

    name = "plan"

    async def look(self) -> None:
        await super().look()
        survey = self.survey
        assert survey.robots is not None
        named = survey.robots.pointers()
        survey.maps_named = len(named)
        for pointer in named[:_MAX_MAPS]:
            survey.maps.append(await self._read(pointer))
        if named:
            return
        for place in self.context.config.sitemap_places:
            url = origin_of(survey.root_url) + place
            survey.guesses += 1
            seen = await self._read(SitemapPointer(url, "a common place", None, is_guess=True))
            if seen.kind is not None:
                survey.maps.append(seen)
                return

    async def _read(self, pointer: SitemapPointer) -> SurveyedMap:
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
        except Exception as error:  # noqa: BLE001  whatever hinders a download is an answer, too
            return SurveyedMap(failed_document_of(error, request), None)
        document = fetched_document(response)
        if document.outcome is not FetchOutcome.OK:
            return SurveyedMap(document, None)
        reader = SitemapReader(document.body, document.final_url, config.sitemap_limits())
        pages = maps = 0
        for chunk in reader.steps():
            if chunk is not None:
                pages += len(chunk.pages.locs)
                maps += len(chunk.children.locs)
        kind = None if reader.kind is SitemapKind.INVALID else reader.kind
        return SurveyedMap(document, kind, pages, maps)
