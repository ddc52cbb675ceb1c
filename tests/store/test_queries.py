"""The read side: sites, scans, documents, bodies, validators, and what is doubtful."""

from __future__ import annotations

import gzip
import hashlib
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries import (
    blob,
    documents,
    doubtful_fetches,
    fetches,
    latest_scan,
    scans,
    site_for,
    sites,
)
from sitecrawl.store.tables import blobs
from sitecrawl.store.validators import Validators, children, load_validators
from sitecrawl.store.vocabulary import ScanStatus
from tests.store.scanning import FAILED, FINGERPRINT, SITE, UNCHANGED, Scanning, scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

ROBOTS, INDEX = "https://example.com/robots.txt", "https://example.com/index.xml"
A, B = "https://example.com/a.xml", "https://example.com/b.xml"


class TestSites:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("example.com", "example.com"),
            ("www.Example.com", "example.com"),
            ("https://example.com/any/page?x=1", "example.com"),
            ("example.com/docs", "example.com/docs"),
            ("https://example.com/docs/page", "example.com/docs"),
            ("example.com/docsified", "example.com"),
            ("127.0.0.1:8000", "127.0.0.1:8000"),
            ("http://127.0.0.1:8000/x", "127.0.0.1:8000"),
            ("127.0.0.1:9000", None),
            ("sub.example.com", None),
            ("", None),
        ],
    )
    def test_the_closest_site_is_found(
        self, sqlite_database: Database, text: str, found: str | None
    ) -> None:
        for key in ("example.com", "example.com/docs", "127.0.0.1:8000"):
            scan(sqlite_database, {}, site=key)
        site = site_for(sqlite_database, text)
        assert (site.key if site else None) == found

    def test_sites_come_by_name(self, database: Database) -> None:
        for key in ("b.example", "a.example"):
            scan(database, {}, site=key)
        assert [site.key for site in sites(database)] == ["a.example", "b.example"]


class TestScans:
    def test_the_newest_come_first(self, database: Database) -> None:
        ids = [scan(database, {}) for _ in range(3)]
        other = scan(database, {}, site="other.example")
        assert [each.id for each in scans(database, limit=3)] == [other, ids[2], ids[1]]
        site = site_for(database, SITE)
        assert site is not None
        assert [each.id for each in scans(database, site_id=site.id)] == ids[::-1]

    def test_the_latest_is_the_newest_with_a_result(self, database: Database) -> None:
        site_id = None
        for status, expected in (
            (ScanStatus.FAILED, 1),
            (ScanStatus.INTERRUPTED, 2),
            (ScanStatus.FINISHED, 3),
            (ScanStatus.FAILED, 3),
            (ScanStatus.PARTIAL, 5),
        ):
            scan(database, {}, status)
            site = site_for(database, SITE)
            assert site is not None
            site_id = site.id
            latest = latest_scan(database, site_id)
            assert latest is not None
            assert latest.id == expected
        assert latest_scan(database, 999) is None


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


class TestValidators:
    def known(self, database: Database, fingerprint: str = FINGERPRINT) -> dict[str, Validators]:
        site = site_for(database, SITE)
        assert site is not None
        return load_validators(database, site.id, fingerprint)

    def test_they_are_those_of_the_content_that_was_read(self, database: Database) -> None:
        scanning = Scanning(database)
        document_id = scanning.document(A)
        scanning.fetched(
            document_id, etag='"1"', last_modified="now", sha256="ab", format="urlset", listed=7
        )
        scanning.finish()
        expected = Validators(document_id, "sitemap", "urlset", '"1"', "now", "ab", 7, {})
        assert self.known(database) == {A: expected}

    def test_they_count_only_under_the_same_settings(self, database: Database) -> None:
        scan(database, {A: []})
        assert self.known(database, "settings 2") == {}

    @pytest.mark.parametrize("after", [UNCHANGED, FAILED])
    def test_they_survive_what_brings_no_content(
        self, database: Database, after: FetchOutcome
    ) -> None:
        scan(database, {A: []})
        before = self.known(database)
        scan(database, {A: after})
        assert self.known(database) == before

    def test_half_a_content_has_none(self, database: Database) -> None:
        scan(database, {A: []})
        scanning = Scanning(database)
        scanning.fetched(scanning.document(A), complete=False, truncated=True)
        scanning.finish()
        assert self.known(database) == {}

    def test_a_killed_scan_leaves_none(self, database: Database) -> None:
        scanning = Scanning(database)
        scanning.list_pages(A, ["https://example.com/"])
        scanning.writer.commit()
        scanning.writer.close()
        assert self.known(database) == {}


class TestChildren:
    def name(self, scanning: Scanning, parent: int, *urls: str) -> None:
        for position, url in enumerate(urls, 1):
            scanning.document(url, parent_id=parent, position=position)

    def test_they_are_known_when_the_index_is_unchanged(self, database: Database) -> None:
        scanning = Scanning(database)
        index = scanning.document(INDEX)
        self.name(scanning, index, B, A)
        scanning.fetched(index)
        scanning.finish()
        scan(database, {INDEX: UNCHANGED})
        assert [url for url, _ in children(database, index)] == [B, A]

    def test_a_document_may_have_several_parents(self, database: Database) -> None:
        scanning = Scanning(database)
        robots, index = scanning.document(ROBOTS), scanning.document(INDEX)
        self.name(scanning, robots, A)
        self.name(scanning, index, A, B)
        scanning.fetched(robots)
        scanning.fetched(index)
        scanning.finish()
        assert [url for url, _ in children(database, robots)] == [A]
        assert [url for url, _ in children(database, index)] == [A, B]

    def test_those_that_were_dropped_are_not_named(self, database: Database) -> None:
        for names in ([A, B], [B]):
            scanning = Scanning(database)
            index = scanning.document(INDEX)
            self.name(scanning, index, *names)
            scanning.fetched(index)
            scanning.finish()
        assert [url for url, _ in children(database, index)] == [B]
