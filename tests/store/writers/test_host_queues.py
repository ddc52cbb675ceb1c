"""Leases of queues: one holder at a time, and none who was taken for dead can write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from sitecrawl.store.engine import open_database
from sitecrawl.store.schema import visits
from sitecrawl.store.writers.host_queues import (
    Answer,
    add_answers,
    add_queues,
    close_queues,
    forget_answers,
    horizon,
    next_answers,
    open_queues,
    release_leases,
    release_queues,
    renew_leases,
    take_leases,
    waiting_visits,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

    from sitecrawl.store.writers.host_queues import Lease

SCAN = 1


@pytest.fixture
def connection(postgres_tables_url: str) -> Iterator[Connection]:
    """A frontier of four pages on two hosts; the root is visited."""
    with open_database(postgres_tables_url) as database, database.writing() as opened:
        queues = ["a", "a", "b", "a", "b"]
        rows = [
            {
                "scan_id": SCAN,
                "page_id": number,
                "number": number,
                "url": f"/{number}",
                "clicks": 1,
                "external_hops": 0,
                "queue": queue,
                "outcome": "ok" if number == 1 else None,
            }
            for number, queue in enumerate(queues, 1)
        ]
        opened.execute(visits.insert(), rows)
        add_queues(opened, SCAN, queues)
        open_queues(opened, SCAN)
        yield opened


def take(connection: Connection, holder: str, *, fetchers: int = 1, held: int = 0) -> list[Lease]:
    return sorted(take_leases(connection, SCAN, holder, upto=100, held=held, fetchers=fetchers))


def expire(connection: Connection) -> None:
    connection.execute(text("UPDATE host_queues SET expires_at = now() - interval '1 second'"))


def test_a_queue_has_one_holder(connection: Connection) -> None:
    [first] = take(connection, "one", fetchers=2)
    [second] = take(connection, "two", fetchers=2)
    assert {first.queue, second.queue} == {"a", "b"}
    assert take(connection, "three") == []
    release_leases(connection, SCAN, [first])
    [third] = take(connection, "three")
    assert (third.queue, third.token) == (first.queue, first.token + 1)


def test_a_fetcher_takes_its_part_of_the_queues(connection: Connection) -> None:
    assert len(take(connection, "one", fetchers=2)) == 1
    assert take(connection, "one", fetchers=2, held=1) == []
    assert len(take(connection, "two")) == 1


def test_who_was_taken_for_dead_cannot_write(connection: Connection) -> None:
    old = take(connection, "one")
    expire(connection)
    new = take(connection, "two")
    assert [lease.token for lease in new] == [2, 2]
    assert renew_leases(connection, SCAN, old) == []
    add_answers(connection, SCAN, [Answer(old[0], 2, b"old"), Answer(new[0], 4, b"new")])
    assert next_answers(connection, SCAN, 0, 10) == [(2, None), (3, None), (4, b"new"), (5, None)]


def test_a_lease_that_nobody_took_over_is_renewed(connection: Connection) -> None:
    leases = take(connection, "one")
    expire(connection)
    assert renew_leases(connection, SCAN, leases) == leases
    assert take(connection, "two") == []


def test_leases_of_a_dead_process_are_free_at_once(connection: Connection) -> None:
    old = take(connection, "host/1")
    release_queues(connection, SCAN, "host/1")
    assert len(take(connection, "host/2")) == 2
    add_answers(connection, SCAN, [Answer(old[0], 2, b"old")])
    assert next_answers(connection, SCAN, 0, 1) == [(2, None)]


def test_visits_of_a_queue_come_in_order_and_once(connection: Connection) -> None:
    [a, _] = take(connection, "one")

    def numbers(after: int, upto: int = 100) -> list[int]:
        found = waiting_visits(connection, SCAN, a, after=after, upto=upto, limit=10)
        return [visit.number for visit in found]

    assert numbers(0) == [2, 4]
    assert numbers(2) == [4]
    assert numbers(0, upto=3) == [2]
    add_answers(connection, SCAN, [Answer(a, 2, b"read"), Answer(a, 2, b"again")])
    assert numbers(0) == [4]
    assert next_answers(connection, SCAN, 0, 1) == [(2, b"read")]
    forget_answers(connection, SCAN, 2)
    assert numbers(0) == [2, 4]


def test_nothing_is_fetched_beyond_the_limit_of_pages(connection: Connection) -> None:
    assert horizon(connection, SCAN, 3) == 3
    assert horizon(connection, SCAN, 0) > 5
    # Another one may be found in a moment, and a fifty-first.
    assert horizon(connection, SCAN, 50) == 5


def test_closed_queues_are_not_leased_and_not_renewed(connection: Connection) -> None:
    leases = take(connection, "one")
    assert not close_queues(connection, SCAN)
    assert renew_leases(connection, SCAN, leases) == []
    expire(connection)
    assert close_queues(connection, SCAN)
    assert take(connection, "two") == []
