"""Spreads the frontier of one scan over fetchers, by host; PostgreSQL only.

- A *queue* is the part of the frontier that belongs to one host, or to one share of it. One process
  at a time has its *lease*, which ends by itself unless it is renewed.
- Each lease has a token, one more than the last one of its queue. What a fetcher has read is only
  taken while its token is the newest: a process that was taken for dead cannot write.
- Leases are given and renewed only while the scan's own process has opened the frontier
  (``scan_fetchers.py``): before and afterwards it is the only one that asks the site.
- Times are those of the database server, so the clocks of the machines need not agree.
- The scan's own process takes what was read in the order of the visits. So nothing of the list
  depends on who has fetched what, or when.
- A page that is to be rendered waits in its queue for a fetcher with a browser, and the whole queue
  belongs to such fetchers from then on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, func, select, update

from sitecrawl.store.schema import host_queues, visit_answers, visits
from sitecrawl.store.vocabulary import RenderingStep
from sitecrawl.store.writers.bulk import upserting_insert
from sitecrawl.store.writers.records import (
    WAITING_COLUMNS,
    Answer,
    Lease,
    NextAnswer,
    PageToRender,
    WaitingVisit,
)
from sitecrawl.store.writers.scan_fetchers import IS_OPEN, LEASE_SECONDS, close_frontier
from sitecrawl.urls.address import site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

# Further from the visit that the scan waits for nothing is fetched: what was read waits in a table.
_READ_AHEAD: Final = 10_000

_HORIZON: Final = """
SELECT least(
    (SELECT min(number) FROM visits WHERE scan_id = %(scan)s AND queue IS NOT NULL
        AND outcome IS NULL AND checked_for IS NULL) + %(ahead)s,
    (SELECT max(number) FROM (
        SELECT number FROM visits WHERE scan_id = %(scan)s AND number IS NOT NULL
        AND checked_for IS NULL AND %(pages)s > 0 ORDER BY number LIMIT %(pages)s) AS allowed),
    (SELECT min(number) FROM visit_answers WHERE scan_id = %(scan)s AND ends_crawl))
"""
# Of a budget that is used up, one page more is asked for: the crawl ends by being refused it.
_AFFORDABLE: Final = """
SELECT max(number) FROM (
    SELECT number FROM visits WHERE scan_id = %(scan)s AND number IS NOT NULL
    AND outcome IS NULL AND checked_for IS NULL AND NOT EXISTS (
        SELECT 1 FROM visit_answers AS read
        WHERE read.scan_id = visits.scan_id AND read.number = visits.number)
    ORDER BY number LIMIT %(pages)s) AS affordable
"""
_COUNT_BUSY: Final = """
SELECT count(*) FILTER (WHERE NOT needs_browser), count(*) FILTER (WHERE needs_browser)
FROM host_queues AS own WHERE scan_id = %(scan)s AND {is_busy}
"""
_LEASE: Final = """
UPDATE host_queues SET holder = %(holder)s, token = token + 1,
    expires_at = now() + %(seconds)s * interval '1 second'
WHERE scan_id = %(scan)s AND queue IN (
    SELECT own.queue FROM host_queues AS own
    WHERE own.scan_id = %(scan)s AND (own.holder IS NULL OR own.expires_at < now())
    AND {is_open} AND {is_busy} AND (%(renders)s OR NOT own.needs_browser)
    LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
RETURNING queue, token
"""
_RENEW: Final = """
UPDATE host_queues SET expires_at = now() + %(seconds)s * interval '1 second'
WHERE scan_id = %(scan)s AND queue = %(queue)s AND token = %(token)s AND holder IS NOT NULL
AND {is_open}
"""
_WAITING: Final = """
SELECT {columns} FROM visits, host_queues AS own
WHERE own.scan_id = %(scan)s AND own.queue = %(queue)s AND {waits}
AND (%(renders)s OR NOT own.needs_browser) AND number > %(after)s ORDER BY number LIMIT %(limit)s
"""
_TO_RENDER: Final = """
SELECT queue, read.number, content
FROM visit_answers AS read JOIN visits USING (scan_id, number)
WHERE scan_id = %(scan)s AND rendering = 'wanted' AND queue = ANY(%(queues)s)
AND outcome IS NULL AND checked_for IS NULL AND number <> ALL(%(under_way)s)
ORDER BY number LIMIT %(limit)s
"""
_WAITS: Final = """
visits.scan_id = own.scan_id AND visits.queue = own.queue AND visits.outcome IS NULL
AND visits.checked_for IS NULL AND visits.number <= %(horizon)s AND NOT EXISTS (
    SELECT 1 FROM visit_answers AS read
    WHERE read.scan_id = visits.scan_id AND read.number = visits.number)
"""
_IS_BUSY: Final = """
(EXISTS (SELECT 1 FROM visits WHERE {waits}) OR EXISTS (
    SELECT 1 FROM visit_answers AS read JOIN visits USING (scan_id, number)
    WHERE scan_id = own.scan_id AND visits.queue = own.queue AND read.rendering = 'wanted'))
"""
_PARTS: Final = {
    "columns": ", ".join(WAITING_COLUMNS),
    "is_open": IS_OPEN,
    "waits": _WAITS,
    "is_busy": _IS_BUSY.format(waits=_WAITS),
}
_ANSWER: Final = """
INSERT INTO visit_answers (scan_id, number, ends_crawl, rendering, content)
SELECT scan_id, %(number)s, %(ends_crawl)s, %(rendering)s, %(content)s FROM host_queues
WHERE scan_id = %(scan)s AND queue = %(queue)s AND token = %(token)s AND holder IS NOT NULL
FOR SHARE
ON CONFLICT (scan_id, number) DO UPDATE SET rendering = NULL, content = excluded.content
    WHERE visit_answers.rendering = 'wanted' AND excluded.rendering IS NULL
"""
# What lies behind the first page that nobody has read is not read time and again.
_NEXT_ANSWERS: Final = """
SELECT waiting.number, waiting.url, rendering, CASE WHEN
    bool_and(visit_answers.number IS NOT NULL) OVER (ORDER BY waiting.number) THEN content END
FROM (
    SELECT number, url FROM visits WHERE scan_id = %(scan)s AND number > %(after)s
    AND outcome IS NULL AND checked_for IS NULL ORDER BY number LIMIT %(limit)s
) AS waiting LEFT JOIN visit_answers
ON visit_answers.scan_id = %(scan)s AND visit_answers.number = waiting.number
ORDER BY waiting.number
"""


def queue_of(url: str, page_id: int, shards: int) -> str:
    """The queue of a page: its host, and which of its shares if it is split.

    >>> queue_of("https://www.example.com/a", 7, 1), queue_of("https://example.com/a", 7, 4)
    ('example.com', 'example.com#3')
    """
    host = site_of(url)
    return host if shards == 1 else f"{host}#{page_id % shards}"


# --- the scan's own process, within its transaction --------------------------------------------


def add_queues(connection: Connection, scan_id: int, queues: Iterable[str]) -> None:
    """Let fetchers find these queues; most are known."""
    rows = [{"scan_id": scan_id, "queue": queue, "token": 0} for queue in dict.fromkeys(queues)]
    statement = upserting_insert(connection.dialect)(host_queues).on_conflict_do_nothing()
    connection.execute(statement, rows)


def queue_waiting_visits(connection: Connection, scan_id: int, shards: int) -> None:
    """Give their queue to visits that were found before the scan had fetchers."""
    without = (visits.c.scan_id == scan_id) & visits.c.queue.is_(None) & visits.c.outcome.is_(None)
    found = select(visits.c.id, visits.c.url, visits.c.page_id).where(without)
    queues = {row.id: queue_of(row.url, row.page_id, shards) for row in connection.execute(found)}
    for visit_id, queue in queues.items():
        connection.execute(update(visits).where(visits.c.id == visit_id).values(queue=queue))
    if queues:
        add_queues(connection, scan_id, queues.values())


def next_answers(connection: Connection, scan_id: int, after: int, limit: int) -> list[NextAnswer]:
    """The next visits behind number *after*, each with what was read."""
    values = {"scan": scan_id, "after": after, "limit": limit}
    return [NextAnswer(*row) for row in connection.exec_driver_sql(_NEXT_ANSWERS, values)]


def want_renderings(connection: Connection, scan_id: int, numbers: Sequence[int]) -> None:
    """Pages that were doubtful are to be rendered."""
    these = (visit_answers.c.scan_id == scan_id) & visit_answers.c.number.in_(numbers)
    doubtful = visit_answers.c.rendering == RenderingStep.DOUBTFUL
    wanted = update(visit_answers).where(these, doubtful)
    connection.execute(wanted.values(rendering=RenderingStep.WANTED))
    of_visits = (visits.c.scan_id == scan_id) & visits.c.number.in_(numbers)
    queues = connection.scalars(select(visits.c.queue).where(of_visits))
    _give_to_browsers(connection, scan_id, set(queues))


def release_queues(connection: Connection, scan_id: int, holder: str) -> None:
    """End the leases of a process that is dead."""
    own = (host_queues.c.scan_id == scan_id) & (host_queues.c.holder == holder)
    connection.execute(update(host_queues).where(own).values(holder=None))


def close_queues(connection: Connection, scan_id: int) -> bool:
    """Give no more leases; return whether none is left and all that was done is reported."""
    are_done = close_frontier(connection, scan_id)
    own = host_queues.c.scan_id == scan_id
    is_held = host_queues.c.holder.is_not(None) & (host_queues.c.expires_at > func.now())
    is_free = connection.execute(select(host_queues.c.queue).where(own, is_held)).first() is None
    return is_free and are_done


def forget_answers(connection: Connection, scan_id: int, up_to: int) -> None:
    """Remove what was taken, up to a number."""
    taken = (visit_answers.c.scan_id == scan_id) & (visit_answers.c.number <= up_to)
    connection.execute(delete(visit_answers).where(taken))


# --- fetchers ----------------------------------------------------------------------------------


def horizon(
    connection: Connection, scan_id: int, max_crawl_pages: int, pages_left: int | None = None
) -> int:
    """The last number that may be fetched now; *max_crawl_pages* 0: no limit of the crawl.

    *pages_left* of the budget (None: no limit) go to the first pages that nobody has read.
    """
    values = {"scan": scan_id, "ahead": _READ_AHEAD, "pages": max_crawl_pages}
    last = connection.exec_driver_sql(_HORIZON, values).scalar() or 0
    if pages_left is None:
        return last
    values = {"scan": scan_id, "pages": min(max(pages_left, 1), _READ_AHEAD)}
    return min(last, connection.exec_driver_sql(_AFFORDABLE, values).scalar() or 0)


def fair_share(
    connection: Connection, scan_id: int, *, upto: int, fetchers: int, renderers: int
) -> int:
    """How many of the queues with visits up to number *upto* one of *fetchers* should have.

    It is one of *renderers*, which share those that need a browser; 0: it must leave these.
    """
    values = {"scan": scan_id, "horizon": upto}
    counted = connection.exec_driver_sql(_COUNT_BUSY.format_map(_PARTS), values)
    plain, need_browser = map(int, counted.one())
    return -(-plain // fetchers) + (-(-need_browser // renderers) if renderers else 0)


def take_leases(
    connection: Connection, scan_id: int, holder: str, *, upto: int, limit: int, renders: bool
) -> list[Lease]:
    """Lease queues with visits up to number *upto*; *renders*: also those that need a browser."""
    if limit <= 0:
        return []
    values: dict[str, Any] = {"scan": scan_id, "horizon": upto, "holder": holder}
    values["renders"] = renders
    values |= {"seconds": LEASE_SECONDS, "limit": limit}
    return [Lease(*row) for row in connection.exec_driver_sql(_LEASE.format_map(_PARTS), values)]


def renew_leases(connection: Connection, scan_id: int, leases: Iterable[Lease]) -> list[Lease]:
    """Those that still hold, for another :data:`LEASE_SECONDS`."""
    kept = []
    for lease in sorted(leases):  # the same order for everybody: nobody waits for each other
        values = {"scan": scan_id, "seconds": LEASE_SECONDS, **lease._asdict()}
        if connection.exec_driver_sql(_RENEW.format_map(_PARTS), values).rowcount:
            kept.append(lease)
    return kept


def release_leases(connection: Connection, scan_id: int, leases: Iterable[Lease]) -> None:
    """Give queues back, so that others need not wait for the end of the lease."""
    for lease in sorted(leases):
        own = (host_queues.c.scan_id == scan_id) & (host_queues.c.queue == lease.queue)
        connection.execute(
            update(host_queues).where(own, host_queues.c.token == lease.token).values(holder=None)
        )


def waiting_visits(
    connection: Connection,
    scan_id: int,
    lease: Lease,
    *,
    after: int,
    upto: int,
    limit: int,
    renders: bool,
) -> list[WaitingVisit]:
    """The next visits of a leased queue behind number *after* that nobody has read.

    None, if the queue needs a browser since and the process does not render.
    """
    values = {"scan": scan_id, "queue": lease.queue, "after": after, "horizon": upto}
    values |= {"limit": limit, "renders": renders}
    rows = connection.exec_driver_sql(_WAITING.format_map(_PARTS), values)
    return [WaitingVisit(*row) for row in rows]


def pages_to_render(
    connection: Connection,
    scan_id: int,
    queues: Sequence[str],
    *,
    under_way: Iterable[int],
    limit: int,
) -> list[PageToRender]:
    """Pages of leased queues that were read and are to be rendered."""
    values: dict[str, Any] = {"scan": scan_id, "queues": queues, "under_way": list(under_way)}
    rows = connection.exec_driver_sql(_TO_RENDER, {**values, "limit": limit})
    return [PageToRender(*row) for row in rows]


def add_answers(connection: Connection, scan_id: int, answers: Sequence[Answer]) -> None:
    """Keep what was read under leases that still hold; a queue that was lost is read by others."""
    # What a crash of the server loses is fetched again.
    connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
    rows = [
        {"scan": scan_id, **answer.lease._asdict(), **answer._asdict()}
        for answer in sorted(answers, key=lambda each: each.lease)  # as above
    ]
    connection.exec_driver_sql(_ANSWER, rows)
    wanted = {each.lease.queue for each in answers if each.rendering == RenderingStep.WANTED}
    _give_to_browsers(connection, scan_id, wanted)


def _give_to_browsers(connection: Connection, scan_id: int, queues: Iterable[str]) -> None:
    for queue in sorted(queues):  # as above
        own = (host_queues.c.scan_id == scan_id) & (host_queues.c.queue == queue)
        plain = ~host_queues.c.needs_browser
        connection.execute(update(host_queues).where(own, plain).values(needs_browser=True))
