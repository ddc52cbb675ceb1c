"""Changes of the simulated site: every true one is found, with the right kind, and no false one."""

from __future__ import annotations

from collections import Counter

import pytest

from sitecrawl.store.engine import open_database
from tests.changes.simulation import Simulation, path_of, simulate, truth_table
from tests.site.project import ROOT


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    path = tmp_path_factory.mktemp("simulated") / "site.db"
    with open_database(f"sqlite:///{path}") as database:
        return simulate(database)


def test_there_are_30_scans(simulation: Simulation) -> None:
    assert simulation.site.scan == 30


def test_no_page_is_removed_that_is_there(simulation: Simulation) -> None:
    assert simulation.alive_when_removed == []


def test_every_true_change_is_found_with_its_kind(simulation: Simulation) -> None:
    missed = [
        (truth.step, truth.kind, path)
        for truth in simulation.site.truths
        for path in sorted(truth.paths - simulation.found(truth))
    ]
    assert missed == []


def test_the_documentation_has_the_result(simulation: Simulation) -> None:
    text = (ROOT / "docs" / "changes.md").read_text(encoding="utf-8")
    assert truth_table(simulation) in text


def test_moved_pages_are_paired(simulation: Simulation) -> None:
    true = {old: new for truth in simulation.site.truths for old, new in truth.pairs.items()}
    moved = [change for change in simulation.changes if change.kind == "moved"]
    right = sum(true.get(path_of(each.url)) == path_of(each.other_url) for each in moved)
    assert len(true) == 97
    assert right >= 0.95 * len(true)
    assert right >= 0.95 * len(moved)


def test_nothing_is_told_that_did_not_happen(simulation: Simulation) -> None:
    """What the site's own kinds of changes say is what was done to it."""
    certain = {"added", "removed", "moved", "robots_changed", "site_moved"}
    true = {(truth.kind, path) for truth in simulation.site.truths for path in truth.paths}
    told = {
        (change.kind.value, path_of(change.url))
        for change in simulation.changes
        if change.kind in certain
    }
    assert told <= true


def test_quiet_scans_tell_nothing(simulation: Simulation) -> None:
    quiet = {
        number
        for number, name in enumerate(simulation.steps, 1)
        if name.startswith(("baseline", "nothing", "all pages stamped", "robots.txt reordered"))
    }
    told = [
        event
        for event in simulation.events
        if not event.is_silent and event.kind != "incident_closed"
    ]
    loud = [(event.scan_id, event.title) for event in told if event.scan_id in quiet]
    # Pages that were rewritten or broken before are found when their turn to be checked comes.
    assert [title for _, title in loud if "changed" not in title and "answer" not in title] == []


def test_an_incident_is_announced_once(simulation: Simulation) -> None:
    opened = Counter(
        event.incident_id
        for event in simulation.events
        if event.incident_id is not None and not event.is_silent and event.kind != "incident_closed"
    )
    assert opened
    assert set(opened.values()) == {1}


def test_the_collapse_is_one_incident_that_ends(simulation: Simulation) -> None:
    [collapse] = [each for each in simulation.incidents if each.kind == "inventory_collapsed"]
    assert (collapse.opened_scan_id, collapse.status) == (26, "closed")


def test_mass_stamps_are_stored_and_not_told(simulation: Simulation) -> None:
    stamped = [
        event
        for event in simulation.events
        if event.kind == "lastmod" and event.scan_id in {19, 20}
    ]
    assert [event.is_silent for event in stamped] == [True, True]
    assert all(event.pages > 200 for event in stamped)
