"""A crawl that is killed goes on where it was, and ends like one that was left alone."""

from __future__ import annotations

import json
import random
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.scanned import WITHOUT_LIMITS
from tests.site.build import robots, sitemap
from tests.site.project import Project, crawl_command
from tests.site.sites import news_site, trap_site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.site.server import SiteServer
    from tests.site.sites import ModelSite

KILLS = 4
UNDER_WAY = 44
_PATIENCE_SECONDS = 240.0

_PAGES = """
SELECT url, source, position, reason, rule, title, language, importance, region, anchor
FROM pages ORDER BY url
"""
_VISITS = """
SELECT number, url, clicks, found_by, redirected_from, outcome, reason, title, text_hash, family,
    is_productive
FROM visits ORDER BY number IS NULL, number, url
"""
_MENTIONS = """
SELECT p.url, d.url, m.position, m.source, m.region, m.anchor
FROM mentions AS m JOIN pages AS p ON p.id = m.page_id JOIN documents AS d ON d.id = m.document_id
ORDER BY 1, 2, 3
"""
# Examples are chosen by a hash, and the sites have different ports.
_CLASSES = (
    "SELECT key, kind, name, parent, pages, why FROM clusters ORDER BY id",
    """SELECT p.url, s.inlinks, s.link_region, s.own_language, s.text_language, s.declared_type
    FROM page_signals AS s JOIN pages AS p ON p.id = s.page_id ORDER BY 1""",
)


def kill_after(project: Project, server: SiteServer, requests: int, *command: str) -> None:
    """Start the command, and end it as a power cut would after so many requests."""
    process = project.start(*command)
    try:
        seen = len(server.requests())
        server.log.wait_for(lambda log: len(log) >= seen + requests, _PATIENCE_SECONDS)
    finally:
        process.kill()
        process.communicate()


def resume_command(*options: str) -> tuple[str, ...]:
    # The environment of the tests, which stands above the record, says "never".
    crawl = ("-s", "SITECRAWL_CRAWL=auto")
    return (sys.executable, "-m", "scrapy", "crawl", "discover", "-a", "resume=1", *crawl, *options)


def content(project: Project, origin: str) -> list[list[tuple[Any, ...]]]:
    """All that two scans of the same site have to have in common."""
    with closing(sqlite3.connect(project.database)) as connection:
        return [
            [
                tuple(
                    value.replace(origin, "") if isinstance(value, str) else value for value in row
                )
                for row in connection.execute(statement)
            ]
            for statement in (_PAGES, _VISITS, _MENTIONS, *_CLASSES)
        ]


@pytest.mark.parametrize("make", [trap_site, news_site])
def test_kill_9_at_any_point_changes_nothing(make: Callable[[], ModelSite], tmp_path: Path) -> None:
    left_alone, killed = tmp_path / "left_alone", tmp_path / "killed"
    for folder in (left_alone, killed):
        folder.mkdir()
    with make().serve() as server:
        project = Project.in_folder(left_alone)
        project.crawl(server.url, settings=WITHOUT_LIMITS).succeeded()
        expected = content(project, server.url)
        asked = Counter(server.paths())
    chance = random.Random(make.__name__)  # the same points in every run
    points = [chance.randint(1, asked.total() // (KILLS + 2)) for _ in range(KILLS)]
    with make().serve() as server:
        project = Project.in_folder(killed)
        command = crawl_command(server.url, settings=WITHOUT_LIMITS)
        # Until the root has been asked for there may be no record to go on with.
        kill_after(project, server, 2 + points[0], *command)
        for point in points[1:]:
            kill_after(project, server, point, *resume_command())
        project.run(*resume_command()).succeeded()
        assert content(project, server.url) == expected
        again = Counter(server.paths()) - asked
    pages_again = {path: n for path, n in again.items() if not _is_asked_each_time(path)}
    assert sum(pages_again.values()) <= UNDER_WAY * KILLS


def _is_asked_each_time(path: str) -> bool:
    """What a run needs before it can go on: the rules, the guesses, the error page."""
    return path == "/robots.txt" or "sitemap" in path or "no-such-page" in path


def test_sitemaps_that_were_read_are_not_read_again(tmp_path: Path) -> None:
    pages = [f"/p{number}" for number in range(60)]
    listed = "".join(f"<url><loc>{{origin}}{path}</loc></url>" for path in pages)
    with trap_site().serve() as server:
        server.routes["/robots.txt"] = f"Sitemap: {server.url}/map.xml\n"
        server.routes["/map.xml"] = f"<urlset>{listed.format(origin=server.url)}</urlset>"
        project = Project.in_folder(tmp_path)
        always = {**WITHOUT_LIMITS, "SITECRAWL_CRAWL": "always"}
        kill_after(project, server, 50, *crawl_command(server.url, settings=always))
        goes_on = ("-s", "SITECRAWL_CRAWL=always", "-s", "SITECRAWL_MAX_CRAWL_PAGES=80")
        project.run(*resume_command(*goes_on)).ended_in_part()
        assert server.paths().count("/map.xml") == 1
        assert server.paths().count("/") == 1


@pytest.mark.parametrize("setting", ["SITECRAWL_MAX_PAGES", "SITECRAWL_MAX_CRAWL_PAGES"])
def test_a_stopped_scan_goes_on_with_a_higher_limit(setting: str, tmp_path: Path) -> None:
    with news_site().serve() as server:
        project = Project.in_folder(tmp_path)
        limited = {**WITHOUT_LIMITS, setting: 5}
        stopped = project.crawl(server.url, settings=limited).ended_in_part()
        [(waiting,)] = stopped.query("SELECT count(*) FROM visits WHERE outcome IS NULL")
        [(summary,)] = stopped.query("SELECT summary FROM scans")
        assert json.loads(summary)["not_visited"] == waiting
        assert " URLs on the list" in stopped.stderr
        halfway = project.run(*resume_command("-s", f"{setting}=8")).ended_in_part()
        [(visited,)] = halfway.query("SELECT count(*) FROM visits WHERE outcome IS NOT NULL")
        assert 5 < visited <= 13
        assert project.run(*resume_command("-s", f"{setting}=0")).returncode == 0
        with closing(sqlite3.connect(project.database)) as connection:
            statuses = connection.execute("SELECT id, status FROM scans").fetchall()
            waiting = connection.execute("SELECT count(*) FROM visits WHERE outcome IS NULL")
            assert (statuses, waiting.fetchone()) == ([(1, "finished")], (0,))


def test_sitemaps_that_a_limit_has_cut_are_read_to_their_end(
    site: SiteServer, tmp_path: Path
) -> None:
    site.routes |= {
        "/robots.txt": robots("/1.xml", "/2.xml", "/3.xml"),
        **{f"/{n}.xml": sitemap(f"/{n}/a", f"/{n}/b") for n in (1, 2, 3)},
    }
    project = Project.in_folder(tmp_path)
    project.crawl(site.url, settings={"SITECRAWL_MAX_SITEMAP_URLS": 3}).ended_in_part()
    resume = ("-a", "resume=1", "-s", "SITECRAWL_MAX_SITEMAP_URLS")
    command = (sys.executable, "-m", "scrapy", "crawl", "discover")
    done = project.run(*command, *resume[:-1], f"{resume[-1]}=5").ended_in_part()
    assert done.query("SELECT count(*) FROM pages WHERE source = 'sitemap'") == [(5,)]
    done = project.run(*command, *resume[:-1], f"{resume[-1]}=0").succeeded()
    assert done.query("SELECT count(*) FROM pages WHERE source = 'sitemap'") == [(6,)]
    assert site.paths().count("/1.xml") == 1, "what was read to its end is not read again"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-a", "resume=7"], "argument resume=7: there is no such scan; see sitecrawl scans"),
        (["-a", "resume=x"], "argument resume='x': expected the number of a scan"),
        (["-a", "resume=1"], "argument resume=1: that scan has ended, nothing is left of it"),
        (
            ["-a", "resume=1", "-a", "domain=example.com"],
            "argument domain: a resumed scan has its own arguments; give resume alone",
        ),
    ],
)
def test_what_cannot_be_resumed_is_said(arguments: list[str], message: str, tmp_path: Path) -> None:
    project = Project.in_folder(tmp_path)
    with news_site().serve() as server:
        project.crawl(server.url, spider="sitemap").succeeded()
    done = project.run(sys.executable, "-m", "scrapy", "crawl", "sitemap", *arguments)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
