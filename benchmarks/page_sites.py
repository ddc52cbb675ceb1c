"""Build the sites that are crawled; the same size and port give the same bytes.

    python -m benchmarks.page_sites 5k --port 8917
    python -m benchmarks.page_sites 100k --frontier

The first has linked pages as real sites have them; their paths are what a crawl has to find. The
second names far more pages than a crawl may visit, to measure the memory of the frontier:

- The root links 200 listings, and each listing 500 pages; a crawl that visits little more than the
  listings has all the rest waiting.
- Only the number of different pages differs between two such sites: with fewer pages the listings
  name the same ones again, so the visited pages, their size and their links stay the same.
- Addresses are words without numbers, as those of a wiki: a crawler that groups addresses by their
  pattern finds each a pattern of its own, which costs the most memory.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from benchmarks.built_sites import (
    BENCH_DIR,
    DEFAULT_PORT,
    SiteManifest,
    ensure_built,
    parse_size,
    size_name,
    write_pages,
)
from benchmarks.page_markup import PageTemplate
from benchmarks.page_plan import WORDS, Prose, SitePlan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FEED_ENTRIES = 20
_ROBOTS = "User-agent: *\nDisallow: /admin\nDisallow: /cart\nDisallow: /search\n"


@dataclass(frozen=True, slots=True)
class PageManifest(SiteManifest):
    """What a built site of linked pages holds."""

    BUILDER: ClassVar[int] = 2

    pages: int
    links: int
    html_bytes: int

    @property
    def folder(self) -> Path:
        return pages_folder(self.pages)

    def __str__(self) -> str:
        return (
            f"{self.pages:,} pages of {self.html_bytes / self.pages / 1e3:.0f} KB "
            f"with {self.links / self.pages:.0f} links each"
        )


def pages_folder(pages: int) -> Path:
    return BENCH_DIR / f"pages-{size_name(pages)}"


def _build(folder: Path, pages: int, port: int) -> PageManifest:
    root = f"http://127.0.0.1:{port}"
    plan = SitePlan(pages)
    template = PageTemplate(plan, root)
    links = 0

    def rendered() -> Iterator[tuple[str, bytes]]:
        nonlocal links
        for page in plan.pages():
            body = template.render(page)
            links += body.count(b"<a ")
            yield page.path, body

    html_bytes = write_pages(folder, rendered())
    (folder / "robots.txt").write_text(_ROBOTS)
    (folder / "feed.xml").write_text(_feed(plan, root))
    return PageManifest(PageManifest.BUILDER, port, pages, links, html_bytes)


def _feed(plan: SitePlan, root: str) -> str:
    items = "".join(
        f"<item><title>{link.text}</title><link>{root}{link.path}</link></item>\n"
        for link in plan.newest(FEED_ENTRIES)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>'
        f"<title>The Lantern</title><link>{root}/</link>\n{items}</channel></rss>\n"
    )


def ensure_pages(pages: int, port: int) -> PageManifest:
    """Build the site unless it is there already for this port."""
    return ensure_built(
        PageManifest, pages_folder(pages), port, lambda folder: _build(folder, pages, port)
    )


# --- the frontier ---

LISTINGS = 200
LINKS_PER_LISTING = 500
_WIKI_SECTIONS = ("wiki", "people", "places", "events", "works", "plants", "animals", "crafts")


@dataclass(frozen=True, slots=True)
class FrontierManifest(SiteManifest):
    """What a built site of listings holds."""

    BUILDER: ClassVar[int] = 1

    named_pages: int  # by the listings

    @property
    def folder(self) -> Path:
        return frontier_folder(self.named_pages)

    @property
    def pages(self) -> int:
        return 1 + LISTINGS + self.named_pages


def frontier_folder(named_pages: int) -> Path:
    return BENCH_DIR / f"frontier-{size_name(named_pages)}"


def _path(number: int) -> str:
    """Give the address of a page; two words name millions of them."""
    second, first = divmod(number, len(WORDS))
    section = _WIKI_SECTIONS[number % len(_WIKI_SECTIONS)]
    return f"/{section}/{WORDS[first]}-{WORDS[second]}-{WORDS[-first]}"


def _page(title: str, body: str) -> bytes:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<title>{title}</title></head><body><nav><a href="/">Start</a></nav>'
        f"<main><h1>{title}</h1>\n{body}</main></body></html>\n"
    ).encode()


def _list_of(paths: Iterator[str]) -> str:
    items = (f'<li><a href="{path}">{path.rpartition("/")[2]}</a></li>\n' for path in paths)
    return f"<ul>\n{''.join(items)}</ul>"


def _pages(named_pages: int) -> Iterator[tuple[str, bytes]]:
    listings = [f"/index/{word}" for word in WORDS[:LISTINGS]]
    yield "/", _page("All listings", _list_of(iter(listings)))
    for number, listing in enumerate(listings):
        first = number * LINKS_PER_LISTING
        named = (_path(n % named_pages) for n in range(first, first + LINKS_PER_LISTING))
        yield listing, _page(WORDS[number], _list_of(named))
    for number in range(named_pages):
        path = _path(number)
        prose = Prose(path, "frontier")
        yield path, _page(prose.title(3), f"<p>{prose.text(60)}</p>")


def ensure_frontier(named_pages: int, port: int) -> FrontierManifest:
    """Build the site unless it is there already for this port."""
    if not 1 <= named_pages <= LISTINGS * LINKS_PER_LISTING:
        raise ValueError(f"the listings name at most {LISTINGS * LINKS_PER_LISTING:,} pages")

    def build(folder: Path) -> FrontierManifest:
        write_pages(folder, _pages(named_pages))
        (folder / "robots.txt").write_text("User-agent: *\nDisallow: /admin\n")
        return FrontierManifest(FrontierManifest.BUILDER, port, named_pages)

    return ensure_built(FrontierManifest, frontier_folder(named_pages), port, build)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the linked pages of the benchmark.")
    parser.add_argument("pages", type=parse_size, help="number of pages: 5k, 500")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port in its addresses")
    parser.add_argument("--frontier", action="store_true", help="listings that name so many pages")
    options = parser.parse_args()
    ensure = ensure_frontier if options.frontier else ensure_pages
    print(json.dumps(asdict(ensure(options.pages, options.port)), indent=2))


if __name__ == "__main__":
    main()
