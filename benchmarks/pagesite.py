"""Build the site of the crawl benchmark: thousands of linked HTML pages as real sites have them.

    python -m benchmarks.pagesite 5k --port 8917

The same size and port give the same bytes. The paths of the pages are what a crawl has to find.
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
from benchmarks.pagemarkup import PageTemplate
from benchmarks.pageplan import SitePlan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FEED_ENTRIES = 20
_ROBOTS = "User-agent: *\nDisallow: /admin\nDisallow: /cart\nDisallow: /search\n"


@dataclass(frozen=True, slots=True)
class PageManifest(SiteManifest):
    """What a built site of linked pages holds."""

    BUILDER: ClassVar[int] = 1

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


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the linked pages of the benchmark.")
    parser.add_argument("pages", type=parse_size, help="number of pages: 5k, 500")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port in its addresses")
    options = parser.parse_args()
    print(json.dumps(asdict(ensure_pages(options.pages, options.port)), indent=2))


if __name__ == "__main__":
    main()
