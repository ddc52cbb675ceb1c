"""The read side: documents, bodies, and what is doubtful."""

from __future__ import annotations

import gzip
import hashlib
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.document_queries import blob, documents, doubtful_fetches, fetches
from sitecrawl.store.tables import blobs
from tests.store.scanning import Scanning

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

A = "https://example.com/a.xml"


class TestDocuments:
    def test_fetches_tell_what_happened(self, database: Database) -> None:
        scanning = Scanning(database)
        document_id = scanning.document(A, found_by="common place", depth=1)
        scanning.fetched(
            document_id,
            status=200,
            content_type="text/xml",
            received_bytes=10,
            elapsed_ms=12,
            redirects=["https://example.com/x"],
            findings=[{"kind": "truncated", "count": 1}],
            format="urlset",
            entries=3,
            sha256="ab",
        )
        scanning.finish()
        (fetch,) = fetches(database, scanning.handle.scan_id)
        assert (fetch.url, fetch.outcome, fetch.status, fetch.format) == (A, "ok", 200, "urlset")
        assert (fetch.redirects, fetch.error) == (["https://example.com/x"], None)
        assert fetch.findings == [{"kind": "truncated", "count": 1}]
        assert fetch.fetched_at.isoformat() == "2026-05-06T07:08:09+00:00"
        (document,) = documents(database, scanning.handle.scan_id)
        assert (document.found_by, document.depth, document.entries) == ("common place", 1, 3)

    def test_what_was_not_read_to_the_end_is_doubtful(self, database: Database) -> None:
        scanning = Scanning(database)
        for number, (outcome, facts) in enumerate(
            [
                (FetchOutcome.OK, {}),
                (FetchOutcome.NOT_FOUND, {}),
                (FetchOutcome.NOT_MODIFIED, {}),
                (FetchOutcome.OK, {"truncated": True, "complete": False}),
                (FetchOutcome.OK, {"complete": False}),
                (FetchOutcome.TIMEOUT, {}),
            ]
        ):
            scanning.fetched(scanning.document(f"{A}?{number}"), outcome, **facts)
        scanning.finish()
        doubtful = doubtful_fetches(database, scanning.handle.scan_id)
        assert [fetch.url[-1] for fetch in doubtful] == ["3", "4", "5"]

    def test_redirects_and_made_up_addresses_hide_nothing(self, database: Database) -> None:
        scanning = Scanning(database)
        redirect = scanning.document("https://example.com/old", kind="page")
        scanning.fetched(redirect, FetchOutcome.REDIRECTED)
        made_up = scanning.document("https://example.com/no-such-page", kind="probe")
        scanning.fetched(made_up, FetchOutcome.OK, complete=False)
        scanning.finish()
        assert doubtful_fetches(database, scanning.handle.scan_id) == []


class TestBodies:
    @pytest.mark.parametrize(
        "body",
        [b"User-agent: *\n" * 100, gzip.compress(b"<urlset/>"), b"", b"\x1f\x8bhalf"],
        ids=["text", "gzip", "nothing", "half-a-gzip"],
    )
    def test_bodies_come_back_as_they_were(self, database: Database, body: bytes) -> None:
        sha256 = hashlib.sha256(body).hexdigest()
        scanning = Scanning(database)
        for _ in range(2):
            scanning.writer.keep_body(sha256, body)
        scanning.finish()
        assert blob(database, sha256) == body
        assert blob(database, "0" * 64) is None

    def test_text_is_kept_compressed(self, database: Database) -> None:
        scanning = Scanning(database)
        scanning.writer.keep_body("x", b"User-agent: *\n" * 1000)
        scanning.finish()
        with database.reading() as connection:
            row = connection.execute(select(blobs)).one()
        assert (row.size, row.encoding) == (14_000, "gzip")
        assert len(row.content) < 1000
