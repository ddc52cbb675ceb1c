"""Comparisons of sitemaps and links as text, CSV or JSON; written as they are read."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

from sitecrawl.exporters.csv_rows import write_csv_rows
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from sitecrawl.exporters.sitemap_diff import SitemapChange
    from sitecrawl.store.queries.sitemap_comparison import Orphan, UnlistedPage

    ComparedPages: TypeAlias = Iterable[Orphan | UnlistedPage | SitemapChange]


def write_text(pages: ComparedPages, file: IO[bytes]) -> int:
    """Write the URLs alone, one per line; return their number."""
    number = 0
    for page in pages:
        file.write(f"{printable(page.url)}\n".encode())
        number += 1
    return number


def write_csv(pages: ComparedPages, columns: Sequence[str], file: IO[bytes]) -> int:
    """Write a header and one line per page; return their number."""
    return write_csv_rows(columns, pages, file)


def write_json(pages: ComparedPages, coverage: Mapping[str, Any], file: IO[bytes]) -> int:
    """Write one object: how complete the crawl was, and the pages; return their number."""
    head = json.dumps(coverage, ensure_ascii=False)
    file.write(f'{{"coverage": {head},\n"pages": ['.encode())
    number = 0
    for page in pages:
        row = json.dumps(page._asdict(), ensure_ascii=False)
        file.write(f"{',' if number else ''}\n{row}".encode())
        number += 1
    file.write(b"\n]}\n")
    return number
