"""Changes of the simulated site: every true one is found, with the right kind, and no false one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from sitecrawl.store.engine import open_database
from tests.changes.simulation import (
    Simulation,
    path_of,
    simulate_over_http,
    simulate_with_writers,
    truth_table,
)
from tests.site.project import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# Pages come, go and are renamed; a sitemap breaks and is mended; robots.txt blocks pages; a sitemap
# loses half of its entries; the site moves.
STEPS_OVER_HTTP = (1, 3, 5, 7, 9, 12, 15, 26, 28)


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    path = tmp_path_factory.mktemp("simulated") / "site.db"
    with open_database(f"sqlite:///{path}") as database:
        return simulate_with_writers(database)


def missed_changes(simulation: Simulation) -> list[tuple[str, str, str]]:
    return [
        (truth.step, truth.kind, path)
        for truth in simulation.site.truths
        for path in sorted(truth.paths - simulation.found(truth))
    ]


def untrue_changes(simulation: Simulation) -> set[tuple[str, str]]:
    """Changes of the site's own kinds that nothing was done for."""
    certain = {"added", "removed", "moved", "robots_changed", "site_moved"}
    true = {(truth.kind, path) for truth in simulation.site.truths for path in truth.paths}
    found = {
        (change.kind.value, path_of(change.url))
        for change in simulation.changes
        if change.kind in certain
    }
    return found - true


def wrong_moves(simulation: Simulation) -> list[tuple[str, str]]:
    true = {old: new for truth in simulation.site.truths for old, new in truth.pairs.items()}
    moved = [
        (path_of(change.url), path_of(change.other_url))
        for change in simulation.changes
        if change.kind == "moved"
    ]
    return [(old, new) for old, new in moved if true.get(old) != new]


def announcements(simulation: Simulation) -> Counter[int]:
    """How often each incident is told before it ends."""
    return Counter(
        event.incident_id
        for event in simulation.events
        if event.incident_id is not None and not event.is_silent and event.kind != "incident_closed"
    )


def test_real_scans_over_http_find_the_same(tmp_path: Path) -> None:
    """Some of the steps; ``python -m tests.changes.simulation --http`` plays all."""
    simulation = simulate_over_http(tmp_path, STEPS_OVER_HTTP)
    assert simulation.site.scan == len(STEPS_OVER_HTTP)
    assert simulation.alive_when_removed == []
    assert missed_changes(simulation) == []
    assert untrue_changes(simulation) == set()
    assert wrong_moves(simulation) == []
    assert set(announcements(simulation).values()) == {1}


def test_there_are_30_scans(simulation: Simulation) -> None:
    assert simulation.site.scan == 30


def test_no_page_is_removed_that_is_there(simulation: Simulation) -> None:
    assert simulation.alive_when_removed == []


def test_every_true_change_is_found_with_its_kind(simulation: Simulation) -> None:
    assert missed_changes(simulation) == []


def test_the_documentation_has_the_result(simulation: Simulation) -> None:
    """The page has two columns more, of the scans over HTTP."""
    text = (ROOT / "docs" / "changes.md").read_text(encoding="utf-8")
    lines = truth_table(simulation)
    assert [line for line in lines if f"\n{line}" not in text] == []


def test_moved_pages_are_paired(simulation: Simulation) -> None:
    moved = [change for change in simulation.changes if change.kind == "moved"]
    assert len(moved) == 97
    assert wrong_moves(simulation) == []


def test_nothing_is_told_that_did_not_happen(simulation: Simulation) -> None:
    assert untrue_changes(simulation) == set()


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
    assert set(announcements(simulation).values()) == {1}


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
