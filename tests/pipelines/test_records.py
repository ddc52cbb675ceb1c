from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import select

from sitecrawl.items import (
    Document,
    DocumentKind,
    FetchOutcome,
    MentionBatch,
    Source,
    Visit,
    VisitedPage,
)
from sitecrawl.pipelines.records import ItemRecorder, page_rows
from sitecrawl.sitemaps.entries import Alternate, EntryDetails
from sitecrawl.store.engine import open_database
from sitecrawl.store.schema import documents, fetches
from sitecrawl.store.writers.scan_writer import ScanWriter
from sitecrawl.urls.scope import Scope
from tests.scan.build import make_scan

if TYPE_CHECKING:
    from pathlib import Path

SITE = "https://example.com/"


def batch_of(is_new: list[bool], **columns: Any) -> MentionBatch:
    size = len(is_new)
    urls = [f"{SITE}{row}" for row in range(size)]
    batch = MentionBatch(
        document=f"{SITE}sitemap.xml",
        base=SITE,
        source=Source.SITEMAP,
        scope=Scope.from_urls([SITE]),
        positions=range(1, size + 1),
        locs=urls,
        ids=list(range(size)),
        is_new=is_new,
        **columns,
    )
    batch.urls = urls
    return batch


@given(st.lists(st.booleans(), min_size=1, max_size=40))
@example([True] * 39 + [False])
@example([False] + [True] * 39)
@example([True] * 20 + [False, False] + [True] * 20)
def test_known_pages_are_repeats_and_all_others_rows(is_new: list[bool]) -> None:
    lastmods = [f"2026-01-{row:02}" for row in range(len(is_new))]
    rows = page_rows(batch_of(is_new, lastmods=lastmods), 7, lambda _: None)
    new = [row for row, each in enumerate(is_new) if each]
    repeated = [row for row, each in enumerate(is_new) if not each]
    assert rows.ids == new
    assert rows.urls == [f"{SITE}{row}" for row in new]
    assert list(rows.positions) == [row + 1 for row in new]
    assert rows.lastmods == [lastmods[row] for row in new]
    found = (rows.repeats.ids, rows.repeats.lastmods) if rows.repeats else ([], [])
    assert found == (repeated, [lastmods[row] for row in repeated])


def test_entries_that_share_their_details_have_them_all() -> None:
    shared = EntryDetails(
        (Alternate("de", f"{SITE}de"), Alternate("fr", "https://me:pw@b.example/"))
    )
    details = {0: shared, 2: EntryDetails(images=2), 3: shared}
    batch = batch_of([True, True, False, True], details=details)
    rows = page_rows(batch, 7, lambda _: None)
    alternates = [["de", f"{SITE}de"], ["fr", "https://b.example/"]]
    assert {row: json.loads(text) for row, text in rows.details.items()} == {
        0: {"alternates": alternates},
        2: {"alternates": alternates},
    }


SENT = f"{SITE}p?f%5Ba%5D=1"


def visited(number: int, url: str) -> VisitedPage:
    document = Document(SENT, DocumentKind.PAGE, "a link", FetchOutcome.OK, status=200)
    return VisitedPage(Visit(number, url, clicks=1), document)


def test_pages_whose_addresses_are_sent_alike_are_stored_together(tmp_path: Path) -> None:
    with open_database(f"sqlite:///{tmp_path / 'sitecrawl.db'}") as database:
        writer = ScanWriter(database)
        writer.begin(asked=SITE, site_key="example.com", root_url=SITE)
        recorder = ItemRecorder(make_scan(), writer, set())
        recorder.take_pages([visited(2, f"{SITE}p?f[a]=1"), visited(3, SENT)])
        recorder.take_pages([visited(4, SENT)])
        writer.close()
        with database.reading() as connection:
            [document] = connection.execute(select(documents.c.id, documents.c.url)).all()
            fetched = connection.scalars(select(fetches.c.document_id)).all()
    assert document.url == SENT
    assert fetched == [document.id] * 3
