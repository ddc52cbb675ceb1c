"""Which groups of a robots.txt are meant for us: product tokens and the ways to match them."""

from __future__ import annotations

import re
from enum import IntEnum, StrEnum

_TOKEN = re.compile(r"[A-Za-z_-]*")
_NAME = re.compile(r"[^\s/]*")
_EVERYBODY = re.compile(r"\*(?:\s|\Z)")


class AgentMatching(StrEnum):
    """How a group's name is compared with ours."""

    RFC = "rfc"
    PARTIAL = "partial"


class Closeness(IntEnum):
    """How a group names us; only the groups with the closest name in the file hold."""

    EXACT = 0
    PARTIAL = 1
    EVERYBODY = 2


def parse_token(text: str) -> str:
    """Return the product token *text*, which RFC 9309 (2.2.1) makes of letters, - and _ only.

    >>> parse_token("sitecrawl")
    'sitecrawl'
    """
    if not text or not _TOKEN.fullmatch(text):
        raise ValueError(
            f"{text!r}: expected a product token of letters, - and _ only, such as sitecrawl"
        )
    return text


def token_of(user_agent: str) -> str:
    """Return the name of a bot without its version and whatever follows.

    >>> token_of("MJ12bot/v1.4.8 (http://mj12bot.example/)")
    'MJ12bot'
    """
    match = _NAME.match(user_agent.strip())
    if match is None or not match[0] or match[0].startswith("*"):
        raise ValueError(f"{user_agent!r}: expected the name of a bot, such as sitecrawl")
    return match[0]


def closeness(value: str, token: str, matching: AgentMatching) -> Closeness | None:
    """Say how the value of a ``User-agent`` line names the bot *token*; None: not at all.

    - Case never matters. What follows the token (``sitecrawl/1.0``, ``sitecrawl v2``) does not
      either: a value ends at the first character that no token has.
    - ``*`` is everybody, also with words behind it.
    - With partial matching a name that is part of ours, or has ours as a part, is a match.

    >>> closeness("SiteCrawl/1.0", "sitecrawl", AgentMatching.RFC).name
    'EXACT'
    >>> closeness("site", "sitecrawl", AgentMatching.RFC) is None
    True
    >>> closeness("site", "sitecrawl", AgentMatching.PARTIAL).name
    'PARTIAL'
    """
    if value.startswith("*"):
        return Closeness.EVERYBODY if _EVERYBODY.match(value) else None
    value, token = value.lower(), token.lower()
    name = _leading(_TOKEN, value)
    # A token with digits is not one by the RFC, but bots with such names exist.
    if token in {name, _leading(_NAME, value)}:
        return Closeness.EXACT
    if matching == AgentMatching.PARTIAL and ((name and name in token) or token in value):
        return Closeness.PARTIAL
    return None


def _leading(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.match(text)
    return match[0] if match else ""
