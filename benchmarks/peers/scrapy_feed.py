"""List a site's sitemap URLs with Scrapy's own spider and feed: `scrapy_feed.py ROOT_URL FEED`.

Everything is as Scrapy ships it, but for the log: at its default level it would write each item
once more, which nobody wants of a million URLs and which costs another fifth of the CPU.
"""

import sys

from scrapy.crawler import CrawlerProcess
from scrapy.spiders import SitemapSpider
from scrapy.utils.sitemap import Sitemap


class ListingSpider(SitemapSpider):
    """Yields one item per listed page in place of the request that the parent class makes."""

    name = "listing"

    def __init__(self, root_url, **arguments):
        self.sitemap_urls = [root_url + "robots.txt"]
        super().__init__(**arguments)

    def _parse_sitemap(self, response):
        body = self._get_sitemap_body(response)
        if body and (sitemap := Sitemap(body)).type == "urlset":
            for entry in sitemap:
                yield {"url": entry["loc"], "lastmod": entry.get("lastmod")}
        else:
            yield from super()._parse_sitemap(response)


def main() -> None:
    root_url, feed = sys.argv[1:]
    # Not `scrapy runspider`, which would find the scrapy.cfg of this project above it.
    process = CrawlerProcess({"FEEDS": {feed: {"format": "jsonlines"}}, "LOG_LEVEL": "INFO"})
    process.crawl(ListingSpider, root_url=root_url)
    process.start()


if __name__ == "__main__":
    main()
