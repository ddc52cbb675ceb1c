"""The columns in which a document's entries are handed on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Alternate(NamedTuple):
    hreflang: str
    href: str


@dataclass(frozen=True, slots=True)
class EntryDetails:
    """What only some entries have: language alternates, media, a news or feed title and date."""

    alternates: tuple[Alternate, ...] = ()
    images: int = 0
    videos: int = 0
    title: str = ""
    published: str = ""


@dataclass(slots=True)
class EntryBatch:
    """Parallel columns of consecutive entries of one document.

    - `first` is the 1-based position of the first one among the document's entries of its kind
      (pages and child maps are counted apart).
    - `locs` are as written (trimmed, references resolved) and may be relative.
    - `lastmods` and `changefreqs` hold "" and `priorities` -1.0 for "absent or invalid"; a column
      is None when no entry of the batch has a value.
    - `details` is sparse, by index in this batch.
    """

    first: int
    locs: list[str]
    lastmods: list[str] | None
    changefreqs: list[str] | None
    priorities: list[float] | None
    details: dict[int, EntryDetails]

    def __len__(self) -> int:
        return len(self.locs)

    def head(self, count: int) -> EntryBatch:
        """The first *count* entries."""
        return EntryBatch(
            first=self.first,
            locs=self.locs[:count],
            lastmods=self.lastmods and self.lastmods[:count],
            changefreqs=self.changefreqs and self.changefreqs[:count],
            priorities=self.priorities and self.priorities[:count],
            details={row: entry for row, entry in self.details.items() if row < count},
        )


class SitemapChunk(NamedTuple):
    """The next entries of a document: pages, and further maps to read."""

    pages: EntryBatch
    children: EntryBatch
