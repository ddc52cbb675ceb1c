"""Reads OpenDocument files: texts (.odt), slides (.odp) and sheets (.ods).

Deleted and hidden text, comments and notes of the speaker are dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sitecrawl.dive.extraction import Article, Block, BlockKind, limited_blocks, words
from sitecrawl.dive.files.archive import attribute, children, first_text, local_name, whole_number
from sitecrawl.dive.files.formats import FileFormat, FileProblem, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.dive.files.archive import Archive

MEDIA_TYPES: Final = {
    "application/vnd.oasis.opendocument.text": FileFormat.OPEN_TEXT,
    "application/vnd.oasis.opendocument.presentation": FileFormat.OPEN_SLIDES,
    "application/vnd.oasis.opendocument.spreadsheet": FileFormat.OPEN_SHEETS,
}
_LOWEST_LEVEL: Final = 6
_MAX_CELLS: Final = 100
_NOT_SHOWN: Final = frozenset(
    {
        *("tracked-changes", "annotation", "notes", "hidden-text", "hidden-paragraph"),
        *("forms", "sequence-decls", "variable-decls", "page-number", "page-count"),
    }
)
_SPACES: Final = frozenset({"s", "tab", "line-break"})


def read_opendocument(archive: Archive) -> Article:
    manifest = archive.tree("META-INF/manifest.xml")
    if next(manifest.iter("{*}encryption-data"), None) is not None:
        raise UnreadableFileError(FileProblem.ENCRYPTED, "the file needs a password")
    tree, meta = archive.tree("content.xml"), archive.tree("meta.xml")
    body = next(tree.iter("{*}body"), tree)
    return Article(
        title=words(first_text(meta, "title")),
        author=words(first_text(meta, "creator", "initial-creator")),
        published=first_text(meta, "creation-date", "date")[:10],
        language=first_text(meta, "language"),
        blocks=limited_blocks(_blocks(body)),
    )


def _blocks(element: Any, page: int = 0) -> Iterator[Block]:
    for child in element:
        name = local_name(child)
        if name in _NOT_SHOWN or attribute(child, "display") in {"none", "false"}:
            continue
        match name:
            case "h":
                level = whole_number(attribute(child, "outline-level"))
                own_level = min(max(level, 1), _LOWEST_LEVEL)
                yield Block(BlockKind.HEADING, _text(child), own_level, page)
            case "p":
                yield Block(BlockKind.PARAGRAPH, _text(child), page=page)
            case "list-item" | "list-header":
                yield from _item(child, page)
            case "table":
                yield from _table(child, page)
            case "page":
                page += 1
                yield from _blocks(child, page)
            case "frame" if attribute(child, "class") == "title":
                yield Block(BlockKind.HEADING, _text(child), 1, page)
            case _:
                yield from _blocks(child, page)


def _item(item: Any, page: int) -> Iterator[Block]:
    """The item without nested lists, then their items."""
    own = " ".join(_text(each) for each in item if local_name(each) != "list")
    yield Block(BlockKind.ITEM, words(own), page=page)
    for each in children(item, "list"):
        yield from _blocks(each, page)


def _table(table: Any, page: int) -> Iterator[Block]:
    # Sheets are tables of the body itself, and their names are those of the tabs.
    if local_name(table.getparent()) == "spreadsheet":
        yield Block(BlockKind.HEADING, words(attribute(table, "name")), 1, page)
    for row in table.iter("{*}table-row"):
        if attribute(row, "visibility") in {"collapse", "filter"}:
            continue
        # A cell or a row may stand for a million equal ones: it is read once.
        cells = (_text(cell) for cell in children(row, "table-cell"))
        shown = [cell for cell in cells if cell][:_MAX_CELLS]
        yield Block(BlockKind.ROW, " | ".join(shown), page=page)


def _text(element: Any) -> str:
    return words("".join(_pieces(element)))


def _pieces(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = local_name(child)
        if name in _SPACES:
            yield " "
        elif name not in _NOT_SHOWN:
            yield from _pieces(child)
            if name in {"p", "h"}:
                yield " "
        yield child.tail or ""
