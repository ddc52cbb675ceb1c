"""From scans to messages, with the real detection of changes in between."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import delete

from sitecrawl.monitor.announcements import announce, announce_pending, compare_pending
from sitecrawl.monitor.deliveries import deliver, prepare_due
from sitecrawl.services import channels as service
from sitecrawl.services.change_detection import detect_changes
from sitecrawl.services.changes import confirm_removals
from sitecrawl.services.channels import NewChannel
from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store import schema as t
from sitecrawl.store.queries.scans import site_for
from tests.monitor.receivers import HttpReceiver
from tests.store.scanning import SITE, scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database

MAP = f"https://{SITE}/a.xml"
OTHER = "other.example"
POSTS = [f"https://{SITE}/blog/post-{number}" for number in range(120)]


class Watching:
    """A watched site with one webhook."""

    def __init__(self, database: Database, config: Config, receiver: HttpReceiver):
        self._database, self._config, self._receiver = database, config, receiver
        add_site(database, 1, NewSite(SITE))
        scan_id = scan(database, {MAP: POSTS})
        detect_changes(database, scan_id)
        announce(database, scan_id, datetime.now(UTC))
        service.add_channel(database, 1, NewChannel("webhook", receiver.url), config)

    def scans(self, urls: list[str], *, is_announced: bool = True) -> list[Any]:
        """What a scan that finds these URLs leads to."""
        scan_id = scan(self._database, {MAP: urls})
        detect_changes(self._database, scan_id)
        if is_announced:
            announce(self._database, scan_id, datetime.now(UTC))
        self.last_scan_id = scan_id
        return self.told() if is_announced else []

    def told(self) -> list[Any]:
        before = len(self._receiver.received)
        now = datetime.now(UTC) + timedelta(seconds=1)
        for number in prepare_due(self._database, now, self._config):
            deliver(self._database, number, now, self._config)
        return [
            (event["kind"], event["pages"], (event.get("incident") or {}).get("phase"))
            for each in self._receiver.received[before:]
            for event in each.json["events"]
        ]


@pytest.fixture
def watching(database: Database, config: Config) -> Iterator[Watching]:
    with HttpReceiver() as receiver:
        yield Watching(database, config, receiver)


def test_a_site_without_changes_is_not_told_of(watching: Watching) -> None:
    assert watching.scans(POSTS) == []
    assert watching.scans(POSTS[::-1]) == []


def test_new_and_removed_pages_are_told_once(watching: Watching) -> None:
    new = [f"https://{SITE}/blog/new-{number}" for number in range(3)]
    assert watching.scans(POSTS + new) == [("added", 3, None)]
    assert watching.scans(POSTS + new) == []
    fewer = (POSTS + new)[2:]
    assert watching.scans(fewer) == []  # missing once is not removed
    assert watching.scans(fewer) == [("removed", 2, None)]
    assert watching.scans(fewer) == []


def test_a_collapse_is_one_incident_until_it_is_over(watching: Watching) -> None:
    ((kind, _, phase),) = watching.scans(POSTS[:20])
    assert (kind, phase) == ("inventory_collapsed", "opened")
    assert watching.scans(POSTS) == [("inventory_collapsed", 0, "closed")]


def test_what_a_person_confirms_is_told(watching: Watching, database: Database) -> None:
    watching.scans(POSTS[:20])
    site = site_for(database, SITE)
    assert site
    confirm_removals(database, site, watching.last_scan_id)
    assert ("removed", 100, None) in watching.told()
    assert watching.told() == []


def test_scans_that_nobody_announced_are_made_up_for(
    watching: Watching, database: Database
) -> None:
    """Such as one from the command line, or of a worker that died before it could announce."""
    watching.scans([*POSTS, f"https://{SITE}/new"], is_announced=False)
    assert watching.told() == [("added", 1, None)]
    watching.scans([*POSTS, f"https://{SITE}/new", f"https://{SITE}/newer"], is_announced=False)
    assert watching.scans(POSTS + [f"https://{SITE}/{each}" for each in ("new", "newer", "x")]) == [
        ("added", 1, None),
        ("added", 1, None),
    ]
    assert announce_pending(database, datetime.now(UTC)) == 0


def test_scans_from_the_command_line_are_compared_and_told(
    watching: Watching, database: Database
) -> None:
    with database.writing() as connection:
        connection.execute(delete(t.jobs))  # the first scan of the new site
    assert compare_pending(database) == 0
    scan(database, {MAP: [*POSTS, f"https://{SITE}/new"]})
    scan(database, {MAP: [*POSTS, f"https://{SITE}/new", f"https://{SITE}/newer"]})
    scan(database, {f"https://{OTHER}/a.xml": [f"https://{OTHER}/"]}, site=OTHER)  # not watched
    assert compare_pending(database) == 1
    assert watching.told() == [("added", 1, None), ("added", 1, None)]
    assert compare_pending(database) == 0


def test_scans_of_a_running_job_are_left_to_it(watching: Watching, database: Database) -> None:
    scan(database, {MAP: [*POSTS, f"https://{SITE}/new"]})
    assert compare_pending(database) == 0
    assert watching.told() == []


def test_a_new_channel_is_not_told_of_what_was_before(
    watching: Watching, database: Database, config: Config
) -> None:
    watching.scans([*POSTS, f"https://{SITE}/new"], is_announced=False)
    with HttpReceiver() as other:
        service.add_channel(database, 1, NewChannel("webhook", other.url), config)
        assert watching.told() == [("added", 1, None)]
    assert other.received == []
