"""The clusters of a site as a report has them, and the one that a page is drawn and counted in."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from sitecrawl.classify.vocabulary import ClusterKind
from sitecrawl.store.queries.classification import read_clusters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set

    from sitecrawl.classify.clusters import Cluster
    from sitecrawl.report.data import ClusterFacts
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.classification import StoredClass
    from sitecrawl.store.queries.scans import Scan

NO_CLUSTER: Final = "other pages"
# A section is a home by itself from this size, or this share of the site, on.
_FEWEST_PAGES: Final = 20
_LEAST_SHARE: Final = 50


class SiteClusters:
    """Clusters overlap, but each page has one *home*.

    That is the innermost of its sections that is large enough; else the outermost one; else the
    pattern of its address; else none.
    """

    def __init__(self, clusters: Iterable[Cluster]) -> None:
        self._clusters = list(clusters)
        self._places = {cluster.key: place for place, cluster in enumerate(self._clusters)}
        sections = [each for each in self._clusters if each.kind is ClusterKind.SECTION]
        in_sections = sum(each.pages for each in sections if not each.parent)
        self._least = max(_FEWEST_PAGES, in_sections // _LEAST_SHARE)
        # Pages of one class share it, and there are few classes.
        self._homes: dict[StoredClass, int] = {}

    def __len__(self) -> int:
        return len(self._clusters)

    def home_of(self, found: StoredClass) -> int:
        """The number of the home of pages of this class; one more than there are: it has none."""
        home = self._homes.get(found)
        if home is None:
            home = self._homes[found] = self._home(found)
        return home

    def _home(self, found: StoredClass) -> int:
        places = [self._places[key] for key in found.clusters if key in self._places]
        sections, patterns = (
            [place for place in places if self._clusters[place].kind is kind]
            for kind in (ClusterKind.SECTION, ClusterKind.PATTERN)
        )
        large = [place for place in sections if self._clusters[place].pages >= self._least]
        return next(iter([*large[::-1], *sections, *patterns]), len(self._clusters))

    def homes(self) -> list[str]:
        """The names of homes by their number; the last one is that of pages without."""
        return [*(cluster.name for cluster in self._clusters), NO_CLUSTER]

    def facts(self, classes: Mapping[StoredClass, int]) -> list[ClusterFacts]:
        """By number, with their sizes as counted: *classes* say how many pages are of each."""
        sizes: Counter[str] = Counter()
        for found, pages in classes.items():
            sizes.update(dict.fromkeys(found.clusters, pages))
        return [
            {
                "id": number,
                "kind": cluster.kind.value,
                "name": cluster.name,
                "parent": self._places.get(cluster.parent),
                "pages": sizes[cluster.key],
                "sample": list(cluster.sample),
                "why": cluster.why,
            }
            for number, cluster in enumerate(self._clusters)
        ]


def site_clusters(database: Database, scan: Scan, keys: Set[str]) -> SiteClusters:
    """Those of these keys that were learned at the end of the site's last scan."""
    with database.reading() as connection:
        found = read_clusters(connection, scan.site_id)
    return SiteClusters(cluster for cluster in found if cluster.key in keys)
