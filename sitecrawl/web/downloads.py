"""Downloads that are sent while they are written: a million rows take no memory."""

from __future__ import annotations

import queue
import re
import tempfile
from contextlib import suppress
from io import RawIOBase
from threading import BoundedSemaphore, Thread
from typing import IO, TYPE_CHECKING, Final, cast

from starlette.responses import StreamingResponse

from sitecrawl.errors import ThrottledError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CHUNK_BYTES: Final = 64 * 1024
_CHUNKS_AHEAD: Final = 8
_AT_ONCE: Final = 8
_BUSY_SECONDS: Final = 10
# A client that takes nothing for so long is gone; what is written holds a state of the database.
_PATIENCE_SECONDS: Final = 60

_slots = BoundedSemaphore(_AT_ONCE)


class _ClientGoneError(Exception):
    pass


class _ChunkFile(RawIOBase):
    """A file whose chunks another thread takes; a writer that is too fast waits."""

    def __init__(self) -> None:
        self.chunks: queue.Queue[bytes | BaseException | None] = queue.Queue(_CHUNKS_AHEAD)
        self.is_abandoned = False
        self._pending = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(cast("bytes", data))
        self._pending += piece
        if len(self._pending) >= _CHUNK_BYTES:
            self._put_pending()
        return len(piece)

    def finish(self, error: BaseException | None) -> None:
        """End the chunks; *error* is what went wrong, if anything did."""
        with suppress(_ClientGoneError):
            if error is None and self._pending:
                self._put_pending()
            self._put(error)

    def _put_pending(self) -> None:
        self._put(bytes(self._pending))
        self._pending.clear()

    def _put(self, chunk: bytes | BaseException | None) -> None:
        try:
            self.chunks.put(chunk, timeout=_PATIENCE_SECONDS)
        except queue.Full:
            raise _ClientGoneError from None
        if self.is_abandoned:
            raise _ClientGoneError


def download(
    write: Callable[[IO[bytes]], object],
    *,
    name: str,
    media_type: str,
    needs_seeking: bool = False,
) -> StreamingResponse:
    """The answer that *write* writes, as a file to save; it runs in a thread of its own.

    What fails before the first chunk is raised. ``needs_seeking``: of formats that cannot be
    written from front to back; they go through a file of their own.
    """
    if not _slots.acquire(blocking=False):
        raise ThrottledError(f"{_AT_ONCE} downloads are under way already", _BUSY_SECONDS)
    file = _ChunkFile()
    Thread(target=_run, args=(file, write, needs_seeking), daemon=True).start()
    chunks = _chunks(file)
    first = next(chunks, b"")
    headers = {"Content-Disposition": f'attachment; filename="{safe_name(name)}"'}
    return StreamingResponse(_with_first(first, chunks), headers=headers, media_type=media_type)


def _run(file: _ChunkFile, write: Callable[[IO[bytes]], object], needs_seeking: bool) -> None:
    error: BaseException | None = None
    try:
        if needs_seeking:
            _write_through_file(file, write)
        else:
            write(cast("IO[bytes]", file))
    except _ClientGoneError:
        return
    except Exception as caught:  # noqa: BLE001  it is raised where the answer is made
        error = caught
    finally:
        _slots.release()
    file.finish(error)


def _write_through_file(file: _ChunkFile, write: Callable[[IO[bytes]], object]) -> None:
    with tempfile.TemporaryFile() as whole:
        write(whole)
        whole.seek(0)
        while chunk := whole.read(_CHUNK_BYTES):
            file.write(chunk)


def _chunks(file: _ChunkFile) -> Iterator[bytes]:
    try:
        while (chunk := file.chunks.get()) is not None:
            if isinstance(chunk, BaseException):
                raise chunk
            yield chunk
    finally:
        file.is_abandoned = True
        with suppress(queue.Empty):  # lets a writer go on that waits, so that it sees this
            file.chunks.get_nowait()


def _with_first(first: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from chunks


def safe_name(name: str) -> str:
    """
    >>> safe_name('a"b/../c.csv'), safe_name("example.com:8080-pages.csv")
    ('a-b-..-c.csv', 'example.com-8080-pages.csv')
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)
