from __future__ import annotations

import tracemalloc
from datetime import time

import pytest

from sitecrawl.parse.robots import MAX_BYTES, MAX_LINE_BYTES
from sitecrawl.robots.agents import AgentMatching
from sitecrawl.robots.file import RobotsFile, RobotsFindingKind

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
