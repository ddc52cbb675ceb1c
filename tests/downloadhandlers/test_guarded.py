"""Connections go to the addresses that were judged, or nowhere."""

from __future__ import annotations

import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.site import Reply, redirect
from tests.site.build import page, robots, sitemap, sitemap_index
from tests.site.names import SILENT, names
from tests.stages.stored import evidence, fetches, outcomes, scan, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

    Crawl = Callable[..., CrawlResult]

# Retries and the fall-back to common places are left on: a refusal must set off neither.
SETTINGS = {"SITECRAWL_SITEMAP_PLACES": "/none.xml", "SITECRAWL_MIN_SITEMAP_URLS": 1}
REFUSED = "address_not_allowed"


@pytest.fixture
def site(site: SiteServer) -> SiteServer:
    """A site whose root can be read, whatever becomes of what it names."""
    site.routes["/"] = page("Home")
    return site


@contextmanager
def untouched(address: str = "127.0.0.2", port: int = 0) -> Iterator[int]:
    """A port that fails the test when anybody connects to it, even without a word."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen()
        listener.setblocking(False)
        yield listener.getsockname()[1]
        with pytest.raises(BlockingIOError):
            listener.accept()


class TestWhatASiteNames:
    """A site on loopback that was asked for; nothing else there may be fetched."""

    def test_no_spelling_of_an_address_leads_to_it(self, site: SiteServer, crawl: Crawl) -> None:
        with untouched() as port:
            odd = [
                f"http://127.0.0.2:{port}/a.xml",
                f"http://0x7f.2:{port}/b.xml",
                f"http://2130706434:{port}/c.xml",
                f"http://0177.0.0.2:{port}/d.xml",
                f"http://[::ffff:127.0.0.2]:{port}/e.xml",
                f"http://[::127.0.0.2]:{port}/f.xml",
                f"http://127.0.0.2.:{port}/g.xml",
                f"http://\uff11\uff12\uff17.0.0.2:{port}/h.xml",
                f"https://127.0.0.2:{port}/i.xml",
                f"http://[64:ff9b::127.0.0.2]:{port}/j.xml",
                "http://169.254.169.254/latest/meta-data/",
                "http://[fe80::1]/k.xml",
                f"http://0:{site.port}/l.xml",
                f"http://[::]:{site.port}/m.xml",
                f"http://localhost:{site.port}/n.xml",
            ]
            site.routes["/robots.txt"] = robots(*odd, "/map.xml")
            site.routes["/map.xml"] = sitemap("/a")
            done = crawl(site.url, settings=SETTINGS).succeeded()
        found = outcomes(done)
        assert found.pop(site.at("/map.xml")) == "ok"
        assert [found.pop(site.at(path)) for path in ("/robots.txt", "/")] == ["ok", "ok"]
        # The robots.txt of their hosts, whose pace would hold, cannot be fetched either.
        assert sum(not url.endswith("/robots.txt") for url in found) == len(odd)
        assert set(found.values()) == {REFUSED}
        assert site.paths() == ["/robots.txt", "/", "/map.xml"]
        assert "Traceback" not in done.output
        assert "Retrying" not in done.output
        assert f"{len(found)} of {len(found) + 3} documents could not be read" in scan(done)[1]

    def test_a_refusal_is_evidence_with_its_reason(self, site: SiteServer, crawl: Crawl) -> None:
        away = "http://127.0.0.2:9/map.xml"
        site.routes["/robots.txt"] = robots(away)
        done = crawl(site.url, settings=SETTINGS).succeeded()
        reason = (
            "127.0.0.2 is a loopback address; "
            "not allowed without SITECRAWL_ADDRESS_ALLOW=127.0.0.2:9"
        )
        assert fetches(done)[away].error == reason
        stored = {data["sitemap"]: (text, data) for text, data in evidence(done, "sitemap_fetch")}
        text, data = stored[away]
        assert (text, data["outcome"], data["success"]) == (reason, REFUSED, False)
        assert summary(done)["documents"][REFUSED] == 2, "the map, and robots.txt of its host"
        assert "at an address that is not allowed" in done.output

    def test_no_redirect_leads_there(self, site: SiteServer, crawl: Crawl) -> None:
        with untouched() as port:
            site.routes.update(
                {
                    "/robots.txt": redirect(f"http://127.0.0.2:{port}/robots.txt", 301),
                    "/": redirect(f"http://0x7f.2:{port}/", 302),
                    "/none.xml": redirect(f"//127.0.0.2:{port}/map.xml", 308),
                }
            )
            # So that the root is asked for although there is no robots.txt to be had.
            settings = {**SETTINGS, "SITECRAWL_ROBOTS_FAIL_OPEN": "true"}
            done = crawl(site.url, settings=settings)
        assert scan(done)[0] == "failed"
        assert set(map(site.at, ("/robots.txt", "/", "/none.xml"))) <= outcomes(done).keys()
        assert set(outcomes(done).values()) == {REFUSED}
        assert site.paths() == ["/robots.txt", "/", "/none.xml"], "asked once each"
        assert done.query("SELECT root_url FROM scans") == [(site.at("/"),)], "the root stays"

    def test_no_sitemap_leads_there(self, site: SiteServer, crawl: Crawl) -> None:
        with untouched() as port:
            inner = f"http://127.0.0.2:{port}/inner.xml"
            site.routes.update(
                {
                    # Naming a map there makes its host one whose maps would be read.
                    "/robots.txt": robots("/index.xml", f"http://127.0.0.2:{port}/map.xml"),
                    "/index.xml": sitemap_index(inner, "/good.xml"),
                    "/good.xml": sitemap("/a"),
                }
            )
            done = crawl(site.url, settings=SETTINGS).succeeded()
        assert outcomes(done)[inner] == REFUSED
        assert done.urls == [site.at("/a")]


class TestNames:
    def test_one_that_stands_for_a_private_address_is_refused(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        with untouched() as port:
            inside = f"http://inside.example:{port}/map.xml"
            site.routes["/robots.txt"] = robots(inside)
            settings = {**SETTINGS, **names({"inside.example": [["127.0.0.2"]]})}
            done = crawl(site.url, settings=settings).succeeded()
        assert fetches(done)[inside].error == (
            "inside.example is 127.0.0.2, which is a loopback address; "
            f"not allowed without SITECRAWL_ADDRESS_ALLOW=inside.example:{port}"
        )

    def test_of_several_addresses_only_the_allowed_are_used(
        self, site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        other = make_site({"/map.xml": sitemap("/a")}, address="127.0.0.2")
        mixed = f"http://mixed.example:{other.port}/map.xml"
        site.routes["/robots.txt"] = robots(mixed)
        settings = {
            **SETTINGS,
            **names({"mixed.example": [["127.0.0.3", "127.0.0.2", "10.0.0.1"]]}),
            "SITECRAWL_ADDRESS_ALLOW": "127.0.0.2",
        }
        with untouched("127.0.0.3", other.port):
            done = crawl(site.url, settings=settings).succeeded()
        assert outcomes(done)[mixed] == "ok"
        assert other.paths() == ["/robots.txt", "/map.xml"]

    def test_what_is_wrong_with_the_allowed_is_the_error(
        self, site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        other = make_site(address="127.0.0.2")
        other.stop()
        down = f"http://down.example:{other.port}/map.xml"
        site.routes["/robots.txt"] = robots(down)
        settings = {
            **SETTINGS,
            **names({"down.example": [["127.0.0.2", "127.0.0.3"]]}),
            "SITECRAWL_ADDRESS_ALLOW": "127.0.0.2",
            "RETRY_TIMES": 0,
        }
        done = crawl(site.url, settings=settings).succeeded()
        fetch = fetches(done)[down]
        assert (fetch.outcome, fetch.error) == ("unreachable", "the server refused the connection")

    def test_one_that_changes_its_address_is_judged_again(
        self, site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        """DNS rebinding: what was right for one connection is not taken for the next."""
        other = make_site(address="127.0.0.2")
        first, second = (f"http://rebound.example:{other.port}/{name}.xml" for name in "ab")
        site.routes["/robots.txt"] = robots(first)
        other.routes["/a.xml"] = Reply(sitemap_index(second), close=True)
        settings = {
            **SETTINGS,
            **names({"rebound.example": [["127.0.0.2"], ["127.0.0.3"]]}),
            "SITECRAWL_ADDRESS_ALLOW": "127.0.0.2",
        }
        with untouched("127.0.0.3", other.port):
            done = crawl(site.url, settings=settings).succeeded()
        assert (outcomes(done)[first], outcomes(done)[second]) == ("ok", REFUSED)
        assert other.paths() == ["/robots.txt", "/a.xml"]

    def test_one_that_nobody_answers_for_times_out(self, site: SiteServer, crawl: Crawl) -> None:
        silent = "http://silent.example/map.xml"
        site.routes["/robots.txt"] = robots(silent)
        settings = {**SETTINGS, **names({"silent.example": SILENT}), "RETRY_TIMES": 0}
        settings["SITECRAWL_SITEMAP_TIMEOUT_SECONDS"] = 0.5
        settings["SITECRAWL_ROBOTS_TIMEOUT_SECONDS"] = 2
        done = crawl(site.url, settings=settings).succeeded()
        assert outcomes(done)[silent] == "timeout"


class TestTheSiteThatWasNamed:
    def test_a_name_may_stand_for_a_private_site(
        self, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        site = make_site({"/sitemap.xml": sitemap("/a")})
        settings = names({"intranet.example": [["127.0.0.1"]]})
        root = f"http://intranet.example:{site.port}"
        done = crawl(root, settings=settings).succeeded()
        assert done.urls == [f"{root}/a"]

    def test_but_not_for_what_no_site_is_on_and_http_is_not_tried_either(
        self, crawl: Crawl
    ) -> None:
        done = crawl("evil.example", settings=names({"evil.example": [["169.254.169.254"]]}))
        assert done.returncode == 1
        status, reason = scan(done)
        assert status == "failed"
        assert "evil.example is 169.254.169.254, which is a link-local address" in reason
        assert outcomes(done)["https://evil.example/robots.txt"] == REFUSED
        assert not [url for url in outcomes(done) if not url.startswith("https://evil.example/")]
        assert evidence(done, "https_unreachable") == []
        assert "Traceback" not in done.output

    def test_a_base_is_named_by_the_user_too(
        self, site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        other = make_site({"/docs/map.xml": sitemap("/docs/a")}, address="127.0.0.2")
        site.routes["/robots.txt"] = robots(other.at("/docs/map.xml"))
        done = crawl(site.url, settings=SETTINGS, base=f"/x/,{other.at('/docs/')}").succeeded()
        assert done.urls == [other.at("/docs/a")]

    def test_by_ipv6(self, make_site: Callable[..., SiteServer], crawl: Crawl) -> None:
        try:
            site = make_site({"/": page("Home"), "/sitemap.xml": sitemap("/a")}, address="::1")
        except OSError:
            pytest.skip("this machine has no IPv6")
        done = crawl(site.url, settings={"SITECRAWL_MIN_SITEMAP_URLS": 1}).succeeded()
        assert done.urls == [site.at("/a")]
        site.routes["/sitemap.xml"] = redirect(f"http://[0:0::ffff:127.0.0.1]:{site.port}/")
        assert outcomes(crawl(site.url).succeeded())[site.at("/sitemap.xml")] == REFUSED


class TestWhatIsAllowed:
    def test_an_allowed_address_is_fetched_wherever_it_is_named(
        self, site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        other = make_site({"/map.xml": sitemap(site.at("/a"))}, address="127.0.0.2")
        site.routes["/robots.txt"] = robots(other.at("/map.xml"))
        allow = {"SITECRAWL_ADDRESS_ALLOW": f"10.0.0.0/8,127.0.0.2:{other.port}"}
        done = crawl(site.url, settings={**SETTINGS, **allow}).succeeded()
        assert done.urls == [site.at("/a")]

    def test_a_word_that_cannot_be_read_stops_the_run(self, crawl: Crawl) -> None:
        done = crawl("x.example", settings={"SITECRAWL_ADDRESS_ALLOW": "10.0.0.5,10.0.0.5/8"})
        assert done.returncode == 2
        last = done.output.splitlines()[-1]
        assert "SITECRAWL_ADDRESS_ALLOW: '10.0.0.5/8'" in last
        assert "expected an address" in last
        assert not done.database.exists()


class TestProxies:
    def test_those_of_the_environment_are_not_used(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/sitemap.xml"] = sitemap("/a")
        with untouched() as port:
            proxies = dict.fromkeys(("http_proxy", "all_proxy"), f"http://127.0.0.2:{port}")
            done = crawl(site.url, environment=proxies).succeeded()
        assert done.urls == [site.at("/a")]

    def test_unless_they_are_asked_for(self, site: SiteServer, crawl: Crawl) -> None:
        """The user names the proxy, so it may be on loopback."""
        root = "http://far.example"
        site.routes.update(
            {
                f"{root}/robots.txt": robots("/map.xml", "http://127.0.0.2/inside.xml"),
                f"{root}/map.xml": sitemap("/a"),
            }
        )
        done = crawl(
            root,
            settings={**SETTINGS, "SITECRAWL_USE_PROXIES": "true"},
            environment={"http_proxy": f"http://me:hunter2@127.0.0.1:{site.port}"},
        ).succeeded()
        assert done.urls == [f"{root}/a"]
        assert site.paths() == [f"{root}{path}" for path in ("/robots.txt", "/", "/map.xml")]
        assert site.requests()[0].header("Proxy-Authorization").startswith("Basic ")
        assert outcomes(done)["http://127.0.0.2/inside.xml"] == REFUSED
        assert "hunter2" not in done.output
