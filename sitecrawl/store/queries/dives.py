"""Reads dives (one, those of a site, how far each has come), and what was asked about a site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from sitecrawl.store import schema as t
from sitecrawl.store.queries.cursors import ListPage, Order, list_page, page_of
from sitecrawl.store.vocabulary import DiveStatus

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from sitecrawl.store.engine import Database


_ACTIVE: Final = frozenset({DiveStatus.QUEUED, DiveStatus.RUNNING})


@dataclass(frozen=True, slots=True)
class Dive:
    """One run that makes pages of a site searchable."""

    id: int
    site_id: int
    scan_id: int | None
    wanted: dict[str, Any]
    """Which pages, by the fields of the filter that differ from its defaults."""
    job_id: int | None
    status: str
    reason: str | None
    counts: dict[str, int]
    started_at: datetime
    finished_at: datetime | None

    @property
    def is_active(self) -> bool:
        return self.status in _ACTIVE


@dataclass(frozen=True, slots=True)
class Searchable:
    """How much of a site can be searched."""

    pages: int
    passages: int


_DIVES: Final = select(t.dives)


def find_dive(connection: Connection, site_id: int, dive_id: int) -> Dive | None:
    own = _DIVES.where(t.dives.c.id == dive_id, t.dives.c.site_id == site_id)
    row = connection.execute(own).first()
    return None if row is None else _dive(row)


def dive_of_job(connection: Connection, job_id: int) -> Dive | None:
    row = connection.execute(_DIVES.where(t.dives.c.job_id == job_id)).first()
    return None if row is None else _dive(row)


def dives_page(database: Database, site_id: int, cursor: str | None, limit: int) -> ListPage[Dive]:
    """The newest first."""
    order = Order(t.dives.c.id, t.dives.c.id, is_descending=True)
    statement = _DIVES.where(t.dives.c.site_id == site_id)
    with database.reading() as connection:
        rows = connection.execute(page_of(statement, order, cursor, limit)).all()
    return list_page(rows, limit, _dive)


def searchable(connection: Connection, site_id: int) -> Searchable:
    has_text = (t.page_contents.c.site_id == site_id) & (t.page_contents.c.passages > 0)
    row = connection.execute(
        select(func.count(), func.coalesce(func.sum(t.page_contents.c.passages), 0)).where(has_text)
    ).one()
    return Searchable(*row)


def _dive(row: Row[Any]) -> Dive:
    values = row._asdict()
    values.pop("sort_value", None)
    return Dive(**values)


@dataclass(frozen=True, slots=True)
class Conversation:
    id: int
    title: str
    created_at: datetime
    turns: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with its answer."""

    id: int
    question: str
    answer: str
    kind: str
    model: str | None
    citations: list[dict[str, Any]]
    unsupported: list[dict[str, Any]]
    """Sentences of the answer that their sources do not support, and what is missing."""
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class ContentGap:
    """A question that the site does not answer."""

    question: str
    asked: int
    last_asked_at: datetime


def conversations_of(
    connection: Connection, site_id: int, user_id: int | None, limit: int
) -> list[Conversation]:
    """Those of the person, the newest first."""
    counted = func.count(t.conversation_turns.c.id).label("turns")
    rows = connection.execute(
        select(t.conversations.c.id, t.conversations.c.title, t.conversations.c.created_at, counted)
        .join_from(t.conversations, t.conversation_turns, isouter=True)
        .where(
            t.conversations.c.site_id == site_id,
            t.conversations.c.user_id.is_not_distinct_from(user_id),
        )
        .group_by(t.conversations.c.id)
        .order_by(t.conversations.c.id.desc())
        .limit(limit)
    )
    return [Conversation(**row._asdict()) for row in rows]


def past_turns(
    connection: Connection, site_id: int, conversation_id: int, user_id: int | None
) -> list[Turn] | None:
    """What was asked and answered so far; None: the person has no such conversation."""
    owner = select(t.conversations.c.id).where(
        t.conversations.c.id == conversation_id,
        t.conversations.c.site_id == site_id,
        t.conversations.c.user_id.is_not_distinct_from(user_id),
    )
    if connection.execute(owner).scalar_one_or_none() is None:
        return None
    turns = t.conversation_turns.c
    rows = connection.execute(
        select(
            *(turns.id, turns.question, turns.answer, turns.kind),
            *(turns.model, turns.citations, turns.unsupported, turns.asked_at),
        )
        .where(turns.conversation_id == conversation_id)
        .order_by(turns.id)
    )
    return [Turn(**row._asdict()) for row in rows]


def tokens_since(connection: Connection, site_id: int, moment: datetime) -> int:
    """The tokens that models got and gave for questions about the site."""
    turns = t.conversation_turns.c
    total = func.coalesce(func.sum(turns.prompt_tokens + turns.answer_tokens), 0)
    return int(
        connection.execute(
            select(total)
            .join_from(t.conversation_turns, t.conversations)
            .where(t.conversations.c.site_id == site_id, turns.asked_at >= moment)
        ).scalar_one()
    )


def content_gaps_of(connection: Connection, site_id: int, limit: int) -> list[ContentGap]:
    """The questions that were asked most often without an answer."""
    gaps = t.content_gaps.c
    rows = connection.execute(
        select(gaps.question, gaps.asked, gaps.last_asked_at)
        .where(gaps.site_id == site_id)
        .order_by(gaps.asked.desc(), gaps.last_asked_at.desc())
        .limit(limit)
    )
    return [ContentGap(**row._asdict()) for row in rows]
