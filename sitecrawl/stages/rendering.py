"""Which of the visited pages go through a browser, and what that adds to them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from sitecrawl.downloader.stopping import ScanStoppedError
from sitecrawl.items import FetchOutcome, RenderOutcome
from sitecrawl.render.need import Verdict, rendering_need
from sitecrawl.render.siteanswers import SiteAnswer
from sitecrawl.render.trials import Decision, RenderMode, RenderTrials
from sitecrawl.stages.pages import page_limits
from sitecrawl.stages.rendered import RenderedPageReader

if TYPE_CHECKING:
    from scrapy.http import Response

    from sitecrawl.config import Config
    from sitecrawl.items import VisitedPage
    from sitecrawl.parse.links import PageReading
    from sitecrawl.render.renderer import Rendering
    from sitecrawl.stages.pages import ReadPage
    from sitecrawl.store.queries.resume import Resumption
    from sitecrawl.urls.scope import Scope

logger = logging.getLogger(__name__)


class PageRenderer(Protocol):
    """Who has a browser, or knows that there is none."""

    async def render(self, document: SiteAnswer, *, may_click: bool) -> Rendering | None:
        """Show a document; None: there is no browser."""


class PageRendering:
    """Renders pages of one scan, whichever stage has read them.

    A page that clearly needs it is rendered as soon as it was read, several at once. A doubtful one
    waits for its turn in the order of the visits, because what rendering brought before decides:
    so the same pages are rendered however fast each answer was.
    """

    renderer: PageRenderer | None = None
    """Who has a browser sets this."""

    def __init__(self, config: Config):
        self._is_off = config.render == RenderMode.NEVER
        self._trials = RenderTrials(RenderMode(config.render))
        self._reader = RenderedPageReader(config, page_limits(config))

    def restore(self, resumption: Resumption) -> None:
        """Know again what the rendering of pages had brought before an interruption."""
        for visit in resumption.visits:
            if visit.rendered == RenderOutcome.RENDERED:
                self._trials.conclude(visit.url, gained=visit.only_rendered or 0)

    async def if_sure(self, read: ReadPage, response: Response, scope: Scope) -> bool:
        """Render the page if that is clear already; otherwise say whether its turn decides."""
        decision = self._decide(read, response)
        if decision is Decision.RENDER:
            await self._show(read.page, response, scope)
        return decision is Decision.TRY

    async def at_turn(self, read: ReadPage, response: Response, scope: Scope) -> None:
        """Render a doubtful page, unless its kind has proved not to be worth it."""
        if self._decide(read, response) is not Decision.LEAVE:
            await self._show(read.page, response, scope)

    def conclude(self, page: VisitedPage) -> None:
        """Learn from a page that has gone through the pipelines."""
        if page.rendered is RenderOutcome.RENDERED:
            self._trials.conclude(page.visit.url, gained=page.only_rendered)

    async def as_shown(self, response: Response, reading: PageReading) -> PageReading:
        """How a page reads that is not visited; the same unless a browser has to show it."""
        if self._is_off or rendering_need(response.body, reading).verdict is not Verdict.YES:
            return reading
        try:
            rendering = await self._render(site_answer(response, response.url), may_click=False)
        except ScanStoppedError:
            return reading
        if rendering is None or rendering.exploration is None:
            return reading
        return self._reader.read(rendering.exploration.fragments[0])

    def _decide(self, read: ReadPage, response: Response) -> Decision:
        if self._is_off or read.reading is None or read.page.visit.external_hops:
            return Decision.LEAVE
        need = rendering_need(response.body, read.reading)
        return self._trials.decide(read.page.visit.url, need.verdict)

    async def _render(self, document: SiteAnswer, *, may_click: bool) -> Rendering | None:
        if self.renderer is None:
            return None
        return await self.renderer.render(document, may_click=may_click)

    async def _show(self, page: VisitedPage, response: Response, scope: Scope) -> None:
        try:
            rendering = await self._render(site_answer(response, page.visit.url), may_click=True)
        except ScanStoppedError as error:
            # Only half of it has been seen: who resumes the scan visits it again.
            page.document.outcome, page.document.error = FetchOutcome.STOPPED, str(error)
            page.read = None
            page.batches.clear()
            return
        if rendering is None:
            page.rendered = RenderOutcome.NO_BROWSER
        elif rendering.exploration is None:
            page.rendered = RenderOutcome.FAILED
            logger.info("%s could not be rendered: %s", page.visit.url, rendering.failure)
        else:
            page.rendered = RenderOutcome.RENDERED
            self._reader.add(page, rendering, scope)


def site_answer(response: Response, url: str) -> SiteAnswer:
    """The answer at *url*, whose route behind ``#`` the server never saw."""
    _, hash_mark, route = url.partition("#")
    headers = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    ]
    address = response.url.partition("#")[0]
    return SiteAnswer(f"{address}{hash_mark}{route}", response.status, headers, response.body)
