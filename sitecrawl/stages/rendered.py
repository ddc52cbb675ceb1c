"""From what a browser shows of a page to batches: only what the page as sent did not say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sitecrawl.html.links import LinkSource
from sitecrawl.html.page import read_page
from sitecrawl.html.text import storable
from sitecrawl.items import MentionBatch, MenuItem
from sitecrawl.stages.facts import PageFactsReader
from sitecrawl.stages.pages import is_nofollow
from sitecrawl.urls.columns import canonicalize_all
from sitecrawl.urls.refusal import Reason, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.config import Config
    from sitecrawl.html.links import PageLimits, PageReading
    from sitecrawl.items import VisitedPage
    from sitecrawl.render.answers import RenderedFragment
    from sitecrawl.render.renderer import Rendering
    from sitecrawl.render.routes import Route
    from sitecrawl.urls.canonical import CanonicalRules
    from sitecrawl.urls.scope import Scope

_HTML = "text/html; charset=utf-8"


class RenderedPageReader:
    """Adds to visited pages what only their rendering has shown."""

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
    """Numbers the mentions of a page on, and leaves out those that it has made already."""

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
