"""Splits the content of a page into passages of 100 to 400 tokens, along its headings.

- A section is a heading with what follows it. Short sections in a row become one passage; long ones
  are split between blocks, and a block that is too long between sentences.
- A passage has the path of its headings, its position in the page, and a link that opens the page
  at its first words (a text fragment), or a PDF at the page of the file.
- In files with pages a new page is a new section: a passage crosses the end of a page only if one
  of its parts would be too short alone.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urldefrag

from sitecrawl.dive.extraction import BlockKind
from sitecrawl.dive.files.formats import FileFormat
from sitecrawl.dive.sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitecrawl.dive.extraction import Article, Block
    from sitecrawl.store.queries.passages import StoredPassage

MIN_TOKENS: Final = 100
MAX_TOKENS: Final = 400
_FRAGMENT_WORDS: Final = 8
# A word of Latin letters is about 1.3 tokens of the common models; of scripts without spaces each
# character is about one.
_TOKENS_PER_WORD: Final = 1.3
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|[^\W_]+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a page's text that can be found and cited."""

    position: int
    """Its position in the page, from 0."""
    headings: tuple[str, ...]
    """From the outermost section to the innermost that holds all of it."""
    text: str
    tokens: int
    file_page: int | None = None
    """Of a PDF file or of slides, where it begins."""


@dataclass(frozen=True, slots=True)
class _Piece:
    headings: tuple[str, ...]
    text: str
    tokens: int
    is_heading: bool = False
    page: int = 0


def count_tokens(text: str) -> int:
    """About how many tokens a model makes of the text.

    >>> count_tokens("Opening hours of the museum")
    7
    """
    return math.ceil(len(_WORD.findall(text)) * _TOKENS_PER_WORD)


def split_passages(
    article: Article, min_tokens: int = MIN_TOKENS, max_tokens: int = MAX_TOKENS
) -> list[Passage]:
    """The passages of the page in order; together they hold all of its text."""
    found: list[list[_Piece]] = []
    for section in _sections(article.blocks, max_tokens):
        for part in _parts(section, min_tokens, max_tokens):
            last = found[-1] if found else None
            if last is not None and _joins(last, part, min_tokens, max_tokens):
                last.extend(part)
            else:
                found.append(part)
    return [_passage(number, pieces) for number, pieces in enumerate(found)]


def passage_link(passage: StoredPassage, text: str = "") -> str:
    """A link that opens the page at the text, which is in the passage, or as near as possible."""
    match passage.format:
        case FileFormat.HTML | FileFormat.TEXT:
            return fragment_link(passage.url, text or passage.text)
        case FileFormat.PDF:
            # RFC 8118: browsers open a PDF at this page.
            return f"{urldefrag(passage.url).url}#page={passage.file_page or 1}"
        case _:
            return passage.url


def fragment_link(url: str, text: str) -> str:
    """A link that opens the page at the text.

    >>> fragment_link("https://example.com/a#top", "We open at nine - always.")
    'https://example.com/a#:~:text=We%20open%20at%20nine%20%2D%20always.'
    """
    words = text.split(maxsplit=_FRAGMENT_WORDS)[:_FRAGMENT_WORDS]
    # Hyphens and commas separate the parts of a fragment.
    start = quote(" ".join(words), safe="").replace("-", "%2D")
    return f"{urldefrag(url).url}#:~:text={start}"


def _sections(blocks: Iterable[Block], max_tokens: int) -> Iterator[list[_Piece]]:
    """The pieces below each heading, the heading first."""
    headings: list[tuple[int, str]] = []
    section: list[_Piece] = []
    for block in blocks:
        if section and section[-1].page != block.page:
            yield section
            section = []
        if block.kind is BlockKind.HEADING:
            if section:
                yield section
            headings = [(level, text) for level, text in headings if level < block.level]
            headings.append((block.level, block.text))
            path = tuple(text for _level, text in headings)
            tokens = count_tokens(block.text)
            section = [_Piece(path, block.text, tokens, is_heading=True, page=block.page)]
            continue
        path = tuple(text for _level, text in headings)
        section += [
            _Piece(path, text, count_tokens(text), page=block.page)
            for text in _cut(block, max_tokens)
        ]
    if section:
        yield section


def _cut(block: Block, max_tokens: int) -> Iterator[str]:
    """The block's text; between sentences, lines or words, where it is too long for a passage."""
    if count_tokens(block.text) <= max_tokens:
        yield block.text
        return
    separator = "\n" if block.kind is BlockKind.CODE else " "
    parts = block.text.split("\n") if separator == "\n" else split_sentences(block.text)
    gathered: list[str] = []
    tokens = 0
    for part in (piece for text in parts for piece in _words_cut(text, max_tokens)):
        own = count_tokens(part)
        if gathered and tokens + own > max_tokens:
            yield separator.join(gathered)
            gathered, tokens = [], 0
        gathered.append(part)
        tokens += own
    if gathered:
        yield separator.join(gathered)


def _words_cut(text: str, max_tokens: int) -> Iterator[str]:
    while text:
        words = list(_WORD.finditer(text))
        most = int(max_tokens / _TOKENS_PER_WORD)
        if len(words) <= most:
            yield text
            return
        end = words[most].start()
        yield text[:end].rstrip()
        text = text[end:]


def _parts(section: Sequence[_Piece], min_tokens: int, max_tokens: int) -> Iterator[list[_Piece]]:
    """The pieces of a section, in parts that are not too long."""
    part: list[_Piece] = []
    tokens = 0
    left = sum(piece.tokens for piece in section)
    for piece in section:
        # A short rest stays with the piece before it.
        is_full = tokens + piece.tokens > max_tokens or (
            tokens >= min_tokens
            and tokens + left > max_tokens
            and left >= min_tokens
            and tokens + piece.tokens > (max_tokens + min_tokens) // 2
        )
        if part and is_full and not all(each.is_heading for each in part):
            yield part
            part, tokens = [], 0
        part.append(piece)
        tokens += piece.tokens
        left -= piece.tokens
    if part:
        yield part


def _joins(
    before: Sequence[_Piece], part: Sequence[_Piece], min_tokens: int, max_tokens: int
) -> bool:
    """Whether a part belongs to the passage before it: one of the two is too short alone."""
    tokens, own = (sum(piece.tokens for piece in pieces) for pieces in (before, part))
    if tokens + own > max_tokens:
        return False
    return tokens < min_tokens or (own < min_tokens and not part[0].is_heading)


def _passage(number: int, pieces: Sequence[_Piece]) -> Passage:
    paths = [piece.headings for piece in pieces if not piece.is_heading] or [pieces[-1].headings]
    common = paths[0]
    for path in paths[1:]:
        shared = [a for a, b in zip(common, path, strict=False) if a == b]
        common = tuple(shared[: _same_length(common, path)])
    # A heading that is part of the path is not repeated in the text.
    words = [piece.text for piece in pieces if not (piece.is_heading and piece.text in common)]
    text = "\n".join(words)
    return Passage(number, common, text, count_tokens(text), pieces[0].page or None)


def _same_length(one: Sequence[str], other: Sequence[str]) -> int:
    for number, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return number
    return min(len(one), len(other))
