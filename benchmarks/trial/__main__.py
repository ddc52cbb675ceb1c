"""Run sitecrawl and other crawlers on real sites, and compare their lists with the truth.

    python -m benchmarks.trial                                       all sites: about half an hour
    python -m benchmarks.trial --sites python3.11-doc,vitepress      some of them
    python -m benchmarks.trial --only sitecrawl,crawlspider --rounds 3

- Sites: documentation from Debian packages, sites built by Docusaurus and VitePress, and two
  applications from npm packages, served by nginx on loopback. A package that cannot be had is
  named, and its site left out.
- The truth is an independent walk of the files: `benchmarks/trial/truth.py`. `recall` is the part
  of the linked pages that a list has; `false` are URLs that lead to no page of the site, `404`
  those that lead nowhere, `dup` those that lead to a page the list already has.
- CPU is user and system time of the crawler and its children, without the server's.
- The second scan is sitecrawl's, of the unchanged site and on the same database.

Lists, logs, databases and `results.json` are in `.bench/trial/`; `untrue.txt` beside each list has
the URLs that should not be there, with the reason, and the pages that are missing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from benchmarks.contestants import LOG_NAME
from benchmarks.measure import BenchmarkError, MeasuredProcess, last_line
from benchmarks.run import describe_machine, names_of
from benchmarks.trial.crawlers import CRAWLERS, RUNS_DIR, SITECRAWL, install_crawlers
from benchmarks.trial.nginx import Nginx
from benchmarks.trial.packages import TRIAL_DIR
from benchmarks.trial.sites import SITES
from benchmarks.trial.table import Judgement, SiteResult, TrialRun, bars, format_site, judge

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.trial.crawlers import Crawler
    from benchmarks.trial.sites import ServedSite

DEFAULT_PORT = 8921
TIMEOUT_SECONDS = 1_800.0
RESULTS_FILE = TRIAL_DIR / "results.json"


def try_site(
    site: ServedSite, crawlers: list[Crawler], rounds: int, port: int
) -> tuple[SiteResult, bool]:
    """Run everyone on a site, in an order that rotates; also say whether one has crashed."""
    runs: list[TrialRun | None] = []
    seconds: list[TrialRun | None] = []
    folder = RUNS_DIR / site.name
    with Nginx(
        site.root, port, TRIAL_DIR / "nginx" / site.name, history_fallback=site.has_history_routes
    ) as server:
        for number in range(rounds):
            turn = number % len(crawlers)
            for crawler in crawlers[turn:] + crawlers[:turn]:
                shutil.rmtree(folder / crawler.name, ignore_errors=True)
                runs.append(run_once(crawler, site, server, folder / crawler.name))
        if SITECRAWL in crawlers:
            seconds.append(run_once(SITECRAWL, site, server, folder / SITECRAWL.name))
    ended = [run for run in runs if run is not None]
    second = next(iter(seconds), None)
    return SiteResult(site, ended, second), None in runs or None in seconds


def run_once(crawler: Crawler, site: ServedSite, server: Nginx, folder: Path) -> TrialRun | None:
    """Run one crawler and judge its list; None when it did not come to its end."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / LOG_NAME
    server.statuses()
    command = crawler.command(server.root_url, folder)
    usage = MeasuredProcess(command, crawler.environment(folder), log).wait(TIMEOUT_SECONDS)
    statuses = server.statuses()
    if not crawler.has_ended_well(usage.exit_code):
        print(f"  {crawler.name}: exit code {usage.exit_code}; the end of {log}:")
        print(last_line(log, of_lines=15), flush=True)
        return None
    judgement = judge(crawler.listed_urls(folder), site.truth)
    write_untrue(judgement, folder / "untrue.txt")
    return TrialRun(
        crawler.name,
        judgement,
        usage.cpu_seconds,
        usage.wall_seconds,
        usage.peak_mb,
        statuses.total(),
        statuses[304],
    )


def write_untrue(judgement: Judgement, path: Path) -> None:
    lines = [f"{reason}\t{url}" for url, reason in judgement.untrue.items()]
    lines += [f"duplicate\t{url}" for url in judgement.duplicates]
    lines += [f"missing\t{page}" for page in judgement.missing_pages]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.trial",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--sites",
        type=names_of(SITES),
        default=list(SITES),
        metavar="NAMES",
        help=f"any of {','.join(SITES)}",
    )
    parser.add_argument(
        "--only",
        type=names_of(CRAWLERS),
        default=list(CRAWLERS),
        metavar="NAMES",
        help=f"crawlers: any of {','.join(CRAWLERS)}",
    )
    parser.add_argument("--rounds", type=int, default=1, help="runs of each (default: 1)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port of the sites")
    parsed = parser.parse_args(arguments)
    if parsed.rounds < 1:
        parser.error("--rounds must be at least 1")
    return parsed


def run(options: argparse.Namespace) -> bool:
    """Try each site and print its table; True when a crawler has crashed."""
    crawlers = install_crawlers(options.only)
    if not crawlers:
        raise BenchmarkError("no crawler is left to run")
    results, has_crashed = [], False
    for name in options.sites:
        try:
            site = SITES[name]()
        except BenchmarkError as error:
            print(f"\n{name} is left out: {error}", file=sys.stderr)
            continue
        print(f"\n{name}: {len(site.truth.pages):,} pages", flush=True)
        result, crashed = try_site(site, crawlers, options.rounds, options.port)
        has_crashed |= crashed
        results.append(result)
        print(format_site(result, SITECRAWL.name), flush=True)
        for bar in bars(result, SITECRAWL.name, "crawlspider"):
            print(bar, flush=True)
        save(results)
    print(f"\nlists and logs: {RUNS_DIR}\nall figures: {RESULTS_FILE}")
    return has_crashed


def save(results: list[SiteResult]) -> None:
    sites = {
        result.site.name: {
            "pages": len(result.site.truth.pages),
            "runs": [asdict(run) for run in result.runs],
            "second": result.second and asdict(result.second),
        }
        for result in results
    }
    content = {"machine": describe_machine(), "sites": sites}
    RESULTS_FILE.write_text(json.dumps(content, indent=2) + "\n")


def main() -> int:
    try:
        return int(run(parse_options()))
    except KeyboardInterrupt:
        return 130
    except (BenchmarkError, OSError, subprocess.CalledProcessError) as error:
        print(f"the trial could not run: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
