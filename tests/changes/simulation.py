"""Runs the script of the simulated site; ``python -m tests.changes.simulation`` shows it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.services.changes import detect_changes, iter_changes, list_events, list_incidents
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.changes import ChangeFilter
from sitecrawl.store.queries.scans import site_for
from tests.changes.simulated_site import Scanner, Script, SimulatedSite

if TYPE_CHECKING:
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

    def found(self, truth: Truth) -> set[str]:
        """The paths of changes with the kind of the truth, in its time."""
        scans = range(truth.scan, truth.scan + truth.within)
        return {
            path_of(change.url)
            for change in self.changes
            if change.kind == truth.kind and change.scan_id in scans
        }


def path_of(url: str | None) -> str:
    return (url or "").partition("example.com")[2]


def simulate(database: Database) -> Simulation:
    site = SimulatedSite()
    scanner = Scanner(database, site)
    steps = Script(site).steps()
    alive_when_removed: list[str] = []
    for number, (name, act) in enumerate(steps, 1):
        site.scan, site.step = number, name
        act()
        scan_id = scanner.scan()
        assert scan_id == number
        detect_changes(database, scan_id)
        known = site_for(database, "example.com")
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


def truth_table(simulation: Simulation) -> str:
    """Each step with what is true of it, what was found, and what people were told."""
    lines = [
        "| scan | what happens | true changes | found | told |",
        "| --- | --- | --- | --- | --- |",
    ]
    for number, name in enumerate(simulation.steps, 1):
        truths = [truth for truth in simulation.site.truths if truth.scan == number]
        true = ", ".join(f"{len(truth.paths)} {truth.kind}" for truth in truths) or "none"
        found = ", ".join(f"{len(truth.paths & simulation.found(truth))}" for truth in truths)
        told = sum(event.scan_id == number and not event.is_silent for event in simulation.events)
        lines.append(f"| {number} | {name} | {true} | {found or '-'} | {told} |")
    return "\n".join(lines)


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as folder,
        open_database(f"sqlite:///{folder}/site.db") as opened,
    ):
        print(truth_table(simulate(opened)))
