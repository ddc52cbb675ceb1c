"""Anything may be in the place of a robots.txt: garbage, and garbage that looks like one."""

from __future__ import annotations

import random

import pytest

from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.file import AgentMatching
from sitecrawl.robots.policy import VerdictReason, policy_for

ROUNDS = 150

WORDS = [
    *(b"User-agent", b"useragent", b"Allow", b"Disallow", b"dissallow", b"Sitemap", b"Crawl-delay"),
    *(b"Request-rate", b"Host", b"sitecrawl", b"SiteCrawl/1.0", b"*", b"**", b"bot"),
    *(b":", b": ", b" : ", b" ", b"\t", b"\n", b"\n", b"\r", b"\r\n", b"#", b"\0", b"\v", b"\x85"),
    *(
        b"/",
        b"/a",
        b"/*",
        b"$",
        b"%",
        b"%2F",
        b"%2a",
        b"%zz",
        b"%C3%A9",
        b"\xc3\xa9",
        b"\xe9",
        b"?",
    ),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xa8", b"<html>", b"<!--", b"1", b"1/5", b"9" * 30),
]
URLS = [
    "https://shop.example",
    "https://shop.example/a",
    "https://shop.example/robots.txt",
    "https://shop.example/a/b?c=%2F%2a#d",
    "https://shop.example/%C3%A9/é/$*",
    "https://shop.example/\ud800\n%",
    "",
]


def garbage(chance: random.Random) -> bytes:
    body = chance.randbytes(chance.randrange(400))
    return body + b"\nUser-agent: *\nDisallow: /a" if chance.random() < 0.5 else body


def structured(chance: random.Random) -> bytes:
    return b"".join(chance.choices(WORDS, k=chance.randrange(1, 120)))


def lines(chance: random.Random) -> bytes:
    fields = [b"User-agent: *", b"Disallow: ", b"Allow: ", b"Crawl-delay: ", b"Sitemap: ", b""]
    texts = (b"".join(chance.choices(WORDS, k=chance.randrange(6))) for _ in range(20))
    return b"\n".join(chance.choice(fields) + text for text in texts)


def encoded(chance: random.Random) -> bytes:
    text = lines(chance).decode("latin-1")
    return text.encode(chance.choice(["utf-16", "utf-16-be", "utf-32", "utf-8-sig"]))


@pytest.mark.parametrize("make", [garbage, structured, lines, encoded])
@pytest.mark.parametrize("matching", AgentMatching)
def test_every_body_has_its_verdicts(make: object, matching: AgentMatching) -> None:
    assert callable(make)
    for seed in range(ROUNDS):
        body = make(random.Random(seed))
        policy = policy_for(read_answer("ok", 200), body, token="sitecrawl", matching=matching)
        column = policy.verdicts(URLS)
        for row, url in enumerate(URLS):
            verdict = policy.decide(url)
            assert column[row] == verdict, (seed, url)
            if verdict.reason is VerdictReason.RULE:
                [rule] = [rule for rule in policy.file.rules if rule.line == verdict.line]
                assert (rule.is_allow, rule.statement) == (verdict.allowed, verdict.rule)
                assert rule.group in policy.file.groups
            else:
                assert verdict.allowed
