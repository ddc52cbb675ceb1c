"""Reads a file of any known format, in a child process.

Files are hostile: one may be made to hang the reader or to fill the memory.
``python -m sitecrawl.dive.files.reader N`` is the child; *N* is its end of a pipe. It gets the
address and the body of a file and answers with JSON. Its memory is limited, it cannot write files,
and it is killed when a file takes too long; the next file gets a new child.
"""

from __future__ import annotations

import contextlib
import json
import logging
import resource
import subprocess
import sys
from dataclasses import asdict, replace
from multiprocessing.connection import Connection, Pipe
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.dive.extraction import Article, Block, BlockKind
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
    from typing import Self

logger = logging.getLogger(__name__)

MAX_SECONDS: Final = 60.0
_MAX_MEMORY_BYTES: Final = 1_500_000_000
_MAX_ANSWER_BYTES: Final = 100_000_000
_LIMITS: Final = (
    (resource.RLIMIT_AS, _MAX_MEMORY_BYTES),
    (resource.RLIMIT_FSIZE, 0),
    (resource.RLIMIT_CORE, 0),
)
_OFFICE: Final = (
    (office.DOCUMENT, FileFormat.WORD, office.read_document),
    (office.PRESENTATION, FileFormat.SLIDES, office.read_slides),
    (office.WORKBOOK, FileFormat.SHEETS, office.read_sheets),
)


class ReadFile(NamedTuple):
    format: FileFormat
    article: Article


class FileProcess:
    """Reads files; the process begins with the first of them and ends with the context."""

    def __init__(self, max_seconds: float = MAX_SECONDS):
        self._max_seconds = max_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    def read(self, body: bytes, url: str) -> ReadFile:
        """What the file says; ``UnreadableFileError`` if it cannot be read."""
        pipe = self._opened()
        try:
            pipe.send_bytes(url.encode())
            pipe.send_bytes(body)
            if not pipe.poll(self._max_seconds):
                self._end()
                message = f"reading took longer than {self._max_seconds:g} seconds"
                raise UnreadableFileError(FileProblem.TOO_SLOW, message)
            answer = json.loads(pipe.recv_bytes(_MAX_ANSWER_BYTES))
        except (EOFError, OSError) as error:
            # Most likely the system has ended it for the memory that it took.
            self._end()
            raise UnreadableFileError(FileProblem.DAMAGED, "the reader has crashed") from error
        return _read_file(answer)

    def _opened(self) -> Connection:
        if self._pipe is None:
            self._pipe, theirs = Pipe()
            number = theirs.fileno()
            self._process = subprocess.Popen(  # noqa: S603  no text of others
                [sys.executable, "-m", __name__, str(number)],
                stdin=subprocess.DEVNULL,
                pass_fds=(number,),
                process_group=0,  # Ctrl+C is for this process
            )
            theirs.close()
        return self._pipe

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._pipe = self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self._end()


def _read_file(answer: dict[str, Any]) -> ReadFile:
    if "problem" in answer:
        raise UnreadableFileError(FileProblem(answer["problem"]), answer["message"])
    blocks = [
        Block(BlockKind(kind), text, level, page)
        for kind, text, level, page in answer["article"].pop("blocks")
    ]
    return ReadFile(FileFormat(answer["format"]), Article(**answer["article"], blocks=blocks))


# --- The child ---------------------------------------------------------------------------------


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


def _answer(body: bytes, url: str) -> dict[str, Any]:
    try:
        read = read_file(body, url)
    except UnreadableFileError as error:
        return {"problem": error.problem, "message": str(error)}
    except (MemoryError, RecursionError) as error:
        return {"problem": FileProblem.TOO_LARGE, "message": type(error).__name__}
    except Exception as error:  # noqa: BLE001  whatever a damaged file leads a parser to
        return {"problem": FileProblem.DAMAGED, "message": f"{type(error).__name__}: {error}"}
    article = asdict(read.article)
    article["blocks"] = [(b.kind, b.text, b.level, b.page) for b in read.article.blocks]
    return {"format": read.format, "article": article}


def main() -> None:
    for limit, most in _LIMITS:
        # Not every system has each of them.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))
    logging.disable()  # a damaged PDF gives thousands of warnings
    pipe = Connection(int(sys.argv[1]))
    with contextlib.suppress(EOFError, OSError):
        while True:
            url = pipe.recv_bytes().decode()
            answer = _answer(pipe.recv_bytes(), url)
            pipe.send_bytes(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
