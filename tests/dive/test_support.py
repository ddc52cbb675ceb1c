"""Which sentences of an answer the cited passages support, word by word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dive.support import unsupported_words

MUSEUM = (
    "Opening hours\nThe museum opens at 9:00 and closes at 18:00, also on holidays. Guided tours"
    " for groups of 12 persons cost 1,500 euros. Ida Berg founded the house in 1987."
)
DENIED = "Dogs are not welcome in the garden of the museum."
GERMAN = "Das Museum öffnet um neun Uhr. Die Öffnungszeiten gelten auch an Feiertagen."
JAPANESE = "博物館は午前九時に開館します。犬は入れません。"


@pytest.mark.parametrize(
    ("sentence", "passages", "missing"),
    [
        # words in other forms and another order
        ("It opens at 9:00 [S1].", [MUSEUM], ()),
        ("The museum is opened at 9 and closed at 18 [S1].", [MUSEUM], ()),
        ("Tours of groups cost 1500 euros [S1].", [MUSEUM], ()),
        ("The founder of the house is Ida Berg [S1].", [MUSEUM], ()),
        ("Das Museum hat auch an Feiertagen geöffnet, um neun Uhr [S1].", [GERMAN], ()),
        ("博物館は九時に開館します [S1]。", [JAPANESE], ()),
        # numbers
        ("It opens at 8:00 [S1].", [MUSEUM], ("8:00",)),
        ("The house was founded in 1978 [S1].", [MUSEUM], ("1978",)),
        ("Tours cost 15,00 euros [S1].", [MUSEUM], ("15,00",)),
        ("Tours cost 150 euros for 12 persons [S1].", [MUSEUM], ("150",)),
        ("It opens at nine [S1].", [MUSEUM], ()),
        ("It opens at eight [S1].", [MUSEUM], ("eight",)),
        ("Das Museum öffnet um 9 Uhr [S1].", [GERMAN], ()),
        # names
        ("The house was founded by Max Berg [S1].", [MUSEUM], ("Max",)),
        ("Guided tours of the museum in Berlin [S1].", [MUSEUM], ("Berlin",)),
        # a denial that no source makes; the other way round nothing is seen
        ("The museum is not open on holidays [S1].", [MUSEUM], ("not",)),
        ("The museum doesn't close on holidays [S1].", [MUSEUM], ("doesn't",)),
        ("Das Museum öffnet nicht um neun Uhr [S1].", [GERMAN], ("nicht",)),
        ("Dogs are not welcome [S1].", [DENIED], ()),
        ("Dogs are welcome in the garden [S1].", [DENIED], ()),
        # something else altogether
        (
            "Cheap flights leave every morning [S1].",
            [MUSEUM],
            ("Cheap", "flights", "leave", "every", "morning"),
        ),
        # any of several passages
        ("Dogs are not welcome before 18:00 [S1][S2].", [MUSEUM, DENIED], ()),
        ("Dogs are not welcome before 18:00 [S2].", [DENIED], ("18:00",)),
        # nothing to compare, or nothing that stands there
        ("Yes [S1].", [MUSEUM], ("Yes",)),
        ("[S1]", [MUSEUM], ()),
    ],
)
def test_sentences(sentence: str, passages: list[str], missing: tuple[str, ...]) -> None:
    assert unsupported_words(sentence, passages) == missing


@given(st.text(max_size=200))
def test_what_is_copied_is_supported(text: str) -> None:
    assert unsupported_words(text, [text]) == ()
