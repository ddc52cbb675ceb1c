"""Measure single steps of a scan, without network and database.

    python -m benchmarks.steps robots 1m --rounds 5
    python -m benchmarks.steps classify 1m --rounds 5
    python -m benchmarks.steps links 40 --rounds 20

- robots: the addresses of the sitemap site go through the pipeline that gives them their robots.txt
  verdicts, in batches as the sitemap stage makes them, under the robots.txt of a shop.
- classify: a sample of those addresses, with their lastmod, goes through `learn_site`, as at the
  end of a scan, and all of them through `PageClassifier.classify`.
- links: pages of the crawled site are read by `read_page` with everything that it does (all
  sources, regions, anchors, paths, JSON-LD, title, hashes of the text), and by Scrapy's link
  extractor, parsel and selectolax, which only take the addresses of the `a` elements.

CPU time of this process; the lowest of the rounds counts, because others may use the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import time
from statistics import fmean
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from parsel import Selector
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from selectolax.lexbor import LexborHTMLParser

from benchmarks.built_sites import parse_size
from benchmarks.page_markup import PageTemplate
from benchmarks.page_plan import SitePlan
from benchmarks.sitemap_site import lastmod_of, url_of
from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.pages import PageColumns
from sitecrawl.classify.site_model import SAMPLE_ROWS, learn_site
from sitecrawl.config import Config
from sitecrawl.config.profiles import load_settings
from sitecrawl.html.page import read_page
from sitecrawl.items import Document, DocumentKind, FetchOutcome, MentionBatch, Source
from sitecrawl.pipelines.robots import RobotsPipeline
from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.policy import policy_for
from sitecrawl.scan.counters import ScanCounters
from sitecrawl.scan.robots import AuthorityRobots
from sitecrawl.urls.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = "https://www.shop.example"
ROBOTS_TXT = b"""\
# robots.txt of a shop
User-agent: AhrefsBot
Crawl-delay: 10

User-agent: *
Disallow: /admin
Disallow: /account
Disallow: /cart
Disallow: /checkout
Disallow: /orders
Disallow: /carts
Disallow: /wishlist
Disallow: /compare
Disallow: /login
Disallow: /register
Disallow: /search
Allow: /search/help
Disallow: /internal/
Disallow: /tmp/
Disallow: /cgi-bin/
Disallow: /wp-admin/
Allow: /wp-admin/admin-ajax.php
Disallow: /*/print$
Disallow: /*.pdf$
Disallow: /*.xls$
Disallow: /*?sort=
Disallow: /*&sort=
Disallow: /*?*size=
Disallow: /*?*sessionid=
Disallow: /*?*utm_
Disallow: /forum/*/reply
Disallow: /forum/*/report
Disallow: /blog/*/amp
Disallow: /preview/
Disallow: /*/feed/$

Sitemap: https://www.shop.example/sitemap.xml
"""


class _OneRobotsFile:
    """A registry that has the same robots.txt for every authority."""

    def __init__(self) -> None:
        document = Document(
            f"{ROOT}/robots.txt", DocumentKind.ROBOTS_TXT, "the benchmark", FetchOutcome.OK
        )
        answer = read_answer("ok", 200)
        self._robots = AuthorityRobots(
            document, answer, policy_for(answer, ROBOTS_TXT, token="sitecrawl")
        )

    def __len__(self) -> int:
        return 1

    def __contains__(self, _url: str) -> bool:
        return True

    async def robots_of(self, _url: str) -> AuthorityRobots:
        return self._robots


def batches(columns: list[list[str]]) -> Iterator[MentionBatch]:
    scope = Scope.from_urls([f"{ROOT}/"])
    for urls in columns:
        yield MentionBatch(
            document=f"{ROOT}/sitemap.xml",
            base=f"{ROOT}/sitemap.xml",
            source=Source.SITEMAP,
            scope=scope,
            positions=range(1, len(urls) + 1),
            locs=urls,
            urls=urls,
            is_new=[True] * len(urls),
        )


async def judge_all(columns: list[list[str]], pipeline: Any) -> tuple[float, int]:
    """Return the CPU seconds and how many were refused."""
    seconds, refused = 0.0, 0
    for batch in batches(columns):
        started = time.process_time()
        await pipeline.process_item(batch)
        seconds += time.process_time() - started
        refused += len(batch.refused)
    return seconds, refused


def measure_robots(entries: int, rounds: int) -> dict[str, float]:
    config = Config.from_settings(load_settings("fast"))
    size = config.sitemap_batch_entries
    columns = [
        [url_of(slot, ROOT) for slot in range(first, min(first + size, entries))]
        for first in range(0, entries, size)
    ]
    scan: Any = SimpleNamespace(config=config, robots=_OneRobotsFile(), counters=ScanCounters())
    runs = [asyncio.run(judge_all(columns, RobotsPipeline(scan))) for _ in range(rounds)]
    seconds, refused = min(runs)
    return {
        "microseconds_per_url": seconds / entries * 1e6,
        "microseconds_per_url_highest": max(runs)[0] / entries * 1e6,
        "rules": ROBOTS_TXT.count(b"llow: "),
        "refused": refused,
    }


# --- classification ---

_BATCH = 500  # as the store reads them


def page_batches(entries: int) -> list[PageColumns]:
    return [
        PageColumns(
            urls=[url_of(slot, ROOT) for slot in slots],
            lastmods=[lastmod_of(slot) for slot in slots],
        )
        for first in range(0, entries, _BATCH)
        for slots in [range(first, min(first + _BATCH, entries))]
    ]


def measure_classify(entries: int, rounds: int) -> dict[str, float]:
    columns = page_batches(entries)
    one_of = max(1, entries // (2 * SAMPLE_ROWS))  # about as the store chooses
    gc.freeze()  # what was made for the measurement is not to be walked through again and again
    learning, classifying = [], []
    for _ in range(rounds):
        started = time.process_time()
        site = learn_site(columns[::one_of], one_of=one_of)
        learned = time.process_time()
        classifier = PageClassifier(site.model)
        for part in columns:
            classifier.classify(part)
        learning.append(learned - started)
        classifying.append(time.process_time() - learned)
    return {
        "learn_microseconds_per_url": min(learning) / entries * 1e6,
        "learn_microseconds_per_url_highest": max(learning) / entries * 1e6,
        "classify_microseconds_per_url": min(classifying) / entries * 1e6,
        "classify_microseconds_per_url_highest": max(classifying) / entries * 1e6,
        "clusters": len(site.clusters),
    }


# --- links ---

URL = "http://127.0.0.1:8917/page"
SITE_PAGES = 5_000
_EXTRACTOR = LinkExtractor()


def with_sitecrawl(body: bytes) -> int:
    content_type = "text/html; charset=utf-8"
    return len(read_page(body, URL, content_type=content_type, has_menu=False).links)


def with_link_extractor(body: bytes) -> int:
    return len(_EXTRACTOR.extract_links(HtmlResponse(URL, body=body, encoding="utf-8")))


def with_parsel(body: bytes) -> int:
    return len(Selector(text=body.decode()).css("a::attr(href)").getall())


def with_selectolax(body: bytes) -> int:
    return len([node.attributes.get("href") for node in LexborHTMLParser(body).css("a[href]")])


READERS: dict[str, Callable[[bytes], int]] = {
    "read_page": with_sitecrawl,
    "LxmlLinkExtractor": with_link_extractor,
    "parsel": with_parsel,
    "selectolax": with_selectolax,
}


def sample(number: int) -> list[bytes]:
    """Give pages of all kinds, from all over the site."""
    plan = SitePlan(SITE_PAGES)
    template = PageTemplate(plan, "http://127.0.0.1:8917")
    pages = list(plan.pages())
    return [template.render(page) for page in pages[:: SITE_PAGES // number][:number]]


def measure_links(number: int, rounds: int) -> dict[str, float]:
    pages = sample(number)
    lowest = {name: [float("inf")] * len(pages) for name in READERS}
    for _ in range(rounds):
        for name, reader in READERS.items():
            times = lowest[name]
            for index, body in enumerate(pages):
                started = time.process_time()
                reader(body)
                times[index] = min(times[index], time.process_time() - started)
    return {
        "pages": len(pages),
        "bytes_per_page": fmean(map(len, pages)),
        "links_per_page": fmean(map(with_selectolax, pages)),
        "rows_per_page": fmean(map(with_sitecrawl, pages)),
        **{f"{name} ms": fmean(times) * 1e3 for name, times in lowest.items()},
    }


STEPS: dict[str, Callable[[int, int], dict[str, float]]] = {
    "robots": measure_robots,
    "classify": measure_classify,
    "links": measure_links,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("size", type=parse_size, help="URLs (1m, 100k), or pages of links (40)")
    parser.add_argument("--rounds", type=int, default=5, help="how often (default: 5)")
    options = parser.parse_args()
    print(json.dumps(STEPS[options.step](options.size, options.rounds)))


if __name__ == "__main__":
    main()
