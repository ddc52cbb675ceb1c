"""Cases with expected answers: a robots.txt and a URL, and the answers of a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.lines import MAX_BYTES
from sitecrawl.robots.policy import RobotsPolicy, VerdictReason, policy_for

DATA = Path(__file__).parent / "data"
CASES = [
    json.loads(line)
    for line in (DATA / "robots_cases.jsonl").read_text("utf-8").split("\n")
    if line
]
FETCH_CASES = json.loads((DATA / "robots_fetch_cases.json").read_text("utf-8"))

ORIGIN = "https://shop.example"
ERRORS = {
    "timeout": FetchOutcome.TIMEOUT,
    "refused": FetchOutcome.UNREACHABLE,
    "tls": FetchOutcome.UNREACHABLE,
    "drip": FetchOutcome.TIMEOUT,
    "gzip_of_mb": FetchOutcome.TOO_LARGE,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    body = case["robots"].encode("utf-8", "surrogatepass")
    policy = policy_for(read_answer("ok", 200), body, token=case["agent"])
    verdict = policy.decide(case["url"])
    assert verdict.allowed is case["allowed"], verdict
    assert policy.verdicts([case["url"]])[0] == verdict


def outcome_of(response: dict[str, Any]) -> tuple[FetchOutcome, int | None, bytes]:
    """What the downloader makes of the last answer; the address guard may have stopped it."""
    status, headers = response.get("status"), response.get("headers", {})
    for cause, outcome in ERRORS.items():
        if cause in response or response.get("error") == cause:
            return outcome, None, b""
    if "location" in response:
        is_http = response["location"].startswith("http")
        return FetchOutcome.ADDRESS_NOT_ALLOWED if is_http else FetchOutcome.HTTP_ERROR, status, b""
    body = response.get("body", "").encode()
    if "Content-Length" in headers and int(headers["Content-Length"]) > len(body):
        return FetchOutcome.INCOMPLETE, status, body
    if "body_utf16" in response:
        body = response["body_utf16"].encode("utf-16")
    if generated := response.get("body_gen"):
        head = generated["head"].encode()
        body = head + b"#" * (min(generated["pad_to"], MAX_BYTES + 1) - len(head))
    assert status is not None
    if status < 300:
        return FetchOutcome.OK, status, body
    return FetchOutcome.NOT_FOUND if status == 404 else FetchOutcome.HTTP_ERROR, status, body


def policy_after(case: dict[str, Any], **options: Any) -> RobotsPolicy:
    *hops, last = case["responses"]
    outcome, status, body = outcome_of(last)
    return policy_for(
        read_answer(outcome, status, redirects=len(hops)), body, token="sitecrawl", **options
    )


def holding(policy: RobotsPolicy) -> str:
    """What the policy amounts to, in the words of the cases."""
    private, public = (policy.decide(f"{ORIGIN}/{page}") for page in ("private", "public"))
    words = {
        (True, True): "allow_all",
        (False, False): "disallow_all",
        (False, True): "parse",
    }
    return words[private.allowed, public.allowed]


@pytest.mark.parametrize("case", FETCH_CASES, ids=lambda case: case["name"])
def test_fetch_case(case: dict[str, Any]) -> None:
    assert holding(policy_after(case)) == case["expect"].replace("parse_or_disallow", "parse")


@pytest.mark.parametrize(
    "case",
    [case for case in FETCH_CASES if case["expect"] == "disallow_all"],
    ids=lambda case: case["name"],
)
def test_fetch_case_with_fail_open(case: dict[str, Any]) -> None:
    verdict = policy_after(case, fail_open=True).decide(f"{ORIGIN}/private")
    assert (verdict.allowed, verdict.reason) == (True, VerdictReason.FAIL_OPEN)
    assert verdict.confidence < 0.5


def test_there_are_cases_of_every_kind() -> None:
    assert {case["tier"] for case in CASES} == {"rfc", "google", "policy"}
    expected = {"allow_all", "disallow_all", "parse", "parse_or_disallow"}
    assert {case["expect"] for case in FETCH_CASES} == expected
