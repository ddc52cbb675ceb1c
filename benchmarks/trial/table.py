"""Compares the lists with the truth, as a table per site."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.report import Bar, ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.trial.sites import ServedSite
    from benchmarks.trial.truth import Truth

NOT_FOUND = "nothing there: 404, or 403 for a folder"
NO_PAGE = "no page of the site"
# A start costs as much as hundreds of pages.
LEAST_PAGES_FOR_CPU_BAR = 500


@dataclass(frozen=True, slots=True)
class Judgement:
    """A list of URLs beside the truth."""

    listed: int
    found_pages: int
    missing_pages: tuple[str, ...]
    duplicates: tuple[str, ...]
    """URLs of a page that an earlier one of the list has led to."""
    untrue: dict[str, str]
    """URLs that should not be on the list, with the reason."""

    @property
    def recall(self) -> float:
        return self.found_pages / ((self.found_pages + len(self.missing_pages)) or 1)

    def count(self, reason: str) -> int:
        return Counter(self.untrue.values())[reason]


def judge(urls: Iterable[str], truth: Truth) -> Judgement:
    listed, found = 0, set[str]()
    duplicates, untrue = [], {}
    for url in urls:
        listed += 1
        page = truth.page_of(url)
        if page is None:
            untrue[url] = NOT_FOUND
        elif not truth.is_listable(page):
            untrue[url] = NO_PAGE
        elif page in found:
            duplicates.append(url)
        else:
            found.add(page)
    missing = truth.pages - found
    return Judgement(
        listed, len(truth.pages) - len(missing), tuple(sorted(missing)), tuple(duplicates), untrue
    )


@dataclass(frozen=True, slots=True)
class TrialRun:
    """One run of one crawler on one site."""

    crawler: str
    judgement: Judgement
    cpu_seconds: float
    wall_seconds: float
    peak_mb: float
    requests: int
    not_modified: int


@dataclass(frozen=True, slots=True)
class SiteResult:
    """All runs on one site; the last list of each crawler is judged, and times are medians."""

    site: ServedSite
    runs: Sequence[TrialRun]
    second: TrialRun | None = None
    """A second scan by sitecrawl of the unchanged site, on the same database."""

    def of(self, crawler: str) -> list[TrialRun]:
        return [run for run in self.runs if run.crawler == crawler]

    def cpu_seconds(self, crawler: str) -> float | None:
        runs = self.of(crawler)
        return median(run.cpu_seconds for run in runs) if runs else None


def format_site(result: SiteResult, ours: str) -> str:
    titles = ("recall", "listed", "false", "404", "dup", "CPU s", "wall s", "MB", "requests", "304")
    head = "".join(f" {title:>8}" for title in titles)
    lines = [f"{'':<16}{head}  {ours} / it"]
    own_cpu = result.cpu_seconds(ours)
    for crawler in dict.fromkeys(run.crawler for run in result.runs):
        part = ratio(own_cpu, result.cpu_seconds(crawler))
        lines.append(_row(crawler, result.of(crawler), part))
    if result.second is not None:
        lines.append(_row("second scan", [result.second], None))
    return "\n".join(lines)


def _row(name: str, runs: Sequence[TrialRun], part: float | None) -> str:
    last = runs[-1]
    judged = last.judgement
    cells = (
        f"{math.floor(judged.recall * 1_000) / 10:g} %",  # 100 means all
        f"{judged.listed:,}",
        f"{judged.count(NO_PAGE):,}",
        f"{judged.count(NOT_FOUND):,}",
        f"{len(judged.duplicates):,}",
        f"{median(run.cpu_seconds for run in runs):.2f}",
        f"{median(run.wall_seconds for run in runs):.2f}",
        f"{median(run.peak_mb for run in runs):.0f}",
        f"{last.requests:,}",
        f"{last.not_modified:,}",
    )
    row = "".join(f" {cell:>8}" for cell in cells)
    return f"{name:<16}{row}  {'' if part is None else format(part, '.2f')}".rstrip()


def bars(result: SiteResult, ours: str, peer: str) -> list[Bar]:
    """Compare with what the project claims; a bar that was not measured is left out."""
    found = []
    site, own = result.site, result.of(ours)
    if own:
        missed = (1 - own[-1].judgement.recall) * 100
        found.append(Bar(f"{site.name}: pages missed", missed, 0, " %"))
    if any(run.judgement.missing_pages for run in own):
        return found  # who visits less spends less
    own_cpu, peer_cpu = result.cpu_seconds(ours), result.cpu_seconds(peer)
    is_large = len(site.truth.pages) > LEAST_PAGES_FOR_CPU_BAR
    if is_large and own_cpu and peer_cpu:
        found.append(Bar(f"{site.name}: CPU as a part of {peer}'s", own_cpu / peer_cpu, 0.7))
    if is_large and own_cpu and result.second is not None:
        part = result.second.cpu_seconds / own_cpu
        found.append(Bar(f"{site.name}: CPU of the second scan as a part of it", part, 0.33))
    return found
