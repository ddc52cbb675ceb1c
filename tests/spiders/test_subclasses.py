"""The spiders that docs/spiders.md shows, run as they stand there."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.site import Reply
from tests.site.build import page, robots, sitemap, sitemap_index
from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.project import ProcessResult, Project

_BLOCK = re.compile(r"```python (?P<name>\S+)\n(?P<code>.*?)```", re.DOTALL)


@pytest.fixture
def run_documented(
    project: Project, run_scrapy: Callable[..., ProcessResult]
) -> Callable[..., ProcessResult]:
    """Run a spider of docs/spiders.md; its own items go to items.jsonl by a pipeline."""
    (project.folder / "keep.py").write_text(_KEEP, encoding="utf-8")
    text = (ROOT / "docs" / "spiders.md").read_text(encoding="utf-8")
    for block in _BLOCK.finditer(text):
        (project.folder / block["name"]).write_text(block["code"], encoding="utf-8")

    def run(name: str, url: str, **settings: object) -> ProcessResult:
        options = [word for key, value in settings.items() for word in ("-s", f"{key}={value}")]
        pipelines = json.dumps({**_OURS, "keep.Keep": 900})
        return run_scrapy(
            *("runspider", name, "-a", f"domain={url}", "-O", "urls.jsonl"),
            *("-s", f"ITEM_PIPELINES={pipelines}", *options),
            environment={"PYTHONPATH": f"{ROOT}:{project.folder}"},
        )

    return run


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


_KEEP = """
import json


class Keep:
    def process_item(self, item):
        with open("items.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(item) + chr(10))
        return item
"""
_OURS = {
    f"sitecrawl.pipelines.{module}.{name}Pipeline": number
    for number, (module, name) in enumerate(
        [
            ("canonicalize", "Canonicalize"),
            ("scope", "Scope"),
            ("dedupe", "Dedupe"),
            ("robots", "Robots"),
            ("classify", "Classify"),
            ("count", "Count"),
            ("frontier", "Frontier"),
            ("store", "Store"),
        ],
        start=1,
    )
}


def test_the_sitemap_spider(
    site: SiteServer, project: Project, run_documented: Callable[..., ProcessResult]
) -> None:
    site.routes |= {
        "/": page("Home"),
        "/robots.txt": robots("/index.xml"),
        "/index.xml": sitemap_index("/articles.xml", "/other.xml"),
        "/articles.xml": _articles(site),
        "/other.xml": sitemap("/other"),
        "/articles/new": "<h1>News</h1>",
    }
    done = run_documented("sitemap_spider.py", site.url)
    assert done.returncode == 0, done.output
    urls = [row["url"] for row in lines(project.folder / "urls.jsonl")]
    assert urls == [site.at("/articles/new"), site.at("/about")]
    assert "/other.xml" not in site.paths()
    assert "/about" not in site.paths(), "no rule asks for it"
    items = lines(project.folder / "items.jsonl")
    assert items == [{"url": site.at("/articles/new"), "headline": "News"}]


def _articles(site: SiteServer) -> bytes:
    entries = {"/articles/new": "2026-03-01", "/articles/old": "2025-12-31", "/about": "2026-01-01"}
    rows = "".join(
        f"<url><loc>{site.at(path)}</loc><lastmod>{day}</lastmod></url>"
        for path, day in entries.items()
    )
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<urlset xmlns="{namespace}">{rows}</urlset>'.encode()


def test_the_crawl_spider(
    site: SiteServer, project: Project, run_documented: Callable[..., ProcessResult]
) -> None:
    nav = '<nav><a href="/list/a">A</a> <a href="/list/a?page=2">2</a></nav>'
    site.routes |= {
        "/robots.txt": robots(),
        "/": f'{nav}<main><a href="/list/hidden">no menu</a> <a href="/about">About</a></main>',
        "/list/a": '<a href="/product/1">1</a> <a href="/product/1/reviews">reviews</a>',
        "/product/1": '<span class="price">5</span><a href="/product/2">follows no link</a>',
    }
    done = run_documented("crawl_spider.py", site.url, SITECRAWL_SOFT_404=0)
    assert done.returncode == 0, done.output
    assert [path for path in site.paths() if path != "/robots.txt"] == [
        "/",
        "/list/a",
        "/product/1",
    ]
    urls = {row["url"] for row in lines(project.folder / "urls.jsonl")}
    assert {site.at("/about"), site.at("/product/1/reviews"), site.at("/product/2")} <= urls
    items = lines(project.folder / "items.jsonl")
    assert items == [{"url": site.at("/product/1"), "price": "5"}]


def test_the_callbacks_of_a_crawl_spider_get_unchanged_pages_as_well(
    site: SiteServer, project: Project, run_documented: Callable[..., ProcessResult]
) -> None:
    product = '<span class="price">5</span>'
    site.routes |= {
        "/": '<a href="/product/1">1</a>',
        "/product/1": Reply(product, content_type="text/html", etag='"1"'),
    }
    for _ in range(2):
        done = run_documented("crawl_spider.py", site.url, SITECRAWL_SOFT_404=0)
        assert done.returncode == 0, done.output
    assert [entry.status for entry in site.requests("/product/1")] == [200, 200]
    items = lines(project.folder / "items.jsonl")
    assert items == [{"url": site.at("/product/1"), "price": "5"}] * 2


# The frontier loads the next pages, and hands one out, before the stages are asked for more.
_LATE = """
from sitecrawl.spiders.crawl import CrawlSpider


class LateSpider(CrawlSpider):
    name = "late"

    async def _go_on(self):
        frontier = self.context.scan.frontier
        if frontier.is_open:
            await (frontier._refilling or frontier._refill())
        await super()._go_on()
"""


def test_a_page_that_is_handed_out_while_the_spider_becomes_idle_is_not_lost(
    site: SiteServer, project: Project, run_scrapy: Callable[..., ProcessResult]
) -> None:
    names = ["/one", "/two", "/three", "/four"]
    site.routes["/"] = page("Home", names[0])
    for name, following in zip(names, [*names[1:], ""], strict=True):
        site.routes[name] = page(name, following or "/")
    (project.folder / "late.py").write_text(_LATE, encoding="utf-8")
    done = run_scrapy(
        *("runspider", "late.py", "-a", f"domain={site.url}", "-O", "urls.jsonl"),
        *("-s", "SITECRAWL_MAX_CRAWL_DEPTH=0", "-s", "SITECRAWL_SOFT_404=0"),
    )
    assert done.returncode == 0, done.output
    assert len(lines(project.folder / "urls.jsonl")) == 1 + len(names)
