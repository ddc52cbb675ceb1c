from __future__ import annotations

import pytest

from sitecrawl.robots.agents import AgentMatching, Closeness, closeness, parse_token, token_of

RFC, PARTIAL = AgentMatching.RFC, AgentMatching.PARTIAL


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("sitecrawl", Closeness.EXACT),
        ("SITECRAWL", Closeness.EXACT),
        ("sitecrawl/1.0", Closeness.EXACT),
        ("sitecrawl bot v2", Closeness.EXACT),
        ("sitecrawl2", Closeness.EXACT),
        ("*", Closeness.EVERYBODY),
        ("* (all)", Closeness.EVERYBODY),
        ("*bot", None),
        ("**", None),
        ("", None),
        ("site", None),
        ("crawl", None),
        ("sitecrawl-images", None),
        ("sitecrawler", None),
        ("my sitecrawl", None),
        ("Mozilla", None),
        ("2sitecrawl", None),
    ],
)
def test_by_the_rfc(value: str, expected: Closeness | None) -> None:
    assert closeness(value, "sitecrawl", RFC) is expected
    assert closeness(value, "SiteCrawl", RFC) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("SiteCrawl/1.0", Closeness.EXACT),
        ("site", Closeness.PARTIAL),
        ("Crawl/2.0", Closeness.PARTIAL),
        ("sitecrawl-images", Closeness.PARTIAL),
        ("my sitecrawl", Closeness.PARTIAL),
        ("*", Closeness.EVERYBODY),
        ("", None),
        ("/", None),
        ("otherbot", None),
    ],
)
def test_partial(value: str, expected: Closeness | None) -> None:
    assert closeness(value, "sitecrawl", PARTIAL) is expected


def test_a_name_with_digits_is_found_as_a_whole() -> None:
    assert closeness("MJ12bot/v1.4", "mj12bot", RFC) is Closeness.EXACT
    assert closeness("MJ", "mj12bot", RFC) is None


@pytest.mark.parametrize("text", ["", "site crawl", "sitecrawl/1.0", "*", "crawl2", "größe", "a\n"])
def test_what_is_no_product_token(text: str) -> None:
    with pytest.raises(ValueError, match="letters, - and _"):
        parse_token(text)


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("Googlebot/2.1 (+https://x.example)", "Googlebot"),
        (" a-b_c ", "a-b_c"),
        ("AI2Bot", "AI2Bot"),
    ],
)
def test_the_token_of_a_user_agent(user_agent: str, token: str) -> None:
    assert token_of(user_agent) == token


@pytest.mark.parametrize("user_agent", ["", " ", "/1.0", "*"])
def test_what_names_no_bot(user_agent: str) -> None:
    with pytest.raises(ValueError, match="name of a bot"):
        token_of(user_agent)
