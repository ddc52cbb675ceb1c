from __future__ import annotations

import tracemalloc
from datetime import time

import pytest

from sitecrawl.robots.file import (
    AgentMatching,
    Closeness,
    RobotsFile,
    RobotsFindingKind,
    closeness,
    parse_token,
    token_of,
)
from sitecrawl.robots.lines import MAX_BYTES, MAX_LINE_BYTES

MIDNIGHT = time(0)


def parse(text: str, token: str = "sitecrawl") -> RobotsFile:
    return RobotsFile.parse(text.encode(), token)


def patterns(file: RobotsFile) -> list[str]:
    return [rule.pattern for rule in file.rules]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User-agent: *\nDisallow: /a", ["/a"]),
        ("User-agent: *\nDisallow: /a\nUser-agent: sitecrawl\nDisallow: /b", ["/b"]),
        ("User-agent: *\nDisallow: /a\nUser-agent: sitecrawl", []),
        ("User-agent: a\nUser-agent: *\nDisallow: /a", ["/a"]),
        ("User-agent: *\nUser-agent: a\nDisallow: /a", ["/a"]),
        ("User-agent: sitecrawl\nUser-agent: *\nDisallow: /a", ["/a"]),
        ("User-agent: *\nDisallow:\nUser-agent: a\nDisallow: /a", []),
        ("User-agent: *\nDisallow: /a\n\nDisallow: /b", ["/a", "/b"]),
        ("User-agent: *\nDisallow: /a\nUser-agent: a\nDisallow: /b", ["/a"]),
        ("User-agent: *\nNoodles: 1\nSitemap: /s\nUser-agent: a\nDisallow: /a", ["/a"]),
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: a\nDisallow: /a", ["/a"]),
        ("Disallow: /a\nUser-agent: *\nDisallow: /b", ["/b"]),
        ("User-agent:\nDisallow: /a", []),
        ("", []),
    ],
)
def test_the_rules_of_our_groups(text: str, expected: list[str]) -> None:
    assert patterns(parse(text)) == expected


def test_groups_are_merged_with_their_lines() -> None:
    file = parse(
        "User-agent: SiteCrawl/1.0\nDisallow: /a # why\n\nUser-agent: *\nDisallow: /b\n\n"
        "User-agent: x\nUser-agent: sitecrawl\nAllow: /c"
    )
    assert file.groups == ((1, "SiteCrawl/1.0"), (8, "sitecrawl"))
    first, second = file.rules
    assert (first.line, first.is_allow, first.pattern, first.group.line) == (2, False, "/a", 1)
    assert (first.text, first.statement) == ("Disallow: /a # why", "Disallow: /a")
    assert (second.line, second.is_allow, second.pattern, second.group.line) == (9, True, "/c", 8)


def test_partial_names_stand_between_ours_and_everybody() -> None:
    groups = [
        ("*", "User-agent: *\nDisallow: /everybody\n"),
        ("part", "User-agent: crawl\nDisallow: /part\n"),
        ("whole", "User-agent: sitecrawl-images\nDisallow: /whole\n"),
        ("ours", "User-agent: sitecrawl\nDisallow: /ours\n"),
    ]
    body = "".join(text for _, text in groups)
    found = []
    for text in (body, body.replace("agent: sitecrawl\n", "agent: b\n"), groups[0][1]):
        file = RobotsFile.parse(text.encode(), "sitecrawl", AgentMatching.PARTIAL)
        found.append(patterns(file))
    assert found == [["/ours"], ["/part", "/whole"], ["/everybody"]]


@pytest.mark.parametrize(
    ("text", "seconds", "line"),
    [
        ("User-agent: *\nCrawl-delay: 2", 2.0, 2),
        ("User-agent: *\nDisallow: /\nCrawl-delay: 2", 2.0, 3),
        ("User-agent: a\nCrawl-delay: 9\nUser-agent: *\nCrawl-delay: 1", 1.0, 4),
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: a\nCrawl-delay: 9\nDisallow: /", 1.0, 2),
        ("User-agent: *\nUser-agent: a\nCrawl-delay: 3", 3.0, 3),
        ("User-agent: *\nCrawl-delay: 1\n\nUser-agent: *\nCrawl-delay: 5", 5.0, 5),
        ("User-agent: *\nCrawl-delay: 5\nUser-agent: sitecrawl\nCrawl-delay: 1", 1.0, 4),
    ],
)
def test_the_delay_of_the_names_above_it(text: str, seconds: float, line: int) -> None:
    assert parse(text).crawl_delay == (seconds, line)


@pytest.mark.parametrize(
    "text",
    [
        "Crawl-delay: 2\nUser-agent: *",
        "User-agent: a\nCrawl-delay: 2",
        "User-agent: *\nCrawl-delay: 5\nUser-agent: sitecrawl\nDisallow: /",
        "User-agent: *\nCrawl-delay: soon",
    ],
)
def test_no_delay(text: str) -> None:
    file = parse(text)
    assert file.crawl_delay is None
    assert file.seconds_between_requests(MIDNIGHT) == 0.0


def test_the_longest_pause_counts() -> None:
    file = parse("User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/5\nRequest-rate: 1/1m 0100-0200")
    assert [rate.line for rate in file.request_rates] == [3, 4]
    assert file.seconds_between_requests(MIDNIGHT) == 5.0
    assert file.seconds_between_requests(time(1, 30)) == 60.0


def test_sitemaps_belong_to_no_group() -> None:
    file = parse("Sitemap: /a.xml\nUser-agent: b\nSitemap: /c.xml")
    assert [(each.line, each.value) for each in file.sitemaps] == [(1, "/a.xml"), (3, "/c.xml")]


@pytest.mark.parametrize(
    ("text", "kind", "line", "times"),
    [
        ("<html>", RobotsFindingKind.NOT_TEXT, 0, 1),
        ("#" * MAX_BYTES + "\n", RobotsFindingKind.OVER_LIMIT, 0, 1),
        ("\n" + "a" * (MAX_LINE_BYTES + 1), RobotsFindingKind.LONG_LINE, 2, 1),
        ("\nHost: a\nb", RobotsFindingKind.UNKNOWN_LINE, 2, 2),
        ("Allow: /\nDisallow: /", RobotsFindingKind.RULE_OUTSIDE_GROUP, 1, 2),
        ("User-agent: *\nDisallow: a", RobotsFindingKind.RULE_WITHOUT_SLASH, 2, 1),
        ("User-agent: *\nCrawl-delay: a", RobotsFindingKind.BAD_DELAY, 2, 1),
        ("User-agent: *\nRequest-rate: 1", RobotsFindingKind.BAD_DELAY, 2, 1),
    ],
)
def test_findings(text: str, kind: RobotsFindingKind, line: int, times: int) -> None:
    found = {finding.kind: finding for finding in parse(text).findings}
    assert (found[kind].line, found[kind].times) == (line, times)
    assert found[kind].detail


def test_a_finding_has_no_password() -> None:
    [finding] = parse("Mirror: https://me:secret@x.example/" + "a" * 500).findings
    assert finding.detail.startswith("Mirror: https://x.example/a")
    assert len(finding.detail) == 120


def test_nothing_to_complain_about() -> None:
    assert parse("# a\nUser-agent: *\nDisallow: /a\nAllow: *b\nSitemap: /s\n").findings == ()


def test_what_is_said_to_others_costs_next_to_nothing() -> None:
    names = "".join(f"User-agent: bot{number}\n" for number in range(5_000))
    rules = "".join(f"Disallow: /{number}\n" for number in range(5_000))
    body = f"{names}{rules}User-agent: *\nDisallow: /a".encode()
    tracemalloc.start()
    file = RobotsFile.parse(body, "sitecrawl")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert patterns(file) == ["/a"]
    assert peak < 5_000_000


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
