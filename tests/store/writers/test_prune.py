"""Random histories of a site: what is kept answers as before, and the next scan finds the same."""

from __future__ import annotations

import hashlib
import shutil
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from sqlalchemy import select

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.compression import unpack_body
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.bodies import read_body
from sitecrawl.store.queries.known_documents import load_known_pages
from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.pages import page_rows
from sitecrawl.store.queries.scans import scan_by_id, scans
from sitecrawl.store.schema import blobs, fetches, page_facts, visits
from sitecrawl.store.schema import scans as scan_table
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.prune import BodyPruning, Retention, pruning
from sitecrawl.store.writers.records import PageFactsRecord
from tests.store.answers import answers, answers_of_site, assert_same, everything
from tests.store.crawling import ROOT, Crawling, Link, address
from tests.store.scanning import FINGERPRINT

if TYPE_CHECKING:
    from pathlib import Path

    from sitecrawl.items import KnownPage
    from sitecrawl.store.engine import Database

SCANS: Final = 7
PAGES: Final = ("/a", "/b", "/c", "/d", "/e", "/f")
STATUSES: Final = (*([ScanStatus.FINISHED] * 5), ScanStatus.PARTIAL, ScanStatus.FAILED)
SITEMAPS: Final = (f"{ROOT}sitemap.xml", f"{ROOT}more.xml")


class History:
    """Plays scans of a site that changes by chance."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._links: dict[str, list[str]] = {}
        """What each page linked to when it was read last."""

    def scan(self, database: Database, status: ScanStatus | None = None) -> int:
        random, crawling = self._random, Crawling(database)
        self._fetch_robots(crawling)
        for url in SITEMAPS:
            self._fetch_sitemap(crawling, url)
        if random.random() < 0.85:
            self._crawl(crawling)
        crawling.writer.add_evidence("note", f"of scan {crawling.handle.scan_id}")
        how = status or random.choice(STATUSES)
        crawling.end(how, is_exhaustive=random.random() < 0.4, pages=1)
        return crawling.handle.scan_id

    def _fetch_robots(self, crawling: Crawling) -> None:
        body = f"User-agent: *\nDisallow: /{self._random.randrange(3)}\n".encode()
        outcome = self._random.choice(
            [FetchOutcome.OK, FetchOutcome.FRESH, FetchOutcome.TIMEOUT, FetchOutcome.HTTP_ERROR]
        )
        robots = crawling.document(f"{ROOT}robots.txt", kind=DocumentKind.ROBOTS_TXT)
        is_ok = outcome is FetchOutcome.OK
        if is_ok:
            crawling.writer.keep_body(body.hex()[:64], body)
        sha256 = body.hex()[:64] if is_ok else ""
        crawling.fetched(robots, outcome, sha256=sha256, received_bytes=len(body), fingerprint="")

    def _fetch_sitemap(self, crawling: Crawling, url: str) -> None:
        random = self._random
        chance = random.random()
        if chance < 0.2:
            return
        if chance < 0.4:
            crawling.fetched(crawling.document(url), FetchOutcome.NOT_MODIFIED)
        elif chance < 0.6:
            outcome = random.choice([FetchOutcome.HTTP_ERROR, FetchOutcome.NOT_FOUND])
            crawling.fetched(crawling.document(url), outcome)
        else:
            crawling.list_in_sitemap(*random.sample(PAGES, random.randrange(5)), sitemap=url)

    def _crawl(self, crawling: Crawling) -> None:
        random = self._random
        crawling.start()
        queue, known = ["/"], {"/"}
        budget = random.randrange(1, 8)
        while queue and budget:
            path, budget = queue.pop(0), budget - 1
            found = self._visit(crawling, path)
            queue += [each for each in found if each not in known]
            known.update(found)
        if random.random() < 0.5:
            crawling.menu(*((1, path, path) for path in random.sample(PAGES, 2)))

    def _visit(self, crawling: Crawling, path: str) -> list[str]:
        """Visit the page in one way or the other, and give what it links to."""
        random = self._random
        chance = random.random()
        if chance < 0.4 and path in self._links:
            crawling.visit_unchanged(path, *self._links[path], text_hash="same")
            return self._links[path]
        if chance < 0.55:
            crawling.visit(path, status=500, outcome=FetchOutcome.HTTP_ERROR, fetch={"complete": 0})
            return []
        if chance < 0.65:
            reason = {"reason": "not_found", "rule": "HTTP 404"}
            crawling.visit(
                path, status=404, outcome=FetchOutcome.NOT_FOUND, fetch={"complete": 0}, **reason
            )
            return []
        links = random.sample(PAGES, random.randrange(3))
        held = [Link(f"/held/{random.randrange(4)}", held_under="/held/{n}")] if links else []
        alternates = {crawling.page_id(address(each)): "de" for each in links[:1]}
        facts = PageFactsRecord(
            elapsed_ms=random.randrange(5000),
            h1=random.choice(["", "One", "Two"]),
            h1_count=random.randrange(3),
            is_noindex=random.random() < 0.2,
            canonical_id=crawling.page_id(address(random.choice(PAGES))),
            alternates=alternates,
        )
        crawling.visit(
            path,
            *links,
            *held,
            text_hash=random.choice(["same", "other", f"{random.random()}"[:12]]),
            title=f"{path} {random.randrange(9)}",
            facts=facts,
            fetch={"etag": '"x"', "format": "html", "entries": len(links)},
        )
        self._links[path] = links
        return links


def kept_after(database: Database, number: int) -> list[int]:
    """The scans that a retention of so many promises."""
    newest_first = scans(database, 100)
    well = [scan for scan in newest_first if scan.status != ScanStatus.FAILED]
    return [scan.id for scan in newest_first if scan.id >= well[min(number, len(well)) - 1].id]


def prune(database: Database, number: int) -> None:
    with pruning(database, Retention(scans=number), None) as found:
        found.remove()


@pytest.mark.parametrize("seed", range(4))
def test_kept_scans_answer_as_before(sqlite_database: Database, seed: int) -> None:
    history = History(seed)
    for _ in range(SCANS):
        history.scan(sqlite_database)
    history.scan(sqlite_database, ScanStatus.FINISHED)
    for number in (3, 2, 1):
        asked = kept_after(sqlite_database, number)
        before = everything(sqlite_database, asked)
        prune(sqlite_database, number)
        assert_same(before, everything(sqlite_database, asked))


@pytest.mark.parametrize("seed", range(100, 103))
def test_the_next_scans_find_the_same(tmp_path: Path, seed: int) -> None:
    whole, pruned = (f"sqlite:///{tmp_path}/{name}.db" for name in ("whole", "pruned"))
    with open_database(whole) as database:
        history = History(seed)
        for _ in range(SCANS):
            history.scan(database)
        history.scan(database, ScanStatus.FINISHED)
    shutil.copy(tmp_path / "whole.db", tmp_path / "pruned.db")
    found = []
    links = dict(history._links)
    for url in (whole, pruned):
        with open_database(url) as database:
            if url == pruned:
                prune(database, 1)
            following = History(seed + 1)
            following._links = dict(links)
            found.append(next_scans(database, following))
    assert_same(*found)


def known_pages(database: Database) -> dict[int, KnownPage]:
    """What a scan knows that is to visit every page."""
    waiting = Crawling(database)
    for path in ("/", *PAGES):
        waiting.start(path)
    waiting.writer.commit()
    with database.reading() as connection:
        known = load_known_pages(
            connection,
            waiting.handle,
            range(1, 20),
            FINGERPRINT,
            leaves_site=True,
            needs_body=lambda _size: False,
        )
    waiting.end(ScanStatus.FAILED)
    return known


def next_scans(database: Database, history: History) -> dict[object, object]:
    known = known_pages(database)
    asked = [history.scan(database) for _ in range(2)]
    asked.append(history.scan(database, ScanStatus.FINISHED))
    newest = scan_by_id(database, asked[-1])
    assert newest is not None
    times = {"scan", "documents", "fetches", "evidence", "report"}  # have times of their own
    found: dict[object, object] = {"known": {"pages": known}}
    for scan_id in asked:
        scan = scan_by_id(database, scan_id)
        assert scan is not None
        questions = answers(database, scan)
        questions["findings"] = questions["report"]["findings"]
        for row in questions["urls"]:
            del row["discovered_at"]
        found[scan_id] = {name: each for name, each in questions.items() if name not in times}
    today = answers_of_site(database, newest)
    found["site"] = {name: today[name] for name in ("validators", "resume")}
    return found


def crawled(database: Database, *paths: str, links: tuple[str, ...] = ("/a",)) -> Crawling:
    """A crawl that visits the root and these pages; to be ended by the caller."""
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", *links, facts=PageFactsRecord(h1="Home", h1_count=1))
    for path in paths:
        crawling.visit(path, facts=PageFactsRecord(h1="Page", h1_count=1))
    return crawling


def test_facts_of_a_page_that_was_not_visited_lately_are_taken_over(database: Database) -> None:
    crawled(database, "/a").end()
    for _ in range(3):
        crawled(database).end()
    prune(database, 1)
    crawling = crawled(database)
    crawling.visit_unchanged("/a")
    crawling.end()
    with database.reading() as connection:
        known = connection.execute(select(page_facts).where(page_facts.c.scan_id == 5)).all()
    assert {(row.h1, row.read_scan_id) for row in known} == {("Home", 5), ("Page", 1)}


def test_pages_of_an_old_menu_lose_their_importance(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", "/a")
    crawling.menu((1, "A", "/a"))
    crawling.end()
    for _ in range(3):
        reading_sitemaps = Crawling(database)
        reading_sitemaps.list_in_sitemap("/a")
        reading_sitemaps.end()
    prune(database, 1)
    crawling = crawled(database, links=("/a", "/b"))
    crawling.menu((1, "B", "/b"))
    scan = crawling.end()
    rows = [
        row for some in page_rows(database, scan, ALL_PAGES, ("url", "importance")) for row in some
    ]
    assert dict(rows) == {ROOT: None, address("/a"): None, address("/b"): 1.0}


def test_findings_stay_that_an_earlier_scan_has_read(database: Database) -> None:
    for number in range(4):
        crawling = crawled(database, "/b", links=("/a", "/b"))
        german = {crawling.page_id(address("/b")): "de"}
        if number in {0, 3}:
            facts = PageFactsRecord(h1="Page", h1_count=1, alternates=german if not number else {})
            crawling.visit("/a", facts=facts, title="A")
        else:
            crawling.visit_unchanged("/a")
        crawling.end()
    before = everything(database, [4, 3])
    prune(database, 2)
    assert_same(before, everything(database, [4, 3]))
    found = {finding["kind"]: finding["count"] for finding in before[3]["report"]["findings"]}
    assert found["hreflang_no_return"] == 1


def test_a_page_that_has_not_changed_is_still_known(database: Database) -> None:
    tagged = {"etag": '"1"', "format": "html"}
    for number in range(4):
        crawling = crawled(database)
        if number:
            crawling.visit_unchanged("/a")
        else:
            crawling.visit("/a", fetch=tagged, title="A")
        crawling.end()
    prune(database, 1)
    known = known_pages(database)
    assert {number: page.facts.title for number, page in known.items()} == {2: "A"}


def test_the_text_of_a_copy_is_still_that_of_its_original(database: Database) -> None:
    for number in range(4):
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", "/a", "/b")
        if number == 0:
            crawling.visit("/a", text_hash="same")
            crawling.visit("/b", text_hash="same")
        elif number == 1:
            crawling.visit("/a", text_hash="other")
        crawling.end()
    before = everything(database, [4])
    prune(database, 1)
    assert_same(before, everything(database, [4]))
    [copy] = [row for row in before[4]["urls"] if row["url"] == address("/b")]
    assert copy["duplicate_of"] == address("/a")


def test_the_content_of_a_document_stays(database: Database) -> None:
    crawling = crawled(database)
    feed = crawling.document(f"{ROOT}feed.xml")
    crawling.writer.keep_body("f" * 64, b"<rss/>")
    crawling.fetched(feed, sha256="f" * 64)
    crawling.end()
    for _ in range(3):
        crawled(database).end()
    prune(database, 1)
    body = read_body(database, feed)
    assert body is not None
    assert body.content == b"<rss/>"


def test_what_nothing_needs_is_gone(database: Database) -> None:
    for _ in range(4):
        crawled(database, "/a").end()
    prune(database, 1)
    with database.reading() as connection:
        left = {
            table.name: sorted(set(connection.scalars(select(table.c.scan_id))))
            for table in (visits, fetches, page_facts)
        }
        rows = connection.execute(select(scan_table.c.id, scan_table.c.pruned_at)).all()
    assert left == {"visits": [3, 4], "fetches": [3, 4], "page_facts": [3, 4]}
    assert {row.id: row.pruned_at is not None for row in rows} == {1: True, 3: False, 4: False}
    assert [scan.id for scan in scans(database)] == [4, 3]


def test_a_removal_that_was_killed_goes_on(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(4):
        crawled(database, "/a").end()
    before = everything(database, [4])
    with monkeypatch.context() as patched:
        patched.delattr(BodyPruning, "remove_some")
        with pytest.raises(AttributeError):
            prune(database, 1)
    assert [scan.id for scan in scans(database)] == [4, 3]
    assert_same(before, everything(database, [4]))
    prune(database, 1)
    with pruning(database, Retention(scans=1), None) as found:
        assert (found.scans, {removal.rows for removal in found.removals()}) == (0, {0})
    assert_same(before, everything(database, [4]))


class TestBodies:
    def scan(self, database: Database, **bodies: bytes) -> None:
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", *(f"/{name}" for name in bodies))
        for name, body in bodies.items():
            sha256 = hashlib.sha256(body).hexdigest()
            crawling.writer.keep_body(sha256, body)
            crawling.visit(f"/{name}", fetch={"sha256": sha256})
        crawling.end()

    def left(self, database: Database) -> set[bytes]:
        with database.reading() as connection:
            rows = connection.execute(select(blobs.c.encoding, blobs.c.content)).all()
        return {unpack_body(row.encoding, row.content) for row in rows}

    def prune(self, database: Database, retention: Retention) -> None:
        with pruning(database, retention, None) as found:
            found.remove()

    def test_bodies_of_old_scans_go_but_not_what_the_site_shows(self, database: Database) -> None:
        self.scan(database, a=b"a1", b=b"b1", old=b"old")
        self.scan(database, a=b"a2", b=b"b1")
        self.scan(database, a=b"a3")
        self.prune(database, Retention(body_scans=1))
        assert self.left(database) == {b"a3", b"b1", b"old"}

    def test_bodies_of_pruned_scans_go_with_them(self, database: Database) -> None:
        for number in range(4):
            self.scan(database, a=f"a{number}".encode(), same=b"same")
        self.prune(database, Retention(scans=1))
        assert self.left(database) == {b"a3", b"same"}

    def test_the_oldest_go_when_they_are_too_large(self, database: Database) -> None:
        bodies = [random_bytes(seed) for seed in range(3)]
        for number, body in enumerate(bodies):
            self.scan(database, **{f"page{number}": body})
        self.prune(database, Retention(body_bytes=2500))
        assert self.left(database) == set(bodies[1:])


def random_bytes(seed: int) -> bytes:
    """They cannot be compressed."""
    return Random(seed).randbytes(1000)
