"""List a site's sitemap URLs with crawlee's sitemap loader: `crawlee_loader.py ROOT_URL`.

`parse_sitemap` is what its `SitemapRequestLoader` and `Sitemap.load` are built on; called directly
it is the cheapest of the three, in CPU and in memory, so this is crawlee at its best.
"""

import asyncio
import sys

from crawlee._utils.robots import RobotsTxtFile
from crawlee._utils.sitemap import SitemapSource, parse_sitemap
from crawlee.http_clients import ImpitHttpClient


async def count_urls(root_url: str) -> int:
    async with ImpitHttpClient() as client:
        robots = await RobotsTxtFile.find(root_url, client)
        sources = [
            SitemapSource(type="url", url=url)
            for url in robots.get_sitemaps(enqueue_strategy="same-hostname")
        ]
        urls = 0
        async for _ in parse_sitemap(sources, client):
            urls += 1
        return urls


print(asyncio.run(count_urls(sys.argv[1])))
