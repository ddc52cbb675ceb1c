from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from sitecrawl.config import Config
from sitecrawl.items import Document, DocumentKind, FetchOutcome, Visit, VisitedPage
from sitecrawl.pipelines.recorder import ItemRecorder
from sitecrawl.profiles import load_settings
from sitecrawl.store.engine import open_database
from sitecrawl.store.schema import documents, fetches
from sitecrawl.store.writers.scan_writer import ScanWriter
from tests.pipelines.test_frontier import Stats

if TYPE_CHECKING:
    from pathlib import Path

ROOT = "https://example.com/"
SENT = f"{ROOT}p?f%5Ba%5D=1"


def visited(number: int, url: str) -> VisitedPage:
    document = Document(SENT, DocumentKind.PAGE, "a link", FetchOutcome.OK, status=200)
    return VisitedPage(Visit(number, url, clicks=1), document)


def test_pages_whose_addresses_are_sent_alike_are_stored_together(tmp_path: Path) -> None:
    stats: Any = Stats()
    config = Config.from_settings(load_settings("default"))
    with open_database(f"sqlite:///{tmp_path / 'sitecrawl.db'}") as database:
        writer = ScanWriter(database)
        writer.begin(asked=ROOT, site_key="example.com", root_url=ROOT)
        recorder = ItemRecorder(writer, config, "settings 1", {}, stats)
        recorder.take_pages([visited(2, f"{ROOT}p?f[a]=1"), visited(3, SENT)])
        recorder.take_pages([visited(4, SENT)])
        writer.close()
        with database.reading() as connection:
            [document] = connection.execute(select(documents.c.id, documents.c.url)).all()
            fetched = connection.scalars(select(fetches.c.document_id)).all()
    assert document.url == SENT
    assert fetched == [document.id] * 3
