from __future__ import annotations

import time
from dataclasses import replace
from datetime import date
from itertools import combinations, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.urls.columns import canonicalize_all
from sitecrawl.urls.refusal import Reason
from sitecrawl.urls.traps import (
    _MAX_PATHS,
    _MAX_VALUES,
    FilterCombinations,
    PageCopies,
    SegmentOrders,
    TrapKind,
    TrapLimits,
    TrapRules,
)
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


def copies(*known: str, enough: int = 1, most: int = 100, pages: int = 10) -> PageCopies:
    made = PageCopies(enough=enough, most=most)
    for number in range(pages):
        made.record(f"/real-{number}", is_productive=True)
    for location in known:
        made.record(location, is_productive=False)
    return made


@pytest.mark.parametrize(
    ("location", "depth_of_text", "expected"),
    [
        ("/a", 1, False),
        ("/a/b", 2, False),
        ("/a/b", 3, False),
        ("/a/b", 1, True),
        ("", 0, False),
        # One step more is what a copy of the whole site has.
        ("/gb/a", 1, False),
        ("/gb/a/b", 2, True),
        ("/gb/a", 0, True),
    ],
)
def test_a_copy_is_deeper_than_its_text(location: str, depth_of_text: int, expected: bool) -> None:
    assert copies("/gb").is_copy(location, depth_of_text) is expected


def test_what_lies_below_a_copy() -> None:
    known = copies("/a/b")
    assert [known.is_below(path) for path in ("/a/b/c", "/a/b/c/d")] == [True, True]
    assert not any(map(known.is_below, ("/a/b", "/a/bc", "/a", "", "/a/b/c/d/e", "/x/a/b")))


def test_the_root_is_no_copy() -> None:
    assert not any(map(copies("").is_below, ("/a", "/a/b")))


def test_few_copies_do_not_count() -> None:
    assert not copies("/a", enough=2).is_below("/a/b")
    assert copies("/a", "/b", enough=2).is_below("/a/b")
    assert not copies("/a", "/b", enough=0).is_below("/a/b")


def test_copies_of_a_site_with_few_pages_do_not_count() -> None:
    assert not copies("/a", pages=9).is_below("/a/b")


def test_only_so_many_copies_are_remembered() -> None:
    known = copies("/a", "/b", most=1)
    assert [known.is_below(path) for path in ("/a/x", "/b/x")] == [True, False]


Parameters = list[tuple[str, str]]


def filters(names: str, values: str) -> list[Parameters]:
    """Every choice of two or more of the filters, the simple ones first."""
    return [
        list(zip(chosen, picked, strict=True))
        for count in range(2, len(names) + 1)
        for chosen in combinations(names, count)
        for picked in product(values, repeat=count)
    ]


def noticed_after(urls: list[Parameters]) -> int | None:
    choices = FilterCombinations()
    for count, parameters in enumerate(urls, 1):
        choices.add(parameters)
        if choices.are_combined:
            return count
    return None


@pytest.mark.parametrize(
    ("names", "values"), [("abcdef", "12345"), ("abcd", "1234"), ("abc", "12345678")]
)
def test_filters_are_noticed_early(names: str, values: str) -> None:
    urls = filters(names, values)
    noticed = noticed_after(urls)
    assert noticed is not None
    assert noticed <= min(len(urls) / 2, 10 * len(names) * len(values))


@pytest.mark.parametrize(
    "urls",
    [
        [[("f", str(n % 9)), ("t", str(n))] for n in range(3_000)],
        [
            [("t", str(n)), *extra]
            for n in range(500)
            for extra in (
                [("f", "1")],
                [("start", "20")],
                [("view", "next")],
                [("f", "1"), ("start", "20")],
                [("f", "1"), ("view", "next")],
            )
        ],
        [[("chapter", str(a)), ("verse", str(b))] for a in range(50) for b in range(50)],
        [
            [("album", str(a)), ("photo", str(b)), ("size", s)]
            for a in range(50)
            for b in range(20)
            for s in "ml"
        ],
    ],
    ids=["topics", "topics and their views", "two numbers that belong together", "sizes of photos"],
)
def test_parameters_that_choose_a_page_are_no_filters(urls: list[Parameters]) -> None:
    assert noticed_after(urls) is None


def test_more_values_than_a_list_has_filters_are_pages() -> None:
    many = [[("id", str(n)), ("x", "1")] for n in range(_MAX_VALUES + 1)]
    assert noticed_after(many + filters("abcdef", "12345")) is None


def test_what_was_noticed_stays() -> None:
    choices = FilterCombinations()
    for parameters in filters("abcd", "1234"):
        choices.add(parameters)
    assert choices.are_combined
    for number in range(1_000):
        choices.add([("a", f"x{number}"), ("b", f"y{number}")])
    assert choices.are_combined


def test_all_orders_but_the_first_are_recognised() -> None:
    orders = SegmentOrders()
    paths = ["/" + "/".join(order) for order in permutations(("map", "news", "team"))]
    for path in paths:
        orders.add(path)
    assert [orders.is_reordered(path) for path in paths] == [False] + [True] * 5


def test_a_segment_more_is_another_path() -> None:
    orders = SegmentOrders()
    orders.add("/a/b")
    assert not any(map(orders.is_reordered, ("/a", "/a/b/c", "/a/b/b", "/ab", "/b")))


def test_looking_adds_nothing() -> None:
    orders = SegmentOrders()
    assert not orders.is_reordered("/a/b")
    assert not orders.is_reordered("/b/a")


def test_only_so_many_orders_are_remembered() -> None:
    orders = SegmentOrders()
    for number in range(_MAX_PATHS + 10):
        orders.add(f"/a/{number}")
    assert orders.is_reordered(f"/{_MAX_PATHS - 1}/a")
    assert not orders.is_reordered(f"/{_MAX_PATHS}/a")
