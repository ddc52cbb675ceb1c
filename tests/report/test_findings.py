"""Findings, from a scan of a site that has all faults, in each kind of database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.findings.kinds import DESCRIPTIONS, SiteFinding
from sitecrawl.report.gather import gather_report
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.scans import scans
from sitecrawl.store.queries.sitemap_comparison import orphans, unlisted_pages
from tests.report import faulty
from tests.site import Reply, SiteServer
from tests.site.build import page, robots
from tests.site.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sitecrawl.report.data import FindingFacts, ReportData
    from tests.site.postgres import PostgresDatabases

# Tested by themselves: the site has no https, answers at once, and is not left.
_NOT_HERE = {
    *(SiteFinding.SITEMAP_HTTP, SiteFinding.MIXED_CONTENT, SiteFinding.SLOW_PAGE),
    SiteFinding.BROKEN_EXTERNAL_LINK,
    # tests/dive/test_topics.py
    SiteFinding.COMPETING_PAGES,
}


class Scanned:
    """The report of a scan of the faulty site."""

    def __init__(self, data: ReportData, origin: str, compared: dict[str, list[str]]) -> None:
        self.data = data
        self.compared = compared
        """Orphans and unlisted pages as the commands list them."""
        self._origin = origin
        self.findings = {finding["kind"]: finding for finding in data["findings"]}

    def at(self, path: str) -> str:
        return f"{self._origin}{path}"

    def targets(self, finding: FindingFacts) -> list[str]:
        return [item["url"].removeprefix(self._origin) for item in finding["items"]]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def scanned(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scanned]:
    folder = tmp_path_factory.mktemp("faulty")
    if request.param == "sqlite":
        yield _scan(folder, f"sqlite:///{folder}/sitecrawl.db")
        return
    server: PostgresDatabases = request.getfixturevalue("postgres_server")
    with server.fresh_with_tables() as url:
        yield _scan(folder, url)


def _scan(folder: Path, url: str) -> Scanned:
    with SiteServer() as server:
        faulty.add_faults(server)
        project = Project.in_folder(folder, url)
        project.crawl(server.url, settings=faulty.SETTINGS).succeeded()
    with open_database(url, create=False) as database:
        scan = scans(database)[0]
        compared = {
            "orphan": [page.url for page in orphans(database, scan)],
            "unlisted": [page.url for page in unlisted_pages(database, scan)],
        }
        return Scanned(gather_report(database, scan), server.url, compared)


@pytest.mark.parametrize("kind", faulty.EXPECTED)
def test_each_fault_is_found(scanned: Scanned, kind: str) -> None:
    pages, words = faulty.EXPECTED[kind]
    finding = scanned.findings[kind]
    assert set(scanned.targets(finding)) == pages
    assert words in finding["items"][0]["detail"]
    if kind not in {SiteFinding.LASTMOD_INVALID, SiteFinding.TRAP}:
        assert finding["count"] == len(pages)


def test_unlisted_pages_are_found(scanned: Scanned) -> None:
    assert set(scanned.targets(scanned.findings["unlisted"])) == faulty.UNLISTED


@pytest.mark.parametrize("kind", ["orphan", "unlisted"])
def test_pages_are_those_of_the_commands(scanned: Scanned, kind: str) -> None:
    finding = scanned.findings[kind]
    assert [item["url"] for item in finding["items"]] == scanned.compared[kind]
    assert finding["count"] == len(scanned.compared[kind])


def test_the_site_has_every_fault() -> None:
    assert {*faulty.EXPECTED, *faulty.WITHOUT, "unlisted"} == set(SiteFinding) - _NOT_HERE


@pytest.mark.parametrize("kind", faulty.WITHOUT)
def test_what_most_pages_lack_is_found(scanned: Scanned, kind: str) -> None:
    found = set(scanned.targets(scanned.findings[kind]))
    assert found >= faulty.WITHOUT[kind]
    assert not found & faulty.WITH[kind]


def test_broken_links_are_named_with_the_pages_they_stand_on(scanned: Scanned) -> None:
    items = {item["url"]: item for item in scanned.findings["broken_link"]["items"]}
    dead = items[scanned.at("/dead")]
    # The canonical link and the alternate are links, too.
    assert [url.removeprefix(scanned.at("")) for url in dead["linked_from"]] == [
        *("/", "/to-dead", "/de"),
    ]
    assert dead["links"] == 3


def test_links_to_other_sites_are_checked_on_request(
    project: Project, make_site: Callable[..., SiteServer]
) -> None:
    site, other = make_site(), make_site(address="127.0.0.2")
    away = [other.at(path) for path in ("/fine", "/gone", "/broken", "/private/gone")]
    site.routes |= {"/": page("Home", "/a"), "/a": page("A", *away)}
    other.routes |= {
        "/robots.txt": robots(disallow=("/private/",)),
        "/fine": page("Fine"),
        "/broken": Reply(b"", status=500),
    }
    asked = {"SITECRAWL_CRAWL": "always", "SITECRAWL_ADDRESS_ALLOW": "127.0.0.2", "RETRY_TIMES": 0}
    for hops in (0, 1):
        project.crawl(site.url, settings={**asked, "SITECRAWL_MAX_EXTERNAL_HOPS": hops})
        with open_database(f"sqlite:///{project.database}", create=False) as database:
            report = gather_report(database, scans(database)[0])
        found = [each for each in report["findings"] if each["kind"] == "broken_external_link"]
        if not hops:
            assert (found, other.paths()) == ([], [])
    items = {item["url"]: item for item in found[0]["items"]}
    assert {url: item["detail"] for url, item in items.items()} == {
        other.at("/gone"): "HTTP 404",
        other.at("/broken"): "HTTP 500",
    }
    assert items[other.at("/gone")]["linked_from"] == [site.at("/a")]
    assert "/private/gone" not in other.paths()


def test_findings_have_a_topic_and_say_what_is_counted(scanned: Scanned) -> None:
    units = {kind: finding["unit"] for kind, finding in scanned.findings.items()}
    assert units["title_missing"] == "pages"
    assert units["broken_link"] == "addresses"
    assert units["sitemap_redirect"] == "entries"
    assert units["sitemap_unreadable"] == "sitemaps"
    assert scanned.findings["title_missing"]["topic"] == "titles, descriptions, headings"


def test_no_page_that_was_refused_is_counted_as_a_page(scanned: Scanned) -> None:
    pages = scanned.data["pages"]
    refused = {url for url, why in zip(pages["url"], pages["reason"], strict=True) if why}
    for finding in scanned.findings.values():
        if finding["unit"] == "pages" and finding["kind"] != SiteFinding.SITEMAP_DUPLICATE:
            assert not refused & {item["url"] for item in finding["items"]}, finding["kind"]


def test_probes_are_no_maps_of_the_site(scanned: Scanned) -> None:
    named = {fetch["url"].removeprefix(scanned.at("")) for fetch in scanned.data["sitemaps"]}
    assert named == {"/index.xml", *(f"/maps/{name}.xml" for name in faulty.MAPS)}


def test_speed_is_told_by_percentiles(scanned: Scanned) -> None:
    speed = scanned.data["speed"]
    assert speed["pages"] > 50
    assert speed["bytes"] is not None
    assert speed["bytes"]["p50"] < speed["bytes"]["p99"] <= speed["bytes"]["max"]
    assert speed["bytes"]["max"] > 600_000


def test_the_worst_come_first(scanned: Scanned) -> None:
    severities = [finding["severity"] for finding in scanned.data["findings"]]
    assert severities == sorted(severities, key=["high", "medium", "low"].index)


def test_findings_say_what_to_do(scanned: Scanned) -> None:
    for finding in scanned.data["findings"]:
        description = DESCRIPTIONS[SiteFinding(finding["kind"])]
        assert finding["title"] == description.title
        assert finding["advice"].startswith(description.advice)


def test_orphans_are_said_with_how_far_the_crawl_came(scanned: Scanned) -> None:
    # One page could not be read.
    assert "Not every page was visited" in scanned.findings["orphan"]["advice"]
