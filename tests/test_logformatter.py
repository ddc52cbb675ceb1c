"""The line of an answer is made only for those who see it."""

from __future__ import annotations

import pytest
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from sitecrawl.logformatter import QuietLogFormatter


@pytest.mark.parametrize(
    ("level", "is_made"),
    [("DEBUG", True), ("INFO", False), ("ERROR", False)],
)
def test_an_answer_has_a_line_where_debug_is_shown(level: str, is_made: bool) -> None:
    request = Request("http://site.example/")
    formatter = QuietLogFormatter.from_crawler(get_crawler(settings_dict={"LOG_LEVEL": level}))
    line = formatter.crawled(request, Response(request.url), Spider("any"))
    assert (line is not None) is is_made
