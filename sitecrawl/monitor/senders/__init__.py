"""Sends messages; every connection is judged by the address guard before it is made."""

from __future__ import annotations

from dataclasses import dataclass

# What is kept of an answer.
MAX_ANSWER_BYTES = 1_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one attempt; without an error the message was taken."""

    code: int | None = None
    text: str = ""
    error: str | None = None
    is_final: bool = False
    """It would fail again: no further attempt is made."""
    is_gone: bool = False
    """The receiver wants no more messages: the channel is disabled."""
    retry_after_seconds: float = 0.0
