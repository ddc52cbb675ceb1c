"""Build a site that names far more pages than a crawl may visit, to see what its frontier costs.

    python -m benchmarks.frontiersite 100k --port 8917

- The root links 200 listings, and each listing 500 pages; a crawl that visits little more than the
  listings has all the rest waiting.
- Only the number of different pages differs between two such sites: with fewer pages the listings
  name the same ones again, so that the visited pages, their size and their links stay the same.
- Addresses are words without numbers, as those of a wiki: to a crawler that groups addresses by
  their pattern each is one of its own, which is the dearest case.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from benchmarks.building import (
    BENCH_DIR,
    DEFAULT_PORT,
    SiteManifest,
    ensure_built,
    parse_size,
    size_name,
    write_pages,
)
from benchmarks.prose import WORDS, Prose

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LISTINGS = 200
LINKS_PER_LISTING = 500
_SECTIONS = ("wiki", "people", "places", "events", "works", "plants", "animals", "crafts")


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
    return f"/{_SECTIONS[number % len(_SECTIONS)]}/{WORDS[first]}-{WORDS[second]}-{WORDS[-first]}"


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
    parser = argparse.ArgumentParser(description="Build the listings of the benchmark.")
    parser.add_argument("pages", type=parse_size, help="pages that the listings name: 100k, 1k")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port in its addresses")
    options = parser.parse_args()
    print(json.dumps(asdict(ensure_frontier(options.pages, options.port)), indent=2))


if __name__ == "__main__":
    main()
