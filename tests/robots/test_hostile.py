"""Files of 500 KiB that are made to cost: a verdict is there at once, whatever they hold.

The bound is a hundred times what a verdict takes; a matcher that backtracks, or tries each of many
rules at each place of a URL, would not be done in minutes.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.lines import MAX_BYTES
from sitecrawl.robots.policy import VerdictReason, policy_for

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_SECONDS = 2.0
MAX_MEMORY = 50_000_000
URL_CHARACTERS = 2_083
ORIGIN = "https://shop.example/"
CHANCE = random.Random(1)

SHAPES: dict[str, Callable[[int], str]] = {
    "the same wildcards": lambda _: "/*a*a*a*a*b",
    "wildcards with different ends": lambda number: f"/*a*a*a*a*b{number}",
    "wildcards with different starts": lambda number: f"/*{number}*a*a*a*b",
    "long texts with different ends": lambda number: f"/*{'a' * 40}{number}",
    "a thousand wildcards each": lambda number: f"/{'*a' * 1_000}*{number}",
    "as many wildcards as fit": lambda _: f"/{'*a' * 8_000}b",
    "random wildcards": lambda _: f"/*{'*'.join(CHANCE.choices('ab', k=900))}*!",
    "stars only": lambda number: f"/{'*' * 16_000}{number}",
    "a shared start": lambda number: f"/{'a' * 200}{number}",
    "every length": lambda number: f"/{'a' * (number % 2_000)}b",
    "many short rules": lambda number: f"/{number:x}",
    "escapes": lambda number: f"/*%61%3F%2f*?%2F{number}",
    "ends": lambda number: f"/*a*a{number}$",
}
URLS = [
    (ORIGIN + path)[:URL_CHARACTERS]
    for path in (
        "a" * URL_CHARACTERS,
        "ab" * URL_CHARACTERS,
        "!ab" * URL_CHARACTERS,
        "%61" * URL_CHARACTERS,
        "/".join(map(str, range(500))),
        "".join(CHANCE.choices("ab0123456789/?*!", k=URL_CHARACTERS)),
    )
]


def file_of(shape: Callable[[int], str]) -> bytes:
    text, number = ["User-agent: *"], 0
    size = len(text[0])
    while size < MAX_BYTES:
        text.append(f"Disallow: {shape(number)}")
        size += len(text[-1]) + 1
        number += 1
    return "\n".join(text).encode()


@pytest.mark.parametrize("name", SHAPES)
def test_a_verdict_is_there_at_once(name: str) -> None:
    policy = policy_for(read_answer("ok", 200), file_of(SHAPES[name]), token="sitecrawl")
    for url in URLS:
        start = time.process_time()
        verdict = policy.decide(url)
        assert time.process_time() - start < MAX_SECONDS
        assert verdict.allowed is (verdict.reason is VerdictReason.NO_RULE)


@pytest.mark.parametrize("name", ["escapes", "many short rules"])
def test_the_most_rules_take_no_more_memory_than_they_may(name: str) -> None:
    body = file_of(SHAPES[name])
    tracemalloc.start()
    policy_for(read_answer("ok", 200), body, token="sitecrawl")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MAX_MEMORY


def test_one_rule_of_500_kib() -> None:
    body = b"User-agent: *\nDisallow: /" + b"a*" * 255_000
    policy = policy_for(read_answer("ok", 200), body, token="sitecrawl")
    assert [rule.line for rule in policy.file.rules] == [2]
    assert all(policy.decide(url).allowed for url in URLS)


@pytest.mark.parametrize("token", ["sitecrawl", "bot-b"])
def test_five_thousand_names_and_rules(token: str) -> None:
    names = [f"User-agent: bot-{'b' * (number % 7)}{number}" for number in range(5_000)]
    rules = [f"Disallow: /{number}" for number in range(5_000)]
    body = "\n".join([*names, *rules]).encode()
    tracemalloc.start()
    policy = policy_for(read_answer("ok", 200), body, token=token)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MAX_MEMORY
    assert policy.decide(f"{ORIGIN}4999").allowed is (token == "sitecrawl")
