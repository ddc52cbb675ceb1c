"""What dives have found out about pages as wholes: their topics, and which of them compete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import case, func, select

from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


@dataclass(frozen=True, slots=True)
class Topic:
    """A cluster by meaning."""

    id: int
    name: str
    pages: int


@dataclass(frozen=True, slots=True)
class MappedPage:
    """A page on the map of topics; both coordinates go from 0 to 1."""

    page_id: int
    url: str
    title: str
    topic_id: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class CompetingPage:
    """A page that is about the same as another one, with the words that both titles share."""

    url: str
    other: str
    cosine: float
    words: str


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page that say what it is about."""

    title: str
    language: str
    words: str
    """Headings, and the beginning of the text."""


def page_words(connection: Connection, site_id: int) -> dict[int, PageWords]:
    """By page, of all pages that have passages."""
    text = case((t.passages.c.position == 0, t.passages.c.text), else_="")
    rows = connection.execute(
        select(
            t.passages.c.page_id,
            t.page_contents.c.title,
            t.page_contents.c.language,
            t.passages.c.headings,
            text.label("text"),
        )
        .join_from(t.passages, t.page_contents, t.page_contents.c.page_id == t.passages.c.page_id)
        .where(t.passages.c.site_id == site_id)
        .order_by(t.passages.c.page_id, t.passages.c.position)
    )
    found: dict[int, PageWords] = {}
    for row in rows:
        before = found[row.page_id].words if row.page_id in found else ""
        words = f"{before}\n{row.headings}\n{row.text}"
        found[row.page_id] = PageWords(row.title, row.language, words)
    return found


def topics_of(connection: Connection, site_id: int) -> list[Topic]:
    """The largest first."""
    rows = connection.execute(
        select(t.topics.c.id, t.topics.c.name, t.topics.c.pages)
        .where(t.topics.c.site_id == site_id)
        .order_by(t.topics.c.pages.desc(), t.topics.c.id)
    )
    return [Topic(**row._asdict()) for row in rows]


def mapped_pages(connection: Connection, site_id: int, limit: int) -> list[MappedPage]:
    """The pages of the map; of more than *limit* those with the lowest ids, which are random."""
    rows = connection.execute(
        select(
            t.page_topics.c.page_id,
            t.pages.c.url,
            func.coalesce(t.page_contents.c.title, "").label("title"),
            t.page_topics.c.topic_id,
            t.page_topics.c.x,
            t.page_topics.c.y,
        )
        .join_from(t.page_topics, t.pages, t.pages.c.id == t.page_topics.c.page_id)
        .join(t.page_contents, t.page_contents.c.page_id == t.page_topics.c.page_id, isouter=True)
        .where(t.page_topics.c.site_id == site_id)
        .order_by(t.page_topics.c.page_id)
        .limit(limit)
    )
    return [MappedPage(**row._asdict()) for row in rows]


def competing_pages_of(
    connection: Connection, site_id: int, limit: int | None = None
) -> list[CompetingPage]:
    """The nearest first."""
    other = t.pages.alias("other")
    pairs = t.competing_pages.c
    rows = connection.execute(
        select(t.pages.c.url, other.c.url.label("other"), pairs.cosine, pairs.words)
        .join_from(t.competing_pages, t.pages, t.pages.c.id == pairs.page_id)
        .join(other, other.c.id == pairs.other_id)
        .where(pairs.site_id == site_id)
        .order_by(pairs.cosine.desc(), t.pages.c.url)
        .limit(limit)
    )
    return [CompetingPage(**row._asdict()) for row in rows]
