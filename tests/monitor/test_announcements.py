from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update

from sitecrawl.channels.rules import Rules
from sitecrawl.monitor.announcements import announce
from sitecrawl.monitor.deliveries import forget_old_deliveries, prepare_due
from sitecrawl.services import channels as service
from sitecrawl.services.channels import ChannelChange, NewChannel
from sitecrawl.services.groups import GroupInput, add_group
from sitecrawl.store import schema as t
from tests.monitor.seeding import Watched, rows

if TYPE_CHECKING:
    from sitecrawl.config import Config
    from sitecrawl.services.channels import Channel
    from sitecrawl.store.engine import Database

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def add(database: Database, config: Config, **values: Any) -> Channel:
    target = values.pop("target", "https://hooks.example.com/x")
    new = NewChannel("webhook", target, **values)
    return service.add_channel(database, 1, new, config).channel


def titles(database: Database, config: Config, now: datetime) -> list[str]:
    """What is told at this moment."""
    before = {row.id for row in rows(database, t.deliveries)}
    prepare_due(database, now, config)
    return [row.title for row in rows(database, t.deliveries) if row.id not in before]


def found(watched: Watched, now: datetime, **event: Any) -> int:
    scan_id = watched.scan()
    watched.event(scan_id, **event)
    return announce(watched.database, scan_id, now)


# --- Who is told ---------------------------------------------------------------------------------


def test_channels_of_the_site_of_its_group_and_of_all_are_told(
    database: Database, config: Config
) -> None:
    group = add_group(database, 1, GroupInput("shops")).id
    other_group = add_group(database, 1, GroupInput("others")).id
    watched = Watched(database, NOW, group_id=group)
    other = Watched(database, NOW, "Other", "other.example")
    expected = [
        add(database, config, watched_site_id=watched.id).id,
        add(database, config, group_id=group).id,
        add(database, config).id,
    ]
    add(database, config, watched_site_id=other.id)
    add(database, config, group_id=other_group)
    disabled = add(database, config).id
    service.edit_channel(database, 1, disabled, ChannelChange(enabled=False), config)
    found(watched, NOW)
    assert [row.channel_id for row in rows(database, t.announcements)] == expected


def test_a_recipient_with_several_channels_is_told_once(database: Database, config: Config) -> None:
    watched = Watched(database, NOW)
    add(database, config, watched_site_id=watched.id)
    add(database, config)
    assert found(watched, NOW) == 2
    assert titles(database, config, NOW) == ["Example: /blog: 2 new articles"]


def test_a_digest_leaves_out_what_the_recipient_was_told_at_once(
    database: Database, config: Config
) -> None:
    watched = Watched(database, NOW)
    add(database, config, rules=Rules.from_dict({"min_severity": "high"}))
    add(database, config, rules=Rules.from_dict({"cadence": "daily"}))
    found(watched, NOW, severity="high", title="12 product pages answer 404")
    found(watched, NOW)
    assert titles(database, config, NOW) == ["Example: 12 product pages answer 404"]
    later = NOW + timedelta(days=1)
    assert titles(database, config, later) == ["Example: /blog: 2 new articles"]


def test_silent_events_and_scans_of_sites_that_nobody_watches_are_not_told(
    database: Database, config: Config
) -> None:
    watched = Watched(database, NOW)
    assert found(watched, NOW) == 0
    add(database, config)
    assert found(watched, NOW, is_silent=True) == 0
    assert announce(database, 999, NOW) == 0


# --- When they are told --------------------------------------------------------------------------


def test_what_happens_in_quiet_hours_is_told_at_their_end_in_one_message(
    database: Database, config: Config
) -> None:
    watched = Watched(database, NOW)
    quiet = {"quiet_from": "11:00", "quiet_until": "15:00"}
    add(database, config, rules=Rules.from_dict(quiet))
    found(watched, NOW)
    found(watched, NOW + HOUR)
    assert titles(database, config, NOW + 2 * HOUR) == []
    assert titles(database, config, NOW + 3 * HOUR) == [
        "Example: /blog: 2 new articles (and 1 more)"
    ]
    found(watched, NOW, severity="critical")
    assert len(titles(database, config, NOW)) == 1


def test_a_snoozed_channel_is_told_afterwards(database: Database, config: Config) -> None:
    watched = Watched(database, NOW)
    channel = add(database, config)
    found(watched, NOW)  # also what was due and not yet prepared
    until = NOW + 5 * HOUR
    service.edit_channel(database, 1, channel.id, ChannelChange(snoozed_until=until), config)
    found(watched, NOW + HOUR, severity="critical")
    assert titles(database, config, NOW + HOUR) == []
    assert len(titles(database, config, until)) == 1


def test_a_disabled_channel_is_not_told_what_was_waiting(
    database: Database, config: Config
) -> None:
    watched = Watched(database, NOW)
    channel = add(database, config)
    found(watched, NOW)
    service.edit_channel(database, 1, channel.id, ChannelChange(enabled=False), config)
    assert titles(database, config, NOW) == []
    (row,) = rows(database, t.announcements)
    assert (row.status, row.reason) == ("dropped", "the channel is disabled")


# --- Incidents -----------------------------------------------------------------------------------


class Trouble:
    """A site whose robots.txt blocks it now and then."""

    def __init__(self, database: Database, **incident: Any) -> None:
        self.watched = Watched(database, NOW)
        self.values = incident
        self.number = 0

    def opens(self, now: datetime) -> None:
        self.watched.now = now
        scan_id = self.watched.scan()
        self.number = self.watched.incident(scan_id, **self.values)
        self.watched.event(
            scan_id, "robots.txt blocks all", incident_id=self.number, severity="high"
        )
        announce(self.watched.database, scan_id, now)

    def stays(self, now: datetime) -> None:
        scan_id = self.watched.scan()
        self.watched.event(
            scan_id, "robots.txt still blocks", incident_id=self.number, is_silent=True
        )
        self.watched.change_incident(self.number, last_scan_id=scan_id)
        announce(self.watched.database, scan_id, now)

    def gets_graver(self, now: datetime, severity: str = "critical") -> None:
        scan_id = self.watched.scan()
        self.watched.event(
            scan_id, "robots.txt blocks more", incident_id=self.number, severity=severity
        )
        self.watched.change_incident(self.number, last_scan_id=scan_id, severity=severity)
        announce(self.watched.database, scan_id, now)

    def closes(self, now: datetime) -> None:
        scan_id = self.watched.scan()
        self.watched.change_incident(
            self.number, status="closed", closed_scan_id=scan_id, closed_at=now
        )
        self.watched.event(
            scan_id,
            "robots.txt allows them again",
            kind="incident_closed",
            severity="info",
            incident_id=self.number,
        )
        announce(self.watched.database, scan_id, now)


OPENED = "Example: New: robots.txt blocks all"
STILL_OPEN = "Example: Still open: robots.txt blocks 4,120 known URLs, 37 important"
CLOSED = (
    "Example: Over: robots.txt blocks 4,120 known URLs, 37 important (robots.txt allows them again)"
)


def test_an_incident_is_told_when_it_opens_and_when_it_is_over(
    database: Database, config: Config
) -> None:
    add(database, config)
    trouble = Trouble(database)
    trouble.opens(NOW)
    assert titles(database, config, NOW) == [OPENED]
    for hours in range(1, 100, 10):
        trouble.stays(NOW + hours * HOUR)
        assert titles(database, config, NOW + hours * HOUR) == []
    trouble.closes(NOW + 100 * HOUR)
    assert titles(database, config, NOW + 100 * HOUR) == [CLOSED]


def test_reminders_come_by_rule_and_not_more_often(database: Database, config: Config) -> None:
    add(database, config, rules=Rules(remind_hours=24))
    trouble = Trouble(database)
    trouble.opens(NOW)
    told = titles(database, config, NOW)
    for hours in range(1, 60):
        trouble.stays(NOW + hours * HOUR)
        told += titles(database, config, NOW + hours * HOUR)
    assert told == [OPENED, STILL_OPEN, STILL_OPEN]


def test_the_end_of_an_incident_is_told_only_to_those_who_know_it(
    database: Database, config: Config
) -> None:
    add(database, config, rules=Rules.from_dict({"min_severity": "critical"}))
    trouble = Trouble(database)
    trouble.opens(NOW)
    trouble.closes(NOW + HOUR)
    add(database, config)
    assert titles(database, config, NOW + HOUR) == []


GRAVER = "Example: Still open: robots.txt blocks more"


def test_an_incident_that_gets_graver_is_told_again(database: Database, config: Config) -> None:
    add(database, config)
    trouble = Trouble(database)
    trouble.opens(NOW)
    assert titles(database, config, NOW) == [OPENED]
    trouble.gets_graver(NOW + HOUR)
    trouble.stays(NOW + 2 * HOUR)
    assert titles(database, config, NOW + 2 * HOUR) == [GRAVER]


def test_an_incident_that_was_too_small_for_a_channel_opens_for_it_when_it_gets_graver(
    database: Database, config: Config
) -> None:
    add(database, config, rules=Rules.from_dict({"min_severity": "critical"}))
    trouble = Trouble(database)
    trouble.opens(NOW)
    trouble.gets_graver(NOW + HOUR)
    assert titles(database, config, NOW + HOUR) == ["Example: New: robots.txt blocks more"]
    trouble.closes(NOW + 2 * HOUR)
    assert titles(database, config, NOW + 2 * HOUR) == [CLOSED]


def test_what_is_critical_now_is_not_told_again_in_the_digest_that_its_opening_waited_for(
    database: Database, config: Config
) -> None:
    add(database, config, rules=Rules.from_dict({"cadence": "daily"}))
    trouble = Trouble(database)
    trouble.opens(NOW)
    trouble.gets_graver(NOW + HOUR)
    assert titles(database, config, NOW + HOUR) == ["Example: New: robots.txt blocks more"]
    assert titles(database, config, NOW + 48 * HOUR) == []


def test_an_incident_that_comes_and_goes_is_told_once(database: Database, config: Config) -> None:
    add(database, config)
    trouble = Trouble(database)
    told = []
    for hours in range(0, 20, 2):
        trouble.opens(NOW + hours * HOUR)
        told += titles(database, config, NOW + hours * HOUR)
        trouble.closes(NOW + (hours + 1) * HOUR)
        told += titles(database, config, NOW + (hours + 1) * HOUR)
    assert told == [OPENED, CLOSED]
    trouble.opens(NOW + 20 * HOUR)
    assert titles(database, config, NOW + 40 * HOUR) == []
    assert titles(database, config, NOW + 44 * HOUR) == [OPENED]  # it stays this time
    trouble.closes(NOW + 45 * HOUR)
    assert titles(database, config, NOW + 45 * HOUR) == [CLOSED]


def test_a_digest_tells_an_incident_that_is_over_already_once(
    database: Database, config: Config
) -> None:
    add(database, config, rules=Rules.from_dict({"cadence": "daily"}))
    trouble = Trouble(database)
    trouble.opens(NOW)
    trouble.closes(NOW + HOUR)
    assert titles(database, config, NOW + timedelta(days=1)) == [CLOSED]


@pytest.mark.parametrize(("is_over", "expected"), [(False, [OPENED]), (True, [])])
def test_a_snoozed_incident_is_told_if_it_is_still_open_then(
    database: Database, config: Config, is_over: bool, expected: list[str]
) -> None:
    add(database, config)
    trouble = Trouble(database, snoozed_until=NOW + 5 * HOUR)
    trouble.opens(NOW)
    assert titles(database, config, NOW + 4 * HOUR) == []
    if is_over:
        trouble.closes(NOW + 4 * HOUR)
    assert titles(database, config, NOW + 5 * HOUR) == expected


def test_old_deliveries_are_forgotten_but_not_those_of_open_incidents(
    database: Database, config: Config
) -> None:
    add(database, config)
    trouble = Trouble(database)
    trouble.opens(NOW)
    assert titles(database, config, NOW) == [OPENED]
    found(trouble.watched, NOW)
    assert len(titles(database, config, NOW)) == 1
    with database.writing() as connection:
        connection.execute(update(t.deliveries).values(status="sent", finished_at=NOW))
    later = NOW + timedelta(days=90)
    assert forget_old_deliveries(database, later) == 1
    trouble.closes(later)
    assert titles(database, config, later) == [CLOSED]
    assert forget_old_deliveries(database, later) == 1
