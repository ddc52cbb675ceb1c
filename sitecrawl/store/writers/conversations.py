"""Writes what was asked about a site: conversations, their turns, and gaps in the content."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert, update

from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

_MAX_TITLE_CHARACTERS: Final = 120


@dataclass(frozen=True, slots=True)
class NewTurn:
    question: str
    answer: str
    kind: str
    model: str | None
    citations: Sequence[dict[str, Any]]
    unsupported: Sequence[dict[str, Any]]
    prompt_tokens: int
    answer_tokens: int


def begin_conversation(
    connection: Connection, site_id: int, user_id: int | None, question: str
) -> int:
    statement = insert(t.conversations).values(
        site_id=site_id,
        user_id=user_id,
        title=question[:_MAX_TITLE_CHARACTERS],
        created_at=datetime.now(UTC),
    )
    return int(connection.execute(statement.returning(t.conversations.c.id)).scalar_one())


def add_turn(connection: Connection, conversation_id: int, turn: NewTurn) -> int:
    statement = insert(t.conversation_turns).values(
        conversation_id=conversation_id, asked_at=datetime.now(UTC), **asdict(turn)
    )
    return int(connection.execute(statement.returning(t.conversation_turns.c.id)).scalar_one())


def add_gap(connection: Connection, site_id: int, question: str, key: str) -> None:
    """Count a question that the site does not answer."""
    now = datetime.now(UTC)
    again = (
        update(t.content_gaps)
        .where(t.content_gaps.c.site_id == site_id, t.content_gaps.c.key == key)
        .values(asked=t.content_gaps.c.asked + 1, last_asked_at=now)
    )
    if connection.execute(again).rowcount == 0:
        connection.execute(
            insert(t.content_gaps).values(
                site_id=site_id, question=question, key=key, asked=1, last_asked_at=now
            )
        )
