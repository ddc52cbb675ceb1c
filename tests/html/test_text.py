from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.html.text import (
    count_characters,
    fingerprint_distance,
    fingerprint_words,
    hash_text,
    hash_words,
)
from tests.html.reading import read

VOCABULARY = [f"{a}{b}{c}" for a in "bdfgk" for b in ("an", "el", "ir", "os") for c in "mnprst"]


def prose(seed: int, words: int = 400) -> list[str]:
    return random.Random(seed).choices(VOCABULARY, k=words)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Some text", " Some\n\t\u00a0text ", "text, words, fingerprint"),
        ("Some text.", "some, TEXT.", "words, fingerprint"),
        ("page 2 of 17", "page 13 of 17!", "fingerprint"),
        ("Django 1.0 RC2", "Django 1.0 RC5", "fingerprint"),
        ("x = -1", "x = 1", "fingerprint"),
        ("ÉTÉ à Zürich", "été À zürich", "words, fingerprint"),
        ("one two", "two one", "fingerprint"),
        ("one two", "one three", ""),
    ],
)
def test_what_each_hash_does_not_see(one: str, other: str, same: str) -> None:
    assert (hash_text(one) == hash_text(other)) is ("text" in same)
    assert (hash_words(one).tolist() == hash_words(other).tolist()) is ("words" in same)
    assert (fingerprint_words(one) == fingerprint_words(other)) is ("fingerprint" in same)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The quick brown fox, 2 times.", ("0fde1e18db103102", -3816134916089986802, 24)),
        (
            "Été à Zürich:\u00a0été, ÉTÉ! 3 Straßen\tund\nSTRASSEN",
            ("0370eaf2fb2d7302", -3701055807624083940, 47),
        ),
    ],
)
def test_hashes_stay_the_same_for_ever(text: str, found: tuple[str, int, int]) -> None:
    # They are stored, and compared with those of later scans.
    assert (hash_text(text), fingerprint_words(text), count_characters(text)) == found


def test_distance_grows_with_the_difference() -> None:
    words = prose(1)
    fingerprint = fingerprint_words(" ".join(words))
    changed = [*words]
    distances = []
    for share in (0.01, 0.3, 1.0):
        for place in range(int(len(words) * share)):
            changed[place] = f"other{'abcdefghij'[place % 10] * (place // 10 + 1)}"
        other = fingerprint_words(" ".join(changed))
        distances.append(fingerprint_distance(fingerprint, other))
    assert distances == sorted(distances)
    assert distances[0] <= 8
    assert distances[-1] > 16


def test_texts_of_their_own_are_far_apart() -> None:
    one = fingerprint_words("Beans climb poles in June and need water every evening")
    two = fingerprint_words("Our returns desk opens weekdays; bring the receipt along")
    assert fingerprint_distance(one, two) > 8


def test_no_text_has_no_fingerprint() -> None:
    assert fingerprint_words("") == fingerprint_words(" 12 34 !") == 0
    assert count_characters("") == 0


@given(st.text())
def test_any_text_has_hashes_of_64_bits(text: str) -> None:
    assert len(hash_text(text)) == 16
    assert -(2**63) <= fingerprint_words(text) < 2**63
    assert hash_text(text) == hash_text(text)
    assert fingerprint_words(text) == fingerprint_words(text)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_distance_is_symmetric_and_zero_only_for_equals(a: int, b: int) -> None:
    assert fingerprint_distance(a, b) == fingerprint_distance(b, a) <= 64
    assert (fingerprint_distance(a, b) == 0) is (a == b)


def test_a_huge_text_is_hashed_in_pieces_that_nobody_sees() -> None:
    words = prose(2, words=100_000)
    together = fingerprint_words(" ".join(words))
    assert together == fingerprint_words(" ".join(sorted({*words})))
    assert together == fingerprint_words("\n \n".join(reversed(words)))


def test_many_distinct_words_are_all_counted() -> None:
    """More than a lane can count, and than its sums could."""
    words = [f"{number:b}".translate({48: "a", 49: "b"}) for number in range(70_000)]
    few, many = (fingerprint_words(" ".join(words[:end])) for end in (300, 70_000))
    assert few == fingerprint_words(" ".join(reversed(words[:300])))
    assert many == fingerprint_words(" ".join(reversed(words)))
    assert fingerprint_distance(few, many) > 8


def test_a_word_without_an_end_has_a_hash() -> None:
    word = "longword" * 20_000
    assert fingerprint_words(word) == fingerprint_words(word) != 0
    assert hash_text(word) != hash_text(word + "more")


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=8), min_size=1))
def test_every_bit_is_that_of_most_distinct_words(words: list[str]) -> None:
    distinct = sorted({*words})
    alone = [fingerprint_words(word) for word in distinct]
    fingerprint = fingerprint_words(" ".join(words))
    for bit in range(64):
        votes = sum(each >> bit & 1 for each in alone)
        assert (fingerprint >> bit & 1) == (votes > len(distinct) // 2)


# --- the main text -------------------------------------------------------------------------------

_TEXT = (
    "What this page is about, in more words than a page without a text of its own would have: " * 2
)


@pytest.mark.parametrize(
    "surrounding",
    [
        "<nav>Menu</nav>",
        "<header><p>Shop</p></header>",
        "<footer>2026</footer>",
        "<aside>News</aside>",
        "<div class='sidebar'><p>News</p></div>",
        "<div class=navheader><table><tr><td>Prev</td></tr></table></div>",
        "<ul class='docnav top'><li>Next</ul>",
        "<div class=footer>Last updated on 3 May <div class=nav>More</div></div>",
    ],
)
def test_what_surrounds_the_content_is_no_main_text(surrounding: str) -> None:
    alone = read(f"<body><p>{_TEXT}")
    page = read(f"<body>{surrounding}<p>{_TEXT}</p>{surrounding}")
    assert page.text.split() == alone.text.split()
    assert page.text_hash == alone.text_hash
    # The whole page still counts where traps and empty pages are told.
    assert page.text_characters > alone.text_characters


def test_the_main_element_is_the_content() -> None:
    inside = f"<h1>Title</h1><nav>On this page</nav><aside>A note</aside><p>{_TEXT}</p>"
    page = read(f"<body><div>Cookies</div><main>{inside}</main><div>Imprint</div>")
    assert page.text.split() == f"Title A note {_TEXT}".split()
    by_role = read(f"<body><div>Cookies</div><div role=main>{inside}</div>")
    assert by_role.text_hash == page.text_hash


@pytest.mark.parametrize(
    "page",
    [
        "<body><nav><a href=/a>A</a> <a href=/b>B</a></nav>",
        "<body><nav>A long list of links</nav><main><p>Index</p></main>",
    ],
)
def test_a_page_that_is_all_menu_is_compared_by_it(page: str) -> None:
    found = read(page)
    assert found.text
    assert len("".join(found.text.split())) == found.text_characters


@pytest.mark.parametrize(("one", "other"), [("RC2", "RC5"), ("12.99", "13.99"), ("a", "A")])
def test_words_and_numbers_of_the_main_text_count(one: str, other: str) -> None:
    pages = [read(f"<body><nav>Menu</nav><main>{_TEXT} {word}</main>") for word in (one, other)]
    assert pages[0].text_hash != pages[1].text_hash


def test_no_text_has_no_hash() -> None:
    assert read("<body><script>x</script>").text == ""
