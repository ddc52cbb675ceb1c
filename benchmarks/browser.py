"""Measure what needs a browser: rendered scans, and how fast a report opens.

    python -m benchmarks.browser react vue --rounds 3
    python -m benchmarks.browser --reports --rounds 5

Each test application is scanned as a user would, in the `fast` profile, by a process of its own.

- seconds per rendered page: a page's time in its tab, exploring included, as the scan itself counts
  it; two tabs work at once, so the scan takes about half of the sum;
- routes per second: pages of the application that were found, by the whole time of the scan;
- memory: the most that crawler, Playwright's driver and browser had together (proportional set
  size, so what processes share counts once), read five times a second; Linux only.

Opening a report is measured in the page itself, from the start of the navigation until the summary
is drawn, and until all pages can be searched. The browser is new for each opening; the lowest of
the rounds is printed, because others may use the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from playwright.sync_api import Playwright, sync_playwright

from benchmarks.built_sites import PROJECT_DIR
from benchmarks.measure import BenchmarkError
from benchmarks.report import Bar
from sitecrawl.render.browser import find_browser
from sitecrawl.report.html import html_report
from tests.render.appserver import AppServer
from tests.report.sample import sample_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.sections import Options, Results

_SIZES = (1_000, 10_000, 100_000)
_WATCH = """
new MutationObserver(() => {
  const now = performance.now()
  if ("ready" in document.documentElement.dataset) window.seenAt ??= now
  if (document.querySelector(".pages tbody tr")) window.searchableAt ??= now
}).observe(document, { attributes: true, childList: true, subtree: true })
"""
APPLICATIONS = ("plain", "react", "vue", "angular")
_SAMPLE_SECONDS = 0.2
_SETTINGS = {
    "SITECRAWL_CRAWL": "always",
    "SITECRAWL_MAX_CRAWL_DEPTH": 0,
    "SITECRAWL_MAX_CRAWL_PAGES": 0,
    "SITECRAWL_SKIP_PATHS": "/logout,/api/*",
}


@dataclass(frozen=True, slots=True)
class RenderedScan:
    name: str
    wall_seconds: float
    rendered: int
    rendered_seconds: float
    found: int
    routes: int
    peak_mb: float

    @property
    def seconds_per_page(self) -> float:
        return self.rendered_seconds / self.rendered if self.rendered else 0.0

    def __str__(self) -> str:
        return (
            f"  {self.name:<8} {self.found} of {self.routes} routes, "
            f"{self.rendered} pages rendered, {self.seconds_per_page:.2f} s per page, "
            f"{self.found / self.wall_seconds:.1f} routes/s, {self.wall_seconds:.1f} s, "
            f"{self.peak_mb:.0f} MB"
        )


def scan(name: str, mode: str) -> RenderedScan:
    with AppServer(name) as server, TemporaryDirectory() as folder:
        database = Path(folder, "scan.db")
        command = [
            sys.executable,
            "-m",
            "scrapy",
            "crawl",
            "discover",
            "-a",
            f"domain={server.url}",
        ]
        command += ["-a", f"render={mode}", "-s", f"SITECRAWL_DATABASE_URL=sqlite:///{database}"]
        for setting, value in _SETTINGS.items():
            command += ["-s", f"{setting}={value}"]
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(PROJECT_DIR),
                "SCRAPY_SETTINGS_MODULE": "settings_profiles.fast",
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        peak = 0
        while process.poll() is None:
            peak = max(peak, sum(map(_pss_bytes, _family(process.pid))))
            time.sleep(_SAMPLE_SECONDS)
        wall = time.monotonic() - started
        with closing(sqlite3.connect(database)) as connection:
            [[summary]] = connection.execute("SELECT summary FROM scans")
            urls = {
                url for (url,) in connection.execute("SELECT url FROM pages WHERE reason IS NULL")
            }
        rendered = json.loads(summary)["rendered"]
        routes = {server.at(path) for path in server.truth.routes}
        return RenderedScan(
            name,
            wall,
            rendered.get("pages", 0),
            rendered.get("milliseconds", 0) / 1000,
            len(urls & routes),
            len(routes),
            peak / 1e6,
        )


def _family(pid: int) -> Iterator[int]:
    """The process and all that descend from it."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue  # it has ended
        for child in children:
            yield from _family(int(child))


def _pss_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def run_rendering(options: Options, results: Results) -> None:
    print("\napplications in a browser")
    for name in APPLICATIONS:
        runs = [scan(name, "auto") for _ in range(options.rounds)]
        for run in runs:
            print(run, flush=True)
        plain = scan(name, "never")
        results.sections[f"render {name}"] = {
            "seconds_per_page": median(run.seconds_per_page for run in runs),
            "routes_per_second": median(run.found / run.wall_seconds for run in runs),
            "peak_mb": median(run.peak_mb for run in runs),
            "routes_missed": max(run.routes - run.found for run in runs),
            "wall_seconds_without_browser": plain.wall_seconds,
        }
        worst = max(run.seconds_per_page for run in runs)
        results.add_bars([Bar(f"{name}: seconds per explored page", worst, 2.5, " s")])


def measure_reports(rounds: int) -> None:
    print("pages     size MB   write s (CPU)   summary s   all pages s")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        for pages in _SIZES:
            path = Path(folder) / f"{pages}.html"
            written = _write(path, pages)
            seen, searchable = zip(
                *(_open(playwright, path.as_uri()) for _ in range(rounds)), strict=True
            )
            size = path.stat().st_size / 1e6
            print(
                f"{pages:>7,}   {size:>7.2f}   {written:>13.2f}   {min(seen):>9.2f}"
                f"   {min(searchable):>11.2f}"
            )


def _write(path: Path, pages: int) -> float:
    report = sample_report(pages)
    start = time.process_time()
    path.write_text(html_report(report), encoding="utf-8")
    return time.process_time() - start


def _open(playwright: Playwright, url: str) -> tuple[float, float]:
    """Seconds until the summary is drawn, and until the table of pages is."""
    found = find_browser()
    if found is None:
        raise BenchmarkError("there is no browser: sitecrawl doctor --install-browser")
    browser = playwright.chromium.launch(**found.launch_options())
    try:
        page = browser.new_page()
        page.add_init_script(_WATCH)
        page.goto(url)
        page.wait_for_selector(".pages tbody tr")
        seen, searchable = page.evaluate("[window.seenAt, window.searchableAt]")
        return seen / 1000, searchable / 1000
    finally:
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=list(APPLICATIONS), metavar="NAME")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--reports", action="store_true", help="open reports instead")
    parsed = parser.parse_args()
    if parsed.reports:
        measure_reports(parsed.rounds)
        return
    for name in parsed.names:
        for _ in range(parsed.rounds):
            print(scan(name, "auto"), flush=True)


if __name__ == "__main__":
    main()
