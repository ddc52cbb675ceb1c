"""Measures what a second worker brings with slow sites, and what killed workers cost.

    python -m benchmarks.scale                                  about half an hour
    python -m benchmarks.scale --sites 40 --compared-sites 20   a quick look
    python -m benchmarks.scale --only-kills --machines          as root

Three runs, each on a fresh PostgreSQL database: one worker, two workers, and four of which one is
killed every 20 seconds and started again. Each site asks for a pause between two requests
(Crawl-delay), so that the pace is what limits a scan; the sites' own logs tell whether it was kept.

With ``--machines`` each of the four has a network, host name and folder of its own, and every
process its own address, so that the logs also tell whether two scanned a site in turns. Half of the
kills then take the scans of the worker with it, as if its machine had died.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machines import SITES_ADDRESS, machines
from tests.monitor.proving import Plan, prove
from tests.site.postgres import running_postgres

if TYPE_CHECKING:
    from tests.monitor.proving import Proof

_KILLED_WORKERS = 4
_KILL_SECONDS = 20.0
_TAKEN_UP_SECONDS = 60.0
# A request is seen later than it was sent, by what the machine is busy with.
_TOLERANCE = 0.9


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sites", type=int, default=500, help="in the run with kills")
    parser.add_argument("--compared-sites", type=int, default=80, help="in the first two runs")
    parser.add_argument("--scans", type=int, default=4, help="at once, in each worker")
    parser.add_argument("--delay", type=int, default=2, help="seconds that sites ask for")
    parser.add_argument("--pages", type=int, default=3, help="of each site")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--machines", action="store_true")
    parser.add_argument("--only-kills", action="store_true", help="the third run alone")
    given = parser.parse_args()
    plan = Plan(
        sites=given.compared_sites,
        kills=0,
        scans_at_once=given.scans,
        seed=given.seed,
        pages=given.pages,
        timeout_seconds=7200.0,
        between_kills=(_KILL_SECONDS, _KILL_SECONDS),
        profile="monitor",
        crawl_delay=given.delay,
    )
    if not given.only_kills:
        one, two = (_measured(replace(plan, workers=number)) for number in (1, 2))
        print(f"two workers do {one.seconds / two.seconds:.2f} times what one does", flush=True)
    killed = replace(plan, sites=given.sites, kills=None, workers=_KILLED_WORKERS)
    if not given.machines:
        _measured(killed)
        return
    with machines(_KILLED_WORKERS) as places:
        _measured(replace(killed, machines=places, sites_address=SITES_ADDRESS))


def _measured(plan: Plan) -> Proof:
    with (
        tempfile.TemporaryDirectory() as folder,
        running_postgres() as databases,
        databases.fresh() as url,
    ):
        proof = prove(url, Path(folder), os.environ, plan)
    _show(plan, proof)
    _check(plan, proof)
    return proof


def _show(plan: Plan, proof: Proof) -> None:
    taken_up = f", after at most {max(proof.taken_up):.0f} s" if proof.taken_up else ""
    print(
        f"{plan.workers} workers with {plan.scans_at_once} scans each: {proof.sites} sites in"
        f" {proof.seconds:.0f} s, {proof.sites / proof.seconds * 60:.1f} a minute;"
        f" {proof.kills} kills, {proof.kills_with_scans} under running scans,"
        f" {len(proof.taken_up)} of these taken up again{taken_up};"
        f" {len(proof.gaps)} gaps between requests to a site,"
        f" the shortest {proof.gaps[0]:.2f} s of {plan.crawl_delay}",
        flush=True,
    )


def _check(plan: Plan, proof: Proof) -> None:
    """Each due scan was done once in effect, never two of a site at a time, at its pace."""
    proof.check()
    assert proof.gaps[0] >= plan.crawl_delay * _TOLERANCE, proof.gaps[:20]
    late = [seconds for seconds in proof.taken_up if seconds > _TAKEN_UP_SECONDS]
    assert not late, sorted(late)


if __name__ == "__main__":
    main()
