"""Run sitecrawl beside its peers on synthetic sites and print CPU, wall, memory and ratios.

    python -m benchmarks.run                            everything: more than an hour
    python -m benchmarks.run --urls 100k --rounds 1     a quick look
    python -m benchmarks.run --skip-peers               this project alone
    python -m benchmarks.run --only sitecrawl,crawlee --sections table
    python -m benchmarks.run --sections crawl,frontier  crawling instead of sitemaps

- Sections: `table` lists the URLs of sitemaps, everyone once per round in an order that rotates,
  against a server process started for each run; `second` scans the unchanged site again on the
  same database; `growth` compares with a site four times as large; `startup` times the first
  request and `sitecrawl --help`; `crawl` visits linked pages; `recrawl` visits them twice on the
  same database; `frontier` compares the memory of crawls with 1,000 and 100,000 pages waiting;
  `inventory` asks questions of an inventory that was filled by bulk statements;
  `steps` measures robots verdicts, classification and the reading of links alone; `render` scans
  applications with a browser.
- CPU is user and system time of the process and the children it waited for, peak memory the
  largest resident set among them (wait4). The server's share is never in it.
- The peers only list or visit: they store nothing. sitecrawl does all that it does for a user, in
  the `fast` profile (no pauses between requests); its feed must have exactly the distinct URLs of
  the site, or the run is marked WRONG and keeps no bar.
- Bars are figures, not tests: the exit code is 0 when every contestant came to its end, 1 when one
  crashed, 2 when the benchmark itself could not run.

Sites, venvs, logs of the last runs and `results.json` are in `.bench/`.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks.built_sites import DEFAULT_PORT, parse_size
from benchmarks.contestants import (
    CRAWL_PEERS,
    PEERS,
    RUNS_DIR,
    SITECRAWL,
    SITECRAWL_PAGES,
    Project,
    Tool,
    ensure_venv,
)
from benchmarks.measure import BenchmarkError
from benchmarks.sections import (
    RESULTS_FILE,
    Options,
    Results,
    run_crawl,
    run_frontier,
    run_growth,
    run_recrawl,
    run_second,
    run_startup,
    run_steps,
    run_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.contestants import Contestant
    from benchmarks.page_sites import PageManifest
    from benchmarks.sitemap_site import Manifest

_Contestant = TypeVar("_Contestant", bound="Contestant[Any]")


def run_rendering(options: Options, results: Results) -> None:
    # Imported here because it brings much along: a child's peak memory starts at what its parent
    # had, so this process has to stay small as long as others are measured.
    from benchmarks import browser

    browser.run_rendering(options, results)


def run_inventory(options: Options, results: Results) -> None:
    # As above: it opens databases in this process.
    from benchmarks import inventory

    inventory.run_inventory(options, results)


# They run in this order, whatever order they are asked for in: `render` makes this process larger.
SECTIONS = {
    "table": run_table,
    "second": run_second,
    "growth": run_growth,
    "startup": run_startup,
    "crawl": run_crawl,
    "recrawl": run_recrawl,
    "frontier": run_frontier,
    "steps": run_steps,
    "inventory": run_inventory,
    "render": run_rendering,
}
# Those that make sense without sitecrawl, too.
PEER_SECTIONS = ("table", "crawl")


def prepare_contestants(contestants: list[_Contestant]) -> list[_Contestant]:
    """Install those that take part; one that cannot be installed is left out, and said so."""
    ready = []
    for contestant in contestants:
        try:
            if isinstance(contestant, Tool | Project):
                ensure_venv(contestant)
        except BenchmarkError as error:
            print(f"{contestant.name} is left out: {error}", file=sys.stderr)
        else:
            ready.append(contestant)
    if not ready:
        raise BenchmarkError("no contestant is left to run")
    return ready


def describe_machine() -> dict[str, str | int]:
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cpus": os.cpu_count() or 0,
        "measured": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **{peer.name: " ".join(peer.requirements) for peer in (*PEERS, *CRAWL_PEERS)},
    }


def parse_options(arguments: list[str] | None = None) -> Options:
    listers: dict[str, Contestant[Manifest]] = {SITECRAWL.name: SITECRAWL}
    listers |= {peer.name: peer for peer in PEERS}
    crawlers: dict[str, Contestant[PageManifest]] = {SITECRAWL_PAGES.name: SITECRAWL_PAGES}
    crawlers |= {peer.name: peer for peer in CRAWL_PEERS}
    everyone = [*listers, *(peer.name for peer in CRAWL_PEERS)]

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--urls", "--scale", type=parse_size, default=1_000_000, help="entries: 1m (default), 100k"
    )
    parser.add_argument(
        "--pages", type=parse_size, default=5_000, help="pages of the crawl: 5k (default), 500"
    )
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default: 3)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port of the site")
    parser.add_argument(
        "--only",
        type=names_of(everyone),
        default=everyone,
        metavar="NAMES",
        help=f"contestants of table: {','.join(listers)}; of crawl: {','.join(crawlers)}",
    )
    parser.add_argument("--skip-peers", action="store_true", help="run sitecrawl alone")
    parser.add_argument(
        "--sections",
        type=names_of(SECTIONS),
        default=list(SECTIONS),
        metavar="NAMES",
        help=f"any of {','.join(SECTIONS)}",
    )
    parsed = parser.parse_args(arguments)
    if parsed.rounds < 1:
        parser.error("--rounds must be at least 1")
    names = [SITECRAWL.name] if parsed.skip_peers else parsed.only
    has_own = SITECRAWL.name in names
    return Options(
        entries=parsed.urls,
        pages=parsed.pages,
        rounds=parsed.rounds,
        port=parsed.port,
        contestants=[listers[name] for name in names if name in listers],
        crawlers=[crawlers[name] for name in names if name in crawlers],
        sections=[
            name
            for name in SECTIONS
            if name in parsed.sections and (has_own or name in PEER_SECTIONS)
        ],
    )


def names_of(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Make an argument type that reads a comma-separated list of known names."""
    known = list(known)

    def names(text: str) -> list[str]:
        chosen = text.split(",")
        for name in chosen:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
        return chosen

    return names


def run(options: Options) -> Results:
    if "table" in options.sections:
        options.contestants = prepare_contestants(options.contestants)
    if "crawl" in options.sections:
        options.crawlers = prepare_contestants(options.crawlers)
    if not set(options.sections) <= set(PEER_SECTIONS):
        prepare_contestants([SITECRAWL])
    RUNS_DIR.mkdir(exist_ok=True)
    results = Results(describe_machine())
    for section in options.sections:
        SECTIONS[section](options, results)
        results.save()
    print(f"\nall figures: {RESULTS_FILE}")
    return results


def main() -> int:
    try:
        return int(run(parse_options()).crashed)
    except KeyboardInterrupt:
        return 130
    except (BenchmarkError, OSError, subprocess.CalledProcessError) as error:
        print(f"the benchmark could not run: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
