"""Pages that belong in a sitemap, what is left out and why, and the files."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from sitecrawl.exporters.sitemap import export_sitemap
from sitecrawl.items import FetchOutcome
from sitecrawl.sitemaps.reader import SitemapReader
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries import site_for
from sitecrawl.store.records import PageRows, Repeats
from sitecrawl.urls.canonical import canonicalize
from tests.exporters.sitemap_schema import XHTML, locs, valid_index, valid_urlset
from tests.store.crawling import ROOT, Crawling, Link, address
from tests.urls.nasty import nasty_urls

if TYPE_CHECKING:
    from pathlib import Path

    from sitecrawl.exporters.sitemap import SitemapExport
    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

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
