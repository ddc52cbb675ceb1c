"""From a batch of mentions to the rows that the store takes."""

from __future__ import annotations

import json
from bisect import bisect_left
from itertools import compress
from typing import TYPE_CHECKING, TypeVar

from sitecrawl.store.writers.records import LinkColumns, PageRows, Repeats
from sitecrawl.urls.credentials import without_credentials

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sitecrawl.items import Judged, MentionBatch, RepeatedLinks
    from sitecrawl.parse.entries import EntryDetails

T = TypeVar("T")

_FEW = 8
"""One of so many rows is few."""


def page_rows(
    batch: MentionBatch, document_id: int, verdict_id: Callable[[Judged | None], int | None]
) -> PageRows:
    """The pages that are new in this scan as rows, further mentions of known ones as repeats."""
    usual = verdict_id(batch.judged)
    otherwise = {row: verdict_id(judged) for row, judged in batch.judged_otherwise.items()}
    rows = PageRows(
        document_id=document_id,
        source=batch.source,
        ids=batch.ids,
        urls=batch.urls,
        positions=batch.positions,
        lastmods=batch.lastmods,
        changefreqs=batch.changefreqs,
        priorities=batch.priorities,
        languages=batch.languages,
        verdict_id=usual,
        verdict_ids=[otherwise.get(row, usual) for row in range(len(batch.ids))]
        if otherwise
        else None,
        titles={row: entry.title for row, entry in batch.details.items() if entry.title},
        details=_details_column(batch.details),
        categories=batch.categories,
        refused={row: (refusal.reason, refusal.rule) for row, refusal in batch.refused.items()},
        links=_link_columns(batch),
    )
    if not all(batch.is_new):
        rows = _split(rows, batch.is_new)
    if batch.repeats is not None:
        rows.repeats = _with_repeated_links(rows.repeats, batch.repeats)
    return rows


def _link_columns(batch: MentionBatch) -> LinkColumns | None:
    if batch.sources is None:
        return None
    nothing = [""] * len(batch.ids)
    return LinkColumns(
        sources=batch.sources,
        regions=batch.regions or nothing,
        anchors=batch.anchors or nothing,
        rels=batch.rels or nothing,
        paths=batch.paths or nothing,
    )


def _split(rows: PageRows, is_new: list[bool]) -> PageRows:
    is_repeated = [not new for new in is_new]
    repeated = list(compress(range(len(is_new)), is_repeated))

    def new_ones(column: Sequence[T]) -> list[T]:
        if len(repeated) * _FEW > len(column):
            return list(compress(column, is_new))
        # What lies between a few that are left out is copied as a whole.
        kept: list[T] = []
        start = 0
        for row in repeated:
            kept += column[start:row]
            start = row + 1
        kept += column[start:]
        return kept

    def pick(column: Sequence[T] | None) -> list[T] | None:
        return None if column is None else new_ones(column)

    def pick_sparse(column: Mapping[int, T]) -> dict[int, T]:
        # A row moves up by those that are taken out before it.
        return {
            row - bisect_left(repeated, row): value for row, value in column.items() if is_new[row]
        }

    return PageRows(
        document_id=rows.document_id,
        source=rows.source,
        ids=new_ones(rows.ids),
        urls=new_ones(rows.urls),
        positions=new_ones(rows.positions),
        lastmods=pick(rows.lastmods),
        changefreqs=pick(rows.changefreqs),
        priorities=pick(rows.priorities),
        languages=pick(rows.languages),
        verdict_id=rows.verdict_id,
        verdict_ids=pick(rows.verdict_ids),
        titles=pick_sparse(rows.titles),
        details=pick_sparse(rows.details),
        categories=pick_sparse(rows.categories),
        refused=pick_sparse(rows.refused),
        links=_some_links(rows.links, is_new),
        repeats=Repeats(
            ids=list(compress(rows.ids, is_repeated)),
            positions=list(compress(rows.positions, is_repeated)),
            lastmods=None if rows.lastmods is None else list(compress(rows.lastmods, is_repeated)),
            links=_some_links(rows.links, is_repeated),
        ),
    )


def _with_repeated_links(repeats: Repeats | None, links: RepeatedLinks) -> Repeats:
    columns = (links.sources, links.regions, links.anchors, links.rels, links.paths)
    if repeats is None or repeats.links is None:
        return Repeats(links.ids, links.positions, links=LinkColumns(*columns))
    others = repeats.links.by_name().values()
    return Repeats(
        ids=[*links.ids, *repeats.ids],
        positions=[*links.positions, *repeats.positions],
        links=LinkColumns(*([*a, *b] for a, b in zip(columns, others, strict=True))),
    )


def _some_links(links: LinkColumns | None, chosen: Sequence[bool]) -> LinkColumns | None:
    if links is None:
        return None
    return LinkColumns(*(list(compress(column, chosen)) for column in links.by_name().values()))


def _details_column(entries: Mapping[int, EntryDetails]) -> dict[int, str]:
    """JSON by row; the versions of a page in several languages share what is said of them."""
    texts = {key: _details(entry) for key, entry in {id(e): e for e in entries.values()}.items()}
    return {row: texts[id(entry)] for row, entry in entries.items()}


def _details(entry: EntryDetails) -> str:
    facts = {
        "alternates": [
            [alternate.hreflang, without_credentials(alternate.href)]
            for alternate in entry.alternates
        ],
        "images": entry.images,
        "videos": entry.videos,
        "published": entry.published,
    }
    return json.dumps({name: value for name, value in facts.items() if value})
