"""Workers beside each other, on both databases, and one that is killed."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from sitecrawl.channels.rules import Cadence, Rules
from sitecrawl.monitor.announcements import announce
from sitecrawl.monitor.deliveries import LEASE, deliver, prepare_due
from sitecrawl.services import channels as service
from sitecrawl.services.channels import NewChannel
from sitecrawl.store.engine import open_database
from sitecrawl.store.vocabulary import DeliveryStatus
from tests.monitor.receivers import HttpReceiver
from tests.monitor.seeding import Watched

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database
    from tests.site.postgres import PostgresDatabases

NOW = datetime.now(UTC).replace(microsecond=0)
LATER = NOW + timedelta(days=1)
_WORKERS = 6


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    if request.param == "sqlite":
        with open_database(f"sqlite:///{tmp_path}/sitecrawl.db") as opened:
            yield opened
        return
    server: PostgresDatabases = request.getfixturevalue("postgres_server")
    with server.fresh_with_tables() as url, open_database(url) as opened:
        yield opened


def test_workers_tell_each_recipient_once(database: Database, config: Config) -> None:
    with HttpReceiver() as first, HttpReceiver() as second:
        for rules in (Rules(), Rules(cadence=Cadence.DAILY)):
            for receiver in (first, second):
                new = NewChannel("webhook", receiver.url, rules=rules)
                service.add_channel(database, 1, new, config)
        scans = []
        for number in range(4):
            watched = Watched(database, NOW, key=f"site{number}.example")
            scan_id = watched.scan(added=1)
            incident = watched.incident(scan_id)
            watched.event(scan_id, incident_id=incident)
            watched.event(scan_id)
            scans.append(scan_id)
        with ThreadPoolExecutor(_WORKERS) as pool:
            added = pool.map(lambda scan: announce(database, scan, NOW), scans * 3)
            assert sum(added) == 4 * 4 * 2
            for moment in (NOW, LATER):
                prepared = pool.map(lambda _: prepare_due(database, moment, config), range(4))  # noqa: B023  it is used up within the loop
                work = [number for numbers in prepared for number in numbers]
                list(pool.map(lambda number: deliver(database, number, moment, config), work))  # noqa: B023
    for receiver in (first, second):
        told = [
            (each.json.get("siteId"), event["id"])
            for each in receiver.received
            for event in each.json["events"]
        ]
        assert len(told) == len(set(told)) == 8
        assert len(receiver.received) == 4  # the digest had nothing new to tell


_WORKER = """
import sys
from datetime import datetime
from sitecrawl.monitor.deliveries import deliver
from sitecrawl.services.database import configured
from sitecrawl.store.engine import open_database
with open_database(sys.argv[1]) as database:
    deliver(database, int(sys.argv[2]), datetime.fromisoformat(sys.argv[3]), configured())
"""


def test_a_killed_worker_is_made_up_for_with_the_same_id(
    tmp_path: Path, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITECRAWL_ADDRESS_ALLOW", "127.0.0.1")
    monkeypatch.setenv("SITECRAWL_SECRET_KEY", config.secret_key[0])
    url = f"sqlite:///{tmp_path}/sitecrawl.db"
    hold = threading.Event()
    with open_database(url) as database, HttpReceiver(release=hold) as receiver:
        service.add_channel(database, 1, NewChannel("webhook", receiver.url), config)
        watched = Watched(database, NOW)
        scan_id = watched.scan()
        watched.event(scan_id)
        announce(database, scan_id, NOW)
        (number,) = prepare_due(database, NOW, config)
        with subprocess.Popen(
            [sys.executable, "-c", _WORKER, url, str(number), NOW.isoformat()]
        ) as worker:
            assert receiver.has_received.wait(120)
            worker.kill()  # the message has arrived, and nobody will ever know
        hold.set()
        assert prepare_due(database, NOW, config) == []
        (again,) = prepare_due(database, NOW + LEASE, config)
        assert deliver(database, again, NOW + LEASE, config).status is DeliveryStatus.SENT
        assert prepare_due(database, NOW + timedelta(days=9), config) == []
    ids = [each.headers["webhook-id"] for each in receiver.received]
    assert len(ids) == 2
    assert len(set(ids)) == 1
