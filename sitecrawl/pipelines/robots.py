"""The verdict of robots.txt on every page, also on those that are never fetched."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from sitecrawl.items import Evidence, EvidenceType, mention_batches
from sitecrawl.pipelines import InventoryPipeline
from sitecrawl.robots.policy import VerdictReason
from sitecrawl.urls.columns import origin_prefix
from sitecrawl.urls.refusal import NO_ADDRESSES, Reason, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sitecrawl.items import Judged, MentionBatch
    from sitecrawl.robots.policy import Verdict
    from sitecrawl.scan import Scan
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.urls.columns import SharedOrigin

# While the rules are unknown nothing is fetched, but pages may be listed.
_LISTED_ANYWAY = VerdictReason.UNREACHABLE
_NOT_OF_THE_SITE = NO_ADDRESSES | {Reason.OFFSITE}
_MAX_EVIDENCE = 1_000
_MANY_RULES = 1_000
_SLICE_OF_MANY_RULES = 100


class RobotsPipeline(InventoryPipeline):
    """Fill ``judged``; refuse what a rule disallows.

    At the end each verdict becomes one record of evidence, with the number of pages that have it.

    Settings: ``SITECRAWL_MAX_ROBOTS_FILES``: of more authorities than these the robots.txt is not
    fetched just to judge pages that are only listed.
    """

    def __init__(self, scan: Scan):
        super().__init__(scan)
        self._max_files = scan.config.max_robots_files
        self._pages: Counter[Judged] = Counter()
        self._examples: dict[Judged, str] = {}

    async def process_item(self, item: Any) -> Any:
        for batch in mention_batches(item):
            for place, (origin, rows) in enumerate(_by_authority(batch)):
                await self._judge(batch, origin, rows, is_main=place == 0)
            self._refuse(batch)
            self._count(batch)
        return item

    async def conclude(self) -> None:
        for judged, pages in (+self._pages).most_common(_MAX_EVIDENCE):
            await self.scan.put(self._evidence(judged, pages))

    async def _judge(
        self, batch: MentionBatch, origin: str, rows: Sequence[int] | None, *, is_main: bool
    ) -> None:
        """Judge the *rows* of one authority; None: all of them."""
        registry = self.scan.robots
        places = rows if rows is not None else range(len(batch.urls))
        if origin not in registry and 0 < self._max_files <= len(registry):
            batch.judged_otherwise.update(dict.fromkeys(places))
            self._skip(sum(batch.is_new[row] for row in places))
            return
        robots = await registry.robots_of(origin)
        batch.policies[origin] = robots.policy.fingerprint
        urls = batch.urls if rows is None else [batch.urls[row] for row in rows]
        origin_of_all = batch.origin if rows is None else None
        usual, others = await _judged_in_slices(robots, urls, origin_of_all)
        if is_main:
            batch.judged = usual
            batch.judged_otherwise.update((places[index], each) for index, each in others.items())
        else:
            batch.judged_otherwise.update(
                (row, others.get(index, usual)) for index, row in enumerate(places)
            )

    def _skip(self, pages: int) -> None:
        self.scan.counters.pages_not_judged += pages
        what = "pages that no robots.txt was asked about"
        self.scan.counters.hit(what, "SITECRAWL_MAX_ROBOTS_FILES", self._max_files)

    def _refuse(self, batch: MentionBatch) -> None:
        if batch.judged is not None and _is_refused(batch.judged.verdict):
            refusal = _refusal(batch.judged.verdict)
            for row in range(len(batch.urls)):
                if row not in batch.judged_otherwise:
                    batch.refused.setdefault(row, refusal)
        for row, judged in batch.judged_otherwise.items():
            if judged is not None and _is_refused(judged.verdict):
                batch.refused.setdefault(row, _refusal(judged.verdict))

    def _count(self, batch: MentionBatch) -> None:
        is_new = batch.is_new
        counts = Counter(judged for row, judged in batch.judged_otherwise.items() if is_new[row])
        if batch.judged is not None:
            self._pages[batch.judged] += sum(is_new) - counts.total()
            if batch.judged not in self._examples and (example := _usual_example(batch)):
                self._examples[batch.judged] = example
        for row, judged in batch.judged_otherwise.items():
            if judged is not None and judged not in self._examples:
                self._examples[judged] = batch.urls[row]
        for judged, pages in counts.items():
            if judged is not None:
                self._pages[judged] += pages

    def _evidence(self, judged: Judged, pages: int) -> Evidence:
        verdict = judged.verdict
        kind = EvidenceType.ROBOTS_ALLOWED if verdict.allowed else EvidenceType.BLOCKED_BY_ROBOTS
        return Evidence(
            kind,
            verdict.explanation,
            {
                "allowed": verdict.allowed,
                "reason": verdict.reason,
                "rule": verdict.rule or None,
                "line": verdict.line,
                "group": verdict.group or None,
                "crawl_delay": verdict.crawl_delay,
                "pages": pages,
                "example": self._examples[judged],
            },
            document=judged.robots_url,
            confidence=verdict.confidence,
        )


async def _judged_in_slices(
    robots: AuthorityRobots, urls: Sequence[str], origin: SharedOrigin | None = None
) -> tuple[Judged, dict[int, Judged]]:
    """Judge *urls*, and yield now and then: a hostile robots.txt costs milliseconds per URL."""
    is_long = len(robots.policy.file.rules) > _MANY_RULES
    size = _SLICE_OF_MANY_RULES if is_long else len(urls)
    usual, others = robots.judge(urls[:size], origin)
    for start in range(size, len(urls), size):
        await asyncio.sleep(0)
        _, found = robots.judge(urls[start : start + size], origin)
        others.update((start + index, judged) for index, judged in found.items())
    return usual, others


def _usual_example(batch: MentionBatch) -> str | None:
    rows = enumerate(batch.urls)
    return next((url for row, url in rows if row not in batch.judged_otherwise), None)


def _is_refused(verdict: Verdict) -> bool:
    return not verdict.allowed and verdict.reason is not _LISTED_ANYWAY


def _refusal(verdict: Verdict) -> Refusal:
    return Refusal(Reason.BLOCKED_BY_ROBOTS, verdict.rule or verdict.explanation)


def _by_authority(batch: MentionBatch) -> Sequence[tuple[str, Sequence[int] | None]]:
    """The authorities of the site's pages with their rows, the largest first; None: all rows.

    The robots.txt of other sites is not asked for.
    """
    own = next((url for row, url in enumerate(batch.urls) if row not in batch.refused), "")
    prefix = origin_prefix(own)
    if prefix and batch.origin is not None:
        return [(prefix, None)]
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, url in enumerate(batch.urls):
        refusal = batch.refused.get(row)
        if refusal is not None and refusal.reason in _NOT_OF_THE_SITE:
            batch.judged_otherwise[row] = None
        else:
            own_prefix = prefix and url.startswith(prefix)
            rows[prefix if own_prefix else origin_prefix(url)].append(row)
    return sorted(rows.items(), key=lambda each: -len(each[1]))
