"""Decides which linked pages are visited, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.classify.language import is_other_language, link_languages
from sitecrawl.html.links import LinkSource
from sitecrawl.items import (
    NOT_SENT,
    FetchOutcome,
    FrontierEntry,
    Source,
    VisitedPage,
    VisitOutcome,
    mention_batches,
)
from sitecrawl.pipelines import InventoryPipeline
from sitecrawl.urls.canonical import page_id
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from sitecrawl.items import MentionBatch, Visit
    from sitecrawl.scan import Scan
    from sitecrawl.store.queries.resume import Resumption
    from sitecrawl.urls.pattern_budgets import PatternBudgets, PatternCut
    from sitecrawl.urls.seen import SeenIds

# Forms are listed, but not filled in; pages in another format are listed, but have no links.
_NOT_FOLLOWED = {LinkSource.FORM, LinkSource.ALTERNATE}
_MAX_RECENT = 50_000


class FrontierPipeline(InventoryPipeline):
    """Fill ``to_visit`` of link batches and ``outcome`` of visited pages.

    The stages hand over one page after another, in the order of the visits. So what is decided
    here does not depend on which answer came first, and a crawl that was killed ends as one that
    was not.

    Settings: ``SITECRAWL_MAX_CRAWL_DEPTH``, ``SITECRAWL_OBEY_NOFOLLOW``, ``SITECRAWL_TRAP_*``,
    ``SITECRAWL_LANGUAGES``, ``SITECRAWL_SKIP_OTHER_LANGUAGES``.
    """

    def __init__(self, scan: Scan):
        super().__init__(scan)
        self._config = scan.config
        self._last_number = 0
        self._new_elsewhere = 0
        self._known: SeenIds | None = None
        self._recent: set[int] = set()  # known ids that were linked lately
        self._budgets: PatternBudgets | None = None
        self._beyond_depth: set[int] = set()

    def process_item(self, item: Any) -> Any:
        for batch in mention_batches(item):
            if batch.visit is not None:
                self._offer(batch, batch.visit)
        if isinstance(item, VisitedPage) and not item.visit.is_check:
            item.outcome = self._conclude(item)
        self.scan.counters.visits_due = self._last_number
        return item

    async def conclude(self) -> None:
        if self._budgets is not None:
            self.scan.counters.given_up_patterns = [_as_dict(cut) for cut in self._budgets.cuts()]

    def _offer(self, batch: MentionBatch, visit: Visit) -> None:
        known, budgets = self._state()
        recent = self._recent
        unknown = [row for row, page_id in enumerate(batch.ids) if page_id not in recent]
        rows = [row for row in unknown if self._may_be_visited(batch, row)]
        rows = self._in_chosen_languages(batch, rows)
        if not rows:
            return
        costs_a_click = batch.source not in {Source.START, LinkSource.REDIRECT}
        clicks = visit.clicks + costs_a_click
        ids = [batch.ids[row] for row in rows]
        if 0 < self._config.max_crawl_depth < clicks:
            self._add_beyond_depth(page_id for page_id in ids if page_id not in known)
            return
        if len(recent) > _MAX_RECENT:
            recent.clear()
        recent.update(ids)
        self._remove_beyond_depth(ids)
        new_rows = [row for row, new in zip(rows, known.add_all(ids), strict=True) if new]
        is_of_a_page = visit.number > 0  # False: a sitemap lists it
        own_family = budgets.family_of(visit.url) if is_of_a_page else ""
        for row in new_rows:
            url = batch.urls[row]
            held_under = budgets.admit(url)
            if held_under is None:
                self._last_number += 1
            if is_of_a_page and budgets.family_of(url) != own_family:
                self._new_elsewhere += 1
            batch.to_visit.append(
                FrontierEntry(
                    row=row,
                    number=self._last_number if held_under is None else None,
                    family=held_under,
                    clicks=clicks,
                    external_hops=0 if batch.scope.contains(url) else visit.external_hops + 1,
                )
            )
        self.scan.counters.visits_found += len(new_rows)

    def _in_chosen_languages(self, batch: MentionBatch, rows: list[int]) -> list[int]:
        chosen = self._config.languages
        if not chosen or not self._config.skip_other_languages or batch.source == Source.START:
            return rows
        languages = link_languages(batch.urls, batch.segments, batch.languages)
        wanted = [row for row in rows if not is_other_language(languages[row], chosen)]
        self.scan.counters.other_language += len(rows) - len(wanted)
        return wanted

    def _add_beyond_depth(self, ids: Iterable[int]) -> None:
        """These pages are too many clicks away; a redirect may still lead there in fewer."""
        self._beyond_depth.update(ids)
        self.scan.counters.beyond_depth = len(self._beyond_depth)

    def _remove_beyond_depth(self, ids: Sequence[int]) -> None:
        if self._beyond_depth.isdisjoint(ids):
            return
        self._beyond_depth.difference_update(ids)
        self.scan.counters.beyond_depth = len(self._beyond_depth)

    def _may_be_visited(self, batch: MentionBatch, row: int) -> bool:
        source = batch.source_of(row)
        if source == Source.START and row == 0:
            return True  # it has been visited already
        if batch.followed is not None and row not in batch.followed:
            return False
        refusal = batch.refused.get(row)
        # A feed is no page, but it names some.
        is_feed = source == LinkSource.FEED_LINK
        if refusal and not (is_feed and refusal.reason is Reason.SKIPPED_FILE_TYPE):
            return False
        judged = batch.judged_of(row)
        if judged is None or not judged.verdict.allowed or source in _NOT_FOLLOWED:
            return False
        return not (self._config.obey_nofollow and _is_nofollow(batch, row))

    def _conclude(self, page: VisitedPage) -> VisitOutcome | None:
        if page.document.outcome in NOT_SENT:
            return None  # the visit is still to be made
        _, budgets = self._state()
        result = budgets.visited(
            page.visit.url,
            new_elsewhere=self._new_elsewhere,
            fingerprint=page.facts.fingerprint,
            text_hash=page.facts.text_hash,
            is_broken=page.document.outcome is FetchOutcome.NOT_FOUND,
        )
        first_number = self._last_number + 1
        self._last_number += result.released
        self._new_elsewhere = 0
        return VisitOutcome(result.is_productive, result.family, result.released, first_number)

    def _state(self) -> tuple[SeenIds, PatternBudgets]:
        """The pages that are in the frontier, and what each pattern has spent."""
        if self._known is None or self._budgets is None:
            from sitecrawl.urls.pattern_budgets import PatternBudgets
            from sitecrawl.urls.seen import SeenIds  # NumPy would hold up the first request

            self._known = SeenIds()
            self._budgets = PatternBudgets(self._config.budget_limits(), self._is_known)
            if self.scan.resumption is not None:
                self._restore(self.scan.resumption)
        return self._known, self._budgets

    def _is_known(self, url: str) -> bool:
        page = page_id(url, self.scan.record.seed, self._config.key_rules())
        return self._known is not None and page in self._known

    def _restore(self, resumption: Resumption) -> None:
        assert self._known is not None
        assert self._budgets is not None
        self._last_number = resumption.last_number
        self._known.add_all([visit.page_id for visit in resumption.visits])
        for visit in resumption.crawl_visits:
            self._budgets.restore(
                visit.url,
                is_held=visit.number is None,
                is_productive=visit.is_productive,
                fingerprint=visit.fingerprint,
                text_hash=visit.text_hash or "",
                is_broken=visit.outcome == FetchOutcome.NOT_FOUND,
            )


def _as_dict(cut: PatternCut) -> dict[str, Any]:
    return {**cut.as_dict(), "reason": cut.kind.reason}


def _is_nofollow(batch: MentionBatch, row: int) -> bool:
    return batch.is_nofollow or (batch.rels is not None and "nofollow" in batch.rels[row].split())
