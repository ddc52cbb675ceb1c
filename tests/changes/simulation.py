"""Runs the script of the simulated site, and shows what was found.

``python -m tests.changes.simulation`` goes through the writers of the store and takes seconds; with
``--http`` there are real scans of a real server beside it.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from sitecrawl.services.change_detection import detect_changes
from sitecrawl.services.changes import iter_changes, list_events, list_incidents
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.changes import ChangeFilter
from sitecrawl.store.queries.scans import site_for
from tests.changes.served_site import HttpScanner
from tests.changes.simulated_site import Script, SimulatedSite, WritingScanner
from tests.site.project import Project

if TYPE_CHECKING:
    from collections.abc import Collection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.changes import ChangeFact, EventFact, IncidentFact
    from tests.changes.simulated_site import Truth


@dataclass(frozen=True, slots=True)
class Simulation:
    """What 30 scans have found."""

    site: SimulatedSite
    steps: list[str]
    changes: list[ChangeFact]
    alive_when_removed: list[str]
    events: list[EventFact]
    incidents: list[IncidentFact]

    def truths_of(self, scan_id: int) -> list[Truth]:
        return [truth for truth in self.site.truths if truth.scan == scan_id]

    def found(self, truth: Truth) -> set[str]:
        """The paths of changes with the kind of the truth, in its time."""
        scans = range(truth.scan, truth.scan + truth.within)
        return {
            path_of(change.url)
            for change in self.changes
            if change.kind == truth.kind and change.scan_id in scans
        }


class Scanner(Protocol):
    def scan(self) -> None:
        """Scan the site as it is now; the scans of a database are numbered from 1."""


def path_of(url: str | None) -> str:
    return urlsplit(url or "").path


def simulate_with_writers(database: Database) -> Simulation:
    site = SimulatedSite()
    return simulate(database, site, WritingScanner(database, site))


def simulate_over_http(folder: Path, steps: Collection[int] = range(1, 31)) -> Simulation:
    """Real scans of a real server; of *steps* only the named ones happen."""
    project = Project.in_folder(folder)
    site = SimulatedSite()
    with (
        HttpScanner(project, site) as scanner,
        open_database(f"sqlite:///{project.database}") as database,
    ):
        return simulate(database, site, scanner, steps)


def simulate(
    database: Database,
    site: SimulatedSite,
    scanner: Scanner,
    chosen: Collection[int] = range(1, 31),
) -> Simulation:
    script = enumerate(Script(site).steps(), 1)
    steps = [step for number, step in script if number in chosen]
    key = urlsplit(site.origin).netloc
    alive_when_removed: list[str] = []
    for scan_id, (name, act) in enumerate(steps, 1):
        site.scan, site.step = scan_id, name
        act()
        scanner.scan()
        detect_changes(database, scan_id)
        known = site_for(database, key)
        assert known is not None
        own = ChangeFilter(scan_id=scan_id, kinds=("removed",))
        removed = [path_of(change.url) for change in iter_changes(database, known, own)]
        alive_when_removed += [each for each in removed if site.is_alive(each)]
    assert known is not None
    return Simulation(
        site,
        [name for name, _ in steps],
        list(iter_changes(database, known)),
        alive_when_removed,
        list(list_events(database, known, limit=500).rows),
        list(list_incidents(database, known, limit=500).rows),
    )


def truth_table(simulation: Simulation, over_http: Simulation | None = None) -> list[str]:
    """Each step with what is true of it, what was found, and what people were told."""
    titles = ["scan", "what happens", "true changes", "found", "told"]
    rows = [
        [str(number), name, _true(simulation, number), *_found(simulation, number)]
        for number, name in enumerate(simulation.steps, 1)
    ]
    if over_http is not None:
        titles += ["found over HTTP", "told"]
        rows = [[*row, *_found(over_http, number)] for number, row in enumerate(rows, 1)]
    return [f"| {' | '.join(cells)} |" for cells in (titles, ["---"] * len(titles), *rows)]


def _true(simulation: Simulation, scan_id: int) -> str:
    truths = simulation.truths_of(scan_id)
    return ", ".join(f"{len(truth.paths)} {truth.kind}" for truth in truths) or "none"


def _found(simulation: Simulation, scan_id: int) -> tuple[str, str]:
    truths = simulation.truths_of(scan_id)
    found = ", ".join(f"{len(truth.paths & simulation.found(truth))}" for truth in truths)
    told = sum(event.scan_id == scan_id and not event.is_silent for event in simulation.events)
    return found or "-", str(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--http", action="store_true", help="scan a real server as well")
    is_http = parser.parse_args().http
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open_database(f"sqlite:///{folder}/site.db") as opened:
            simulation = simulate_with_writers(opened)
        over_http = simulate_over_http(folder) if is_http else None
    print("\n".join(truth_table(simulation, over_http)))
    removed = [*simulation.alive_when_removed, *(over_http.alive_when_removed if over_http else [])]
    print("removed although they answer:", removed or "none")


if __name__ == "__main__":
    main()
