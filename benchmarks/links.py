"""Measure what it costs to read the links of a page.

    python -m benchmarks.links 40 --rounds 20

Pages of the crawl's synthetic site (30-60 KB, about 100 links each) are read by
`read_page` with everything that it does (all sources, regions, anchors, paths, JSON-LD, title,
hashes of the text), by Scrapy's link extractor, by parsel and by bare selectolax, which only take
the addresses of the `a` elements. CPU time of this process; the lowest of the rounds counts for
each page, because the others measure a busy machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from statistics import fmean
from typing import TYPE_CHECKING

from parsel import Selector
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from selectolax.lexbor import LexborHTMLParser

from benchmarks.building import PROJECT_DIR, parse_size
from benchmarks.contestants import SITECRAWL
from benchmarks.pagemarkup import PageTemplate
from benchmarks.pageplan import SitePlan
from benchmarks.report import Bar, ratio
from sitecrawl.html.page import read_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.sections import Options, Results

URL = "http://127.0.0.1:8917/page"
SITE_PAGES = 5_000
SAMPLE_PAGES = 40
ROUNDS = 20
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


def measure(number: int, rounds: int) -> dict[str, float]:
    pages = sample(number)
    lowest = {name: [float("inf")] * len(pages) for name in READERS}
    for _ in range(rounds):
        for name, reader in READERS.items():
            times = lowest[name]
            for place, body in enumerate(pages):
                started = time.process_time()
                reader(body)
                times[place] = min(times[place], time.process_time() - started)
    return {
        "pages": len(pages),
        "bytes_per_page": fmean(map(len, pages)),
        "links_per_page": fmean(map(with_selectolax, pages)),
        "rows_per_page": fmean(map(with_sitecrawl, pages)),
        **{f"{name} ms": fmean(times) * 1e3 for name, times in lowest.items()},
    }


def run_links(options: Options, results: Results) -> None:
    """Read the links of some pages with ours and with others, in a process of its own."""
    print("\nthe links of a page")
    rounds = max(options.rounds, ROUNDS)
    command = [SITECRAWL.script("python"), "-m", "benchmarks.links", str(SAMPLE_PAGES)]
    done = subprocess.run(
        [*command, "--rounds", str(rounds)],
        cwd=PROJECT_DIR,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    figures = results.sections["links"] = json.loads(done.stdout)
    for name in READERS:
        print(f"  {name:<18} {figures[f'{name} ms']:6.2f} ms of CPU per page")
    ours = figures["read_page ms"]
    part = ratio(ours, figures["LxmlLinkExtractor ms"])
    results.add_bars(
        [
            Bar("CPU for the links of a page", ours, 1.2, " ms"),
            Bar("the same as a part of LxmlLinkExtractor's", part, 0.33),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the reading of links.")
    parser.add_argument("pages", type=parse_size, help="number of pages: 40")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often ({ROUNDS})")
    options = parser.parse_args()
    print(json.dumps(measure(options.pages, options.rounds), indent=2))


if __name__ == "__main__":
    main()
