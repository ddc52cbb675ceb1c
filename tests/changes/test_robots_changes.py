from __future__ import annotations

from sitecrawl.changes.robots_changes import RobotsImpact, compare_policies
from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.policy import RobotsPolicy, policy_for

URLS = [f"https://example.com/{path}" for path in ("", "a", "a/b", "c")]


def policy(text: str, outcome: str = "ok", status: int = 200) -> RobotsPolicy:
    return policy_for(read_answer(outcome, status), text.encode(), token="sitecrawl")


def test_order_comments_and_groups_of_others_mean_nothing() -> None:
    before = policy("User-agent: *\nDisallow: /a\nDisallow: /c\n")
    same = policy("# new\nUser-agent: x\nDisallow: /\n\nUser-agent: *\nDisallow: /c\nDisallow: /a")
    assert compare_policies(before, same) is None


def test_what_is_blocked_and_by_which_line() -> None:
    before, after = policy("User-agent: *\nDisallow: /c\n"), policy("User-agent: *\nDisallow: /a\n")
    diff = compare_policies(before, after)
    assert diff is not None
    assert (diff.added, diff.removed) == (((2, "Disallow: /a"),), ((2, "Disallow: /c"),))
    impact = RobotsImpact(before, after)
    impact.add(URLS, [False, True, False, True])
    found = impact.as_dict()
    assert (found["blocked"], found["blocked_important"]) == (2, 1)
    assert (found["allowed"], found["allowed_important"]) == (1, 1)
    assert found["by_line"][0] == {"line": 2, "rule": "Disallow: /a", "pages": 2}


def test_a_robots_txt_that_is_gone_allows_all() -> None:
    before, after = policy("User-agent: *\nDisallow: /\n"), policy("", "not_found", 404)
    diff = compare_policies(before, after)
    assert diff is not None
    assert diff.usual is not None
    impact = RobotsImpact(before, after)
    impact.add(URLS, [False] * 4)
    assert impact.allowed == 4


def test_a_delay_is_a_change() -> None:
    before = policy("User-agent: *\nDisallow: /a\n")
    diff = compare_policies(before, policy("User-agent: *\nCrawl-delay: 5\nDisallow: /a\n"))
    assert diff is not None
    assert diff.delay == (None, 5.0)
