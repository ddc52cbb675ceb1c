"""Error pages that say "200 OK"."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import HtmlResponse, Response

from sitecrawl.config import Config
from sitecrawl.config.profiles import load_settings
from sitecrawl.html.page import read_page
from sitecrawl.items import PageFacts
from sitecrawl.stages.rendering import PageRendering
from sitecrawl.stages.soft_404 import _MADE_UP_PATHS, ErrorPage, ErrorPages
from tests.site import Reply
from tests.site.build import page, sitemap
from tests.stages.stored import refusals

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

    Crawl = Callable[..., CrawlResult]
    Answer = Callable[[str], bytes | Exception]

HOST = "https://example.com"
SORRY = "Sorry, there is nothing at {}. It may have moved, or it never was. Try the search above."
ARTICLE = b"<title>Tents</title><p>How to pitch a tent in rain and wind, step by step.</p>"


def sorry(url: str) -> bytes:
    return f"<title>Shop</title><p>{SORRY.format(url)}</p>".encode()


def facts(body: bytes) -> PageFacts:
    reading = read_page(body, HOST, content_type="text/html")
    return PageFacts(title=reading.title, fingerprint=reading.fingerprint)


class Probing:
    """A host that answers as it is told, and what was asked of it."""

    def __init__(self, answer: Answer, root: bytes = ARTICLE, status: int = 200) -> None:
        self.asked: list[str] = []
        self.recorded: list[Any] = []
        self._answer, self._status = answer, status
        config = Config.from_settings(load_settings("default"))
        context: Any = SimpleNamespace(
            config=config,
            rendering=PageRendering(config),
            root_fingerprint=facts(root).fingerprint,
            download=self._download,
            put=self._put,
        )
        self.error_pages = ErrorPages(context)

    async def _put(self, item: Any) -> None:
        self.recorded.append(item)

    async def _download(self, request: Request) -> Response:
        self.asked.append(request.url)
        answer = self._answer(request.url)
        if isinstance(answer, Exception):
            raise answer
        return HtmlResponse(
            request.url,
            self._status,
            {"Content-Type": "text/html"},
            answer,
            request=request,
            encoding="utf-8",
        )

    def of(self, *urls: str) -> list[ErrorPage | None]:
        async def ask() -> list[ErrorPage | None]:
            return await asyncio.gather(*map(self.error_pages.of, urls))

        return asyncio.run(ask())


def test_a_host_is_asked_once_for_two_pages_that_do_not_exist() -> None:
    probing = Probing(sorry)
    first, second = probing.of(f"{HOST}/a", f"{HOST}/b")
    assert first is second
    assert first is not None
    assert probing.asked == [HOST + path for path in _MADE_UP_PATHS]
    assert first.url == probing.asked[0]
    assert first.title == "Shop"
    kinds = [document.kind for document in probing.recorded]
    assert kinds == ["probe", "probe"]


def test_every_host_is_asked() -> None:
    probing = Probing(sorry)
    probing.of(f"{HOST}/a", "https://other.example/b")
    assert len(probing.asked) == 4


@pytest.mark.parametrize(
    ("body", "is_error"),
    [
        (sorry("/gone"), True),
        (sorry("/a/longer/path/that-is-gone"), True),
        (ARTICLE, False),
        (b"<title>Shop</title>" + ARTICLE.partition(b"</title>")[2], False),
    ],
    ids=["the same", "another path", "another page", "another page with the same title"],
)
def test_a_page_is_recognised_by_its_text(body: bytes, is_error: bool) -> None:
    (error_page,) = Probing(sorry).of(f"{HOST}/a")
    assert error_page is not None
    assert error_page.looks_like(facts(body)) is is_error


@pytest.mark.parametrize(
    ("title", "bits", "is_error"),
    [
        ("Shop", 5, True),
        ("Shop", 13, False),
        ("Tents", 5, False),
        ("Tents", 3, True),
        ("", 5, False),
    ],
)
def test_with_the_same_title_more_words_may_differ(title: str, bits: int, is_error: bool) -> None:
    error_page = ErrorPage("https://example.com/x", "Shop", fingerprint=0, bits=12)
    found = PageFacts(title=title, fingerprint=2**bits - 1)
    assert error_page.looks_like(found) is is_error


def test_a_page_without_text_looks_like_nothing() -> None:
    (error_page,) = Probing(sorry).of(f"{HOST}/a")
    assert error_page is not None
    assert not error_page.looks_like(replace(facts(sorry("/a")), fingerprint=None))


@pytest.mark.parametrize(
    "probing",
    [
        Probing(sorry, status=404),
        Probing(sorry, status=302),
        Probing(lambda _url: ARTICLE),
        Probing(lambda _url: b""),
        Probing(lambda _url: DownloadTimeoutError("10 s")),
        Probing(lambda url: sorry(url) if url.endswith(_MADE_UP_PATHS[0]) else OSError()),
    ],
    ids=["404", "a redirect", "the root for all", "nothing", "no answer", "only one answer"],
)
def test_a_host_that_shows_no_error_page_has_none(probing: Probing) -> None:
    assert probing.of(f"{HOST}/a") == [None]
    assert probing.recorded, "what was asked is recorded all the same"


class TestCrawls:
    SETTINGS: ClassVar = {
        "SITECRAWL_CRAWL": "auto",
        "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
    }

    @pytest.fixture(autouse=True)
    def serve(self, site: SiteServer) -> None:
        site.routes.update(
            {
                "/": page("Home", "/tents", "/gone-for-good"),
                "/tents": ARTICLE,
                "/robots.txt": b"",
                "/sitemap.xml": sitemap(),
                "/*": lambda request: Reply(sorry(request.path), content_type="text/html"),
            }
        )

    @pytest.mark.parametrize("is_on", [True, False], ids=["on", "off"])
    def test_an_error_page_is_refused_with_what_it_looks_like(
        self, site: SiteServer, crawl: Crawl, is_on: bool
    ) -> None:
        done = crawl(site.url, settings={**self.SETTINGS, "SITECRAWL_SOFT_404": is_on}).succeeded()
        made_up = site.at(_MADE_UP_PATHS[0])
        refused = {site.at("/gone-for-good"): ("soft_404", made_up)} if is_on else {}
        assert refusals(done) == refused
        assert (_MADE_UP_PATHS[0] in site.paths()) is is_on
        assert made_up not in done.urls

    def test_a_server_that_answers_the_root_everywhere_refuses_nothing(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes["/*"] = site.routes["/tents"] = site.routes["/"]
        done = crawl(site.url, settings=self.SETTINGS).succeeded()
        assert refusals(done) == {}
        assert done.urls == [site.at(path) for path in ("/", "/tents", "/gone-for-good")]
