"""Scrapy's defaults that are not safe for a crawler of strangers' sites are off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy.crawler import Crawler
from scrapy.utils.misc import load_object

from sitecrawl.config.profiles import PROFILES, load_settings
from sitecrawl.downloadhandlers.guarded import GuardedDownloadHandler
from sitecrawl.spiders.discover import DiscoverSpider
from tests.site import redirect
from tests.site.build import page, robots, sitemap, sitemap_index
from tests.stages.stored import evidence, fetches, scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, ProcessResult


@pytest.mark.parametrize("profile", PROFILES)
def test_nothing_listens_and_nothing_but_http_is_fetched(profile: str) -> None:
    crawler = Crawler(DiscoverSpider, load_settings(profile))
    settings = crawler.settings
    for name in ("TELNETCONSOLE_ENABLED", "REMOTE_CONTROL_ENABLED", "HTTPPROXY_ENABLED"):
        assert settings.getbool(name) is False, name
    assert settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES") is True
    assert settings.getbool("COOKIES_ENABLED") is False
    handlers = {name for name, path in settings.getwithbase("DOWNLOAD_HANDLERS").items() if path}
    assert handlers == {"http", "https"}
    assert settings.getint("REDIRECT_MAX_TIMES") == 10


def test_every_handler_is_guarded() -> None:
    paths = load_settings("default").getwithbase("DOWNLOAD_HANDLERS").values()
    assert all(issubclass(load_object(path), GuardedDownloadHandler) for path in paths if path)


def test_a_scan_opens_no_port(site: SiteServer, crawl: Callable[..., CrawlResult]) -> None:
    site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a")})
    done = crawl(site.url, settings={"SITECRAWL_MIN_SITEMAP_URLS": 1}).succeeded()
    assert "listening" not in done.stderr.lower()
    assert "Telnet" not in done.stderr


def test_a_certificate_that_nobody_vouches_for_is_refused(
    make_site: Callable[..., SiteServer], crawl: Callable[..., CrawlResult]
) -> None:
    site = make_site({"/": page("Home"), "/sitemap.xml": sitemap("/a")}, tls=True)
    done = crawl(site.url, settings={"RETRY_TIMES": 0})
    assert done.returncode == 1
    assert site.paths() == []
    status, reason = scan(done)
    assert status == "failed"
    assert "certificate" in reason
    assert "twisted" not in reason.lower()
    assert "Traceback" not in done.output
    assert evidence(done, "certificates_not_verified") == []


@pytest.mark.parametrize(
    "setting", ["SITECRAWL_VERIFY_CERTIFICATES", "DOWNLOAD_VERIFY_CERTIFICATES"]
)
def test_unless_the_user_says_so_which_is_evidence(
    make_site: Callable[..., SiteServer], crawl: Callable[..., CrawlResult], setting: str
) -> None:
    site = make_site({"/": page("Home"), "/sitemap.xml": sitemap("/a")}, tls=True)
    done = crawl(site.url, settings={setting: "false", "SITECRAWL_MIN_SITEMAP_URLS": 1}).succeeded()
    assert done.urls == [site.at("/a")]
    ((content, metadata),) = evidence(done, "certificates_not_verified")
    assert "not verified" in content
    assert metadata == {"setting": "SITECRAWL_VERIFY_CERTIFICATES"}


def test_a_site_cannot_make_us_read_files(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    names = ("file:///etc/passwd", "data:text/plain,http://x.example/", "/away.xml")
    site.routes["/"] = page("Home")
    site.routes["/robots.txt"] = robots(*names, "/index.xml")
    site.routes["/index.xml"] = sitemap_index(*names, "ftp://127.0.0.1/map.xml", "s3://a/b.xml")
    site.routes["/away.xml"] = redirect("file:///etc/passwd")
    settings = {"SITECRAWL_SITEMAP_PLACES": "/none.xml", "RETRY_TIMES": 0}
    done = crawl(site.url, settings=settings).succeeded()
    assert done.rows == []
    assert "Traceback" not in done.output
    away = fetches(done)[site.at("/away.xml")]
    assert (away.outcome, away.status) == ("http_error", 302), "a redirect that nobody follows"
    assert done.query("SELECT count(*) FROM blobs") == [(2,)], "only robots.txt and the index"
    paths = ["/robots.txt", "/", "/away.xml", "/index.xml", "/none.xml"]
    assert sorted(fetches(done)) == sorted(map(site.at, paths))


class TestCredentials:
    """What logs in somewhere is not kept, shown or sent, whoever wrote it."""

    SECRET = "hunter2"

    @pytest.fixture
    def scanned(self, site: SiteServer, crawl: Callable[..., CrawlResult]) -> CrawlResult:
        host = f"me:{self.SECRET}@127.0.0.1:{site.port}"
        alternate = f'<xhtml:link rel="alternate" hreflang="de" href="http://{host}/de"/>'
        refused = (
            f"http://{host}/a",
            f"ftp://{host}/b",
            f"http://me:{self.SECRET}@127.0.0.1:99999/c",
            f"//{host}/example-of-a-finding",
            f"http://{host}/{'long' * 600}",
        )
        map_ = sitemap(*refused).decode()
        map_ = map_.replace("<urlset", '<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml"')
        site.routes.update(
            {
                "/": redirect(f"http://{host}/home"),
                "/home": page("Home"),
                "/robots.txt": redirect(f"//{host}/real-robots.txt"),
                # Told apart from what is stored: bodies are kept as the site sent them.
                "/real-robots.txt": robots("/index.xml"),
                "/index.xml": sitemap_index(f"http://{host}/map.xml", f"ftp://{host}/no.xml"),
                "/map.xml": map_.replace("</url>", f"{alternate}</url>", 1),
            }
        )
        settings = {"LOG_LEVEL": "DEBUG", "SITECRAWL_FEED_REFUSED": 1, "RETRY_TIMES": 0}
        return crawl(site.url, settings=settings).succeeded()

    def test_they_are_nowhere(self, site: SiteServer, scanned: CrawlResult) -> None:
        assert site.at("/a") in scanned.urls
        assert site.at("/de") in scanned.urls
        assert f"ftp://127.0.0.1:{site.port}/b" in scanned.urls
        assert "/map.xml" in site.paths()
        assert "example-of-a-finding" in str(scanned.query("SELECT findings FROM fetches"))
        assert self.SECRET not in scanned.output
        assert self.SECRET not in scanned.feed.read_text(encoding="utf-8")
        assert not any("Authorization" in str(each.request.headers) for each in site.requests())
        tables = scanned.query("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        kept = [
            name for (name,) in tables if self.SECRET in str(scanned.query(f"SELECT * FROM {name}"))
        ]
        assert kept == []

    @pytest.mark.parametrize(
        "arguments",
        [
            ("domain=https://me:hunter2@x.example/",),
            ("domain=me:hunter2@x.example",),
            ("domain=https://me:hunter2/@x.example/",),
            ("domain=x.example", "base=ftp://me:hunter2@x.example/"),
        ],
    )
    def test_they_are_not_repeated_when_they_are_refused(
        self, run_scrapy: Callable[..., ProcessResult], arguments: tuple[str, ...]
    ) -> None:
        given = [word for argument in arguments for word in ("-a", argument)]
        done = run_scrapy("crawl", "discover", *given)
        assert done.returncode == 2
        assert self.SECRET not in done.output
        assert "x.example" in done.output.splitlines()[-1]
