from __future__ import annotations

import time
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.urls.batches import canonicalize_all
from sitecrawl.urls.refusal import Reason
from sitecrawl.urls.traps import TrapKind, TrapLimits, TrapRules
from tests.urls.nasty import likely_urls, nasty_urls

TODAY = date(2026, 5, 17)
NO_LIMITS = TrapLimits(
    max_segments=0,
    max_path_length=0,
    max_repeats=0,
    max_parameters=0,
    future_years=0,
    past_years=0,
    session_names=(),
)
HASH = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"


def reason(target: str, limits: TrapLimits | None = None) -> str | None:
    rules = TrapRules(limits or TrapLimits(), TODAY)
    url = f"http://127.0.0.1:8099{target}"
    refusal = rules.refusal(url)
    assert rules.refusals(["https://example.com/ok", url]) == ({1: refusal} if refusal else {})
    assert TrapRules(NO_LIMITS, TODAY).refusal(url) is None
    return refusal.reason.value if refusal else None


# paths


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/" + "/".join(f"s{number}" for number in range(20)), None),
        ("/" + "/".join(f"s{number}" for number in range(20)) + "/?a=/b/c", None),
        ("/" + "/".join(f"s{number}" for number in range(21)), "trap_path"),
        ("/" + "x" * 999, None),
        ("/" + "x" * 1000, "trap_path"),
        ("/?" + "x" * 1500, None),
        ("/a/b/a/b/a/b", None),
        ("/a/b/a/b/a/b/a", "trap_loop"),
        ("/a/a/a/a", "trap_loop"),
        ("/a/x/a/y/a/z/a/", "trap_loop"),
        ("/1/1/1/1", None),
        ("/a//////b", None),
        ("/a/b?next=/a/a/a/a/a", None),
    ],
    ids=lambda value: str(value)[:24],
)
def test_path(target: str, expected: str | None) -> None:
    assert reason(target) == expected


# parameters


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/?" + "&".join(f"p{number}=1" for number in range(12)), None),
        ("/?" + "&".join(f"p{number}=1" for number in range(13)), "trap_facets"),
        (f"/?session={HASH}", "trap_session"),
        (f"/a?x=1&SessionHash={HASH}", "trap_session"),
        (f"/a;sess={HASH}/b", "trap_session"),
        (f"/?token={HASH}", None),
        (f"/?xsession={HASH}", None),
        ("/?session=the-morning-session-of-the-board", None),
        ("/?session=20260517103000123456", None),
        ("/?session=12", None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_parameters(target: str, expected: str | None) -> None:
    assert reason(target) == expected


def test_names_of_sessions_are_taken_as_they_are() -> None:
    limits = replace(TrapLimits(), session_names=("my.visit",))
    assert reason(f"/?My.Visit={HASH}", limits) == "trap_session"
    assert reason(f"/?my-visit={HASH}", limits) is None
    assert reason(f"/?session={HASH}", limits) is None


# calendars


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/2031/05/17", None),
        ("/2032/05/17", "trap_calendar"),
        ("/2032-05", "trap_calendar"),
        ("/events/2032/11", "trap_calendar"),
        ("/events/2032/5", "trap_calendar"),
        ("/events/2031/12/31", None),
        ("/cal?year=2099", "trap_calendar"),
        ("/cal?cal_year=2099&month=5", "trap_calendar"),
        ("/cal?date=2099-05-17", "trap_calendar"),
        ("/cal?date=2027-05-17", None),
        ("/1826/01/02", None),
        ("/1825/12/31/events", None),
        ("/calendar/0001/02", "trap_calendar"),
        ("/calendar/9999/11/30", None),
        # Numbers that are no years.
        ("/topic/2099/5", None),
        ("/topic/1234/11", None),
        ("/events/1234/5", None),
        ("/2099", None),
        ("/a/20990/05", None),
        ("/a/2099/051", None),
        ("/12345-6789/05", "trap_calendar"),
        # The port is no year.
        ("/05/events", None),
    ],
)
def test_calendar(target: str, expected: str | None) -> None:
    assert reason(target) == expected


def test_the_horizon_moves_with_the_day() -> None:
    rules = TrapRules(TrapLimits(), date(2094, 1, 1))
    assert rules.refusal("https://example.com/events/2099/01") is None
    assert rules.refusal("https://example.com/events/2100/01") == (
        Reason.TRAP_CALENDAR,
        "at most 5 years ahead",
    )


# all of them


def test_rules_say_the_limit() -> None:
    limits = TrapLimits(max_segments=2, max_path_length=30, max_repeats=1, max_parameters=1)
    rules = TrapRules(limits, TODAY)
    targets = ("a/b/c", "x" * 40, "a/a", "?a&b", f"?sid={HASH}", "1700/01")
    assert [rules.refusal(f"https://example.com/{target}") for target in targets] == [
        (Reason.TRAP_PATH, "at most 2 path segments"),
        (Reason.TRAP_PATH, "at most 30 characters of path"),
        (Reason.TRAP_LOOP, "at most 1 times the same segment"),
        (Reason.TRAP_FACETS, "at most 1 parameters"),
        (Reason.TRAP_SESSION, "sid"),
        (Reason.TRAP_CALENDAR, "at most 200 years back"),
    ]


@pytest.mark.parametrize("kind", TrapKind)
def test_what_is_no_trap_is_no_refusal(kind: TrapKind) -> None:
    assert kind.is_refusal == (kind is not TrapKind.PATTERN)
    assert kind.reason == (f"trap_{kind}" if kind.is_refusal else None)


_TARGETS = st.sampled_from(
    ["/a/a/a/a", "/2099/01/x", "/cal/1/2099/5", f"/?s&session={HASH}", "/12345-6789/05", "/?year=1"]
)


@settings(max_examples=150)
@given(
    st.lists(
        nasty_urls() | likely_urls() | _TARGETS.map(lambda target: f"https://example.com{target}"),
        max_size=20,
    ),
    st.sampled_from(
        [
            TrapLimits(),
            NO_LIMITS,
            TrapLimits(max_segments=2, max_path_length=20, max_repeats=1, max_parameters=1),
            TrapLimits(max_segments=0, max_repeats=2, future_years=0),
        ]
    ),
)
def test_batch_answers_as_one_by_one(urls: list[str], limits: TrapLimits) -> None:
    rules = TrapRules(limits, TODAY)
    canonical = [url for url in canonicalize_all(urls) if url is not None]
    one_by_one = {index: rules.refusal(url) for index, url in enumerate(canonical)}
    assert rules.refusals(canonical) == {i: refusal for i, refusal in one_by_one.items() if refusal}


@pytest.mark.parametrize(
    "target",
    [
        *("a/" * 8_000, "?" + "sid=" * 4_000, "?" + "&sid=a" * 3_000, "2099-" * 3_000),
        *("?sid=" + "a" * 16_000, "?" + "year=2099&" * 1_500, "calendar/" * 1_700),
    ],
    ids=lambda target: target[:12],
)
def test_hostile_urls_cost_little(target: str) -> None:
    rules = TrapRules(NO_LIMITS, TODAY), TrapRules(TrapLimits(), TODAY)
    started = time.process_time()
    for each in rules:
        each.refusals([f"https://example.com/{target}"] * 5)
    assert time.process_time() - started < 2
