"""Reads PDF files: makes headings and paragraphs of lines with positions and sizes.

A PDF has the positions of letters, but neither headings nor paragraphs:

- A heading is a line in a larger type than most of the text, or one that is in the outline.
- Lines that follow each other closely are one paragraph. A word that is divided at the end of a
  line is joined again.
- Lines that several pages have at the top or the bottom are not part of the text.
- Tables are read as lines.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby, islice, pairwise
from typing import TYPE_CHECKING, Any, Final
from unicodedata import normalize

from sitecrawl.dive.extraction import Article, Block, BlockKind, limited_blocks, words
from sitecrawl.dive.files.formats import FileProblem, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pypdf import PageObject, PdfReader

MAX_PAGES: Final = 2_000
_MAX_CHARACTERS: Final = 5_000_000
_MAX_OUTLINE: Final = 5_000
_LOWEST_LEVEL: Final = 6
_EDGE_LINES: Final = 2
_EDGE_PAGES: Final = 3
# Smaller letters are not meant to be read.
_SMALLEST_TYPE: Final = 2.0
_LARGER_TYPE: Final = 1.12
_LONGEST_HEADING: Final = 200
# In usual distances between two lines of the file.
_NEW_PARAGRAPH: Final = 1.35
_DIGITS: Final = re.compile(r"\d+|\b[ivxlc]+\b")
_SIGN: Final = re.compile(r"[\u2022\u25e6\u25aa\u2023\u00b7\u2219\u25cf\u25a0*\u2013-]\s+")
_BULLET: Final = re.compile(rf"{_SIGN.pattern}|\(?\d{{1,2}}[.)]\s+")
_DIVIDED: Final = re.compile(r"[^\W\d_][-\u00ad\u2010]$")
# Fonts have ligatures for "fi" and the like, which nobody types into a search.
_LIGATURES: Final = re.compile("[\ufb00-\ufb06]")
_LEADER: Final = re.compile(r"(?:[.\u2026\u00b7]\s?){5,}\s*\w{0,5}$")
_DATE: Final = re.compile(r"D:(\d{4})(\d{2})(\d{2})")
_LETTER: Final = re.compile(r"[^\W\d_]")
_NO_TITLE: Final = re.compile(
    r"untitled|microsoft (?:word|powerpoint|excel) - |.*\.\w{2,4}$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    page: int
    size: float
    y: float
    """From the bottom of the page."""


def read_pdf(body: bytes) -> Article:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

    try:
        reader = PdfReader(BytesIO(body))
        # Many files need a password only to be changed.
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableFileError(FileProblem.ENCRYPTED, "the file needs a password")
        outline = _outline(reader)
        lines = list(_lines(reader))
        about: Mapping[str, Any] = reader.metadata or {}
        language = str(reader.root_object.get("/Lang", ""))
    except (FileNotDecryptedError, DependencyError) as error:
        raise UnreadableFileError(FileProblem.ENCRYPTED, str(error)) from error
    except PyPdfError as error:
        raise UnreadableFileError(FileProblem.DAMAGED, str(error)) from error
    blocks = limited_blocks(_blocks(_without_edges(lines), outline))
    title = words(str(about.get("/Title") or ""))
    return Article(
        title=title if title and not _NO_TITLE.match(title) else _first_heading(blocks),
        author=words(str(about.get("/Author") or "")),
        published=_date(str(about.get("/CreationDate") or "")),
        language=language[:35],
        blocks=blocks,
    )


def _date(text: str) -> str:
    """A date as YYYY-MM-DD.

    >>> _date("D:20260131120000+01'00'"), _date("yesterday")
    ('2026-01-31', '')
    """
    found = _DATE.match(text)
    return "-".join(found.groups()) if found else ""


def _first_heading(blocks: Sequence[Block]) -> str:
    first = (block for block in blocks if block.page == blocks[0].page)
    headings = [block for block in first if block.kind is BlockKind.HEADING]
    return min(headings, key=lambda block: block.level).text if headings else ""


def _outline(reader: PdfReader) -> dict[tuple[int, str], int]:
    """The level of each heading that the outline names, by its page and its letters."""
    from pypdf.errors import PyPdfError

    found: dict[tuple[int, str], int] = {}
    try:
        for level, entry in islice(_outline_entries(reader.outline, 1), _MAX_OUTLINE):
            number = reader.get_destination_page_number(entry)
            if number is not None:
                found[number + 1, _letters(str(entry.title or ""))] = min(level, _LOWEST_LEVEL)
    except (PyPdfError, KeyError, ValueError, TypeError, AttributeError):
        return found  # the outline is optional, and often damaged
    return found


def _outline_entries(entries: Iterable[Any], level: int) -> Iterator[tuple[int, Any]]:
    for entry in entries:
        if isinstance(entry, list):
            yield from _outline_entries(entry, level + 1)
        else:
            yield level, entry


def _letters(text: str) -> str:
    """The letters of a heading, however it is numbered and set."""
    return "".join(_LETTER.findall(text)).casefold()


# --- lines ---------------------------------------------------------------------------------------


def _lines(reader: PdfReader) -> Iterator[_Line]:
    characters = 0
    for number, page in enumerate(islice(reader.pages, MAX_PAGES), 1):
        for line in _page_lines(page, number):
            characters += len(line.text)
            if characters > _MAX_CHARACTERS:
                return
            yield line


def _page_lines(page: PageObject, number: int) -> Iterator[_Line]:
    pieces: list[tuple[str, float, float]] = []

    def visit(text: str, current: Any, matrix: Any, _font: Any, size: float) -> None:
        scale = _scaled(current, matrix[2], matrix[3])
        y = matrix[4] * current[1] + matrix[5] * current[3] + current[5]
        pieces.append((text, float(y), abs(float(size)) * scale))

    page.extract_text(visitor_text=visit)
    line: list[tuple[str, float, float]] = []
    for text, y, size in pieces:
        first, *others = text.split("\n")
        line.append((first, y, size))
        for other in others:
            yield from _line(line, number)
            line = [(other, y, size)]
    yield from _line(line, number)


def _scaled(current: Any, x: float, y: float) -> float:
    """The length of the upward direction of letters on the page."""
    return math.hypot(x * current[0] + y * current[2], x * current[1] + y * current[3])


def _line(pieces: Sequence[tuple[str, float, float]], page: int) -> Iterator[_Line]:
    shown = [piece for piece in pieces if piece[0].strip() and piece[2] >= _SMALLEST_TYPE]
    if not shown:
        return
    sizes: Counter[float] = Counter()
    for text, _y, size in shown:
        sizes[round(2 * size) / 2] += len(text.strip())
    text = "".join(piece[0] for piece in pieces if piece[2] >= _SMALLEST_TYPE)
    text = words(_LIGATURES.sub(lambda found: normalize("NFKC", found[0]), text))
    if _LEADER.search(text):
        return  # a line of a table of contents
    yield _Line(text, page, sizes.most_common(1)[0][0], shown[0][1])


def _without_edges(lines: Sequence[_Line]) -> list[_Line]:
    """The lines without headers and footers: those of several pages, but for their numbers."""
    pages = [list(own) for _page, own in groupby(lines, key=lambda line: line.page)]
    edges: Counter[tuple[str, float]] = Counter()
    for own in pages:
        edges.update(set(map(_edge_key, own[:_EDGE_LINES] + own[-_EDGE_LINES:])))
    fewest = max(2, min(_EDGE_PAGES, len(pages)))
    repeated = {key for key, number in edges.items() if number >= fewest}
    found: list[_Line] = []
    for own in pages:
        last = len(own) - _EDGE_LINES
        kept = [
            line
            for place, line in enumerate(own)
            if _EDGE_LINES <= place < last or _edge_key(line) not in repeated
        ]
        # A page with nothing else, such as a form, keeps these lines.
        found += kept or own
    return found


def _edge_key(line: _Line) -> tuple[str, float]:
    """Text and size: headers repeat the title of the first page, but smaller."""
    return _DIGITS.sub("#", line.text), line.size


# --- blocks --------------------------------------------------------------------------------------


def _blocks(lines: Sequence[_Line], outline: Mapping[tuple[int, str], int]) -> Iterator[Block]:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    usual = sizes.most_common(1)[0][0] if sizes else 0.0
    larger = sorted((size for size in sizes if size >= _LARGER_TYPE * usual), reverse=True)
    levels = {size: min(number, _LOWEST_LEVEL) for number, size in enumerate(larger, 1)}
    distance = _usual_distance(lines, usual)

    def level_of(line: _Line) -> int:
        if len(line.text) > _LONGEST_HEADING or not _LETTER.search(line.text):
            return 0
        return outline.get((line.page, _letters(line.text)), levels.get(line.size, 0))

    gathered: list[_Line] = []
    level = 0
    for line in lines:
        own = level_of(line)
        if gathered and (own != level or _begins(gathered[-1], line, distance, own)):
            yield _block(gathered, level)
            gathered = []
        gathered.append(line)
        level = own
    if gathered:
        yield _block(gathered, level)


def _usual_distance(lines: Sequence[_Line], usual: float) -> float:
    """The distance between two lines of the text."""
    distances = Counter(
        round(2 * (one.y - other.y)) / 2
        for one, other in pairwise(lines)
        if one.page == other.page and one.size == other.size == usual and one.y > other.y
    )
    return distances.most_common(1)[0][0] if distances else 1.2 * usual


def _begins(before: _Line, line: _Line, distance: float, level: int) -> bool:
    """Whether a line begins another block than the line before it."""
    if level:
        # A long heading goes on in the next line.
        return before.page != line.page or abs(before.y - line.y) > 1.5 * line.size
    if _BULLET.match(line.text):
        return True
    if before.page != line.page or line.y > before.y:
        # On the next page or in the next column a sentence may go on.
        return before.text.endswith((".", "!", "?", ":")) or not line.text[0].islower()
    return before.y - line.y > _NEW_PARAGRAPH * distance


def _block(lines: Sequence[_Line], level: int) -> Block:
    text = ""
    for line in lines:
        if _DIVIDED.search(text) and line.text[0].islower():
            text = text[:-1] + line.text
        else:
            text = f"{text} {line.text}" if text else line.text
    page = lines[0].page
    if level:
        return Block(BlockKind.HEADING, words(text), level, page)
    if _BULLET.match(text):
        return Block(BlockKind.ITEM, words(_SIGN.sub("", text, count=1)), page=page)
    return Block(BlockKind.PARAGRAPH, words(text), page=page)
