"""Compares the kept texts of visited pages: near duplicates, and the difference of two pages."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, select

from sitecrawl.findings.text_similarity import (
    TextSketch,
    near_duplicates,
    shingles,
    word_difference,
)
from sitecrawl.store.bodies import unpack_text
from sitecrawl.store.schema import page_texts, visits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

    from sitecrawl.findings.text_similarity import Shingles, TextDifference
    from sitecrawl.store.queries.scans import Scan

_ROWS_AT_ONCE: Final = 500
_KNOWN_TEXTS: Final = 1_000
# A text is compared only if it is the one that the scan has seen.
_IS_OWN_TEXT: Final = and_(
    page_texts.c.page_id == visits.c.page_id, page_texts.c.text_hash == visits.c.text_hash
)


class NearDuplicatePage(NamedTuple):
    """A page whose main text is nearly that of an earlier one."""

    page_id: int
    url: str
    original_id: int
    original: str
    similarity: float
    """The share of their shingles that both have, see findings/text_similarity.py."""


def near_duplicate_pages(connection: Connection, scan: Scan) -> Iterator[NearDuplicatePage]:
    """Pages with nearly the text of an earlier one, in the order of the visits."""
    statement = (
        select(visits.c.page_id, visits.c.url, page_texts.c.content)
        .join_from(visits, page_texts, _IS_OWN_TEXT)
        .where(
            visits.c.scan_id == scan.id, visits.c.reason.is_(None), visits.c.duplicate_of.is_(None)
        )
        .order_by(visits.c.number)
        .execution_options(yield_per=_ROWS_AT_ONCE)
    )
    found, sketches = [], []
    for page_id, url, content in connection.execute(statement):
        found.append((page_id, url))
        sketches.append(TextSketch.of(shingles(unpack_text(content))))

    @lru_cache(maxsize=_KNOWN_TEXTS)
    def read_shingles(index: int) -> Shingles:
        own = page_texts.c.page_id == found[index][0]
        content = connection.scalars(select(page_texts.c.content).where(own)).one()
        return shingles(unpack_text(content))

    for near in near_duplicates(sketches, read_shingles):
        yield NearDuplicatePage(*found[near.text], *found[near.original], near.similarity)


def text_difference(
    connection: Connection, scan: Scan, before: int, after: int
) -> TextDifference | None:
    """In which words two pages differ, by their ids; None: the text of one was not kept."""
    statement = (
        select(visits.c.page_id, page_texts.c.content)
        .join_from(visits, page_texts, _IS_OWN_TEXT)
        .where(visits.c.scan_id == scan.id, visits.c.page_id.in_([before, after]))
    )
    texts: dict[int, bytes] = {row.page_id: row.content for row in connection.execute(statement)}
    if before not in texts or after not in texts:
        return None
    return word_difference(unpack_text(texts[before]), unpack_text(texts[after]))
