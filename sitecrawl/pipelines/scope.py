"""Scope and skip rules: what is not wanted stays in the inventory, refused with its rule."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from sitecrawl.items import mention_batches
from sitecrawl.pipelines import InventoryPipeline
from sitecrawl.urls.columns import ColumnMemo
from sitecrawl.urls.refusal import Reason
from sitecrawl.urls.skip import first_segments

if TYPE_CHECKING:
    from typing import Any

    from sitecrawl.items import MentionBatch
    from sitecrawl.scan import Scan
    from sitecrawl.urls.refusal import Refusal
    from sitecrawl.urls.scope import Scope

_ANY = "http://refused.invalid/"


class ScopePipeline(InventoryPipeline):
    """Fill ``segments`` and ``refused``: by scope, by the skip rules, links also as traps.

    Settings: ``SITECRAWL_MAX_EXTERNAL_HOPS``, those of the scope, of the skip rules and of traps.
    """

    def __init__(self, scan: Scan):
        super().__init__(scan)
        config = scan.config
        self._skip = config.skip_rules()
        self._traps = config.trap_rules(datetime.now(UTC).date())
        self._max_external_hops = config.max_external_hops
        self._scope_of_links: Scope | None = None
        self._links: ColumnMemo[Refusal | None]

    def process_item(self, item: Any) -> Any:
        for batch in mention_batches(item):
            self._refuse(batch)
        return item

    def _refuse(self, batch: MentionBatch) -> None:
        urls = batch.urls
        if batch.refused:  # some are no URLs, and the rules take nothing else
            urls = [_ANY if row in batch.refused else url for row, url in enumerate(urls)]
        if batch.visit is not None:
            batch.segments = first_segments(urls)
        refusals = self._refusals(batch, urls)
        if refusals or batch.refused:
            batch.refused = {**refusals, **batch.refused}

    def _refusals(self, batch: MentionBatch, urls: list[str]) -> dict[int, Refusal]:
        """The first refusal stands: an offsite /cart is offsite."""
        if batch.sources is None:
            origin = None if batch.refused else batch.origin
            refused = self._skip.refusals(urls, origin) | batch.scope.refusals(urls, origin)
            return self._without_hops(batch, refused)
        if batch.scope is not self._scope_of_links:
            self._scope_of_links = batch.scope
            self._links = ColumnMemo(partial(self._refusals_of_links, batch.scope))
        found = enumerate(self._links.all(urls))
        return self._without_hops(batch, {row: each for row, each in found if each is not None})

    def _without_hops(self, batch: MentionBatch, refused: dict[int, Refusal]) -> dict[int, Refusal]:
        """The refusals but for pages of other hosts that the crawl may visit."""
        if batch.visit is None or batch.visit.external_hops >= self._max_external_hops:
            return refused
        return {row: each for row, each in refused.items() if each.reason is not Reason.OFFSITE}

    def _refusals_of_links(self, scope: Scope, urls: list[str]) -> list[Refusal | None]:
        """Only links are judged as traps: what a sitemap lists is meant to be listed."""
        refused = self._traps.refusals(urls) | self._skip.refusals(urls) | scope.refusals(urls)
        return [refused.get(row) for row in range(len(urls))]
