"""What the sitemaps of a site should add and drop, each with its reason."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from sitecrawl.exporters.sitemap_fitness import Unfit
from sitecrawl.safety.text import printable
from sitecrawl.urls.address import origin_of
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sitecrawl.exporters.sitemap_fitness import Fitness, Objection
    from sitecrawl.store.queries.sitemap_comparison import SitemapPage


class Action(StrEnum):
    ADD = "add"
    DROP = "drop"


class ChangeReason(StrEnum):
    """Reasons beside those of ``Reason`` and ``Unfit``."""

    UNLISTED = "unlisted"
    REDIRECT_TARGET = "redirect_target"
    DUPLICATE = "duplicate"


# Refused because of how the scan was set up, or so that it comes to an end: that says nothing
# about a sitemap.
_OF_THE_SCAN: Final = frozenset(
    {
        *(Reason.OUTSIDE_BASE, Reason.SKIPPED_PATH, Reason.SKIPPED_FILE_TYPE, Reason.SKIPPED_QUERY),
        *(reason for reason in Reason if reason.startswith("trap_")),
    }
)
_SIGNS: Final = {Action.ADD: "+", Action.DROP: "-"}


class SitemapChange(NamedTuple):
    action: str
    url: str
    reason: str
    detail: str
    """What shows it: the target of a redirect, the canonical page, the status, the rule, ..."""
    document: str
    """The sitemap that lists it; of a page to add, the document that first names it."""


class SitemapDiff:
    """Compares while it is iterated over; its figures are final after that."""

    def __init__(self, pages: Iterable[SitemapPage], fitness: Fitness) -> None:
        self.added = self.dropped = 0
        self.entries = 0
        """Pages that the sitemaps list."""
        self.unvisited = 0
        """Those of them of which only the address is known."""
        self.not_judged: Counter[str] = Counter()
        """Those of them that the scan refused by rules of its own."""
        self._pages = pages
        self._fitness = fitness

    def __iter__(self) -> Iterator[SitemapChange]:
        for page in self._pages:
            for change in self._of_entry(page) if page.is_listed else self._of_other(page):
                if change.action == Action.ADD:
                    self.added += 1
                else:
                    self.dropped += 1
                yield change

    def _of_other(self, page: SitemapPage) -> Iterator[SitemapChange]:
        if not self._fitness.objection(page):
            url = self._fitness.address(page)
            yield SitemapChange(Action.ADD, url, ChangeReason.UNLISTED, page.source, page.document)

    def _of_entry(self, page: SitemapPage) -> Iterator[SitemapChange]:
        self.entries += 1
        objection = self._fitness.objection(page)
        if page.blocked_by:
            yield _drop(page, Reason.BLOCKED_BY_ROBOTS, page.blocked_by)
        elif objection is None:
            yield from self._of_good_entry(page)
        elif objection.reason in _OF_THE_SCAN:
            self.not_judged[objection.reason] += 1
        elif not _is_at_home(page, objection):
            yield _drop(page, objection.reason, objection.detail)

    def _of_good_entry(self, page: SitemapPage) -> Iterator[SitemapChange]:
        self.unvisited += not page.is_visited
        address = self._fitness.address(page)
        if address != page.url:
            yield _drop(page, Reason.REDIRECTED, address)
            document, reason = page.document, ChangeReason.REDIRECT_TARGET
            yield SitemapChange(Action.ADD, address, reason, page.url, document)
        elif page.entries > 1:
            yield _drop(page, ChangeReason.DUPLICATE, f"{page.entries:,} entries, keep one")


def write_text(changes: Iterable[SitemapChange], file: IO[bytes]) -> int:
    """Write one line per change, as a diff has it; return their number."""
    number = 0
    for change in changes:
        words = f"{change.reason}: {change.detail}" if change.detail else change.reason
        line = printable(f"{_SIGNS[Action(change.action)]} {change.url}  {words}")
        file.write(f"{line}\n".encode())
        number += 1
    return number


def _drop(page: SitemapPage, reason: str, detail: str) -> SitemapChange:
    return SitemapChange(Action.DROP, page.url, reason, detail, page.document)


def _is_at_home(page: SitemapPage, objection: Objection) -> bool:
    """Whether a page of another host is in a sitemap of that host."""
    is_elsewhere = objection.reason == Unfit.OTHER_HOST
    return is_elsewhere and origin_of(page.url) == origin_of(page.document)
