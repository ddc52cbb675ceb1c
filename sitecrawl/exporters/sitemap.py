"""Exports the inventory of a scan as XML sitemaps; pages are written as they are read."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from typing import IO, TYPE_CHECKING, Final, cast

from isal import igzip

from sitecrawl.config import ConfigError
from sitecrawl.exporters.sitemap_fitness import MAX_LOC_CHARACTERS, read_fitness
from sitecrawl.sitemaps.lastmod import normalize_lastmod
from sitecrawl.store.queries.pages import count_pages
from sitecrawl.store.queries.sitemap_comparison import listed_pages
from sitecrawl.store.schema import iso_text
from sitecrawl.urls.address import origin_of
from sitecrawl.urls.canonical import canonicalize, strict_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan, Site

MARK: Final = b"<!-- Written by sitecrawl. The next export replaces this file. -->\n"
_DECLARATION: Final = b'<?xml version="1.0" encoding="UTF-8"?>\n' + MARK
_NAMESPACE: Final = b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_XHTML: Final = b'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
URLSET_HEAD: Final = _DECLARATION + b"<urlset " + _NAMESPACE + b" " + _XHTML + b">\n"
URLSET_TAIL: Final = b"</urlset>\n"
INDEX_HEAD: Final = _DECLARATION + b"<sitemapindex " + _NAMESPACE + b">\n"
INDEX_TAIL: Final = b"</sitemapindex>\n"

_DATE_CHARACTERS: Final = 10
# 1970-01-01 is what a program writes that knows no date; sitemaps are younger than the web.
_FIRST_DATE: Final = "1995"
# Clocks and time zones differ.
_LEEWAY: Final = timedelta(days=1)
_HREFLANG: Final = re.compile(r"x-default|[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}")
_FEWEST_ALTERNATES: Final = 2


def entry_xml(url: str, lastmod: str = "", alternates: Sequence[tuple[str, str]] = ()) -> bytes:
    """One ``<url>``; *alternates* are languages with addresses.

    >>> entry_xml("https://a.example/?a&b", "2026-01-02")
    b'<url><loc>https://a.example/?a&amp;b</loc><lastmod>2026-01-02</lastmod></url>\\n'
    """
    dated = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    links = "".join(map(_link_xml, alternates)) if alternates else ""
    return f"<url><loc>{escape(strict_url(url))}</loc>{dated}{links}</url>\n".encode()


def _link_xml(alternate: tuple[str, str]) -> str:
    language, href = alternate
    return f'<xhtml:link rel="alternate" hreflang="{language}" href="{escape(strict_url(href))}"/>'


def index_entry_xml(url: str, lastmod: str) -> bytes:
    loc = f"<loc>{escape(url)}</loc><lastmod>{lastmod}</lastmod>"
    return f"<sitemap>{loc}</sitemap>\n".encode()


def latest_lastmod(seen_at: datetime) -> str:
    """The latest date that a page can have which was seen then."""
    return iso_text(seen_at + _LEEWAY)


def valid_lastmod(text: str | None, latest: str) -> str:
    """The date as a sitemap may have it; ``""`` for what is none, or none that can be true.

    The schema takes a date, or a time with its zone; of a time without one the date stays.

    >>> [valid_lastmod(text, "2027") for text in ("2026-05-06T07:08:09Z", "2026-05-06T07:08:09")]
    ['2026-05-06T07:08:09Z', '2026-05-06']
    >>> [valid_lastmod(text, "2027") for text in ("2026-05", "2028-01-01", "1970-01-01", "soon")]
    ['', '', '', '']
    """
    date = normalize_lastmod(text) if text else ""
    if len(date) < _DATE_CHARACTERS or not _FIRST_DATE <= date <= latest:
        return ""
    return date if date.endswith("Z") else date[:_DATE_CHARACTERS]


def valid_alternates(
    details: str | None, base: str, is_unfit: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """The alternates that an entry's details name, each language once; one alone is none."""
    if not details or '"alternates"' not in details:
        return []
    found: dict[str, str] = {}
    for language, href in json.loads(details)["alternates"]:
        code = language.strip().lower().replace("_", "-")
        url = canonicalize(href, base) or ""
        is_usable = bool(url) and len(strict_url(url)) <= MAX_LOC_CHARACTERS
        if is_usable and _HREFLANG.fullmatch(code) and not is_unfit(url):
            found.setdefault(code, url)
    return list(found.items()) if len(found) >= _FEWEST_ALTERNATES else []


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
def writing_sitemaps(
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


@dataclass(frozen=True, slots=True)
class SitemapExport:
    """What was written, and what was left out."""

    pages: int
    parts: int
    index_url: str
    visited: int
    """Pages that the scan has seen answer; of the others only the address is known."""
    left_out: Counter[str]
    """By reason."""
    lastmods_left_out: int
    """Pages whose date is none that a sitemap may have."""


def export_sitemap(
    database: Database,
    site: Site,
    scan: Scan,
    folder: Path,
    base_url: str,
    *,
    compress: bool = True,
) -> SitemapExport:
    """Write the pages that belong in a sitemap which is served below *base_url*.

    The same inventory gives the same bytes. Without any such page nothing is written.
    """
    fitness = read_fitness(database, site, scan, origin_of(base_url))
    latest = latest_lastmod(scan.started_at)
    left_out: Counter[str] = Counter()
    for count in count_pages(database, scan):
        if count.reason:
            left_out[count.reason] += count.pages
    visited = lastmods_left_out = 0

    with writing_sitemaps(
        folder, base_url, iso_text(scan.started_at), compress=compress
    ) as sitemaps:
        for page in listed_pages(database, scan):
            if objection := fitness.objection(page):
                left_out[objection.reason] += 1
                continue
            lastmod = valid_lastmod(page.lastmod, latest)
            alternates = valid_alternates(page.details, page.url, fitness.is_known_unfit)
            sitemaps.add(entry_xml(fitness.address(page), lastmod, alternates))
            visited += page.is_visited
            lastmods_left_out += bool(page.lastmod) and not lastmod
    return SitemapExport(
        pages=sitemaps.entries,
        parts=sitemaps.parts,
        index_url=sitemaps.index_url,
        visited=visited,
        left_out=left_out,
        lastmods_left_out=lastmods_left_out,
    )
