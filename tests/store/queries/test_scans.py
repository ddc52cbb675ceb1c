"""The read side: sites, scans and validators."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from sitecrawl.items import Validators
from sitecrawl.store.queries.known_documents import children, load_validators
from sitecrawl.store.queries.scans import latest_scan, scans, site_for, sites
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.users import add_workspace
from tests.store.scanning import FAILED, FINGERPRINT, SITE, UNCHANGED, Scanning, scan

if TYPE_CHECKING:
    from sitecrawl.items import FetchOutcome
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

    def test_those_of_other_workspaces_are_theirs(self, database: Database) -> None:
        with database.writing() as connection:
            theirs = add_workspace(connection, "other", datetime.now(UTC))
        Scanning(database, workspace_id=theirs).finish()
        own = scan(database, {})
        assert [each.id for each in scans(database)] == [own]

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
