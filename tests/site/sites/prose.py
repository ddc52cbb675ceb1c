"""Random sentences, the same for the same seed."""

from __future__ import annotations

import random

_SUBJECTS = """\
the keeper|a carpenter from the valley|our oldest map|the second boat|this drawing
a letter from 1911|the mill|every visitor|the harbour master|a pair of scissors|the north wall
the apprentice|one of the bells|the orchard|a narrow bridge|the night train|her notebook
the brass clock|a family of weavers|the island|a stone from the quarry|the winter road
the first engine|a box of seeds|the choir|the old ferry|the baker's daughter|a copper kettle
the long table|the surveyor|a row of lime trees|the signal tower|the glass roof"""
_VERBS = """\
was found behind|still reminds us of|has been moved next to|could not be sold without
belonged to|was repaired with|is older than|stands opposite|turned out to be part of
was carried across|is kept in|tells the story of|was painted after|replaced|was hidden under
is measured against|depends on|was given in exchange for|shows more clearly than
came back together with|has never left"""
_ENDINGS = """\
after the flood|in the spring of that year|as the minutes of the council show
although nobody had asked|for less than a week|with the help of neighbours
before the railway came|and nobody knows why|as visitors like to hear|until the roof was mended
in a single afternoon|without any plan|on the advice of a friend|to the surprise of the jury
when the river froze|at the end of a long quarrel|by lamplight"""


def _phrases(text: str) -> list[str]:
    return [phrase for line in text.splitlines() for phrase in line.split("|")]


_PARTS = (_phrases(_SUBJECTS), _phrases(_VERBS), _phrases(_SUBJECTS), _phrases(_ENDINGS))


def sentences(seed: str, count: int) -> str:
    chance = random.Random(seed)
    found = (" ".join(chance.choice(part) for part in _PARTS) for _ in range(count))
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in found)


def paragraphs(seed: str, count: int = 4) -> str:
    """HTML; no two seeds give texts that look alike."""
    return "".join(f"<p>{sentences(f'{seed}/{number}', 5)}</p>\n" for number in range(count))
