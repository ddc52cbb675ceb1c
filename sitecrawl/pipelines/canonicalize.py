"""Turns addresses as documents write them into canonical URLs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sitecrawl.items import mention_batches
from sitecrawl.pipelines import InventoryPipeline
from sitecrawl.urls.address import without_credentials
from sitecrawl.urls.canonical import explain_refusal
from sitecrawl.urls.columns import canonicalize_batch, shared_origin

if TYPE_CHECKING:
    from typing import Any

    from sitecrawl.items import MentionBatch
    from sitecrawl.scan import Scan


class CanonicalizePipeline(InventoryPipeline):
    """Fill ``urls`` and ``origin``; what is no http(s) URL is refused, and kept as written.

    Settings: ``SITECRAWL_QUERY_STRINGS``, ``SITECRAWL_TRACKING_PARAMETERS``,
    ``SITECRAWL_KEEP_HASH_ROUTES``, ``SITECRAWL_MAX_URL_LENGTH``.
    """

    def __init__(self, scan: Scan):
        super().__init__(scan)
        config = scan.config
        self._rules = config.canonical_rules()
        # What a browser shows behind "#" is a page of an application.
        self._route_rules = replace(self._rules, keep_hash_routes=True)
        self._max_length = config.max_url_length

    def process_item(self, item: Any) -> Any:
        for batch in mention_batches(item):
            if batch.is_stored:
                batch.origin = shared_origin(batch.urls)
            else:
                self._canonicalize(batch)
        return item

    def _canonicalize(self, batch: MentionBatch) -> None:
        rules = self._route_rules if batch.is_rendered else self._rules
        urls, origin = canonicalize_batch(batch.locs, batch.base, rules)
        if None in urls:
            origin = None
            for row, url in enumerate(urls):
                if url is None:
                    urls[row] = self._as_written(batch, row)
        batch.urls = urls  # type: ignore[assignment]  # no None is left
        batch.origin = origin or shared_origin(batch.urls)

    def _as_written(self, batch: MentionBatch, row: int) -> str:
        """The text that is kept of something that is no URL; records why it is none."""
        loc = batch.locs[row]
        if row not in batch.refused:
            batch.refused[row] = explain_refusal(loc, batch.base, self._rules)
        return without_credentials(loc)[: self._max_length]
