"""Reads Office Open XML: documents (.docx), slides (.pptx) and sheets (.xlsx).

Deleted and hidden text, hidden slides and hidden sheets are dropped. Comments and speaker notes are
in other parts, which are not read.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.dive.extraction import Article, Block, BlockKind, limited_blocks, words
from sitecrawl.dive.files.archive import attribute, children, first_text, local_name, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sitecrawl.dive.files.archive import Archive

DOCUMENT: Final = "word/document.xml"
PRESENTATION: Final = "ppt/presentation.xml"
WORKBOOK: Final = "xl/workbook.xml"
_LOWEST_LEVEL: Final = 6
_BODY_LEVEL: Final = 10
_NOT_SHOWN: Final = frozenset({"del", "moveFrom", "Fallback", "rPr", "pPr", "instrText"})
_SPACES: Final = frozenset({"tab", "br", "cr"})
_HEADING_NAME: Final = re.compile(r"heading (\d)")
_TITLES: Final = frozenset({"title", "ctrTitle"})
_SLIDE_FRAME: Final = frozenset({"sldNum", "ftr", "dt", "hdr"})
# Formats of dates and times that every file knows without saying so (ECMA-376, 18.8.30).
_DATE_FORMATS: Final = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_QUOTED_FORMAT: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_FIRST_DAY: Final = datetime(1899, 12, 30)  # noqa: DTZ001  sheets know no time zones
_LAST_DAY: Final = 2_958_465  # the year 9999
_MAX_CELLS: Final = 100


def read_document(archive: Archive) -> Article:
    tree = archive.tree(DOCUMENT)
    styles = _Styles(archive.tree("word/styles.xml"))
    language = first_text(archive.tree("docProps/core.xml"), "language") or styles.language
    body = next(tree.iter("{*}body"), tree)
    return _article(archive, _document_blocks(body, styles), language)


def read_slides(archive: Archive) -> Article:
    parts = archive.relations(PRESENTATION)
    # Of the two attributes "id" of a slide, the one with a namespace names its part.
    ids = [
        value
        for slide in archive.tree(PRESENTATION).iter("{*}sldId")
        for key, value in slide.attrib.items()
        if key.startswith("{")
    ]
    return _article(archive, _slide_blocks(archive, [parts[each] for each in ids if each in parts]))


def read_sheets(archive: Archive) -> Article:
    return _article(archive, _sheet_blocks(archive))


def _article(archive: Archive, blocks: Iterator[Block], language: str = "") -> Article:
    core = archive.tree("docProps/core.xml")
    return Article(
        title=words(first_text(core, "title")),
        author=words(first_text(core, "creator")),
        published=first_text(core, "created")[:10],
        language=language or first_text(core, "language"),
        blocks=limited_blocks(blocks),
    )


# --- documents -----------------------------------------------------------------------------------


class _Styles:
    """The levels of headings by the ids of styles, which differ between languages of Word."""

    def __init__(self, tree: Any):
        names = {}
        levels = {}
        parents = {}
        for style in tree.iter("{*}style"):
            number = attribute(style, "styleId")
            names[number] = _value(style, "name").lower()
            levels[number] = _outline_level(style)
            parents[number] = _value(style, "basedOn")
        self.headings = {
            number: level for number in names if (level := _level(number, names, levels, parents))
        }
        self.lists = {number for number, name in names.items() if name.startswith("list ")}
        self.language = next(
            (attribute(each, "val") for each in tree.iter("{*}lang") if attribute(each, "val")), ""
        )


def _level(
    style: str,
    names: Mapping[str, str],
    levels: Mapping[str, int],
    parents: Mapping[str, str],
) -> int:
    """The level of a heading, 1 to 6; 0: a style of text. Styles may form a cycle."""
    seen: set[str] = set()
    while style in names and style not in seen:
        seen.add(style)
        if names[style] == "title":
            return 1
        if found := _HEADING_NAME.match(names[style]):
            return min(max(int(found[1]), 1), _LOWEST_LEVEL)
        if levels[style]:
            return levels[style]
        style = parents[style]
    return 0


def _outline_level(element: Any) -> int:
    level = whole_number(_value(element, "outlineLvl")) + 1
    return 0 if level == _BODY_LEVEL else min(level, _LOWEST_LEVEL)


def _value(element: Any, name: str) -> str:
    found = next(element.iter(f"{{*}}{name}"), None)
    return attribute(found, "val") if found is not None else ""


def _document_blocks(element: Any, styles: _Styles) -> Iterator[Block]:
    for child in element:
        match local_name(child):
            case "p":
                yield _paragraph(child, styles)
            case "tbl":
                yield from _rows(child)
            case "sdt" | "sdtContent" | "ins" | "customXml" | "smartTag":
                yield from _document_blocks(child, styles)


def _paragraph(element: Any, styles: _Styles) -> Block:
    text = words("".join(_runs(element)))
    style = _value(element, "pStyle")
    properties = next(children(element, "pPr"), None)
    level = styles.headings.get(style, 0)
    is_item = style in styles.lists
    if properties is not None:
        level = level or _outline_level(properties)
        is_item = is_item or next(children(properties, "numPr"), None) is not None
    if level:
        return Block(BlockKind.HEADING, text, level)
    return Block(BlockKind.ITEM if is_item else BlockKind.PARAGRAPH, text)


def _runs(element: Any) -> Iterator[str]:
    """The visible text."""
    for child in element:
        name = local_name(child)
        if name == "t":
            yield child.text or ""
        elif name in _SPACES:
            yield " "
        elif name not in _NOT_SHOWN and not _is_hidden(child):
            yield from _runs(child)
            if name == "p":
                yield " "


def _is_hidden(run: Any) -> bool:
    properties = next(children(run, "rPr"), None)
    hidden = next(children(properties, "vanish"), None) if properties is not None else None
    return hidden is not None and attribute(hidden, "val") not in {"0", "false", "off"}


def _rows(table: Any) -> Iterator[Block]:
    for row in table.iter("{*}tr"):
        cells = (words("".join(_runs(cell))) for cell in children(row, "tc"))
        yield Block(BlockKind.ROW, " | ".join(cell for cell in cells if cell))


# --- slides --------------------------------------------------------------------------------------


def _slide_blocks(archive: Archive, names: list[str]) -> Iterator[Block]:
    for number, name in enumerate(names, 1):
        slide = archive.tree(name)
        if slide.get("show") in {"0", "false"}:
            continue
        for shape in slide.iter("{*}sp", "{*}tbl"):
            if local_name(shape) == "tbl":
                for row in _rows(shape):
                    yield Block(row.kind, row.text, page=number)
            else:
                yield from _shape_blocks(shape, number)


def _shape_blocks(shape: Any, number: int) -> Iterator[Block]:
    place = next(shape.iter("{*}ph"), None)
    role = place.get("type", "body") if place is not None else ""
    if role in _SLIDE_FRAME:
        return
    paragraphs = [words("".join(_runs(each))) for each in shape.iter("{*}p")]
    if role in _TITLES:
        yield Block(BlockKind.HEADING, " ".join(filter(None, paragraphs)), 1, number)
        return
    kind = BlockKind.ITEM if role == "body" else BlockKind.PARAGRAPH
    for text in paragraphs:
        yield Block(kind, text, page=number)


# --- sheets --------------------------------------------------------------------------------------


def _sheet_blocks(archive: Archive) -> Iterator[Block]:
    parts = archive.relations(WORKBOOK)
    strings = [
        "".join(_runs_of_string(each))
        for each in archive.tree("xl/sharedStrings.xml").iter("{*}si")
    ]
    dates = _date_styles(archive.tree("xl/styles.xml"))
    for sheet in archive.tree(WORKBOOK).iter("{*}sheet"):
        if sheet.get("state", "visible") != "visible":
            continue
        name = next((parts[value] for value in sheet.attrib.values() if value in parts), "")
        yield Block(BlockKind.HEADING, words(sheet.get("name", "")), 1)
        for row in archive.tree(name).iter("{*}row"):
            if row.get("hidden") not in {"1", "true"}:
                shown = (_cell(cell, strings, dates) for cell in list(children(row, "c")))
                cells = [cell for cell in shown if cell][:_MAX_CELLS]
                yield Block(BlockKind.ROW, " | ".join(cells))


def _runs_of_string(element: Any) -> Iterator[str]:
    """The text without its phonetic reading (``rPh``)."""
    for child in element:
        if local_name(child) == "t":
            yield child.text or ""
        elif local_name(child) == "r":
            yield from _runs_of_string(child)


def _cell(cell: Any, strings: list[str], dates: frozenset[int]) -> str:
    value = next(children(cell, "v"), None)
    text = (value.text or "") if value is not None else ""
    match cell.get("t", "n"):
        case "s":
            place = whole_number(text)
            return words(strings[place]) if 0 <= place < len(strings) else ""
        case "inlineStr":
            return words("".join(_runs_of_string(next(children(cell, "is"), cell))))
        case "b":
            return "yes" if text == "1" else "no"
        case "e":
            return ""
        case "n":
            is_date = whole_number(cell.get("s", "0")) in dates
            return _date(text) if is_date else _number(text)
        case _:
            return words(text)


def _date_styles(tree: Any) -> frozenset[int]:
    """The numbers of the styles whose numbers are dates."""
    own = {
        each.get("numFmtId", "")
        for each in tree.iter("{*}numFmt")
        if set(_QUOTED_FORMAT.sub("", each.get("formatCode", "")).lower()) & set("dmyhs")
    }
    cells = next(tree.iter("{*}cellXfs"), ())
    return frozenset(
        number
        for number, each in enumerate(cells)
        if (form := each.get("numFmtId", "0")) in own or whole_number(form) in _DATE_FORMATS
    )


def _date(text: str) -> str:
    """The day, with the time if there is one; sheets count days from the end of 1899.

    >>> _date("45000"), _date("45000.75"), _date("0.5")
    ('2023-03-15', '2023-03-15 18:00', '12:00')
    """
    try:
        days = float(text)
    except ValueError:
        return words(text)
    if not 0 <= days <= _LAST_DAY:
        return words(text)
    moment = _FIRST_DAY + timedelta(seconds=round(days * 86_400))
    time = f"{moment:%H:%M}" if days % 1 else ""
    return " ".join(filter(None, (f"{moment:%Y-%m-%d}" if days >= 1 else "", time)))


def _number(text: str) -> str:
    """As people write it: sheets keep 0.1 + 0.2 with all of its digits.

    >>> _number("0.30000000000000004"), _number("1500"), _number("x")
    ('0.3', '1500', 'x')
    """
    try:
        return f"{float(text):.10g}" if "." in text or "E" in text.upper() else words(text)
    except ValueError:
        return words(text)
