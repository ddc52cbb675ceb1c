"""Visit every page of a site with as little as possible: `selectolax_spider.py ROOT_URL FEED`.

The floor under every crawler that is built on Scrapy: one pass of selectolax over the page, a set
of known URLs, a request only for what is new, and nothing of Scrapy that can be left out. It keeps
no more than the URLs.
"""

import json
import sys
from pathlib import Path
from urllib.parse import urldefrag, urljoin

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from selectolax.lexbor import LexborHTMLParser


class LeanSpider(Spider):
    name = "lean"

    def __init__(self, root_url, feed, **arguments):
        super().__init__(**arguments)
        self.start_urls = [root_url]
        self.root_url = root_url
        self.feed = feed
        self.known = {root_url}
        self.hrefs = set()

    def parse(self, response):
        for anchor in LexborHTMLParser(response.body).css("a[href]"):
            href = anchor.attributes["href"] or ""
            if href in self.hrefs:
                continue
            if href.startswith(("/", "http")):
                self.hrefs.add(href)  # it means the same on every page, so it is joined only once
            url = urldefrag(urljoin(response.url, href)).url
            if url not in self.known and url.startswith(self.root_url):
                self.known.add(url)
                yield Request(url, dont_filter=True)

    def closed(self, reason):
        with Path(self.feed).open("w", encoding="utf-8") as rows:
            rows.writelines(json.dumps({"url": url}) + "\n" for url in self.known)


def main() -> None:
    root_url, feed = sys.argv[1:]
    settings = {
        "LOG_LEVEL": "INFO",
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_ITEMS": 1,
        "DOWNLOADER_MIDDLEWARES_BASE": {},
        "SPIDER_MIDDLEWARES_BASE": {
            "scrapy.spidermiddlewares.start.StartSpiderMiddleware": 25,
        },
        "EXTENSIONS_BASE": {},
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
    }
    process = CrawlerProcess(settings)
    process.crawl(LeanSpider, root_url=root_url, feed=feed)
    process.start()


if __name__ == "__main__":
    main()
