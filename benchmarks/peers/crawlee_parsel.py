"""Visit every page of a site with crawlee's ParselCrawler: `crawlee_parsel.py ROOT_URL FEED`.

With its queue in memory and the URLs in a list of our own: its default keeps both in files, one per
request and item, which costs more. robots.txt is not asked for, which is its default.
"""

import asyncio
import json
import logging
import sys
from pathlib import Path

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient


async def visit_pages(root_url: str) -> list[str]:
    urls = []
    crawler = ParselCrawler(
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=8, desired_concurrency=8, max_concurrency=8
        ),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def visit(context: ParselCrawlingContext) -> None:
        urls.append(context.request.url)
        await context.enqueue_links()

    await crawler.run([root_url])
    return urls


def main() -> None:
    root_url, feed = sys.argv[1:]
    logging.basicConfig(level=logging.WARNING)
    found = asyncio.run(visit_pages(root_url))
    with Path(feed).open("w", encoding="utf-8") as rows:
        rows.writelines(json.dumps({"url": url}) + "\n" for url in found)


if __name__ == "__main__":
    main()
