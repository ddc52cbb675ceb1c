from __future__ import annotations

import gzip
from xml.etree import ElementTree as ET

from tests.site.build import NAMESPACE, gz, page, robots, rss, sitemap, sitemap_index, text_map


def texts(body: bytes, name: str) -> list[str | None]:
    return [element.text for element in ET.fromstring(body).iter(name)]


def test_sitemap_lists_its_locs_escaped() -> None:
    body = sitemap("http://h/?a=1&b=2", "http://h/b", lastmod="2026-01-02", priority=0.5)
    assert texts(body, f"{{{NAMESPACE}}}loc") == ["http://h/?a=1&b=2", "http://h/b"]
    assert texts(body, f"{{{NAMESPACE}}}lastmod") == ["2026-01-02"] * 2
    assert texts(body, f"{{{NAMESPACE}}}priority") == ["0.5"] * 2


def test_sitemap_index_lists_its_maps() -> None:
    assert texts(sitemap_index("http://h/1.xml"), f"{{{NAMESPACE}}}loc") == ["http://h/1.xml"]


def test_feed_text_map_and_gz() -> None:
    assert texts(rss("http://h/1", "http://h/2"), "link") == ["http://h/1", "http://h/2"]
    assert text_map("http://h/1", "http://h/2") == b"http://h/1\nhttp://h/2\n"
    assert gzip.decompress(gz("text")) == b"text"


def test_robots_has_one_group_and_the_sitemap_lines() -> None:
    body = robots("http://h/s.xml", disallow=("/a",), allow=("/a/b",), crawl_delay=0.5)
    assert body.decode().splitlines() == [
        "User-agent: *",
        "Disallow: /a",
        "Allow: /a/b",
        "Crawl-delay: 0.5",
        "",
        "Sitemap: http://h/s.xml",
    ]


def test_page_holds_navigation_and_links() -> None:
    body = page("A & B", "/x", nav=("/",)).decode()
    assert "<title>A &amp; B</title>" in body
    assert '<nav><a href="/">' in body
    assert '<a href="/x">' in body
