from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.robots.matcher import MAX_STEPS, TOO_COMPLEX, PatternMatcher
from sitecrawl.robots.patterns import Pattern, parse_patterns
from tests.robots.reference import first_match, matches


def compile_all(*values: str) -> list[Pattern]:
    return [each for value in values for each in parse_patterns(value.encode(), is_allow=False)]


def column(paths: list[str]) -> str:
    return "".join(f"\n{path}" for path in paths) + "\n"


@pytest.mark.parametrize(
    ("value", "path", "expected"),
    [
        ("/a", "/a", True),
        ("/a", "/ab", True),
        ("/a", "/b", False),
        ("/a$", "/a", True),
        ("/a$", "/ab", False),
        ("/*b$", "/ab/bc", False),
        ("/*ab$", "/abxab", True),
        ("/aba*ba$", "/aba", False),
        ("/aba*ba", "/aba", False),
        ("/a*a*a", "/aa", False),
        ("/a*b*b$", "/axb", False),
        ("/a*b*b$", "/abb", True),
        ("/a*a*a", "/aaa", True),
        ("*.pdf$", "/d/f.pdf", True),
        ("/a*c", "/ac", True),
        ("*", "/", True),
    ],
)
def test_one_pattern(value: str, path: str, expected: bool) -> None:
    [pattern] = compile_all(value)
    assert matches(path, pattern) is expected
    matcher = PatternMatcher([pattern])
    assert (matcher.first(path) == 0) is expected
    is_found = 0 in matcher.firsts(column([path])) or matcher.default == 0
    assert is_found is expected


@pytest.mark.parametrize(
    ("values", "path", "expected"),
    [
        (["/a*c", "/a", "/a$", "/ab"], "/abc", 0),
        (["/a*c", "/a", "/a$", "/ab"], "/ab", 1),
        (["/a*c", "/a", "/a$", "/ab"], "/b", 4),
        (["/a", "/a*c"], "/abc", 0),
        # Found by probes of different lengths, and by one that two patterns share.
        (["/*aa", "/*b", "/*ab"], "/xabb", 1),
        (["/*a*x", "/*b", "/*a*b"], "/ab", 1),
    ],
)
def test_the_first_pattern_counts(values: list[str], path: str, expected: int) -> None:
    matcher = PatternMatcher(compile_all(*values))
    assert matcher.first(path) == expected
    assert matcher.firsts(column(["/", path])).get(1, matcher.default) == expected


def test_a_pattern_for_everything_is_what_is_usual() -> None:
    matcher = PatternMatcher(compile_all("/a", "/", "/b"))
    assert matcher.default == 1
    assert matcher.firsts(column(["/b", "/a", "/"])) == {1: 0}


PIECE = st.text(st.sampled_from("ab/"), max_size=2)
VALUE = st.builds(
    lambda pieces, end: "/" + "*".join(pieces) + end,
    st.lists(PIECE, min_size=1, max_size=4),
    st.sampled_from(["", "", "$"]),
)
PATH = st.text(st.sampled_from("ab/"), max_size=6).map("/{}".format)


@settings(max_examples=400)
@given(st.lists(VALUE | VALUE.map(lambda text: text[1:] or "*"), max_size=8), st.lists(PATH))
def test_it_agrees_with_the_slow_way(values: list[str], paths: list[str]) -> None:
    patterns = compile_all(*values)
    matcher = PatternMatcher(patterns)
    expected = [first_match(path, patterns) for path in paths]
    assert [matcher.first(path) for path in paths] == expected
    firsts = matcher.firsts(column(paths))
    assert [firsts.get(row, matcher.default) for row in range(len(paths))] == expected


@pytest.mark.parametrize("kind", ["/{}", "/{}$", "/*{}", "/*{}$", "/*{}*b", "/x*{}"])
def test_many_patterns_are_found_like_few(kind: str) -> None:
    # Enough of them that the ways for few texts and few probes are not taken.
    values = [kind.format(f"a{number}z") for number in range(2_000)]
    patterns = compile_all(*values)
    paths = [
        f"/{start}a{number}z{end}"
        for number in (7, 1_999, 2_000)
        for start in ("", "x")
        for end in ("", "b")
    ]
    matcher = PatternMatcher(patterns)
    expected = [first_match(path, patterns) for path in paths]
    assert len(set(expected)) > 2
    assert [matcher.first(path) for path in paths] == expected
    firsts = matcher.firsts(column(paths))
    assert [firsts.get(row, matcher.default) for row in range(len(paths))] == expected


def test_what_takes_too_many_steps_is_given_up() -> None:
    # All have the same pieces, in orders that all fail at their end.
    path = "/" + "ab" * 1_000
    patterns = [
        Pattern(("/", *("b" * number), *("a" * (1_500 - number)), "ab"), True, 0)
        for number in range(1, 200)
    ]
    assert sum(len(each.pieces) for each in patterns) > MAX_STEPS
    matcher = PatternMatcher(patterns)
    assert matcher.first(path) == TOO_COMPLEX
    assert matcher.firsts(column(["/", path])) == {1: TOO_COMPLEX}


def test_a_plain_match_of_a_higher_rank_needs_no_further_steps() -> None:
    path = "/" + "ab" * 1_000
    costly = [Pattern(("/", *("ab" * 700), str(number), "ab"), False, 0) for number in range(50)]
    matcher = PatternMatcher([*compile_all("/abab"), *costly])
    assert matcher.first(path) == 0
