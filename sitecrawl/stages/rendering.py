"""Decides which visited pages are rendered, and adds what rendering found to them."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from sitecrawl.html.links import LinkSource
from sitecrawl.html.page import read_page
from sitecrawl.html.text import storable
from sitecrawl.items import FetchOutcome, MentionBatch, MenuItem, RenderOutcome
from sitecrawl.render.need import Verdict, rendering_need
from sitecrawl.render.trials import Decision, RenderMode, RenderTrials
from sitecrawl.scan.errors import ScanStoppedError
from sitecrawl.stages.pages import PageFactsReader, is_nofollow, page_limits
from sitecrawl.store.vocabulary import RenderingStep
from sitecrawl.urls.columns import canonicalize_all
from sitecrawl.urls.refusal import Reason, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response

    from sitecrawl.config import Config
    from sitecrawl.html.links import PageLimits, PageReading
    from sitecrawl.items import VisitedPage
    from sitecrawl.render.page import Rendering
    from sitecrawl.render.page_script import RenderedFragment
    from sitecrawl.render.router_tables import Route
    from sitecrawl.stages.pages import ReadPage
    from sitecrawl.store.queries.resume import Resumption
    from sitecrawl.urls.canonical import CanonicalRules
    from sitecrawl.urls.scope import Scope

logger = logging.getLogger(__name__)

_HTML = "text/html; charset=utf-8"


class PageRenderer(Protocol):
    """Renders pages, or reports that no browser is available."""

    has_browser: bool

    async def render(self, document: Response, url: str, *, may_click: bool) -> Rendering | None:
        """Show a document; None: there is no browser."""


class PageRendering:
    """Renders pages of one scan for all stages.

    Pages that clearly need it are rendered as soon as they are read, several at once. A doubtful
    page waits until the visits before it are concluded, because their results decide: so the same
    pages are rendered whatever answer comes first.
    """

    renderer: PageRenderer | None = None
    """Set by the extension that owns the browser."""

    def __init__(self, config: Config):
        self._is_off = config.render == RenderMode.NEVER
        self._trials = RenderTrials(RenderMode(config.render))
        self._reader = RenderedPageReader(config, page_limits(config))

    def restore(self, resumption: Resumption) -> None:
        """Learn from the pages that were rendered before the scan was interrupted."""
        for visit in resumption.visits:
            if visit.rendered == RenderOutcome.RENDERED:
                self._trials.conclude(visit.url, gained=visit.only_rendered or 0)

    @property
    def has_browser(self) -> bool:
        return self.renderer is not None and self.renderer.has_browser

    def first_step(self, read: ReadPage, response: Response) -> RenderingStep | None:
        """What is known before the turn of the page; None: it is not to be rendered."""
        need = self._need(read, response)
        if need is None:
            return None
        if self._trials.decide(read.page.visit.url, need) is Decision.RENDER:
            return RenderingStep.WANTED
        return RenderingStep.DOUBTFUL if need is Verdict.MAYBE else None

    async def if_sure(self, read: ReadPage, response: Response, scope: Scope) -> bool:
        """Render the page if it clearly needs it; True: :meth:`at_turn` has to decide."""
        step = self.first_step(read, response)
        if step is RenderingStep.WANTED:
            await self.show(read.page, response, scope)
        return step is RenderingStep.DOUBTFUL

    async def at_turn(self, read: ReadPage, response: Response, scope: Scope) -> None:
        """Render a doubtful page, unless rendering pages of its kind has found nothing."""
        need = self._need(read, response)
        if need and self._trials.decide(read.page.visit.url, need) is not Decision.LEAVE:
            await self.show(read.page, response, scope)

    def decide_doubtful(self, url: str) -> Decision:
        """What holds for a doubtful page by the pages before it; RENDER stays so."""
        return self._trials.decide(url, Verdict.MAYBE)

    def conclude(self, page: VisitedPage) -> None:
        """Learn from a page that has gone through the pipelines."""
        if page.rendered is RenderOutcome.RENDERED:
            self._trials.conclude(page.visit.url, gained=page.only_rendered)

    async def as_shown(self, response: Response, reading: PageReading) -> PageReading:
        """The reading of a page that is not visited, rendered if it needs that."""
        if self._is_off or rendering_need(response.body, reading).verdict is not Verdict.YES:
            return reading
        try:
            rendering = await self._render(response, response.url, may_click=False)
        except ScanStoppedError:
            return reading
        if rendering is None or rendering.exploration is None:
            return reading
        return self._reader.read(rendering.exploration.fragments[0])

    def _need(self, read: ReadPage, response: Response) -> Verdict | None:
        """None: it is no page that may be rendered."""
        if self._is_off or read.reading is None or read.page.visit.external_hops:
            return None
        return rendering_need(response.body, read.reading).verdict

    async def _render(self, document: Response, url: str, *, may_click: bool) -> Rendering | None:
        if self.renderer is None:
            return None
        # The server never sees a route behind "#": it is only in the address of the visit.
        _, hash_mark, route = url.partition("#")
        shown_url = f"{document.url.partition('#')[0]}{hash_mark}{route}"
        return await self.renderer.render(document, shown_url, may_click=may_click)

    async def show(self, page: VisitedPage, response: Response, scope: Scope) -> None:
        """Add what a browser shows of the page."""
        try:
            may_click = not page.visit.is_check  # which would find no more than links
            rendering = await self._render(response, page.visit.url, may_click=may_click)
        except ScanStoppedError as error:
            # It was rendered in part only: a resumed scan visits it again.
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


class RenderedPageReader:
    """Adds links, routes and facts of a rendering to the visited page."""

    def __init__(self, config: Config, limits: PageLimits):
        self._limits = limits
        self._facts = PageFactsReader(config)
        self._max_links = config.max_page_links
        # A route behind "#" is a page of its own, where it is an application that says so.
        self._rules = replace(config.canonical_rules(), keep_hash_routes=True)

    def read(self, fragment: RenderedFragment) -> PageReading:
        return read_page(
            fragment.html.encode(), fragment.base, content_type=_HTML, limits=self._limits
        )

    def add(self, page: VisitedPage, rendering: Rendering, scope: Scope) -> None:
        """Add the links of the live document, and the routes that nothing links to."""
        exploration = rendering.exploration
        assert exploration is not None
        new = _NewRows(page, scope, self._rules, self._max_links)
        for number, fragment in enumerate(exploration.fragments):
            reading = self.read(fragment)
            if number == 0:
                page.facts = replace(self._facts.of(reading), refusal=page.facts.refusal)
            new.add_links(reading)
        new.add_redirects(rendering.stopped_navigations)
        new.add_routes(exploration.routes)
        if page.read is not None:
            page.read = replace(page.read, entries=new.position)


class _NewRows:
    """Appends mentions to a page, without those that it has already."""

    def __init__(self, page: VisitedPage, scope: Scope, rules: CanonicalRules, max_links: int):
        self.position = max((batch.positions[-1] for batch in page.batches), default=0)
        self._page = page
        self._scope = scope
        self._rules = rules
        self._left = max_links
        self._has_menu = any(batch.menu for batch in page.batches)
        self._known: set[str] = set()
        for batch in page.batches:
            self._known.update(self._identities(batch.locs, batch.base))

    def add_links(self, reading: PageReading) -> None:
        links = reading.links
        rows = self._new(links.locs, reading.base)
        if not rows:
            return
        batch = self._batch(reading.base, [links.locs[row] for row in rows])
        batch.sources = [
            LinkSource.RENDERED_LINK
            if links.sources[row] is LinkSource.LINK
            else links.sources[row]
            for row in rows
        ]
        batch.regions = [links.regions[row] for row in rows]
        batch.anchors = storable([links.anchors[row] for row in rows])
        batch.rels = storable([links.rels[row] for row in rows])
        batch.paths = storable([links.paths[row] for row in rows])
        if links.languages:
            batch.languages = [links.languages.get(row, "") for row in rows]
        if links.media_types:
            named = enumerate(links.media_types.get(row, "") for row in rows)
            batch.media_types = {place: name for place, name in named if name}
        if self._page.visit.number == 1 and not self._has_menu:
            places = {row: place for place, row in enumerate(rows)}
            batch.menu = [
                MenuItem(storable([entry.title])[0], places[entry.row], entry.level)
                for entry in reading.menu
                if entry.row in places
            ]
            self._has_menu = bool(batch.menu)

    def add_redirects(self, urls: tuple[str, ...]) -> None:
        """Where a script wanted to send the browser as soon as the page was there."""
        base = self._page.document.final_url
        if rows := self._new(list(urls), base):
            batch = self._batch(base, [urls[row] for row in rows])
            batch.sources = [LinkSource.SPA_SCRIPT] * len(rows)

    def add_routes(self, routes: tuple[Route, ...]) -> None:
        base = self._page.document.final_url
        rows = self._new([route.url for route in routes], base)
        if not rows:
            return
        new = [routes[row] for row in rows]
        batch = self._batch(base, [route.url for route in new])
        batch.sources = [LinkSource(route.kind) for route in new]
        batch.anchors = storable([route.label for route in new])
        batch.paths = storable([route.path for route in new])
        for row, route in enumerate(new):
            if route.is_pattern:
                batch.refused[row] = Refusal(Reason.ROUTE_PATTERN, route.url)

    def _new(self, locs: list[str], base: str) -> list[int]:
        """The rows of addresses that the page has not named before, each of them once."""
        rows: list[int] = []
        for row, identity in enumerate(self._identities(locs, base)):
            if identity not in self._known and len(rows) < self._left:
                self._known.add(identity)
                rows.append(row)
        self._left -= len(rows)
        return rows

    def _identities(self, locs: list[str], base: str) -> Iterator[str]:
        for loc, url in zip(locs, canonicalize_all(locs, base, self._rules), strict=True):
            yield url or loc

    def _batch(self, base: str, locs: list[str]) -> MentionBatch:
        page, first = self._page, self.position + 1
        self.position += len(locs)
        batch = MentionBatch(
            document=page.document.url,
            base=base,
            source=LinkSource.RENDERED_LINK,
            scope=self._scope,
            positions=range(first, first + len(locs)),
            locs=storable(locs),
            visit=page.visit,
            is_nofollow=is_nofollow(page.document),
            is_rendered=True,
        )
        page.batches.append(batch)
        return batch
