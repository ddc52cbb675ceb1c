"""Scrapy's own commands inside the project: they work, politely and guarded."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.site import redirect
from tests.site.build import page, robots
from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import ProcessResult, Project

    RunScrapy = Callable[..., ProcessResult]

SPIDERS = ["crawl", "discover", "dive", "fetch", "sitemap"]
SHOP = '''
import scrapy


class ShopSpider(scrapy.Spider):
    name = "shop"

    def parse(self, response):
        """
        @url {url}/
        @returns items 1 1
        @returns requests 2 2
        """
        yield {{"url": response.url, "title": response.css("title::text").get()}}
        yield from response.follow_all(css="main a")
'''


@pytest.fixture
def shop(site: SiteServer, make_site: Callable[..., SiteServer]) -> SiteServer:
    internal = make_site({"/": b"secret"}, address="127.0.0.2")
    site.routes |= {
        "/robots.txt": robots(disallow=("/private",)),
        "/": page("Home", "/a", "/cart"),
        "/a": page("A"),
        "/cart": page("Cart"),
        "/private": page("Private"),
        "/internal": redirect(internal.at("/")),
    }
    return site


def test_list(run_scrapy: RunScrapy) -> None:
    assert run_scrapy("list").succeeded().stdout.split() == SPIDERS


class TestOneURL:
    """``shell``, ``fetch`` and ``view``."""

    def test_shell(self, shop: SiteServer, run_scrapy: RunScrapy) -> None:
        code = "response.css('title::text').get(), fetch('{}'), response.status"
        done = run_scrapy("shell", shop.at("/a"), "-c", code.format(shop.at("/")))
        assert done.succeeded().stdout.strip() == "('A', None, 200)"
        assert shop.paths() == ["/robots.txt", "/a", "/"]
        assert not done.database.exists()

    def test_in_the_shell_skip_rules_do_not_hold(
        self, shop: SiteServer, run_scrapy: RunScrapy
    ) -> None:
        done = run_scrapy("shell", shop.at("/cart"), "-c", "response.css('title::text').get()")
        assert done.succeeded().stdout.strip() == "Cart"

    def test_fetch(self, shop: SiteServer, run_scrapy: RunScrapy) -> None:
        done = run_scrapy("fetch", shop.at("/cart")).succeeded()
        assert done.stdout.encode().strip() == page("Cart").strip()
        assert shop.requests("/cart")[0].header("User-Agent").startswith("sitecrawl/")
        assert not done.database.exists()

    def test_view(self, shop: SiteServer, run_scrapy: RunScrapy) -> None:
        done = run_scrapy("view", shop.at("/a"), environment={"BROWSER": "echo"}).succeeded()
        assert done.stdout.startswith("file://")

    @pytest.mark.parametrize("command", [("shell", "-c", "response"), ("fetch",)])
    def test_robots_rules_hold(
        self, shop: SiteServer, run_scrapy: RunScrapy, command: tuple[str, ...]
    ) -> None:
        done = run_scrapy(command[0], shop.at("/private"), *command[1:]).succeeded()
        assert "/private> was refused: line 2 of robots.txt" in done.stderr
        assert "Disallow: /private" in done.stderr
        assert shop.paths() == ["/robots.txt"]

    @pytest.mark.parametrize("command", [("shell", "-c", "response"), ("fetch",)])
    def test_a_redirect_to_an_internal_address_is_refused(
        self, shop: SiteServer, run_scrapy: RunScrapy, command: tuple[str, ...]
    ) -> None:
        done = run_scrapy(command[0], shop.at("/internal"), *command[1:]).succeeded()
        assert "127.0.0.2 is a loopback address; not allowed without" in done.stderr
        assert "secret" not in done.output
        assert shop.paths() == ["/robots.txt", "/internal"]

    @pytest.mark.parametrize("command", ["shell", "fetch"])
    def test_a_wrong_setting_is_a_message_and_2(self, run_scrapy: RunScrapy, command: str) -> None:
        done = run_scrapy(command, "http://127.0.0.1:9/", "-s", "SITECRAWL_MAX_PAGES=many")
        assert done.returncode == 2
        assert "SITECRAWL_MAX_PAGES='many' on the command line: expected" in done.stderr
        assert "Traceback" not in done.output

    def test_a_spider_that_scans_sites_is_no_use(self, run_scrapy: RunScrapy) -> None:
        done = run_scrapy("fetch", "--spider", "discover", "http://127.0.0.1:9/")
        assert done.returncode == 2
        assert "leave --spider out" in done.stderr
        assert "Traceback" not in done.output


class TestSpidersOfTheUser:
    """``parse``, ``check``, ``genspider`` and ``runspider``."""

    def test_genspider_check_parse_and_crawl(
        self, shop: SiteServer, project: Project, run_scrapy: RunScrapy
    ) -> None:
        """In a copy of the project, whose spiders are added to."""
        shutil.copytree(
            ROOT / "sitecrawl",
            project.folder / "sitecrawl",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        shutil.copy(ROOT / "scrapy.cfg", project.folder)
        env = {
            "PYTHONPATH": str(project.folder),
            "SCRAPY_SETTINGS_MODULE": "sitecrawl.settings",
            "SITECRAWL_ADDRESS_ALLOW": f"127.0.0.1:{shop.port}",
        }
        done = run_scrapy("genspider", "shop", "shop.example", environment=env).succeeded()
        assert "Created spider 'shop'" in done.stdout
        spider = project.folder / "sitecrawl" / "spiders" / "shop.py"
        assert 'start_urls = ["https://shop.example"]' in spider.read_text()
        names = run_scrapy("list", environment=env).succeeded().stdout.split()
        assert names == sorted([*SPIDERS, "shop"])

        spider.write_text(SHOP.format(url=shop.url))
        done = run_scrapy("check", "shop", environment=env)
        assert "OK" in done.succeeded().stderr.splitlines()
        assert "Ran 2 contracts" in done.stderr
        assert shop.paths() == ["/robots.txt", "/"]
        done = run_scrapy("parse", shop.at("/"), "--spider", "shop", "--nocolour", environment=env)
        assert f"[{{'title': 'Home', 'url': '{shop.at('/')}'}}]" in done.succeeded().stdout
        assert f"<GET {shop.at('/cart')}>" in done.stdout
        assert not done.database.exists()

    def test_parse_with_a_spider_that_scans_sites(
        self, shop: SiteServer, project: Project, run_scrapy: RunScrapy
    ) -> None:
        """A callback of a subclass is tried on one page; there is no scan."""
        (project.folder / "shops.py").write_text(
            "from sitecrawl.spiders.crawl import CrawlSpider\n"
            "class Shop(CrawlSpider):\n"
            "    name = 'shop'\n"
            "    def parse_page(self, response):\n"
            "        yield {'url': response.url}\n"
        )
        settings = ("-s", "SPIDER_MODULES=shops", "--spider", "shop", "-c", "parse_page")
        env = {"PYTHONPATH": f"{ROOT}:{project.folder}"}
        command = ("parse", shop.at("/a"), *settings, "--nocolour")
        done = run_scrapy(*command, "-a", f"domain={shop.url}", environment=env).succeeded()
        assert f"[{{'url': '{shop.at('/a')}'}}]" in done.stdout
        assert shop.paths() == ["/robots.txt", "/a"]
        assert not done.database.exists()
        done = run_scrapy(*command, environment=env)
        assert done.returncode == 2
        assert "argument domain is missing" in done.stderr
        assert "Traceback" not in done.output

    def test_runspider(self, shop: SiteServer, project: Project, run_scrapy: RunScrapy) -> None:
        start = f"\n    start_urls = [{shop.at('/')!r}]\n"
        (project.folder / "shop.py").write_text(SHOP.format(url=shop.url) + start)
        done = run_scrapy("runspider", "shop.py", "-O", "-:jsonlines").succeeded()
        assert done.stdout.count('"url"') == 2
        assert sorted(shop.paths()) == ["/", "/a", "/robots.txt"]
        assert not done.database.exists()
