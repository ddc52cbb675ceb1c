"""The sections of the benchmark that crawl: CPU per visited page, and what the frontier holds."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from benchmarks.crawlers import SITECRAWL_FRONTIER, SITECRAWL_PAGES
from benchmarks.frontiersite import FrontierManifest, frontier_folder
from benchmarks.pagesite import PageManifest, pages_folder
from benchmarks.report import Bar, Medians, Outcome, format_crawl_table, medians_of, ratio
from benchmarks.sections import prepare, run_once, run_rounds

if TYPE_CHECKING:
    from benchmarks.sections import Options, Results

FEW_WAITING_PAGES = 1_000
MANY_WAITING_PAGES = 100_000


def run_crawl(options: Options, results: Results) -> None:
    """Let everyone visit all pages of the linked site, by turns, and compare the medians."""
    pages = options.pages
    site = prepare(PageManifest, "benchmarks.pagesite", pages, pages_folder(pages), options.port)
    print(f"\na crawl of {site}", flush=True)
    results.crawl_site = site
    results.crawl_runs = run_rounds(options.crawlers, site, options.rounds)
    results.crashed |= any(run.outcome is Outcome.CRASHED for run in results.crawl_runs)
    found = {c.name: medians_of(c.name, results.crawl_runs) for c in options.crawlers}
    ended = [medians for medians in found.values() if medians is not None]
    ours = found.get(SITECRAWL_PAGES.name)
    results.sections["crawl"] = {
        f"{medians.contestant} CPU ms per page": medians.cpu_seconds / site.pages * 1e3
        for medians in ended
    }
    print(f"\n{format_crawl_table(ended, site.pages, ours)}\n")
    if ours is not None and ours.outcome is Outcome.OK:
        results.add_bars(crawl_bars(ours, found, site.pages))


def crawl_bars(ours: Medians, found: dict[str, Medians | None], pages: int) -> list[Bar]:
    def part_of(name: str) -> float | None:
        theirs = found.get(name)
        return ratio(ours.cpu_seconds, theirs.cpu_seconds if theirs else None)

    return [
        Bar("CPU as a part of CrawlSpider's", part_of("crawlspider"), 0.25),
        Bar("CPU as a part of crawlee's Parsel crawler", part_of("crawlee-parsel"), 0.5),
        Bar("CPU per page", ours.cpu_seconds / pages * 1e3, 3, " ms"),
    ]


def run_frontier(options: Options, results: Results) -> None:
    """Compare the memory of two crawls that visit the same, one with far more pages waiting."""
    few, many = (
        prepare(
            FrontierManifest, "benchmarks.frontiersite", pages, frontier_folder(pages), options.port
        )
        for pages in (FEW_WAITING_PAGES, MANY_WAITING_PAGES)
    )
    print(f"\n{few.named_pages:,} and {many.named_pages:,} pages named by the same listings")
    few_runs, many_runs = [], []
    for _ in range(options.rounds):
        few_runs.append(run_once(SITECRAWL_FRONTIER, few))
        many_runs.append(run_once(SITECRAWL_FRONTIER, many))
    runs = few_runs + many_runs
    results.crashed |= any(run.outcome is Outcome.CRASHED for run in runs)
    if any(run.outcome is not Outcome.OK for run in runs):
        return
    few_mb = median(run.peak_mb for run in few_runs)
    many_mb = median(run.peak_mb for run in many_runs)
    results.sections["frontier"] = {
        "peak_mb_few": few_mb,
        "peak_mb_many": many_mb,
        "peak_mb_more": many_mb - few_mb,
    }
    print(f"  {few_mb:.0f} MB and {many_mb:.0f} MB")
    results.add_bars(
        [
            Bar(
                f"memory more for {MANY_WAITING_PAGES:,} in the frontier",
                many_mb - few_mb,
                150,
                " MB",
            )
        ]
    )
