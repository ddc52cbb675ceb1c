"""Scrapy's defaults that are not safe for a crawler of strangers' sites are off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy.crawler import Crawler

from sitecrawl.profiles import PROFILES, load_settings
from sitecrawl.spiders.discover import DiscoverSpider
from tests.site import redirect
from tests.site.build import page, robots, sitemap
from tests.stages.stored import fetches, scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult


@pytest.mark.parametrize("profile", PROFILES)
def test_nothing_listens_and_nothing_but_http_is_fetched(profile: str) -> None:
    crawler = Crawler(DiscoverSpider, load_settings(profile))
    settings = crawler.settings
    for name in ("TELNETCONSOLE_ENABLED", "REMOTE_CONTROL_ENABLED", "HTTPPROXY_ENABLED"):
        assert settings.getbool(name) is False, name
    enabled = settings.getwithbase("EXTENSIONS")
    for extension in ("telnet.TelnetConsole", "remote_control.RemoteControl"):
        assert enabled.get(f"scrapy.extensions.{extension}") is None
    assert settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES") is True
    assert settings.getbool("COOKIES_ENABLED") is False
    handlers = {name for name, path in settings.getwithbase("DOWNLOAD_HANDLERS").items() if path}
    assert handlers == {"http", "https"}


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


def test_a_site_cannot_make_us_read_files(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    names = ("file:///etc/passwd", "data:text/plain,http://x.example/", "/away.xml")
    site.routes["/robots.txt"] = robots(*names)
    site.routes["/away.xml"] = redirect("file:///etc/passwd")
    settings = {"SITECRAWL_SITEMAP_PLACES": "/none.xml", "RETRY_TIMES": 0}
    done = crawl(site.url, settings=settings).succeeded()
    assert done.rows == []
    assert "Traceback" not in done.output
    away = fetches(done)[site.at("/away.xml")]
    assert (away.outcome, away.status) == ("http_error", 302), "a redirect that nobody follows"
    assert done.query("SELECT count(*) FROM blobs") == [(1,)], "only robots.txt"
