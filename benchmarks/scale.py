"""Measures what a second worker brings with slow sites, and what killed workers cost.

    python -m benchmarks.scale --postgres            500 sites, PostgreSQL
    python -m benchmarks.scale --sites 40 --kills 3  a quick look, SQLite

Three runs, each on a fresh database: one worker, two workers, and four of which one is killed
every 20 seconds. Each site asks for a pause between two requests (Crawl-delay), so that the pace is
what limits a scan; the sites' own logs tell whether it was kept.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.monitor.proving import Plan, prove
from tests.site.postgres import running_postgres

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.monitor.proving import Proof

_KILL_SECONDS = 20.0
# A request is seen later than it was sent, by what the machine is busy with.
_TOLERANCE = 0.9


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sites", type=int, default=500)
    parser.add_argument("--scans", type=int, default=4, help="at once, in each worker")
    parser.add_argument("--kills", type=int, default=10, help="in the third run")
    parser.add_argument("--delay", type=int, default=2, help="seconds that sites ask for")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--only-kills", action="store_true", help="the third run alone")
    given = parser.parse_args()
    seconds: dict[int, float] = {}
    runs = ((1, 0), (2, 0), (4, given.kills))
    for workers, kills in runs[2:] if given.only_kills else runs:
        plan = Plan(
            sites=given.sites,
            kills=kills,
            scans_at_once=given.scans,
            workers=workers,
            seed=given.seed,
            timeout_seconds=7200.0,
            between_kills=(_KILL_SECONDS, _KILL_SECONDS),
            profile="monitor",
            crawl_delay=given.delay,
        )
        with _database(is_postgres=given.postgres) as (url, folder):
            proof = prove(url, folder, os.environ, plan)
        _show(plan, proof)
        _check(plan, proof)
        seconds[workers] = proof.seconds
    if not given.only_kills:
        print(f"two workers do {seconds[1] / seconds[2]:.2f} times what one does")


@contextlib.contextmanager
def _database(*, is_postgres: bool) -> Iterator[tuple[str, Path]]:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{folder / 'sitecrawl.db'}"
        if is_postgres:
            url = stack.enter_context(stack.enter_context(running_postgres()).fresh())
        yield url, folder


def _show(plan: Plan, proof: Proof) -> None:
    print(
        f"{plan.workers} workers with {plan.scans_at_once} scans each: {proof.sites} sites in"
        f" {proof.seconds:.0f} s, {proof.sites / proof.seconds * 60:.1f} a minute;"
        f" {proof.kills} kills, {proof.restarts} jobs taken up again,"
        f" {proof.scans['interrupted']} scans begun anew; {len(proof.gaps)} gaps"
        f" between requests to a site, the shortest {proof.gaps[0]:.2f} s of {plan.crawl_delay}",
        flush=True,
    )


def _check(plan: Plan, proof: Proof) -> None:
    """Each due scan was done once in effect, never two of a site at a time, at its pace."""
    assert proof.jobs == {"success": proof.sites}, proof
    assert proof.scans["finished"] == proof.sites, proof
    assert set(proof.scans) <= {"finished", "interrupted"}, proof
    assert not proof.doubled, proof
    assert not proof.left_behind, proof
    assert proof.gaps[0] >= plan.crawl_delay * _TOLERANCE, proof.gaps[:20]


if __name__ == "__main__":
    main()
