from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.scan.arguments import SpiderArguments
from tests.site.build import robots, sitemap
from tests.stages.stored import refusals

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, ProcessResult

    Crawl = Callable[..., CrawlResult]

ENOUGH = {"SITECRAWL_MIN_SITEMAP_URLS": 1}

WRONG = {
    "no domain": ((), "domain"),
    "a domain with blanks": (("-a", "domain=not a domain"), "not a domain"),
    "another scheme": (("-a", "domain=ftp://x.example"), "ftp"),
    "an unknown argument": (("-a", "domain=x.example", "-a", "dept=3"), "dept"),
    "an argument of the wrong kind": (("-a", "domain=x.example", "-a", "strict=ja"), "strict"),
    "a base that is no URL": (("-a", "domain=x.example", "-a", "base=ftp://x"), "base"),
    "a skip rule that is no path": (("-a", "domain=x.example", "-a", "skip=admin"), "admin"),
    "a setting of the wrong kind": (
        ("-a", "domain=x.example", "-s", "SITECRAWL_MAX_SITEMAP_URLS=many"),
        "SITECRAWL_MAX_SITEMAP_URLS",
    ),
    "a skip rule in the settings": (
        ("-a", "domain=x.example", "-s", "SITECRAWL_SKIP_EXTENSIONS=p df"),
        "SITECRAWL_SKIP_EXTENSIONS",
    ),
    "an unknown setting": (
        ("-a", "domain=x.example", "-s", "SITECRAWL_MAX_SITEMAP_URL=1"),
        "SITECRAWL_MAX_SITEMAP_URLS",
    ),
}


@pytest.mark.parametrize(("arguments", "named"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_in_the_last_line(
    run_scrapy: Callable[..., ProcessResult], arguments: tuple[str, ...], named: str
) -> None:
    done = run_scrapy("crawl", "discover", *arguments)
    assert done.returncode == 2, done.output
    assert named in done.output.splitlines()[-1]
    assert "Traceback" not in done.output
    assert not done.database.exists()


def test_an_unknown_variable_of_ours_is_said(run_scrapy: Callable[..., ProcessResult]) -> None:
    done = run_scrapy(
        "crawl", "discover", "-a", "domain=x.example", environment={"SITECRAWL_DEPTH": "1"}
    )
    assert done.returncode == 2
    assert "SITECRAWL_DEPTH" in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"domain": "x.example"}, {("x.example", 443), ("x.example", 80)}),
        ({"domain": "x.example:8000"}, {("x.example", 8000)}),
        ({"domain": "http://10.0.0.5/docs"}, {("10.0.0.5", 80)}),
        ({"domain": "https://[::1]:8443"}, {("::1", 8443)}),
        (
            {"domain": "http://x.example", "base": "/docs,https://y.example/a,//z.example:81"},
            {("x.example", 80), ("y.example", 443), ("z.example", 81)},
        ),
    ],
)
def test_what_is_named_is_a_host_and_a_port(
    arguments: dict[str, str], named: set[tuple[str, int]]
) -> None:
    assert SpiderArguments.parse(arguments).named_endpoints() == named


class TestScope:
    """One site, asked for in several ways."""

    MAP = ("/docs/a", "/docs-old/b", "/blog/c", "http://sub.localhost:{port}/docs/d")

    @pytest.fixture(autouse=True)
    def serve(self, site: SiteServer) -> None:
        site.routes["/robots.txt"] = robots("/map.xml")
        site.routes["/map.xml"] = sitemap(*(loc.format(port=site.port) for loc in self.MAP))

    def test_by_default_it_is_the_host(self, site: SiteServer, crawl: Crawl) -> None:
        done = crawl(f"http://localhost:{site.port}", settings=ENOUGH).succeeded()
        assert _paths(done) == ["/docs/a", "/docs-old/b", "/blog/c"]
        (refused,) = refusals(done).values()
        assert refused[0] == "offsite"

    def test_subdomains_can_be_taken_in(self, site: SiteServer, crawl: Crawl) -> None:
        done = crawl(
            f"http://localhost:{site.port}", settings=ENOUGH, subdomains="yes", base="/docs"
        ).succeeded()
        assert _paths(done) == ["/docs/a", "/docs/d"]

    def test_a_base_is_strict_by_default(self, site: SiteServer, crawl: Crawl) -> None:
        done = crawl(site.url, settings=ENOUGH, base="/docs").succeeded()
        assert _paths(done) == ["/docs/a"]
        refused = refusals(done)
        assert refused[site.at("/docs-old/b")] == ("outside_base", site.at("/docs"))
        assert refused[site.at("/blog/c")][0] == "outside_base"

    def test_a_loose_base_is_a_prefix_and_several_can_be_given(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        done = crawl(
            site.url, settings=ENOUGH, base=f"/docs,{site.at('/blog/')}", strict="no"
        ).succeeded()
        assert _paths(done) == ["/docs/a", "/docs-old/b", "/blog/c"]


def _paths(done: CrawlResult) -> list[str]:
    return ["/" + url.split("/", 3)[3] for url in done.urls]
