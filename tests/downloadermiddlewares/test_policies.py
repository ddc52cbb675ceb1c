"""Policies that subclasses replace, as docs/spiders.md says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler

from sitecrawl import settings as defaults
from sitecrawl.downloadermiddlewares.redirect import CleanRedirectMiddleware
from sitecrawl.downloadermiddlewares.skip import SkipRulesMiddleware
from sitecrawl.extensions.bodylimit import BodyLimit
from sitecrawl.items import DocumentKind
from tests.site.project import ROOT

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_ROW = re.compile(r"\| `(sitecrawl\.[\w.]+)` \| `(\w+)\(")


@pytest.fixture
def crawler() -> Crawler:
    values = {name: value for name, value in vars(defaults).items() if name.startswith("SITECRAWL")}
    return get_crawler(settings_dict=values)


def test_the_documented_methods_are_there() -> None:
    rows = _ROW.findall((ROOT / "docs" / "spiders.md").read_text(encoding="utf-8"))
    assert len(rows) == 6
    assert [row for row in rows if not callable(getattr(load_object(row[0]), row[1], None))] == []


def test_nothing_is_skipped(crawler: Crawler) -> None:
    class NothingSkipped(SkipRulesMiddleware):
        def refusal(self, request: Request) -> None:
            return None

    NothingSkipped.from_crawler(crawler).process_request(Request("https://example.com/admin"))


def test_no_redirect_is_followed(crawler: Crawler) -> None:
    class NoRedirects(CleanRedirectMiddleware):
        def should_follow(self, request: Request, target: str) -> bool:
            return False

    response = Response("https://example.com/a", status=301, headers={"Location": "/b"})
    request = Request(response.url)
    assert NoRedirects.from_crawler(crawler).process_response(request, response) is response
    followed = CleanRedirectMiddleware.from_crawler(crawler).process_response(request, response)
    assert followed.url == "https://example.com/b"


def test_every_file_is_downloaded(crawler: Crawler) -> None:
    class EveryFile(BodyLimit):
        def should_download(self, request: Request, content_type: str) -> bool:
            return True

    meta = {"sitecrawl_document": {"kind": DocumentKind.PAGE}}
    request = Request("https://example.com/a.pdf", meta=meta)
    EveryFile(crawler).headers_received(Headers({"Content-Type": "application/pdf"}), request)
