from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.html.links import PageLimits, PageReading
from sitecrawl.html.page import read_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


URL = "https://www.shop.example/guides/page.html"
HTML = "text/html; charset=utf-8"


class Row(NamedTuple):
    source: str
    loc: str
    region: str
    anchor: str
    rel: str
    path: str
    language: str


def read(
    html: str | bytes,
    *,
    content_type: str = HTML,
    headers: Mapping[str, Sequence[str]] | None = None,
    limits: PageLimits | None = None,
    url: str = URL,
) -> PageReading:
    body = html.encode() if isinstance(html, str) else html
    return read_page(
        body, url, content_type=content_type, headers=headers or {}, limits=limits or PageLimits()
    )


def rows_of(page: PageReading) -> list[Row]:
    links = page.links
    languages = [links.languages.get(row, "") for row in range(len(links))]
    columns = (links.sources, links.locs, links.regions, links.anchors, links.rels, links.paths)
    assert set(links.languages) <= set(range(len(links)))
    return [Row(*values) for values in zip(*columns, languages, strict=True)]


def rows(html: str | bytes, **options: object) -> list[Row]:
    return rows_of(read(html, **options))  # type: ignore[arg-type]


def named(html: str | bytes, **options: object) -> list[tuple[str, str]]:
    """Give source and address of every row."""
    return [(row.source, row.loc) for row in rows(html, **options)]


def regions(html: str) -> dict[str, str]:
    return {row.loc: row.region for row in rows(html)}


def kinds(page: PageReading) -> list[str]:
    return [finding.kind for finding in page.findings]
