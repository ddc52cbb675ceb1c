"""A folder of sitemaps: written under other names, put in place when all are there.

- ``sitemap.xml`` is the index, ``sitemap-00001.xml.gz`` and so on are the parts; each keeps to
  the limits of the protocol.
- Whatever goes wrong before the end leaves an earlier export as it was.
- Files that sitecrawl did not write are neither replaced nor removed: it knows its own by their
  second line.
"""

from __future__ import annotations

import gzip
import re
import zlib
from contextlib import ExitStack, contextmanager, suppress
from typing import IO, TYPE_CHECKING, Final, cast

from isal import igzip

from sitecrawl.config import ConfigError
from sitecrawl.exporters.sitemap_xml import (
    INDEX_HEAD,
    INDEX_TAIL,
    MARK,
    URLSET_HEAD,
    URLSET_TAIL,
    index_entry_xml,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# sitemaps.org: of each file, before it is compressed. The index may name as many files.
MAX_ENTRIES: Final = 50_000
MAX_BYTES: Final = 52_428_800
INDEX_NAME: Final = "sitemap.xml"
_PART: Final = re.compile(r"sitemap-[0-9]{5}\.xml(?:\.gz)?")
_TEMPORARY_ENDING: Final = ".partial"
_ENTRIES_AT_ONCE: Final = 500
_MARK_WITHIN_BYTES: Final = 256


class SitemapFolder:
    """Takes entries one after the other; ``writing`` gives one and puts it in place."""

    def __init__(self, folder: Path, base_url: str, lastmod: str, *, compress: bool) -> None:
        self.entries = 0
        self._folder = folder
        self._base_url = base_url
        self._lastmod = lastmod
        self._ending = ".xml.gz" if compress else ".xml"
        self._names: list[str] = []
        self._open_part = ExitStack()
        self._part: IO[bytes] | None = None
        self._waiting: list[bytes] = []
        self._room_entries = self._room_bytes = 0

    @property
    def parts(self) -> int:
        return len(self._names)

    @property
    def index_url(self) -> str:
        return self._base_url + INDEX_NAME

    def add(self, entry: bytes) -> None:
        """Write one ``<url>``, into a new part if the last one is full."""
        if not self._room_entries or self._room_bytes < len(entry):
            self._begin_part()
        self._waiting.append(entry)
        self._room_entries -= 1
        self._room_bytes -= len(entry)
        self.entries += 1
        if len(self._waiting) == _ENTRIES_AT_ONCE:
            self._write_waiting()

    def _write_waiting(self) -> None:
        assert self._part is not None
        self._part.write(b"".join(self._waiting))
        self._waiting.clear()

    def _begin_part(self) -> None:
        self._end_part()
        if len(self._names) == MAX_ENTRIES:
            raise ConfigError(f"-o {self._folder}: more pages than one index can name")
        name = f"sitemap-{len(self._names) + 1:05}{self._ending}"
        self._names.append(name)
        file = self._open_part.enter_context(_temporary(self._folder / name).open("wb"))
        self._part = file
        if self._ending.endswith(".gz"):
            # Without a time inside, the same pages give the same bytes.
            packed = igzip.IGzipFile("", "wb", fileobj=file, mtime=0)  # type: ignore[no-untyped-call]
            self._part = cast("IO[bytes]", self._open_part.enter_context(packed))
        self._waiting.append(URLSET_HEAD)
        self._room_entries = MAX_ENTRIES
        self._room_bytes = MAX_BYTES - len(URLSET_HEAD) - len(URLSET_TAIL)

    def _end_part(self) -> None:
        if self._part is not None:
            self._waiting.append(URLSET_TAIL)
            self._write_waiting()
            self._part = None
        self._open_part.close()

    def put_in_place(self) -> None:
        """Rename what was written, the index last; then remove what the index no longer names."""
        self._end_part()
        index = b"".join(
            index_entry_xml(self._base_url + name, self._lastmod) for name in self._names
        )
        _temporary(self._folder / INDEX_NAME).write_bytes(INDEX_HEAD + index + INDEX_TAIL)
        for name in (*self._names, INDEX_NAME):
            _temporary(self._folder / name).replace(self._folder / name)
        for path in _parts(self._folder):
            if path.name not in self._names and is_own(path):
                path.unlink()

    def discard(self) -> None:
        """Remove what is not in place, also what an export left that was killed."""
        self._part = None
        with suppress(OSError):
            self._open_part.close()
        for path in self._folder.glob(f".sitemap*{_TEMPORARY_ENDING}"):
            path.unlink()


@contextmanager
def writing(
    folder: Path, base_url: str, lastmod: str, *, compress: bool
) -> Iterator[SitemapFolder]:
    """A folder whose files are put in place at the end, if there is any entry."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in (folder / INDEX_NAME, *_parts(folder)):
            if path.exists() and not is_own(path):
                raise ConfigError(
                    f"-o {folder}: {path.name} is there and was not written by sitecrawl;"
                    " name another folder, or move the file away"
                )
        sitemaps = SitemapFolder(folder, base_url, lastmod, compress=compress)
        try:
            yield sitemaps
            if sitemaps.entries:
                sitemaps.put_in_place()
        finally:
            sitemaps.discard()
    except OSError as error:
        raise ConfigError(f"-o {folder}: {error.strerror or error}") from error


def is_own(path: Path) -> bool:
    """Whether an export of ours wrote the file."""
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rb") as packed:
                return MARK in packed.read(_MARK_WITHIN_BYTES)
        with path.open("rb") as file:
            return MARK in file.read(_MARK_WITHIN_BYTES)
    except (OSError, EOFError, zlib.error):
        return False


def _parts(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if _PART.fullmatch(path.name))


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}{_TEMPORARY_ENDING}")
