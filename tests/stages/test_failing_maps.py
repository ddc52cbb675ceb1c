"""One failing map never stops the others, and its end is recorded for what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.site import Reply, SiteServer, redirect
from tests.site.build import gz, page, robots, sitemap
from tests.site.project import Project
from tests.stages.stored import StoredFetch, evidence, fetches, scan, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.site.project import CrawlResult
    from tests.site.reply import Route


class Failing(NamedTuple):
    route: Route
    outcome: str
    requests: int | None
    finding: str = ""


TWICE = 2  # a try and a retry
MAPS = {
    "/500.xml": Failing(Reply(status=500), "http_error", TWICE),
    "/403.xml": Failing(Reply(status=403), "http_error", 1),
    "/404.xml": Failing(Reply(status=404), "not_found", 1),
    "/410.xml": Failing(Reply(status=410), "not_found", 1),
    # Twisted retries a kept-alive one.
    "/reset.xml": Failing(Reply(reset=True), "incomplete", None),
    "/cut.xml": Failing(Reply(sitemap("/x"), cut_after_bytes=60), "incomplete", TWICE),
    "/timeout.xml": Failing(Reply(delay_seconds=60), "timeout", TWICE),
    "/circle.xml": Failing(redirect("/circle.xml"), "too_many_redirects", 11),
    "/garbage.xml": Failing(b"\x00\x01\x02 garbage", "ok", 1, "not_a_sitemap"),
    "/page.xml": Failing(page("Not found"), "ok", 1, "not_a_sitemap"),
    "/empty.xml": Failing(b"", "ok", 1, "empty"),
    "/half.xml": Failing(sitemap("/half", "/lost").split(b"/lost")[0], "ok", 1, "truncated"),
    "/damaged.xml.gz": Failing(gz(sitemap("/damaged"))[:-12], "ok", 1, "gzip_damaged"),
    "/lies.xml": Failing(
        Reply(sitemap("/lies"), headers={"Content-Encoding": "gzip"}), "ok", 1, ""
    ),
}


class Scanned(NamedTuple):
    site: SiteServer
    done: CrawlResult
    fetches: dict[str, StoredFetch]


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scanned]:
    """One scan of a site where nearly every map fails in a way of its own."""
    with SiteServer({path: failing.route for path, failing in MAPS.items()}) as site:
        site.routes.update(
            {
                "/robots.txt": robots("/first.xml", *MAPS, "/last.xml"),
                "/first.xml": sitemap("/first"),
                "/last.xml": sitemap("/last"),
            }
        )
        project = Project.in_folder(tmp_path_factory.mktemp("failing"))
        settings = {
            "SITECRAWL_MIN_SITEMAP_URLS": 1,
            "SITECRAWL_SITEMAP_TIMEOUT_SECONDS": 2,
            "SITECRAWL_RETRY_BACKOFF_SECONDS": 0.01,
            "RETRY_TIMES": TWICE - 1,
        }
        done = project.crawl(site.url, settings=settings)
        yield Scanned(site, done, fetches(done))


@pytest.mark.parametrize("path", MAPS)
def test_its_outcome_is_recorded(scanned: Scanned, path: str) -> None:
    failing, fetch = MAPS[path], scanned.fetches[scanned.site.at(path)]
    assert fetch.outcome == failing.outcome, fetch
    assert bool(fetch.error) == (failing.outcome != "ok")
    if failing.requests is not None:
        assert len(scanned.site.requests(path)) == failing.requests
    if failing.finding:
        assert failing.finding in fetch.findings


def test_the_other_maps_are_read(scanned: Scanned) -> None:
    scanned.done.succeeded()
    whole = {"/first", "/last", "/lies"}
    assert {scanned.site.at(path) for path in whole} <= set(scanned.done.urls)
    assert "Traceback" not in scanned.done.output


def test_what_could_be_read_of_a_broken_map_is_kept(scanned: Scanned) -> None:
    for path in ("/half", "/damaged"):
        assert scanned.site.at(path) in scanned.done.urls
    for path in ("/half.xml", "/damaged.xml.gz"):
        fetch = scanned.fetches[scanned.site.at(path)]
        assert (fetch.truncated, fetch.complete) == (True, False)


def test_the_summary_counts_them_and_does_not_claim_to_have_read_all(scanned: Scanned) -> None:
    documents = summary(scanned.done)["documents"]
    for name in ("http_error", "not_found", "incomplete", "timeout"):
        expected = sum(failing.outcome == name for failing in MAPS.values())
        # The root of the site is a 404, too.
        assert documents[name] == expected + (name == "not_found"), name
    assert "have been read" not in scan(scanned.done)[1]


def test_each_has_evidence_with_the_error(scanned: Scanned) -> None:
    found = {meta["sitemap"]: meta for _, meta in evidence(scanned.done, "sitemap_fetch")}
    assert len(found) == len(MAPS) + 2
    assert found[scanned.site.at("/500.xml")]["error"] == "HTTP 500"
    for path, failing in MAPS.items():
        if failing.outcome != "ok" or failing.finding == "not_a_sitemap":
            assert found[scanned.site.at(path)]["success"] is False, path


def test_errors_are_words_for_people(scanned: Scanned) -> None:
    for fetch in scanned.fetches.values():
        assert "twisted" not in (fetch.error or "").lower(), fetch
        assert "<" not in (fetch.error or ""), fetch
