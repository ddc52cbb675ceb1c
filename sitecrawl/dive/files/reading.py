"""Reads a file, whatever its format is. Files are hostile: see ``process.py``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.dive.files import office
from sitecrawl.dive.files.archive import Archive
from sitecrawl.dive.files.formats import (
    FileFormat,
    FileProblem,
    UnreadableFileError,
    is_archive,
    is_compound,
    is_pdf,
    name_of,
)
from sitecrawl.dive.files.opendocument import MEDIA_TYPES, read_opendocument
from sitecrawl.dive.files.pdf import read_pdf
from sitecrawl.dive.files.texts import EPUB_TYPE, read_epub, read_text

if TYPE_CHECKING:
    from sitecrawl.dive.extraction import Article

_OFFICE: Final = (
    (office.DOCUMENT, FileFormat.WORD, office.read_document),
    (office.PRESENTATION, FileFormat.SLIDES, office.read_slides),
    (office.WORKBOOK, FileFormat.SHEETS, office.read_sheets),
)


class ReadFile(NamedTuple):
    format: FileFormat
    article: Article


def read_file(body: bytes, url: str) -> ReadFile:
    """What the file says; ``UnreadableFileError`` if it cannot be read."""
    read = _read(body)
    if read.article.title:
        return read
    return read._replace(article=replace(read.article, title=name_of(url)))


def _read(body: bytes) -> ReadFile:
    if is_archive(body):
        return _read_archive(Archive(body))
    if is_pdf(body):
        return ReadFile(FileFormat.PDF, read_pdf(body))
    if is_compound(body):
        message = "an old office file, or one with a password"
        raise UnreadableFileError(FileProblem.ENCRYPTED, message)
    return ReadFile(FileFormat.TEXT, read_text(body))


def _read_archive(archive: Archive) -> ReadFile:
    for part, file_format, read in _OFFICE:
        if part in archive.names:
            return ReadFile(file_format, read(archive))
    media_type = archive.read("mimetype").decode("ascii", "replace").strip()
    if media_type == EPUB_TYPE:
        return ReadFile(FileFormat.EPUB, read_epub(archive))
    if media_type in MEDIA_TYPES:
        return ReadFile(MEDIA_TYPES[media_type], read_opendocument(archive))
    message = "a zip file that is neither an office file nor an e-book"
    raise UnreadableFileError(FileProblem.DAMAGED, message)
