from __future__ import annotations

import gzip
import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries.bodies import page_bodies, read_body, read_page_body
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.schema import blobs
from tests.store.crawling import Crawling, address
from tests.store.scanning import Scanning

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

SITEMAP = "https://example.com/sitemap.xml"


def keep(scanning: Scanning, body: bytes) -> dict[str, Any]:
    """Store the body; gives what a fetch says of it."""
    sha256 = hashlib.sha256(body).hexdigest()
    scanning.writer.keep_body(sha256, body)
    return {"sha256": sha256, "content_type": "text/html; charset=utf-8"}


@pytest.mark.parametrize(
    "body",
    [b"User-agent: *\n" * 100, gzip.compress(b"<urlset/>"), b"", b"\x1f\x8bhalf"],
    ids=["text", "gzip", "nothing", "half-a-gzip"],
)
def test_bodies_come_back_as_they_were(database: Database, body: bytes) -> None:
    scanning = Scanning(database)
    document_id = scanning.document(SITEMAP)
    for _ in range(2):
        scanning.fetched(document_id, **keep(scanning, body))
    scanning.finish()
    found = read_body(database, document_id)
    assert found is not None
    assert (found.content, found.url, found.scan_id) == (body, SITEMAP, 1)
    assert found.content_type == "text/html; charset=utf-8"


def test_text_is_kept_compressed(database: Database) -> None:
    scanning = Scanning(database)
    scanning.writer.keep_body("x", b"User-agent: *\n" * 1000)
    scanning.finish()
    with database.reading() as connection:
        row = connection.execute(select(blobs)).one()
    assert (row.size, row.encoding) == (14_000, "gzip")
    assert len(row.content) < 1000


def test_each_scan_has_the_body_of_its_time(database: Database) -> None:
    for body, outcome in [
        (b"one", FetchOutcome.OK),
        (b"one", FetchOutcome.NOT_MODIFIED),
        (b"", FetchOutcome.TIMEOUT),
        (b"two", FetchOutcome.OK),
    ]:
        scanning = Scanning(database)
        document_id = scanning.document(SITEMAP)
        scanning.fetched(document_id, outcome, **(keep(scanning, body) if body else {}))
        scanning.finish()
    found = [read_body(database, document_id, scan_id=number) for number in (1, 2, 3, 4, None)]
    assert [each and (each.content, each.scan_id) for each in found] == [
        (b"one", 1),
        (b"one", 2),
        (b"one", 2),
        (b"two", 4),
        (b"two", 4),
    ]


def test_a_content_that_was_not_kept_is_not_replaced_by_an_older_one(database: Database) -> None:
    for number in (1, 2):
        scanning = Scanning(database)
        document_id = scanning.document(SITEMAP)
        known = keep(scanning, b"small") if number == 1 else {"sha256": "f" * 64}
        scanning.fetched(document_id, **known)
        scanning.finish()
    assert read_body(database, document_id) is None
    assert read_body(database, document_id, scan_id=1) is not None


def test_pages_have_the_body_of_their_visit(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", "/a", "/b", fetch=keep(crawling, b"home"))
    crawling.visit("/a", fetch=keep(crawling, b"page a"))
    crawling.visit("/b")
    crawling.end()
    scan = scan_by_id(database, 1)
    assert scan is not None
    found = read_page_body(database, crawling.page_id(address("/a")))
    assert found is not None
    assert found.content == b"page a"
    assert read_page_body(database, crawling.page_id(address("/b"))) is None
    ids = {crawling.page_id(address(path)): path for path in ("/", "/a", "/b")}
    bodies = {ids[page_id]: body.content for page_id, body in page_bodies(database, scan)}
    assert bodies == {"/": b"home", "/a": b"page a"}
