"""Findings, from a scan of a site that has all faults, in each kind of database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.findings.kinds import DESCRIPTIONS, SiteFinding
from sitecrawl.report.gather import gather_report
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.comparison import orphans, unlisted_pages
from sitecrawl.store.queries.scans import scans
from tests.report import faulty
from tests.site import SiteServer
from tests.site.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.report.data import FindingFacts, ReportData
    from tests.site.postgres import PostgresDatabases

# Its own test, as the site has no https.
_NOT_HERE = {SiteFinding.SITEMAP_HTTP}


class Scanned:
    """The report of a scan of the faulty site."""

    def __init__(self, data: ReportData, origin: str, compared: dict[str, list[str]]) -> None:
        self.data = data
        self.compared = compared
        """Orphans and unlisted pages as the commands list them."""
        self._origin = origin
        self.findings = {finding["kind"]: finding for finding in data["findings"]}

    def targets(self, finding: FindingFacts) -> list[str]:
        return [example["url"].removeprefix(self._origin) for example in finding["examples"]]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def scanned(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scanned]:
    folder = tmp_path_factory.mktemp("faulty")
    if request.param == "sqlite":
        yield _scan(folder, f"sqlite:///{folder}/sitecrawl.db")
        return
    server: PostgresDatabases = request.getfixturevalue("postgres_server")
    with server.fresh() as url:
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
    assert words in finding["examples"][0]["detail"]
    if kind not in {SiteFinding.LASTMOD_INVALID, SiteFinding.TRAP}:
        assert finding["count"] == len(pages)


def test_unlisted_pages_are_found(scanned: Scanned) -> None:
    assert set(scanned.targets(scanned.findings["unlisted"])) == faulty.UNLISTED


@pytest.mark.parametrize("kind", ["orphan", "unlisted"])
def test_pages_are_those_of_the_commands(scanned: Scanned, kind: str) -> None:
    finding = scanned.findings[kind]
    assert [example["url"] for example in finding["examples"]] == scanned.compared[kind]
    assert finding["count"] == len(scanned.compared[kind])


def test_the_site_has_every_fault() -> None:
    assert {*faulty.EXPECTED, "unlisted"} == set(SiteFinding) - _NOT_HERE


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
