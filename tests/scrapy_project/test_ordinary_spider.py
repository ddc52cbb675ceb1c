"""A spider that knows nothing of the project runs with its middlewares, and stores nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.site import redirect, too_many
from tests.site.build import page, robots

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.scrapy_project.spiders import ShopRun
    from tests.site import SiteServer
    from tests.site.project import Project

    ShopSpider = Callable[..., ShopRun]

FEEDS = ("items.jsonl", "items.json", "items.csv", "items.xml")


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    site.routes |= {
        "/robots.txt": robots(disallow=("/private",)),
        "/": page('Ein "Laden" für \u2028 Tee', "/a", "/b", "/private/c", "/cart"),
        "/a": page("=1+1", "/b?x=1,2"),
        "/b": page("Tee; und\tmehr", "/a"),
        "/b?x=1,2": page(""),
    }
    return site


def test_items_are_written_as_scrapy_writes_them(
    shop: SiteServer, project: Project, shop_spider: ShopSpider
) -> None:
    options = tuple(word for name in FEEDS for word in ("-O", name))
    done = shop_spider(shop.at("/"), options=options, CONCURRENT_REQUESTS=1)
    done.process.succeeded()
    ours = {name: (project.folder / name).read_bytes() for name in FEEDS}
    assert [json.loads(line)["url"] for line in ours["items.jsonl"].splitlines()] == [
        shop.at(path) for path in ("/", "/a", "/b", "/b?x=1,2")
    ]
    assert done.stats["item_scraped_count"] == 4
    assert not done.process.database.exists()

    # The settings of "scrapy startproject", and our order of requests.
    (project.folder / "stock.py").write_text(
        "FEED_EXPORT_ENCODING = 'utf-8'\nROBOTSTXT_OBEY = True\nCONCURRENT_REQUESTS = 1\n"
        "SCHEDULER_MEMORY_QUEUE = 'scrapy.squeues.FifoMemoryQueue'\n"
    )
    shop.routes["/robots.txt"] = robots(disallow=("/private", "/cart"))
    stock = shop_spider(
        shop.at("/"), options=options, environment={"SCRAPY_SETTINGS_MODULE": "stock"}
    )
    stock.process.succeeded()
    assert ours == {name: (project.folder / name).read_bytes() for name in FEEDS}


def test_robots_rules_skip_rules_pace_and_retry_after(
    shop: SiteServer, shop_spider: ShopSpider
) -> None:
    shop.routes["/a"] = [too_many("1"), page("A")]
    done = shop_spider(shop.at("/"), DOWNLOAD_DELAY=0.3, DOWNLOAD_DELAY_JITTER=0, LOG_LEVEL="DEBUG")
    done.process.succeeded()
    requests = shop.requests()
    assert {entry.path for entry in requests} == {"/robots.txt", "/", "/a", "/b"}
    assert min(shop.gaps()) >= 0.3 - 0.01
    assert shop.max_in_flight() == 1
    refused = shop.requests("/a")[0]
    later = [entry.started for entry in requests if entry.started > refused.ended]
    assert min(later) - refused.ended >= 1.0
    assert "/private/c> was refused: line 2 of robots.txt" in done.process.stderr
    assert "/cart> was refused: skipped by the rule /cart" in done.process.stderr
    assert done.stats["sitecrawl/requests/skipped"] == 1
    assert done.stats["item_scraped_count"] == 3, "/, /a and /b"


def test_variables_of_the_environment_hold(shop: SiteServer, shop_spider: ShopSpider) -> None:
    """The budget, the user agent and a skip rule, and the command line above them."""
    environment = {
        "MAX_PAGES": "2",
        "USER_AGENT": "Shop/1.0",
        "SITECRAWL_SKIP_PATHS": "/a",
    }
    done = shop_spider(shop.at("/"), environment=environment)
    done.process.succeeded()
    assert shop.paths() == ["/robots.txt", "/", "/b"]
    assert {entry.header("User-Agent") for entry in shop.requests()} == {"Shop/1.0"}
    done = shop_spider(shop.at("/"), environment=environment, SITECRAWL_MAX_PAGES=1)
    assert done.stats["item_scraped_count"] == 1


def test_allowed_domains_and_other_addresses(
    shop: SiteServer, make_site: Callable[..., SiteServer], shop_spider: ShopSpider
) -> None:
    internal = make_site({"/": b"secret", "/x": b"secret"}, address="127.0.0.2")
    shop.routes |= {"/": page("Home", "/a", "/go", internal.at("/x")), "/a": page("A")}
    shop.routes["/go"] = redirect(internal.at("/"))
    done = shop_spider(shop.at("/"), LOG_LEVEL="DEBUG")
    assert internal.paths() == []
    assert done.process.stderr.count("127.0.0.2 is a loopback address; not allowed without") == 2
    assert done.stats["item_scraped_count"] == 2
    options = ("-a", "domains=127.0.0.1")
    settings = {"SITECRAWL_ADDRESS_ALLOW": f"127.0.0.2:{internal.port}"}
    done = shop_spider(shop.at("/"), options=options, **settings)
    assert internal.paths() == []
    assert done.stats["offsite/filtered"] == 2
    assert done.stats["item_scraped_count"] == 2
    shop_spider(shop.at("/"), **settings)
    assert sorted(internal.paths()) == ["/", "/robots.txt", "/x"]


_STOCK = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"


@pytest.mark.parametrize(
    ("settings", "environment", "words"),
    [
        ({"SITECRAWL_MAX_PAGES": "many"}, {}, "SITECRAWL_MAX_PAGES='many' on the command line: ex"),
        ({"SITECRAWL_MAX_PAGE": 1}, {}, "SITECRAWL_MAX_PAGE: there is no such setting; did you"),
        ({}, {"MAX_PAGES": "many"}, "environment variable MAX_PAGES='many': expected"),
        ({"DOWNLOAD_HANDLERS": json.dumps({"http": _STOCK})}, {}, "DOWNLOAD_HANDLERS['http']="),
    ],
)
def test_a_wrong_setting_is_a_message_and_2(
    shop: SiteServer,
    shop_spider: ShopSpider,
    settings: dict[str, object],
    environment: dict[str, str],
    words: str,
) -> None:
    done = shop_spider(shop.at("/"), environment=environment, **settings).process
    assert done.returncode == 2
    assert f"error: {words}" in done.stderr
    assert "Traceback" not in done.output
    assert shop.paths() == []
