"""Leases of queues: one holder at a time, and none who was taken for dead can write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from sitecrawl.store.engine import open_database
from sitecrawl.store.schema import visits
from sitecrawl.store.vocabulary import RenderingStep
from sitecrawl.store.writers.host_queues import (
    add_answers,
    add_queues,
    close_queues,
    fair_share,
    forget_answers,
    horizon,
    next_answers,
    pages_to_render,
    release_leases,
    release_queues,
    renew_leases,
    take_leases,
    waiting_visits,
    want_renderings,
)
from sitecrawl.store.writers.records import Answer
from sitecrawl.store.writers.scan_fetchers import (
    LEASE_SECONDS,
    end_fetcher,
    fetchers_result,
    frontier_state,
    note_fetcher,
    open_frontier,
    take_pages,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

    from sitecrawl.store.writers.records import Lease

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
        open_frontier(opened, SCAN, page_requests=1, seconds_left=60, has_browser=False)
        yield opened


def take(
    connection: Connection, holder: str, limit: int = 100, *, renders: bool = False
) -> list[Lease]:
    found = take_leases(connection, SCAN, holder, upto=100, limit=limit, renders=renders)
    return sorted(found)


def answers(connection: Connection, after: int = 0, limit: int = 10) -> list[tuple[Any, ...]]:
    return [(each.number, each.content) for each in next_answers(connection, SCAN, after, limit)]


def expire(connection: Connection) -> None:
    connection.execute(text("UPDATE host_queues SET expires_at = now() - interval '1 second'"))


def test_a_queue_has_one_holder(connection: Connection) -> None:
    [first] = take(connection, "one", limit=1)
    [second] = take(connection, "two", limit=1)
    assert {first.queue, second.queue} == {"a", "b"}
    assert take(connection, "three") == []
    release_leases(connection, SCAN, [first])
    [third] = take(connection, "three")
    assert (third.queue, third.token) == (first.queue, first.token + 1)


def test_fetchers_share_the_queues_with_waiting_pages(connection: Connection) -> None:
    def shares(upto: int = 100) -> list[int]:
        return [fair_share(connection, SCAN, upto=upto, fetchers=n, renderers=0) for n in (1, 2, 3)]

    assert shares() == [2, 1, 1]
    assert shares(upto=2) == [1, 1, 1]
    assert take(connection, "one", limit=0) == []


def test_who_was_taken_for_dead_cannot_write(connection: Connection) -> None:
    old = take(connection, "one")
    expire(connection)
    new = take(connection, "two")
    assert [lease.token for lease in new] == [2, 2]
    assert renew_leases(connection, SCAN, old) == []
    add_answers(connection, SCAN, [Answer(old[0], 2, b"old"), Answer(new[0], 2, b"new")])
    assert answers(connection) == [(2, b"new"), (3, None), (4, None), (5, None)]


def test_answers_are_not_loaded_before_those_of_the_pages_before_them(
    connection: Connection,
) -> None:
    [a, b] = take(connection, "one")
    add_answers(connection, SCAN, [Answer(a, 2, b"2"), Answer(b, 5, b"5")])
    assert answers(connection) == [(2, b"2"), (3, None), (4, None), (5, None)]
    add_answers(connection, SCAN, [Answer(b, 3, b"3"), Answer(a, 4, b"4")])
    assert answers(connection) == [(2, b"2"), (3, b"3"), (4, b"4"), (5, b"5")]


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
    assert answers(connection, limit=1) == [(2, None)]


def test_visits_of_a_queue_come_in_order_and_once(connection: Connection) -> None:
    [a, _] = take(connection, "one")

    def numbers(after: int, upto: int = 100) -> list[int]:
        found = waiting_visits(connection, SCAN, a, after=after, upto=upto, limit=10, renders=False)
        return [visit.number for visit in found]

    assert numbers(0) == [2, 4]
    assert numbers(2) == [4]
    assert numbers(0, upto=3) == [2]
    add_answers(connection, SCAN, [Answer(a, 2, b"read"), Answer(a, 2, b"again")])
    assert numbers(0) == [4]
    assert answers(connection, limit=1) == [(2, b"read")]
    forget_answers(connection, SCAN, 2)
    assert numbers(0) == [2, 4]


def test_nothing_is_fetched_beyond_the_limit_of_pages(connection: Connection) -> None:
    assert horizon(connection, SCAN, 3) == 3
    assert horizon(connection, SCAN, 0) > 5
    # Another one may be found in a moment, and a fifty-first.
    assert horizon(connection, SCAN, 50) == 5


def test_the_budget_goes_to_the_first_pages(connection: Connection) -> None:
    assert horizon(connection, SCAN, 0, pages_left=2) == 3
    assert horizon(connection, SCAN, 0, pages_left=100) == 5
    [a, b] = take(connection, "one")
    add_answers(connection, SCAN, [Answer(a, 2, b"read")])
    assert horizon(connection, SCAN, 0, pages_left=2) == 4
    # One more is asked for, and refused.
    assert horizon(connection, SCAN, 0, pages_left=0) == 3
    add_answers(connection, SCAN, [Answer(b, 3, b"refused", ends_crawl=True)])
    assert horizon(connection, SCAN, 0, pages_left=0) == 3
    assert horizon(connection, SCAN, 0) == 3


def test_what_ended_the_crawl_is_forgotten_when_it_goes_on(connection: Connection) -> None:
    [a, b] = take(connection, "one")
    add_answers(
        connection, SCAN, [Answer(a, 2, b"read"), Answer(b, 3, b"refused", ends_crawl=True)]
    )
    open_frontier(connection, SCAN, page_requests=0, seconds_left=None, has_browser=False)
    assert answers(connection, limit=2) == [(2, b"read"), (3, None)]


def test_no_more_pages_are_taken_than_the_budget_has(connection: Connection) -> None:
    assert [take_pages(connection, SCAN, 4, 10) for _ in range(4)] == [4, 4, 1, 0]
    state = frontier_state(connection, SCAN)
    assert state is not None
    assert (state.page_requests, state.fetchers) == (10, 0)
    close_queues(connection, SCAN)
    assert take_pages(connection, SCAN, 1, 100) == 0
    assert frontier_state(connection, SCAN) is None
    assert fetchers_result(connection, SCAN).page_requests == 10


def test_the_time_of_a_scan_is_known_to_its_fetchers(connection: Connection) -> None:
    state = frontier_state(connection, SCAN)
    assert state is not None
    assert state.seconds_left == pytest.approx(60, abs=1)
    open_frontier(connection, SCAN, page_requests=0, seconds_left=None, has_browser=False)
    state = frontier_state(connection, SCAN)
    assert state is not None
    assert state.seconds_left is None


def test_fetchers_that_are_there_are_counted_and_all_reports_kept(connection: Connection) -> None:
    def numbers() -> tuple[int, int]:
        state = frontier_state(connection, SCAN)
        assert state is not None
        return state.fetchers, state.renderers

    note_fetcher(connection, SCAN, "one", None, has_browser=True)
    note_fetcher(connection, SCAN, "two", {"n": 1}, has_browser=False)
    note_fetcher(connection, SCAN, "two", {"n": 2}, has_browser=False)
    assert numbers() == (2, 1)
    end_fetcher(connection, SCAN, "two")
    assert numbers() == (1, 1)
    connection.execute(
        text("UPDATE scan_fetchers SET seen_at = now() - :s * interval '1 second'"),
        {"s": LEASE_SECONDS},
    )
    assert numbers() == (0, 0)
    assert fetchers_result(connection, SCAN).reports == {"two": {"n": 2}}


def test_a_page_that_is_to_be_rendered_waits_for_a_browser(connection: Connection) -> None:
    [a, b] = take(connection, "plain")

    def to_render(lease: Lease) -> list[tuple[int, bytes]]:
        found = pages_to_render(connection, SCAN, [lease.queue], under_way=[], limit=10)
        return [(page.number, page.content) for page in found]

    read = [
        Answer(a, 2, b"sent", rendering=RenderingStep.WANTED),
        Answer(b, 3, b"sent", rendering=RenderingStep.DOUBTFUL),
    ]
    add_answers(connection, SCAN, read)
    assert (to_render(a), to_render(b)) == ([(2, b"sent")], [])
    # The rest of the queue belongs to whoever has a browser.
    rest = {"after": 0, "upto": 100, "limit": 10}
    assert waiting_visits(connection, SCAN, a, renders=False, **rest) == []
    release_leases(connection, SCAN, [a, b])
    assert [lease.queue for lease in take(connection, "plain")] == ["b"]
    [a] = take(connection, "browser", renders=True)
    assert [each.number for each in waiting_visits(connection, SCAN, a, renders=True, **rest)] == [
        4
    ]
    add_answers(connection, SCAN, [Answer(a, 2, b"rendered"), Answer(a, 4, b"sent")])
    assert to_render(a) == []
    assert answers(connection, limit=2) == [(2, b"rendered"), (3, b"sent")]


def test_what_is_only_to_be_rendered_keeps_a_queue_busy(connection: Connection) -> None:
    def shares() -> list[int]:
        both = ((2, 0), (2, 1), (2, 2))
        return [
            fair_share(connection, SCAN, upto=100, fetchers=fetchers, renderers=renderers)
            for fetchers, renderers in both
        ]

    [a, b] = take(connection, "plain")
    assert shares() == [1, 1, 1]
    read = [Answer(b, number, b"sent", rendering=RenderingStep.DOUBTFUL) for number in (3, 5)]
    add_answers(connection, SCAN, [*read, Answer(a, 2, b"sent"), Answer(a, 4, b"sent")])
    assert shares() == [0, 0, 0]
    want_renderings(connection, SCAN, [5])
    assert shares() == [0, 1, 1]
    release_leases(connection, SCAN, [a, b])
    assert take(connection, "plain") == []
    assert [lease.queue for lease in take(connection, "browser", renders=True)] == ["b"]
    # What was doubtful counts as it was sent once the scan has decided so.
    steps = [each.rendering for each in next_answers(connection, SCAN, 0, 4)]
    assert steps == [None, RenderingStep.DOUBTFUL, None, RenderingStep.WANTED]


def test_closed_queues_are_not_leased_and_not_renewed(connection: Connection) -> None:
    leases = take(connection, "one")
    assert not close_queues(connection, SCAN)
    assert renew_leases(connection, SCAN, leases) == []
    expire(connection)
    assert close_queues(connection, SCAN)
    assert take(connection, "two") == []
