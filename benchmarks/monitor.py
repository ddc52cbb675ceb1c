"""Kills the monitor at random points and checks that every due scan is done exactly once.

    python -m benchmarks.monitor                         SQLite, one process with 8 scans at once
    python -m benchmarks.monitor --postgres --workers 2  PostgreSQL, two processes

The sites are on loopback; PostgreSQL is started for the run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
from pathlib import Path

from tests.monitor.proving import Plan, prove
from tests.site.postgres import running_postgres


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--scans", type=int, default=8, help="at once, in all processes together")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgres", action="store_true")
    given = parser.parse_args()
    plan = Plan(
        sites=given.sites,
        kills=given.kills,
        scans_at_once=given.scans // given.workers,
        workers=given.workers,
        seed=given.seed,
        timeout_seconds=3600.0,
        between_kills=(3.0, 20.0),
    )
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{folder / 'sitecrawl.db'}"
        if given.postgres:
            url = stack.enter_context(stack.enter_context(running_postgres()).fresh())
        proof = prove(url, folder, os.environ, plan)
    print(proof)
    proof.check()
    print(
        f"{proof.sites} sites in {proof.seconds:.0f} s, at most {proof.most_at_once} jobs at once;"
        f" {proof.kills} kills, {proof.kills_with_scans} of them under running scans;"
        f" {proof.restarts} jobs taken up again; each site scanned once, none twice at a time"
    )


if __name__ == "__main__":
    main()
