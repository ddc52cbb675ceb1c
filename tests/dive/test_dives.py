"""A dive from end to end: pages are fetched politely, read, searched, and forgotten again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.dive.dive_jobs import list_dives
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.coverage import crawl_coverage
from sitecrawl.store.queries.scans import latest_scan, site_for
from sitecrawl.store.writers.dives import add_dive
from tests.dive.model_server import ModelServer
from tests.site import Reply
from tests.site.build import robots, sitemap

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitecrawl.store.engine import Database
    from tests.dive.conftest import Searchable
    from tests.site import SiteServer
    from tests.site.project import ProcessResult

    RunCli = Callable[..., ProcessResult]

FAST = ("--profile", "fast")


def article(title: str, text: str) -> Reply:
    html = f"<html lang=en><title>{title}</title><body><main><h1>{title}</h1><p>{text}</p></main>"
    return Reply(html.encode(), content_type="text/html; charset=utf-8")


TEXTS = {
    "/hours": "The museum opens at nine in the morning and closes at six in the evening.",
    "/dogs": "Guide dogs are welcome in every room of the house at any time of the day.",
    "/secret": "Nobody may fetch this page, although the sitemap of the site lists it.",
}


@pytest.fixture
def museum(site: SiteServer, run_cli: RunCli) -> SiteServer:
    """A scanned site of which one page is disallowed."""
    site.routes["/"] = article("Museum", "Welcome to the museum of ordinary things in our town.")
    site.routes["/robots.txt"] = robots(site.at("/sitemap.xml"), disallow=("/secret",))
    for path, text in TEXTS.items():
        site.routes[path] = article(path.strip("/"), text)
    _list(site, *TEXTS)
    _discover(site, run_cli)
    return site


def _list(site: SiteServer, *paths: str) -> None:
    site.routes["/sitemap.xml"] = sitemap(*map(site.at, paths))


def _discover(site: SiteServer, run_cli: RunCli) -> None:
    run_cli(
        *("discover", site.at("/"), *FAST, "-s", "SITECRAWL_CRAWL=never"),
        *("-s", "SITECRAWL_MIN_SITEMAP_URLS=0"),
    ).succeeded()


def _search(site: SiteServer, run_cli: RunCli, query: str) -> list[dict[str, Any]]:
    found = run_cli("search", site.at("/"), query, "--json").succeeded()
    return list(json.loads(found.stdout))


def test_pages_are_fetched_once_and_found(museum: SiteServer, run_cli: RunCli) -> None:
    said = run_cli("dive", museum.at("/"), "--all", *FAST).succeeded().stdout
    assert "passages   2 new, 2 embedded" in said
    assert museum.requests("/secret") == []
    assert len(museum.requests("/hours")) == 1
    [best, *_] = _search(museum, run_cli, "when can I come")
    assert best["url"] == museum.at("/hours")
    alike = run_cli("similar", museum.at("/hours")).succeeded().stdout
    assert alike.split()[1:] == [museum.at("/dogs")]
    # A dive looks for no pages: changes are those of the scan before it.
    assert "is the first one" in run_cli("changes", museum.at("/")).succeeded().stdout
    assert "no topics yet" in run_cli("topics", museum.at("/")).succeeded().stdout
    # What is kept is not fetched again.
    again = run_cli("dive", museum.at("/"), "--all", *FAST).succeeded().stdout
    assert "2 unchanged since the last dive" in again
    assert "0 new, 0 embedded" in again
    assert len(museum.requests("/hours")) == 1


def test_a_server_embeds_if_one_is_set(museum: SiteServer, run_cli: RunCli) -> None:
    def vectors(texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "dog" in text.lower() else [0.1, 1.0] for text in texts]

    with ModelServer(vectors=vectors) as running:
        settings = {
            "SITECRAWL_EMBEDDING_URL": running.url,
            "SITECRAWL_EMBEDDING_NAME": "tiny",
            "SITECRAWL_EMBEDDING_KEY": "key of the server",
            "SITECRAWL_ADDRESS_ALLOW": running.endpoint,
        }
        said = run_cli("dive", museum.at("/"), "--all", *FAST, environment=settings).succeeded()
        assert "2 embedded" in said.stdout
        sent = [text for request in running.requests for text in request.body["input"]]
        assert any(TEXTS["/dogs"] in text for text in sent)
        assert {request.body["model"] for request in running.requests} == {"tiny"}
        keys = {request.headers["authorization"] for request in running.requests}
        assert keys == {"Bearer key of the server"}
        found = run_cli("search", museum.at("/"), "my dog", "--json", environment=settings)
        best = json.loads(found.succeeded().stdout)[0]
        assert best["url"] == museum.at("/dogs")
    # Its vectors are not compared with those of the installed models.
    refused = run_cli("search", museum.at("/"), "my dog")
    assert refused.returncode == 2
    assert "/v1, which is not here; run: sitecrawl dive" in " ".join(refused.stderr.split())


def test_a_selection_without_pages_is_told(museum: SiteServer, run_cli: RunCli) -> None:
    said = run_cli("dive", museum.at("/"), "--cluster", "/no-such", *FAST).succeeded()
    assert "no listed page is of this selection" in said.stderr


def test_a_changed_page_is_read_again_and_a_removed_one_goes(
    museum: SiteServer, run_cli: RunCli
) -> None:
    run_cli("dive", museum.at("/"), "--all", *FAST).succeeded()
    museum.routes["/hours"] = article("hours", "The museum is closed for the whole winter.")
    _list(museum, "/hours")
    _discover(museum, run_cli)
    said = run_cli(
        *("dive", museum.at("/"), "--prefix", museum.at("/hours"), *FAST),
        environment={"SITECRAWL_DIVE_MAX_AGE_HOURS": "0"},
    ).succeeded()
    assert "1 read" in said.stdout
    assert "1 no longer listed" in said.stdout
    texts = [hit["text"] for hit in _search(museum, run_cli, "museum opening")]
    assert any("whole winter" in text for text in texts)
    assert not any("nine in the morning" in text or "Guide dogs" in text for text in texts)


def test_a_dive_between_two_scans_hides_no_change(museum: SiteServer, run_cli: RunCli) -> None:
    run_cli("dive", museum.at("/"), "--all", *FAST).succeeded()
    museum.routes["/prices"] = article("prices", "Children under six do not pay anything at all.")
    _list(museum, *TEXTS, "/prices")
    _discover(museum, run_cli)
    said = run_cli("changes", museum.at("/")).succeeded().stdout
    assert "/prices" in said
    assert "not told" not in said


def test_a_dive_does_not_change_how_complete_the_list_is(
    museum: SiteServer, run_cli: RunCli
) -> None:
    def coverage() -> dict[str, Any]:
        with open_database(f"sqlite:///{run.database}") as database:
            site = site_for(database, museum.at("/"))
            assert site is not None
            scan = latest_scan(database, site.id)
            assert scan is not None
            return crawl_coverage(database, scan).as_dict()

    run = run_cli("scans").succeeded()
    before = coverage()
    run_cli("dive", museum.at("/"), "--all", *FAST).succeeded()
    assert coverage() == before
    assert before["sitemaps"] == 1


def test_a_dive_that_was_killed_is_told_as_such(searchable: Searchable, database: Database) -> None:
    site = searchable({"/a": "<main><p>We open at nine in the morning.</p></main>"})
    with database.writing() as connection:
        add_dive(connection, site.id, {})
    dives = list_dives(database, site).rows
    assert [(dive.status, dive.reason) for dive in dives] == [
        ("running", None),
        ("failed", "its process was killed"),
    ]


def test_pages_have_to_be_named(museum: SiteServer, run_cli: RunCli) -> None:
    refused = run_cli("dive", museum.at("/"))
    assert (refused.returncode, "--all" in refused.stderr) == (2, True)


def test_questions_are_answered(museum: SiteServer, run_cli: RunCli) -> None:
    run_cli("dive", museum.at("/"), "--all", *FAST).succeeded()

    def asked(**environment: str) -> dict[str, Any]:
        question = "When does the museum open?"
        answered = run_cli("ask", museum.at("/"), question, "--json", environment=environment)
        return dict(json.loads(answered.succeeded().stdout))

    answer = asked()
    assert answer["kind"] == "extractive"
    assert answer["citations"][0]["quote"] == TEXTS["/hours"]
    with ModelServer("It opens at ", "nine [S1]. ", "Visit https://evil.example/ [S7].") as model:
        settings = {
            "SITECRAWL_MODEL_URL": model.url,
            "SITECRAWL_MODEL_NAME": "tiny",
            "SITECRAWL_MODEL_KEY": "s3cret",
        }
        answer = asked(**settings, SITECRAWL_ADDRESS_ALLOW=model.endpoint)
        assert (answer["kind"], answer["text"]) == ("model", "It opens at nine [S1].")
        [request] = model.requests
        assert request.headers["authorization"] == "Bearer s3cret"
        assert request.body["stream"] is True
        # A private address that nobody allowed is not connected to.
        refused = asked(**settings)
        assert refused["kind"] == "extractive"
        assert "SITECRAWL_ADDRESS_ALLOW" in refused["notice"]
        assert len(model.requests) == 1
