"""Pages that belong in a sitemap, what is left out and why, and the files."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.config import ConfigError
from sitecrawl.exporters import sitemap
from sitecrawl.exporters.sitemap import (
    INDEX_NAME,
    URLSET_HEAD,
    URLSET_TAIL,
    entry_xml,
    export_sitemap,
    is_own,
    latest_lastmod,
    valid_alternates,
    valid_lastmod,
)
from sitecrawl.exporters.sitemap import writing_sitemaps as writing
from sitecrawl.items import FetchOutcome
from sitecrawl.sitemaps.reader import SitemapReader
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.scans import site_for
from sitecrawl.store.writers.records import PageRows, Repeats
from sitecrawl.urls.canonical import canonicalize, strict_url
from tests.exporters.sitemap_schema import XHTML, locs, valid_index, valid_urlset
from tests.store.crawling import ROOT, Crawling, Link, address
from tests.urls.nasty import nasty_urls

if TYPE_CHECKING:
    from pathlib import Path

    from sitecrawl.exporters.sitemap import SitemapExport
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

SITEMAP = f"{ROOT}sitemap.xml"


def export(database: Database, scan: Scan, folder: Path, base: str = ROOT) -> SitemapExport:
    site = site_for(database, "example.com")
    assert site is not None
    return export_sitemap(database, site, scan, folder, base)


def written(folder: Path) -> list[str]:
    """What the files list, all of them valid."""
    index = locs(valid_index(folder / "sitemap.xml"))
    parts = sorted(folder.glob("sitemap-*"))
    assert [url.rpartition("/")[2] for url in index] == [part.name for part in parts]
    return [loc for part in parts for loc in locs(valid_urlset(part))]


def test_a_page_without_anything_against_it_is_there(
    database: Database, crawling: Crawling, tmp_path: Path
) -> None:
    crawling.visit("/", "/visited", "/known", "/own")
    crawling.visit("/visited", canonical="/visited#top", fetch={"directives": ["nofollow"]})
    crawling.visit("/own", fetch={"content_type": "application/pdf", "format": "other"})
    crawling.list_in_sitemap("/mapped")
    done = export(database, crawling.end(), tmp_path / "out")
    paths = ["", "visited", "known", "own", "mapped"]
    assert written(tmp_path / "out") == [ROOT + path for path in paths]
    assert (done.pages, done.parts, done.visited, done.left_out) == (5, 1, 3, {})


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"fetch": {"directives": ["noindex"]}}, "noindex"),
        ({"fetch": {"directives": ["none"]}}, "noindex"),
        ({"canonical": "/other"}, "other_canonical"),
        ({"canonical": "https://elsewhere.example/page"}, "other_canonical"),
        ({"reason": "redirected", "rule": address("/other")}, "redirected"),
        ({"reason": "soft_404", "rule": address("/no")}, "soft_404"),
        ({"status": 404, "outcome": FetchOutcome.NOT_FOUND, "reason": "not_found"}, "not_found"),
        ({"status": 503, "outcome": FetchOutcome.HTTP_ERROR}, "failed"),
        ({"status": 403, "outcome": FetchOutcome.HTTP_ERROR}, "failed"),
        ({"outcome": FetchOutcome.TIMEOUT}, "failed"),
        ({"fetch": {"content_type": "image/png", "format": "other"}}, "no_page"),
        ({"fetch": {"content_type": "application/rss+xml", "format": "rss"}}, "no_page"),
    ],
)
def test_what_a_visit_shows_keeps_a_page_out(
    database: Database, crawling: Crawling, tmp_path: Path, facts: dict[str, Any], reason: str
) -> None:
    crawling.visit("/", "/page")
    crawling.visit("/page", **facts)
    done = export(database, crawling.end(), tmp_path / "out")
    assert written(tmp_path / "out") == [ROOT]
    assert done.left_out == {reason: 1}


@pytest.mark.parametrize(
    "facts",
    [
        {"canonical": address("/page/")},
        {"canonical": "?utm_source=x"},
        {"canonical": "http://[broken"},
        {"outcome": FetchOutcome.OVER_BUDGET},
        {"fetch": {"directives": ["noarchive", "nofollow"]}},
    ],
    ids=["slash", "tracking", "broken", "not asked", "other directives"],
)
def test_what_does_not_speak_against_a_page(
    database: Database, crawling: Crawling, tmp_path: Path, facts: dict[str, Any]
) -> None:
    crawling.visit("/", "/page")
    crawling.visit("/page", **facts)
    export(database, crawling.end(), tmp_path / "out")
    assert written(tmp_path / "out") == [ROOT, address("/page")]


def test_refused_pages_and_other_hosts_are_counted(
    database: Database, crawling: Crawling, tmp_path: Path
) -> None:
    crawling.visit(
        "/",
        Link("/cart", refused=("skipped_path", "/cart")),
        Link("/private", refused=("blocked_by_robots", "Disallow: /private")),
        "https://blog.example.com/",
        "http://example.com/insecure",
        Link("/feed", source="feed-link", is_followed=False),
        f"/{'long' * 600}",
    )
    done = export(database, crawling.end(), tmp_path / "out")
    assert written(tmp_path / "out") == [ROOT]
    assert done.left_out == {
        "skipped_path": 1,
        "blocked_by_robots": 1,
        "other_host": 2,
        "no_page": 1,
        "too_long": 1,
    }


def test_the_address_is_where_the_page_answers(
    database: Database, crawling: Crawling, tmp_path: Path
) -> None:
    crawling.visit("/", "/page", "/sorted")
    crawling.visit("/page", fetch={"final_url": address("/page/")})
    crawling.visit("/sorted", fetch={"final_url": address("/sorted?utm_source=x")})
    export(database, crawling.end(), tmp_path / "out")
    assert written(tmp_path / "out") == [ROOT, address("/page/"), address("/sorted")]


def test_another_base_url(database: Database, crawling: Crawling, tmp_path: Path) -> None:
    crawling.visit("/", "https://blog.example.com/post")
    done = export(database, crawling.end(), tmp_path / "out", "https://blog.example.com/maps/")
    assert written(tmp_path / "out") == ["https://blog.example.com/post"]
    assert done.index_url == "https://blog.example.com/maps/sitemap.xml"
    assert locs(valid_index(tmp_path / "out" / "sitemap.xml")) == [
        "https://blog.example.com/maps/sitemap-00001.xml.gz"
    ]


def test_dates_and_alternates(database: Database, crawling: Crawling, tmp_path: Path) -> None:
    crawling.visit("/", "/a", "/gone")
    crawling.visit("/gone", status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found")
    languages = [["en", address("/b")], ["de", address("/de/b")], ["fr", address("/gone")]]
    document = crawling.document(SITEMAP)
    crawling.writer.add_pages(
        PageRows(
            document,
            "sitemap",
            ids=[crawling.page_id(address(path)) for path in ("/b", "/c")],
            urls=[address("/b"), address("/c")],
            positions=[1, 2],
            lastmods=["2026-01-02T03:04:05Z", "next week"],
            details={0: json.dumps({"alternates": languages})},
            repeats=Repeats([crawling.page_id(address("/a"))], [3], lastmods=["2026-02-03"]),
        )
    )
    crawling.fetched(document)
    done = export(database, crawling.end(), tmp_path / "out")
    assert written(tmp_path / "out") == [ROOT, *map(address, ("/a", "/b", "/c"))]
    root = valid_urlset(tmp_path / "out" / "sitemap-00001.xml.gz")
    dates = {url[0].text: url[1].text for url in root if len(url) > 1}
    assert dates == {address("/a"): "2026-02-03", address("/b"): "2026-01-02T03:04:05Z"}
    links = [(link.get("hreflang"), link.get("href")) for link in root.iter(f"{{{XHTML}}}link")]
    assert links == [("en", address("/b")), ("de", address("/de/b"))]
    assert done.lastmods_left_out == 1


def test_without_a_page_nothing_is_written(
    database: Database, crawling: Crawling, tmp_path: Path
) -> None:
    crawling.visit("/", fetch={"directives": ["noindex"]})
    done = export(database, crawling.end(), tmp_path / "out")
    assert (done.pages, list((tmp_path / "out").iterdir())) == (0, [])


# Shrinking a failure would open hundreds of databases.
@settings(max_examples=20, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.lists(nasty_urls(), min_size=1, max_size=8))
def test_our_own_reader_finds_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("nasty")
    urls = list(dict.fromkeys(url for text in texts if (url := canonicalize(text, ROOT))))
    with open_database(f"sqlite:///{folder}/sitecrawl.db") as database:
        crawling = Crawling(database)
        crawling.fetched(crawling.list_pages(SITEMAP, [ROOT, *urls]))
        done = export(database, crawling.end(), folder / "out")
    found = written(folder / "out")
    part = folder / "out" / "sitemap-00001.xml.gz"
    reader = SitemapReader(part.read_bytes(), f"{ROOT}{part.name}")
    assert [loc for chunk in reader for loc in chunk.pages.locs] == found
    assert reader.findings == []
    assert not reader.truncated
    assert None not in [canonicalize(url) for url in found]
    assert done.pages + done.left_out.total() == len(
        {crawling.page_id(url) for url in (ROOT, *urls)}
    )


def test_memory_does_not_grow_with_the_pages(tmp_path: Path) -> None:
    peaks = []
    for number in (2_000, 20_000):
        with open_database(f"sqlite:///{tmp_path}/{number}.db") as database:
            crawling = Crawling(database)
            paths = [address(f"/a-folder/page-number-{page}") for page in range(number)]
            crawling.fetched(crawling.list_pages(SITEMAP, paths))
            scan = crawling.end()
            del paths, crawling
            tracemalloc.start()
            done = export(database, scan, tmp_path / str(number))
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert done.pages == number
    assert peaks[1] < peaks[0] + 1_000_000


BASE = "https://a.example/maps/"
LASTMOD = "2026-05-06T07:08:09Z"


def write(folder: Path, *paths: str, compress: bool = True) -> None:
    with writing(folder, BASE, LASTMOD, compress=compress) as sitemaps:
        for path in paths:
            sitemaps.add(entry_xml(f"https://a.example/{path}"))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def two_in_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "MAX_ENTRIES", 2)


def test_an_index_and_its_parts(tmp_path: Path, two_in_a_part: None) -> None:
    write(tmp_path / "new" / "folder", "1", "2", "3")
    folder = tmp_path / "new" / "folder"
    assert names(folder) == ["sitemap-00001.xml.gz", "sitemap-00002.xml.gz", INDEX_NAME]
    index = valid_index(folder / INDEX_NAME)
    assert locs(index) == [f"{BASE}sitemap-00001.xml.gz", f"{BASE}sitemap-00002.xml.gz"]
    parts = [locs(valid_urlset(folder / f"sitemap-0000{number}.xml.gz")) for number in (1, 2)]
    assert parts == [["https://a.example/1", "https://a.example/2"], ["https://a.example/3"]]


def test_bytes_have_a_limit_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, *"abcdef", compress=False)
    size = (tmp_path / "sitemap-00001.xml").stat().st_size
    monkeypatch.setattr(sitemap, "MAX_BYTES", size - 1)
    write(tmp_path, *"abcdef", compress=False)
    parts = sorted(tmp_path.glob("sitemap-*"))
    assert [len(locs(valid_urlset(part))) for part in parts] == [5, 1]
    assert all(part.stat().st_size < size for part in parts)
    monkeypatch.setattr(sitemap, "MAX_BYTES", size)
    write(tmp_path, *"abcdef", compress=False)
    assert names(tmp_path) == ["sitemap-00001.xml", INDEX_NAME]


def test_an_index_can_be_full(tmp_path: Path, two_in_a_part: None) -> None:
    with pytest.raises(ConfigError, match="more pages than one index can name"):
        write(tmp_path, *"abcde")
    assert names(tmp_path) == []


def test_the_same_entries_give_the_same_bytes(tmp_path: Path) -> None:
    contents = []
    for name in ("one", "two"):
        write(tmp_path / name, "a", "b")
        contents.append([path.read_bytes() for path in sorted((tmp_path / name).iterdir())])
    assert contents[0] == contents[1]


def test_what_an_earlier_export_left_is_removed(tmp_path: Path, two_in_a_part: None) -> None:
    write(tmp_path, *"abc")
    (tmp_path / ".sitemap-00009.xml.gz.partial").touch()
    (tmp_path / "sitemap-news.xml").write_text("mine")
    write(tmp_path, "a", compress=False)
    assert names(tmp_path) == ["sitemap-00001.xml", "sitemap-news.xml", INDEX_NAME]
    assert (tmp_path / "sitemap-news.xml").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        (INDEX_NAME, b"<urlset/>"),
        ("sitemap-00001.xml.gz", gzip.compress(b"<urlset/>")),
        ("sitemap-00007.xml.gz", b"broken"),
        ("sitemap-00007.xml", b""),
    ],
    ids=["an index", "a map", "no gzip", "empty"],
)
def test_files_of_others_are_not_touched(tmp_path: Path, name: str, body: bytes) -> None:
    (tmp_path / name).write_bytes(body)
    with pytest.raises(ConfigError, match=f"{name} is there and was not written by sitecrawl"):
        write(tmp_path, "a")
    assert names(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == body


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    write(tmp_path, "a")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    seen_midway = []
    with suppress(ZeroDivisionError), writing(tmp_path, BASE, LASTMOD, compress=True) as sitemaps:
        sitemaps.add(entry_xml("https://a.example/b"))
        seen_midway = names(tmp_path)
        raise ZeroDivisionError
    assert seen_midway[0] == ".sitemap-00001.xml.gz.partial"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_nothing_is_written_without_an_entry(tmp_path: Path) -> None:
    write(tmp_path, "a")
    write(tmp_path)
    assert names(tmp_path) == ["sitemap-00001.xml.gz", INDEX_NAME]


def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file"):
        write(tmp_path / "file", "a")


@pytest.mark.parametrize("name", ["a.xml", "a.xml.gz"])
def test_own_files_are_known_by_what_is_in_them(tmp_path: Path, name: str) -> None:
    write(tmp_path, "a", compress=name.endswith("gz"))
    [part] = tmp_path.glob("sitemap-*")
    assert is_own(part)
    part.write_bytes(part.read_bytes()[:20])
    assert not is_own(part)


LATEST = latest_lastmod(datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC))
PAGE = "https://a.example/p"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-06", "2026-05-06"),
        ("2026-05-06T07:08:09Z", "2026-05-06T07:08:09Z"),
        ("2026-05-06T07:08:09.123Z", "2026-05-06T07:08:09.123Z"),
        ("2026-05-06T07:08:09+02:00", "2026-05-06T05:08:09Z"),
        ("2026-05-06T07:08:09", "2026-05-06"),
        ("2026-05-07T07:00:00Z", "2026-05-07T07:00:00Z"),
        ("2026-05-08", ""),
        ("2026-05", ""),
        ("2026", ""),
        ("2026-02-30", ""),
        ("1970-01-01", ""),
        ("Wed, 06 May 2026", ""),
        ("</lastmod><x>", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_lastmod_is_a_date_that_can_be_true(text: str | None, expected: str) -> None:
    assert valid_lastmod(text, LATEST) == expected


@given(st.text())
def test_lastmod_is_nothing_else(text: str) -> None:
    found = valid_lastmod(text, LATEST)
    if found:
        datetime.fromisoformat(found)


def alternates(*pairs: tuple[str, str]) -> str:
    return json.dumps({"alternates": pairs})


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        (None, []),
        ('{"images": 3}', []),
        (
            alternates(("de", "https://a.example/de"), ("en-GB", "/en")),
            [("de", "https://a.example/de"), ("en-gb", "https://a.example/en")],
        ),
        (
            alternates(("x-default", "/"), ("pt_BR", "/pt")),
            [("x-default", "https://a.example/"), ("pt-br", "https://a.example/pt")],
        ),
        (alternates(("de", "/de")), []),
        (alternates(("de", "/1"), ("de", "/2")), []),
        (alternates(("de", "/1"), ('"><x', "/2"), ("en", "javascript:x"), ("fr", "/gone")), []),
        (alternates(("de", "/1"), ("en", f"/{'x' * 2_100}")), []),
    ],
    ids=["none", "others", "two", "default", "alone", "twice", "hostile", "long"],
)
def test_alternates_are_those_that_can_be_used(
    details: str | None, expected: list[tuple[str, str]]
) -> None:
    assert valid_alternates(details, PAGE, lambda url: url.endswith("/gone")) == expected


@given(nasty_urls(), nasty_urls() | st.text())
def test_whatever_the_address_the_entry_says_it(url: str, other: str) -> None:
    loc = canonicalize(url, PAGE) or PAGE
    links = valid_alternates(alternates(("de", loc), ("en", other)), PAGE, lambda _: False)
    root = etree.fromstring(URLSET_HEAD + entry_xml(loc, "2026-01-02", links) + URLSET_TAIL)
    assert locs(root) == [strict_url(loc)]
    hrefs = [link.get("href") for link in root.iter(f"{{{XHTML}}}link")]
    assert hrefs == [strict_url(href) for _, href in links]
