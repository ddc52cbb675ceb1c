"""Measure what the verdict of robots.txt adds to each URL of a sitemap.

    python -m benchmarks.verdicts 1m --rounds 5

The addresses of the synthetic site go through the pipeline that judges them, in batches as the
sitemap stage makes them, under a robots.txt as shops have it. Only the pipeline is on the clock
(CPU time of this process); storing one number more per page is not. The lowest of the rounds
counts: on a busy machine the others measure the neighbours.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

from benchmarks.building import parse_size
from benchmarks.site import url_of
from sitecrawl.config.profiles import load_settings
from sitecrawl.items import Document, DocumentKind, FetchOutcome, MentionBatch, Source
from sitecrawl.pipelines.robots import RobotsPipeline
from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.policy import policy_for
from sitecrawl.scan.robots import AuthorityRobots
from sitecrawl.urls.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import Settings

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


class _Judging:
    """What the pipeline asks of a crawler, and of its register of robots.txt files."""

    def __init__(self, settings: Settings):
        self.settings = settings
        document = Document(
            f"{ROOT}/robots.txt", DocumentKind.ROBOTS_TXT, "the benchmark", FetchOutcome.OK
        )
        answer = read_answer("ok", 200)
        self._robots = AuthorityRobots(
            document, answer, policy_for(answer, ROBOTS_TXT, token="sitecrawl")
        )

    def get_extension(self, _kind: type) -> _Judging:
        return self

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


def measure(entries: int, rounds: int) -> dict[str, float]:
    settings = load_settings("fast")
    size = settings.getint("SITECRAWL_SITEMAP_BATCH_ENTRIES")
    columns = [
        [url_of(slot, ROOT) for slot in range(first, min(first + size, entries))]
        for first in range(0, entries, size)
    ]
    crawler: Any = _Judging(settings)
    runs = [asyncio.run(judge_all(columns, RobotsPipeline(crawler))) for _ in range(rounds)]
    seconds, refused = min(runs)
    return {
        "microseconds_per_url": seconds / entries * 1e6,
        "microseconds_per_url_highest": max(runs)[0] / entries * 1e6,
        "rules": ROBOTS_TXT.count(b"llow: "),
        "refused": refused,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("entries", type=parse_size, help="number of URLs: 1m, 100k, 2500")
    parser.add_argument("--rounds", type=int, default=5, help="how often (default: 5)")
    options = parser.parse_args()
    print(json.dumps(measure(options.entries, options.rounds)))


if __name__ == "__main__":
    main()
