"""Reads what was asked about a site: conversations, the tokens they took, and gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection


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
