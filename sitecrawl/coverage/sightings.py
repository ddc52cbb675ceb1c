"""How many pages of each part of a site are known to which independent sources."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class SourceGroup(StrEnum):
    """Kinds of sources that do not depend on each other; users see the values."""

    SITEMAPS = "sitemaps"
    LINKS = "links"
    FEEDS = "feeds"
    RENDERED = "rendered pages"


# A browser sees the links of the plain page as well: the two count as one source.
DEPENDENT_GROUPS: Final = (SourceGroup.LINKS, SourceGroup.RENDERED)


@dataclass(frozen=True, slots=True, eq=False)
class Sightings:
    """Counts by part and mask: bit n of a mask stands for source n."""

    sources: tuple[str, ...]
    parts: tuple[str, ...]
    counts: NDArray[np.int64]
    """A row for each part, a column for each mask; mask 0: pages without a source."""

    @classmethod
    def of_pages(
        cls,
        sources: Sequence[str],
        parts: Sequence[str],
        masks: NDArray[np.uint8],
        part_of: NDArray[np.int32],
    ) -> Sightings:
        """Count pages: *masks* has their sources, *part_of* the index of their parts."""
        width = 1 << len(sources)
        cells = part_of.astype(np.int64) * width + masks
        counts = np.bincount(cells, minlength=len(parts) * width)
        return cls(tuple(sources), tuple(parts), counts.reshape(len(parts), width))

    @property
    def known(self) -> int:
        return int(self.counts.sum())

    @property
    def totals(self) -> NDArray[np.int64]:
        """By mask, of the whole site."""
        return np.asarray(self.counts.sum(axis=0))

    def pages_of(self, *sources: int) -> int:
        """Pages that all of these sources know, and maybe others."""
        wanted = sum(1 << source for source in sources)
        has_all = np.arange(self.counts.shape[1]) & wanted == wanted
        return int(self.totals[has_all].sum())

    def with_pages(self) -> Sightings:
        """Without sources that know no page."""
        return self._united(
            [[source] for source in range(len(self.sources)) if self.pages_of(source)]
        )

    def united(self, *names: str) -> Sightings:
        """With the sources of these names as one source, if all of them are there."""
        wanted = [number for number, name in enumerate(self.sources) if name in names]
        if len(wanted) < len(names):
            return self
        others = [[number] for number in range(len(self.sources)) if number not in wanted]
        return self._united([*others, wanted])

    def _united(self, groups: Sequence[Sequence[int]]) -> Sightings:
        masks = np.arange(self.counts.shape[1])
        reduced = np.zeros_like(masks)
        for bit, group in enumerate(groups):
            knows = masks & sum(1 << source for source in group) != 0
            reduced |= knows.astype(masks.dtype) << bit
        counts = np.zeros((len(self.parts), 1 << len(groups)), np.int64)
        for column, mask in zip(self.counts.T, reduced.tolist(), strict=True):
            counts[:, mask] += column
        names = (" and ".join(self.sources[source] for source in group) for group in groups)
        return Sightings(tuple(names), self.parts, counts)
