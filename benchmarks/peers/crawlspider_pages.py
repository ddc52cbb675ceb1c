"""Visit every page of a site with Scrapy's CrawlSpider: `crawlspider_pages.py ROOT_URL FEED`.

Everything is as Scrapy ships it, robots.txt not asked for included, but for the log: at its default
level it would write each request and each item once more.
"""

import sys
from urllib.parse import urlsplit

from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class PagesSpider(CrawlSpider):
    """Follows every link of the site and yields one item per page."""

    name = "pages"
    rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

    def __init__(self, root_url, **arguments):
        self.start_urls = [root_url]
        self.allowed_domains = [urlsplit(root_url).hostname]
        super().__init__(**arguments)

    def parse_start_url(self, response):
        return self.parse_page(response)

    def parse_page(self, response):
        return {"url": response.url, "title": response.css("title::text").get()}


def main() -> None:
    root_url, feed = sys.argv[1:]
    # Not `scrapy runspider`, which would find the scrapy.cfg of this project above it.
    settings = {
        "FEEDS": {feed: {"format": "jsonlines"}},
        "LOG_LEVEL": "INFO",
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_DELAY": 0,
    }
    process = CrawlerProcess(settings)
    process.crawl(PagesSpider, root_url=root_url)
    process.start()


if __name__ == "__main__":
    main()
