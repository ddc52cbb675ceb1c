"""Scans one site of millions of sitemap URLs; prints time, memory and the size of the database.

    python -m benchmarks.large_site --urls 10m
    python -m benchmarks.large_site --urls 10m --postgres

The scan is that of a user: everything from the fetch to the database and the evidence, without
pauses between requests; with ``--feed`` a JSON lines feed, too.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import psycopg

from benchmarks.built_sites import DEFAULT_PORT, parse_size
from benchmarks.measure import SiteServer, clean_environment, last_line
from benchmarks.process_tree import watch
from benchmarks.sections import prepare_site
from tests.site.postgres import running_postgres

_MB: Final = 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--urls", type=parse_size, default=parse_size("10m"))
    parser.add_argument("--postgres", action="store_true", help="in a PostgreSQL of its own")
    parser.add_argument("--feed", action="store_true", help="write a feed, too")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    options = parser.parse_args()
    site = prepare_site(options.urls, options.port)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sitecrawl-large-")))
        url = f"sqlite:///{folder}/sitecrawl.db"
        if options.postgres:
            url = stack.enter_context(stack.enter_context(running_postgres()).fresh())
        stack.enter_context(SiteServer(site.folder, options.port))
        command = [sys.executable, "-m", "scrapy", "crawl", "discover"]
        command += ["-a", f"domain={site.root_url}"]
        command += ["-O", f"{folder}/urls.jsonl"] if options.feed else []
        environment = {"SCRAPY_PROJECT": "fast", "SITECRAWL_DATABASE_URL": url}
        print(f"{site.distinct_urls:,} distinct URLs, load {os.getloadavg()[0]:.1f}", flush=True)
        with (folder / "log.txt").open("wb") as log:
            used = watch(
                subprocess.Popen(
                    command, env=clean_environment() | environment, stdout=log, stderr=log
                )
            )
        print(last_line(folder / "log.txt", of_lines=14))
        print(
            f"exit code {used.exit_code}, {used.seconds:.0f} s, {used.own_cpu_seconds:.0f} s of"
            f" CPU, {used.largest_mb:.0f} MB resident at most ({used.sum_mb:.0f} MB with its"
            f" children), database {_database_mb(folder, url):,.0f} MB,"
            f" load {os.getloadavg()[0]:.1f}"
        )


def _database_mb(folder: Path, url: str) -> float:
    if url.startswith("sqlite"):
        return sum(file.stat().st_size for file in folder.glob("sitecrawl.db*")) / _MB
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    assert row is not None
    return float(row[0]) / _MB


if __name__ == "__main__":
    main()
