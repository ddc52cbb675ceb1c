from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.robots import policy as policies
from sitecrawl.robots.answers import RobotsAnswer, read_answer
from sitecrawl.robots.file import AgentMatching, RobotsFindingKind
from sitecrawl.robots.policy import CONFIDENCE, RobotsPolicy, Verdict, VerdictReason, policy_for
from sitecrawl.urls.columns import shared_origin

ORIGIN = "https://shop.example"
OK = read_answer("ok", 200)
GONE = read_answer("not_found", 404)
FAILED = read_answer("http_error", 503)


def policy(*rules: str) -> RobotsPolicy:
    body = "\n".join(["User-agent: *", *rules])
    return policy_for(OK, body.encode(), token="sitecrawl")


def test_a_verdict_names_its_rule() -> None:
    body = (
        b"# us\nUser-agent: SiteCrawl/1.0\nCrawl-delay: 2\nDisallow: /cart # no\nAllow: /cart/a\n"
    )
    rules = policy_for(OK, body, token="sitecrawl")
    assert rules.decide(f"{ORIGIN}/cart/1") == Verdict(
        allowed=False,
        reason=VerdictReason.RULE,
        rule="Disallow: /cart",
        line=4,
        group="SiteCrawl/1.0",
        crawl_delay=2.0,
        confidence=1.0,
    )
    allowed = rules.decide(f"{ORIGIN}/cart/a/b")
    assert (allowed.allowed, allowed.rule, allowed.line) == (True, "Allow: /cart/a", 5)
    other = rules.decide(f"{ORIGIN}/")
    assert (other.allowed, other.reason, other.group, other.line, other.crawl_delay) == (
        (True, VerdictReason.NO_RULE, "SiteCrawl/1.0", None, 2.0)
    )


@pytest.mark.parametrize(
    ("rules", "path", "line"),
    [
        (["Disallow: /a", "Allow: /a"], "/a", 3),
        (["Allow: /a", "Disallow: /a"], "/a", 2),
        (["Disallow: /a", "Disallow: /a"], "/a", 2),
        (["Disallow: /", "Allow: /a$"], "/a", 3),
        (["Disallow: /", "Allow: /a$"], "/ab", 2),
        (["Disallow: /*", "Allow: /"], "/ab", 2),
        (["Allow: /日", "Disallow: /%E6%97%A5"], "/%E6%97%A5", 2),
        (["Disallow: /%7Ea", "Allow: /~a"], "/~a", 2),
        (["Disallow: /a/", "Allow: /a/index.html"], "/a/", 3),
        (["Disallow: /a/*b", "Allow: /a/index.html"], "/a/b", 2),
        (["Disallow: /a%2Ab", "Allow: /a*"], "/a*b", 2),
        (["Disallow: /go?to=https://x"], "/go?to=https%3A%2F%2Fx.example", 2),
        (["Disallow: /go?to=https%3a%2f%2fx"], "/go?to=https://x.example", 2),
        (["Disallow: /*to=https%3A%2F%2F"], "/go?to=https%3A%2F%2Fx.example", 2),
        (["Disallow: /a%2Fb"], "/a/b", None),
        (["Disallow: /a/b"], "/a%2Fb", None),
        (["Disallow: /"], "/robots.txt", None),
        (["Disallow: /"], "/robots.txt?a", None),
        (["Disallow: /"], "/robots.txt/a", 2),
        (["Disallow: /a", "User-agent: x", "Allow: /", "User-agent: *", "Allow: /ab"], "/abc", 6),
    ],
)
def test_which_line_decides(rules: list[str], path: str, line: int | None) -> None:
    verdict = policy(*rules).decide(ORIGIN + path)
    assert verdict.line == line
    assert policy(*rules).verdicts([ORIGIN + path])[0] == verdict


def test_octets_that_are_no_utf_8_are_compared_as_they_are() -> None:
    rules = policy_for(OK, b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /\xc3\xa9", token="me")
    paths = ["/caf%E9", "/caf%C3%A9", "/%C3%A9"]
    assert [rules.decide(ORIGIN + path).line for path in paths] == [2, None, 3]
    assert rules.decide(f"{ORIGIN}/caf%E9").rule == "Disallow: /café"


def test_a_very_long_rule_is_cut_in_the_verdict() -> None:
    verdict = policy("Disallow: /" + "a*" * 3_000).decide(f"{ORIGIN}/" + "a" * 3_000)
    assert (verdict.line, len(verdict.rule)) == (2, 1_000)


DISALLOW_ALL = b"User-agent: *\nDisallow: /"
NO_CAUSE = ""


@pytest.mark.parametrize(
    ("answer", "body", "fail_open", "expected"),
    [
        (OK, b"", False, (True, VerdictReason.NO_GROUP, NO_CAUSE, 1.0)),
        (OK, b"User-agent: x\nDisallow: /", False, (True, VerdictReason.NO_GROUP, NO_CAUSE, 1.0)),
        (OK, b"User-agent: *", False, (True, VerdictReason.NO_RULE, NO_CAUSE, 1.0)),
        (OK, b"<html>", False, (True, VerdictReason.NOT_TEXT, "HTML", 0.7)),
        (GONE, DISALLOW_ALL, False, (True, VerdictReason.NO_ROBOTS_TXT, "HTTP 404", 1.0)),
        (FAILED, b"", False, (False, VerdictReason.UNREACHABLE, "HTTP 503", 0.5)),
        (FAILED, DISALLOW_ALL, True, (True, VerdictReason.FAIL_OPEN, "HTTP 503", 0.3)),
    ],
)
def test_answers_without_rules_for_us(
    answer: RobotsAnswer, body: bytes, fail_open: bool, expected: tuple[object, ...]
) -> None:
    rules = policy_for(answer, body, token="sitecrawl", fail_open=fail_open)
    verdict = rules.decide(f"{ORIGIN}/a")
    assert (verdict.allowed, verdict.reason, verdict.cause, verdict.confidence) == expected
    column = rules.verdicts([f"{ORIGIN}/a", f"{ORIGIN}/robots.txt"])
    assert column[0] == verdict
    assert column[1].reason is VerdictReason.ROBOTS_TXT_ITSELF
    assert column[1].allowed


@pytest.mark.parametrize("fail_open", [False, True])
def test_a_kept_copy_holds_when_nothing_can_be_had(fail_open: bool) -> None:
    kept = b"User-agent: *\nDisallow: /a"
    rules = policy_for(FAILED, b"", token="me", fail_open=fail_open, kept_copy=kept)
    refused, allowed = rules.decide(f"{ORIGIN}/a"), rules.decide(f"{ORIGIN}/b")
    assert (refused.allowed, refused.reason, refused.line) == (False, VerdictReason.RULE, 2)
    assert (allowed.allowed, allowed.reason) == (True, VerdictReason.NO_RULE)
    assert refused.confidence == allowed.confidence == 0.8


def test_a_kept_copy_does_not_replace_an_answer() -> None:
    assert policy_for(OK, b"", token="me", kept_copy=DISALLOW_ALL).decide(ORIGIN).allowed
    assert policy_for(GONE, b"", token="me", kept_copy=DISALLOW_ALL).decide(ORIGIN).allowed


def test_partial_matching() -> None:
    body = b"User-agent: crawl\nDisallow: /"
    partial = policy_for(OK, body, token="sitecrawl", matching=AgentMatching.PARTIAL)
    assert not partial.decide(ORIGIN).allowed
    assert policy_for(OK, body, token="sitecrawl").decide(ORIGIN).allowed


def test_too_many_wildcards_are_refused() -> None:
    rules = ("Allow: /" + "*b" * number + "*a" * (900 - number) + "*!" for number in range(1, 280))
    verdict = policy(*rules).decide(f"{ORIGIN}/!!" + "ab" * 1_000)
    assert (verdict.allowed, verdict.reason) == (False, VerdictReason.TOO_COMPLEX)


PATTERN = st.text(st.sampled_from("/ab*$?%2Fé.=&"), max_size=10).map("/{}".format)
RULE = st.builds("{}: {}".format, st.sampled_from(["Allow", "Disallow"]), PATTERN | st.just("*"))
URL = st.builds(
    "{}{}".format,
    st.sampled_from([ORIGIN, ORIGIN, ORIGIN, "http://b.example"]),
    st.text(st.sampled_from("/ab?%2F#é.=&$*"), max_size=10).map("/{}".format) | st.just(""),
)


@given(st.lists(RULE, max_size=12), st.lists(URL, max_size=12))
def test_a_column_of_verdicts_is_what_each_of_them_is(rules: list[str], urls: list[str]) -> None:
    subject = policy(*rules)
    column = subject.verdicts(urls)
    assert [column[row] for row in range(len(urls))] == [subject.decide(url) for url in urls]
    assert set(column.others) <= set(range(len(urls)))


@given(st.lists(RULE, max_size=4), st.lists(URL, max_size=4))
def test_a_look_at_the_first_characters_misses_no_rule(rules: list[str], urls: list[str]) -> None:
    own = [url for url in urls if url.startswith(f"{ORIGIN}/")]
    origin = shared_origin([f"{ORIGIN}/", *own])
    assert origin is not None
    subject = policy(*rules)
    column = subject.verdicts(own, origin.path_starts)
    assert [column[row] for row in range(len(own))] == [subject.decide(url) for url in own]


def test_a_column_without_a_candidate_is_not_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone_through(urls: object) -> str:
        raise AssertionError

    monkeypatch.setattr(policies, "path_lines", gone_through)
    subject = policy("Disallow: /cart")
    assert subject.verdicts([f"{ORIGIN}/a", f"{ORIGIN}/b?cart"], {"/a", "/b?c"}).others == {}


PAGE = (Path(__file__).parents[2] / "docs/robots.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("reason", VerdictReason)
def test_every_reason_is_documented_and_explained(reason: VerdictReason) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{reason}` |"))
    assert row.endswith(f" {CONFIDENCE[reason]} |")
    verdict = Verdict(True, reason, "Allow: /", 1, "*", "HTTP 503")
    assert "{" not in verdict.explanation


@pytest.mark.parametrize("word", [*RobotsFindingKind, *AgentMatching])
def test_every_word_is_documented(word: str) -> None:
    assert f"`{word}`" in PAGE


def test_an_explanation_says_what_decided() -> None:
    verdict = Verdict(False, VerdictReason.UNREACHABLE, cause="HTTP 503")
    assert verdict.explanation == (
        "robots.txt could not be fetched (HTTP 503), so nothing may be fetched"
    )
