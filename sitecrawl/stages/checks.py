"""Visits of listed pages for their own sake: checks of how they answer, and pages for a dive."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from sitecrawl.html.links import LinkSource
from sitecrawl.items import CHECK, MentionBatch
from sitecrawl.stages.visits import VisitStage
from sitecrawl.urls.address import without_credentials
from sitecrawl.urls.columns import canonicalize_all, page_ids
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy import Request

    from sitecrawl.config import Config
    from sitecrawl.items import Visit, VisitedPage
    from sitecrawl.scan.database import ScanDatabase
    from sitecrawl.stages.base import ScanContext

# What a page says of itself by naming other addresses.
_VERSIONS = frozenset({LinkSource.CANONICAL, LinkSource.HREFLANG, LinkSource.HTTP_LINK})


class ChecksStage(VisitStage):
    """Visit the pages whose check is due; the database chooses them (``store/queries/checks.py``).

    A check says how a page answers and what it says of itself. Its links are no mentions: they
    neither add pages to the inventory nor keep or drop any, so that what is listed does not depend
    on which pages were checked.

    Settings: ``SITECRAWL_CHECK_PAGES``.
    """

    name: ClassVar[str] = "checks"
    found_by: ClassVar[str] = CHECK
    # Whether a doubtful page is rendered depends on the links that this finds.
    tries_rendering: ClassVar[bool] = False

    def __init__(self, context: ScanContext):
        super().__init__(context, context.scan.checks)
        self._has_begun = False
        self._skip = context.config.skip_rules()

    @classmethod
    def is_wanted(cls, config: Config) -> bool:
        return config.check_pages > 0

    async def next_requests(self) -> Iterable[Request]:
        if not self._has_begun:
            await self._begin()
        return await self._next_visit()

    def outcome(self) -> dict[str, Any]:
        return {**super().outcome(), "checked": self.context.counters.checks.total()}

    async def _begin(self) -> None:
        """Choose the pages; a scan that goes on has chosen them already."""
        self._has_begun = True
        database = self.context.scan.database
        assert database is not None
        await self._choose(database)
        self._frontier.open(
            database.waiting_checks, self._request, self.context.crawl, visited=0, max_pages=0
        )

    async def _choose(self, database: ScanDatabase) -> None:
        await database.begin_checks(self.context.config.check_pages, self._wanted)

    def _wanted(self, urls: list[str]) -> list[bool]:
        """Which of them the scan may fetch; rules may have changed since they were listed."""
        refused = self._skip.refusals(urls) | self.context.scope.refusals(urls)
        return [row not in refused for row in range(len(urls))]

    async def _store(self, page: VisitedPage) -> None:
        page.batches = list(self._versions(page))
        if page.read is not None:
            page.read = replace(page.read, entries=0, own_links=0)
        await super()._store(page)

    def _versions(self, page: VisitedPage) -> Iterator[MentionBatch]:
        """The links that name the page's canonical address and its versions in other languages."""
        for batch in page.batches:
            sources, rels = batch.sources or [], batch.rels or []
            rows = [row for row, source in enumerate(sources) if source in _VERSIONS]
            locs = [batch.locs[row] for row in rows]
            named = canonicalize_all(locs, batch.base, self._canonical_rules)
            # What is no URL is kept as it was written, as of any other link.
            urls = [
                url or without_credentials(loc)[: self.context.config.max_url_length]
                for url, loc in zip(named, locs, strict=True)
            ]
            if rows:
                yield MentionBatch(
                    document=batch.document,
                    base=batch.base,
                    source=batch.source,
                    scope=batch.scope,
                    positions=[batch.positions[row] for row in rows],
                    locs=locs,
                    sources=[sources[row] for row in rows],
                    rels=[rels[row] for row in rows] if rels else None,
                    languages=batch.languages and [batch.languages[row] for row in rows],
                    visit=batch.visit,
                    urls=urls,
                    ids=page_ids(urls, self.context.scan.record.seed, self._key_rules),
                )

    def _count(self, page: VisitedPage) -> None:
        refusal = page.facts.refusal
        is_error_page = refusal is not None and refusal.reason is Reason.SOFT_404
        result = Reason.SOFT_404 if is_error_page else page.document.outcome
        self.context.counters.checks[result] += 1


class DiveStage(ChecksStage):
    """Visit the pages that a dive has chosen, as checks are made: their links are no mentions.

    Settings: ``SITECRAWL_DIVE_FILES``. Meta: ``sitecrawl_files``.
    """

    name: ClassVar[str] = "dive"
    tries_rendering: ClassVar[bool] = True

    def __init__(self, context: ScanContext):
        super().__init__(context)
        self._skip = context.config.skip_rules(readable=context.config.dive_files)

    @classmethod
    def is_wanted(cls, config: Config) -> bool:
        return True

    def _request(self, visit: Visit) -> Request:
        request = super()._request(visit)
        request.meta["sitecrawl_files"] = self.context.config.dive_files
        return request

    async def _choose(self, database: ScanDatabase) -> None:
        # A scan that goes on without its dive has chosen its pages already.
        if self.context.dive is not None:
            await database.begin_dive(self.context.dive, self._wanted)
