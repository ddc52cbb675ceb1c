"""The sections of the benchmark that compare whole runs, each with its bars."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from benchmarks.built_sites import BENCH_DIR, PROJECT_DIR, SiteManifest
from benchmarks.contestants import (
    FEED_NAME,
    LOG_NAME,
    SITECRAWL,
    SITECRAWL_FRONTIER,
    SITECRAWL_PAGES,
)
from benchmarks.measure import (
    BenchmarkError,
    MeasuredProcess,
    SiteServer,
    clean_environment,
    last_line,
)
from benchmarks.page_sites import FrontierManifest, PageManifest, frontier_folder, pages_folder
from benchmarks.report import (
    Bar,
    Medians,
    Outcome,
    Run,
    describe_run,
    describe_site,
    format_crawl_table,
    format_table,
    medians_of,
    ratio,
)
from benchmarks.sitemap_site import Manifest, site_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from benchmarks.contestants import Contestant

_Site = TypeVar("_Site", bound=SiteManifest)

GROWTH_FACTOR = 4
FEW_WAITING_PAGES = 1_000
MANY_WAITING_PAGES = 100_000
STARTUP_ENTRIES = 1_000
STARTUP_RUNS = 5
STEP_ROUNDS = 5
LINK_PAGES = 40
LINK_ROUNDS = 20
FIRST_REQUEST_TIMEOUT_SECONDS = 20.0
TIMEOUT_SECONDS = 1_800.0
RESULTS_FILE = BENCH_DIR / "results.json"


class CrashError(Exception):
    """A contestant did not come to its end; the message has the end of its log."""


@dataclass(slots=True)
class Options:
    entries: int
    pages: int
    rounds: int
    port: int
    contestants: list[Contestant[Manifest]]
    crawlers: list[Contestant[PageManifest]]
    sections: list[str]


@dataclass(slots=True)
class Results:
    """Everything that goes into results.json."""

    machine: dict[str, str | int]
    site: Manifest | None = None
    runs: list[Run] = field(default_factory=list)
    medians: list[Medians] = field(default_factory=list)
    crawl_site: PageManifest | None = None
    crawl_runs: list[Run] = field(default_factory=list)
    sections: dict[str, Mapping[str, float | None]] = field(default_factory=dict)
    bars: list[Bar] = field(default_factory=list)
    crashed: bool = False

    def add_bars(self, bars: Iterable[Bar]) -> None:
        for bar in bars:
            self.bars.append(bar)
            print(bar, flush=True)

    def save(self) -> None:
        content = asdict(self) | {"bars": [asdict(b) | {"verdict": b.verdict} for b in self.bars]}
        RESULTS_FILE.write_text(json.dumps(content, indent=2) + "\n")


def prepare_site(entries: int, port: int) -> Manifest:
    return prepare(Manifest, "benchmarks.sitemap_site", entries, site_folder(entries), port)


def prepare(
    kind: type[_Site], builder: str, size: int, folder: Path, port: int, *flags: str
) -> _Site:
    """Build a site in a process of its own, unless it is there.

    On Linux a child's peak memory starts at what its parent had when it was started, so this
    process has to stay small.
    """
    manifest = kind.read(folder, port)
    if manifest is None:
        print(f"building {folder.name} ...", flush=True)
        command = [sys.executable, "-m", builder, str(size), "--port", str(port), *flags]
        subprocess.run(command, cwd=PROJECT_DIR, check=True, stdout=subprocess.DEVNULL)
        manifest = kind.read(folder, port)
    if manifest is None:
        raise BenchmarkError(f"the site in {folder} has no manifest")
    return manifest


def map_site(options: Options, results: Results) -> Manifest:
    """The site of sitemaps that several sections share."""
    if results.site is None:
        results.site = prepare_site(options.entries, options.port)
        print(f"{describe_site(results.site)}\n", flush=True)
    return results.site


def run_once(contestant: Contestant[_Site], site: _Site, *, fresh: bool = True) -> Run:
    """Run one contestant against a fresh server; with `fresh`, without what it stored before."""
    if fresh:
        shutil.rmtree(contestant.folder, ignore_errors=True)
    contestant.folder.mkdir(parents=True, exist_ok=True)
    (contestant.folder / FEED_NAME).unlink(missing_ok=True)
    log = contestant.folder / LOG_NAME
    with SiteServer(site.folder, site.port) as server:
        command = contestant.command(site.root_url)
        usage = MeasuredProcess(command, contestant.environment(), log).wait(TIMEOUT_SECONDS)
        counts = server.stop()
    urls = 0
    outcome = Outcome.CRASHED
    if usage.exit_code == 0:
        urls = contestant.urls_listed()
        outcome = Outcome.OK if contestant.is_right(urls, site) else Outcome.WRONG
    run = Run(
        contestant=contestant.name,
        outcome=outcome,
        cpu_seconds=usage.cpu_seconds,
        wall_seconds=usage.wall_seconds,
        peak_mb=usage.peak_mb,
        urls=urls,
        requests=counts["requests"],
        not_modified=counts["not_modified"],
    )
    print(f"  {describe_run(run)}", flush=True)
    if outcome is Outcome.CRASHED:
        print(f"  exit code {usage.exit_code}; the end of {log}:\n{last_line(log, of_lines=15)}")
    return run


def run_rounds(contestants: list[Contestant[_Site]], site: _Site, rounds: int) -> list[Run]:
    """Run everyone once per round, in an order that rotates."""
    runs = []
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}")
        turn = number % len(contestants)
        runs += [run_once(each, site) for each in contestants[turn:] + contestants[:turn]]
    return runs


def run_table(options: Options, results: Results) -> None:
    """Run everyone once per round and compare the medians."""
    site = map_site(options, results)
    contestants = options.contestants
    results.runs = run_rounds(contestants, site, options.rounds)
    results.crashed |= any(run.outcome is Outcome.CRASHED for run in results.runs)
    found = {c.name: medians_of(c.name, results.runs) for c in contestants}
    results.medians = [medians for medians in found.values() if medians is not None]
    ours = found.get(SITECRAWL.name)
    print(f"\n{format_table(results.medians, ours)}\n")
    if ours is not None and ours.outcome is Outcome.OK:
        results.add_bars(table_bars(ours, found))


def table_bars(ours: Medians, found: dict[str, Medians | None]) -> list[Bar]:
    def part_of(name: str) -> float | None:
        theirs = found.get(name)
        return ratio(ours.cpu_seconds, theirs.cpu_seconds if theirs else None)

    return [
        Bar("CPU as a part of crawlee's, which only lists", part_of("crawlee"), 0.95),
        Bar("CPU as a part of plain Scrapy's with a feed", part_of("scrapy"), 0.12),
        Bar("peak memory", ours.peak_mb, 220, " MB"),
    ]


def run_second(options: Options, results: Results) -> None:
    """Scan, then scan the unchanged site again on the same database, as a monitor does.

    Without a feed: writing a million rows again would measure nothing of the scan.
    """
    site = map_site(options, results)
    print("\nfirst scan, then scans of the unchanged site")
    if run_once(SITECRAWL, site).outcome is Outcome.CRASHED:
        results.crashed = True
        return
    again = replace(SITECRAWL, writes_feed=False)
    runs = [run_once(again, site, fresh=False) for _ in range(options.rounds)]
    results.crashed |= any(run.outcome is Outcome.CRASHED for run in runs)
    cpu_seconds = median(run.cpu_seconds for run in runs)
    results.sections["second"] = {
        "cpu_seconds": cpu_seconds,
        "wall_seconds": median(run.wall_seconds for run in runs),
        "urls": runs[-1].urls,
        "requests": runs[-1].requests,
        "not_modified": runs[-1].not_modified,
    }
    print(f"  {runs[-1].requests} requests, {runs[-1].not_modified} answered with 304")
    unchanged = runs[-1].not_modified >= site.maps
    value = cpu_seconds if unchanged else None
    results.add_bars([Bar("CPU of a second scan, every map answered with 304", value, 2, " s")])


def run_growth(options: Options, results: Results) -> None:
    """Scan the site and one four times as large, by turns."""
    site = map_site(options, results)
    large = prepare_site(site.entries * GROWTH_FACTOR, options.port)
    print(f"\na site {GROWTH_FACTOR} times as large: {describe_site(large)}")
    base_runs, large_runs = [], []
    for _ in range(options.rounds):
        base_runs.append(run_once(SITECRAWL, site))
        large_runs.append(run_once(SITECRAWL, large))
    base = medians_of(SITECRAWL.name, base_runs)
    grown = medians_of(SITECRAWL.name, large_runs)
    results.crashed |= any(r.outcome is Outcome.CRASHED for r in base_runs + large_runs)
    if base is None or grown is None or Outcome.WRONG in (base.outcome, grown.outcome):
        return
    factor = ratio(grown.cpu_seconds, base.cpu_seconds)
    results.sections["growth"] = {
        "entries": large.entries,
        "cpu_seconds": grown.cpu_seconds,
        "cpu_factor": factor,
        "peak_mb": grown.peak_mb,
        "peak_mb_more": grown.peak_mb - base.peak_mb,
    }
    results.add_bars(
        (
            Bar(f"CPU for {GROWTH_FACTOR} times the URLs", factor, 4.3, "x"),
            Bar("memory more for them", grown.peak_mb - base.peak_mb, 120, " MB"),
        )
    )


def run_startup(options: Options, results: Results) -> None:
    """Time the way to the first request, on an empty database, and the help text."""
    print("\nstart-up")
    small = prepare_site(STARTUP_ENTRIES, options.port)
    try:
        first = [time_first_request(small) for _ in range(STARTUP_RUNS)]
        help_seconds = median(time_help() for _ in range(STARTUP_RUNS))
    except CrashError as error:
        print(f"  {error}")
        results.crashed = True
        return
    wall_seconds = median(wall for wall, _ in first)
    cpu_known = [cpu for _, cpu in first if cpu is not None]
    cpu_seconds = median(cpu_known) if cpu_known else None
    results.sections["startup"] = {
        "first_request_wall_seconds": wall_seconds,
        "first_request_cpu_seconds": cpu_seconds,
        "help_wall_seconds": help_seconds,
    }
    if cpu_seconds is not None:
        print(f"  CPU until the first request: {cpu_seconds:.2f} s")
    results.add_bars(
        (
            Bar("wall time until the first request", wall_seconds, 1.2, " s"),
            Bar("wall time of sitecrawl --help", help_seconds, 0.3, " s"),
        )
    )


def time_first_request(small: Manifest) -> tuple[float, float | None]:
    """Return wall and CPU seconds from the start of the process to its first request."""
    shutil.rmtree(SITECRAWL.folder, ignore_errors=True)
    SITECRAWL.folder.mkdir(parents=True)
    log = SITECRAWL.folder / LOG_NAME
    with SiteServer(small.folder, small.port) as server:
        command = SITECRAWL.command(small.root_url)
        process = MeasuredProcess(command, SITECRAWL.environment(), log)
        try:
            arrived = server.wait_for("first_request", FIRST_REQUEST_TIMEOUT_SECONDS)["time"]
        except BenchmarkError:
            arrived = None
        cpu_seconds = process.cpu_seconds_so_far()
        exit_code = process.wait(TIMEOUT_SECONDS).exit_code
    if exit_code or arrived is None:
        raise CrashError(f"exit code {exit_code}; the end of {log}:\n{last_line(log, of_lines=15)}")
    return arrived - process.started, cpu_seconds


def time_help() -> float:
    started = time.perf_counter()
    try:
        subprocess.run(
            [SITECRAWL.script("sitecrawl"), "--help"],
            cwd=PROJECT_DIR,
            env=clean_environment(),
            check=True,
            stdout=subprocess.DEVNULL,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise CrashError(f"sitecrawl --help: {error}") from error
    return time.perf_counter() - started


def page_site(options: Options) -> PageManifest:
    """The site of linked pages that several sections share."""
    pages = options.pages
    return prepare(PageManifest, "benchmarks.page_sites", pages, pages_folder(pages), options.port)


def run_crawl(options: Options, results: Results) -> None:
    """Let everyone visit all pages of the linked site, by turns, and compare the medians."""
    site = page_site(options)
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
        results.add_bars(crawl_bars(ours, found))


def crawl_bars(ours: Medians, found: dict[str, Medians | None]) -> list[Bar]:
    def part_of(name: str) -> float | None:
        theirs = found.get(name)
        return ratio(ours.cpu_seconds, theirs.cpu_seconds if theirs else None)

    return [
        Bar("CPU as a part of CrawlSpider's", part_of("crawlspider"), 0.5),
        Bar("CPU as a part of crawlee's Parsel crawler", part_of("crawlee-parsel"), 0.75),
    ]


def run_recrawl(options: Options, results: Results) -> None:
    """Crawl the linked site, then once more on the same database: no page has changed."""
    site = page_site(options)
    print(f"\na crawl of {site}, and a second one", flush=True)
    first, second = [], []
    for _ in range(options.rounds):
        first.append(run_once(SITECRAWL_PAGES, site))
        second.append(run_once(SITECRAWL_PAGES, site, fresh=False))
    results.crashed |= any(run.outcome is Outcome.CRASHED for run in first + second)
    part = ratio(
        median(run.cpu_seconds for run in second), median(run.cpu_seconds for run in first)
    )
    results.sections["recrawl"] = {
        "cpu_part": part,
        "requests": second[-1].requests,
        "not_modified": second[-1].not_modified,
    }
    print(f"  {second[-1].requests} requests, {second[-1].not_modified} answered with 304")
    is_right = all(run.outcome is Outcome.OK for run in first + second)
    results.add_bars(
        [Bar("CPU of a second crawl as a part of the first", part if is_right else None, 0.333)]
    )


def run_frontier(options: Options, results: Results) -> None:
    """Compare the memory of two crawls that visit the same, one with far more pages waiting."""
    few, many = (
        prepare(
            FrontierManifest,
            "benchmarks.page_sites",
            pages,
            frontier_folder(pages),
            options.port,
            "--frontier",
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


def run_steps(options: Options, results: Results) -> None:
    """Measure single steps, each in a process of its own."""
    print("\nsingle steps, CPU")
    urls = options.entries
    robots = _measure_step("robots", urls, max(options.rounds, STEP_ROUNDS))
    classify = _measure_step("classify", urls, max(options.rounds, STEP_ROUNDS))
    links = _measure_step("links", LINK_PAGES, max(options.rounds, LINK_ROUNDS))
    results.sections |= {"robots": robots, "classify": classify, "links": links}
    for name in ("read_page", "LxmlLinkExtractor", "parsel", "selectolax"):
        print(f"  {name:<18} {links[f'{name} ms']:6.2f} ms per page")
    both = sum(classify[f"{name}_microseconds_per_url"] for name in ("learn", "classify"))
    part = ratio(links["read_page ms"], links["LxmlLinkExtractor ms"])
    results.add_bars(
        [
            Bar("robots.txt verdict of a URL", robots["microseconds_per_url"], 2, " us"),
            Bar("learning and classifying, per URL", both, 3, " us"),
            Bar("links of a page as a part of LxmlLinkExtractor's", part, 0.33),
        ]
    )


def _measure_step(name: str, size: int, rounds: int) -> dict[str, float]:
    command = [SITECRAWL.script("python"), "-m", "benchmarks.steps", name, str(size)]
    done = subprocess.run(
        [*command, "--rounds", str(rounds)],
        cwd=PROJECT_DIR,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures
