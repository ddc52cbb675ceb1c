"""Answers to requests that may be sent again, kept for a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sitecrawl.store.queries.users import kept_answer
from sitecrawl.store.writers import users as writers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.users import KeptAnswer

_LIFETIME: Final = timedelta(days=1)
# A server that died in the middle leaves a key that nobody will answer.
_MAX_UNDER_WAY: Final = timedelta(minutes=10)


def claim(database: Database, caller: str, key: str, request_hash: str) -> KeptAnswer | None:
    """Claim a key for a request; None: it was free, else the request that has it."""
    now = datetime.now(UTC)
    with database.writing() as connection:
        kept = kept_answer(connection, caller, key)
        if kept is not None and _is_over(kept, now):
            writers.release_key(connection, caller, key)
            kept = None
        if kept is None and writers.claim_key(connection, caller, key, request_hash, now):
            return None
        return kept or kept_answer(connection, caller, key)


def keep(
    database: Database,
    caller: str,
    key: str,
    *,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
) -> None:
    with database.writing() as connection:
        writers.keep_answer(connection, caller, key, status=status, headers=headers, body=body)


def release(database: Database, caller: str, key: str) -> None:
    """Free the key of a request that failed, so that it may be sent again."""
    with database.writing() as connection:
        writers.release_key(connection, caller, key)


def _is_over(kept: KeptAnswer, now: datetime) -> bool:
    is_stuck = kept.status is None and kept.created_at + _MAX_UNDER_WAY < now
    return is_stuck or kept.created_at + _LIFETIME < now
