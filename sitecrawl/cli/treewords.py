"""The words of ``sitecrawl tree``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitecrawl.cli.pathtree import PathTree
from sitecrawl.console.text import printable
from sitecrawl.store.inventory import ALL_PAGES, page_chunks
from sitecrawl.store.menu import site_menu

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

_MAX_ENTRIES: Final = 500


def menu_lines(database: Database, scan: Scan, depth: int) -> Iterator[str]:
    """The site's menu: titles and addresses, nested as on the page."""
    entries = [entry for entry in site_menu(database, scan) if entry.level < depth]
    if not entries:
        yield "menu: none (the root was not read, or has no navigation)"
        return
    number = f"{len(entries):,} entr{'y' if len(entries) == 1 else 'ies'}"
    yield printable(f"menu of {scan.root_url}: {number}")
    for entry in entries[:_MAX_ENTRIES]:
        refused = f"  (refused: {entry.reason})" if entry.reason else ""
        title = entry.title or "(without a title)"
        yield printable(f"{'  ' * (entry.level + 1)}{title}  {entry.url}{refused}")
    if len(entries) > _MAX_ENTRIES:
        yield f"  and {len(entries) - _MAX_ENTRIES:,} more"


def path_lines(database: Database, scan: Scan, depth: int) -> Iterator[str]:
    """The folders of the site, with how many pages are listed and refused below each."""
    tree = PathTree(depth)
    columns = ("url", "reason")
    for chunk in page_chunks(database, scan, ALL_PAGES, columns):
        for url, reason in chunk.rows(columns):
            tree.add(url, is_refused=reason is not None)
    yield from map(printable, tree.lines())
