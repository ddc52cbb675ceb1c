from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from sitecrawl import settings as defaults
from sitecrawl.downloadermiddlewares.skip import SkippedError, SkipRulesMiddleware

SITE = "https://example.com"


@pytest.fixture
def middleware() -> SkipRulesMiddleware:
    values = {name: value for name, value in vars(defaults).items() if name.startswith("SITECRAWL")}
    crawler = get_crawler(settings_dict={**values, "SITECRAWL_QUERY_STRINGS": "skip"})
    return SkipRulesMiddleware.from_crawler(crawler)


@pytest.mark.parametrize(
    ("path", "rule"),
    [("/admin/x", "/admin"), ("/ADMIN", "/admin"), ("/a.pdf", "*.pdf"), ("/a?b=1", "?")],
)
def test_a_rule_refuses(middleware: SkipRulesMiddleware, path: str, rule: str) -> None:
    with pytest.raises(SkippedError) as skipped:
        middleware.process_request(Request(SITE + path))
    assert skipped.value.refusal.rule == rule
    assert rule in str(skipped.value)


@pytest.mark.parametrize("url", [SITE, f"{SITE}/", f"{SITE}/administration", "data:,x"])
def test_others_pass(middleware: SkipRulesMiddleware, url: str) -> None:
    middleware.process_request(Request(url))


@pytest.mark.parametrize("key", ["is_start_request", "sitecrawl_dont_skip"])
def test_what_was_asked_for_passes(middleware: SkipRulesMiddleware, key: str) -> None:
    middleware.process_request(Request(f"{SITE}/admin", meta={key: True}))
