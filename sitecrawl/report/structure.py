"""The structure of a site, small enough to be drawn: paths as a tree, links between sections."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from sitecrawl.report.data import LinkedPage, LinkFacts, SectionFacts, TreeNode
    from sitecrawl.report.inventory import Inventory
    from sitecrawl.report.mentions import PageMentions

MAX_TREE_NODES: Final = 3_000
# A hostile site has a folder for every page: pages of further folders count in their parent only.
_MAX_FOLDERS: Final = 200_000
_MAX_DEPTH: Final = 12
_MAX_CHILDREN: Final = 100
MAX_SECTIONS: Final = 80
# Pages of each section that are named.
_MOST_LINKED: Final = 20


@dataclass(slots=True)
class _Folder:
    pages: int = 0
    inner: dict[str, _Folder] = field(default_factory=dict)


class PathTree:
    """Counts listed pages by the folders of their paths."""

    def __init__(self, max_folders: int = _MAX_FOLDERS) -> None:
        self._left = max_folders
        self._hosts: dict[str, _Folder] = {}

    def add(self, urls: Sequence[str]) -> None:
        for url in urls:
            scheme, mark, rest = url.partition("?")[0].partition("#")[0].partition("://")
            host, *segments = rest.split("/", _MAX_DEPTH)
            folders, name = self._hosts, f"{scheme}{mark}{host}"
            for following in (*segments[: _MAX_DEPTH - 1], ""):
                folder = folders.get(name)
                if folder is None:
                    if self._left <= 0:
                        break
                    self._left -= 1
                    folder = folders[name] = _Folder()
                folder.pages += 1
                if not following:
                    break
                folders, name = folder.inner, following

    def root(self, max_nodes: int = MAX_TREE_NODES) -> TreeNode:
        """The tree, the largest folders first; small folders share one node in their parent.

        Nodes are given to the largest folders first, so that every part of the site is there
        before the details of one.
        """
        hosts = self._hosts
        if len(hosts) == 1:
            ((name, folder),) = hosts.items()
        else:
            name, folder = "", _Folder(sum(each.pages for each in hosts.values()), hosts)
        root = _node(name, f"{name}/" if name else "", folder.pages)
        left = max_nodes - 1
        # By size, then by path, so that the tree depends on the site alone.
        waiting: list[tuple[int, str, _Folder, TreeNode]] = [(-folder.pages, name, folder, root)]
        while waiting and left > 0:
            _, _, folder, node = heapq.heappop(waiting)
            in_order = sorted(folder.inner.items(), key=lambda item: (-item[1].pages, item[0]))
            room = min(left, _MAX_CHILDREN)
            shown = in_order if len(in_order) <= room else in_order[: room - 1]
            for inner_name, inner in shown:
                url = f"{node['url']}{inner_name}"
                # A folder ends with a slash; a page is what the site wrote, most often without.
                child = _node(inner_name, f"{url}/" if inner.inner else url, inner.pages)
                node["children"].append(child)
                if inner.inner:
                    heapq.heappush(waiting, (-inner.pages, url, inner, child))
            if rest := in_order[len(shown) :]:
                pages = sum(inner.pages for _, inner in rest)
                node["children"].append(_node(f"… {len(rest):,} more", "", pages))
            left -= len(node["children"])
        return root


def _node(name: str, url: str, pages: int) -> TreeNode:
    return {"name": name, "url": url, "pages": pages, "children": []}


def section_links(inventory: Inventory, mentions: PageMentions) -> LinkFacts:
    """The sections of the site and the links between them.

    Each page is in its main cluster. Of a site with very many clusters the largest are shown, and
    the others count in the section that they are inside of, or as other pages.
    """
    shown = _ShownSections(inventory)
    links: Counter[tuple[int, int]] = Counter()
    for (source, target), number in mentions.cluster_links.items():
        links[shown.node_of[source], shown.node_of[target]] += number
    return {
        "sections": shown.facts(mentions.inlinks),
        "links": [
            {"source": source, "target": target, "links": number}
            for (source, target), number in sorted(
                links.items(), key=lambda item: (-item[1], item[0])
            )
        ],
    }


class _ShownSections:
    """Which clusters are shown as a section, and which of them each cluster counts in."""

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._parents = inventory.clusters.parents()
        self._clusters = np.array(inventory.main_clusters, np.int64)
        rest = len(inventory.clusters)
        sizes = np.bincount(self._clusters, minlength=rest + 1)
        largest = np.argsort(-sizes, kind="stable")[:MAX_SECTIONS].tolist()
        self._shown = {cluster for cluster in largest if sizes[cluster]}
        # What a shown one is inside of has a place, too, even without pages of its own.
        for cluster in list(self._shown):
            self._shown.update(self._ancestors(cluster))
        self.node_of = [self._shown_ancestor(cluster) for cluster in range(rest + 1)]

    def facts(self, inlinks: NDArray[np.int32]) -> list[SectionFacts]:
        """The sections, the largest first."""
        nodes = np.array(self.node_of, np.int64)[self._clusters]
        sizes = np.bincount(nodes, minlength=len(self.node_of))
        names = self._inventory.clusters.names()
        shown = sorted({*self._shown, *nodes.tolist()}, key=lambda node: (-sizes[node], node))
        most_linked = self._most_linked(nodes, inlinks)
        return [
            {
                "id": node,
                "name": names[node],
                "parent": self._parents.get(node),
                "pages": int(sizes[node]),
                "most_linked": most_linked.get(node, []),
            }
            for node in shown
        ]

    def _most_linked(
        self, nodes: NDArray[np.int64], inlinks: NDArray[np.int32]
    ) -> dict[int, list[LinkedPage]]:
        listed = self._inventory.listed
        at_hand = nodes[: len(listed)]
        found: dict[int, list[LinkedPage]] = {}
        # By links, then in the order of the list.
        for position in np.argsort(-inlinks[: len(listed)], kind="stable").tolist():
            pages = found.setdefault(int(at_hand[position]), [])
            if len(pages) < _MOST_LINKED:
                row = listed[position].row
                links = int(inlinks[position])
                pages.append({"url": row.url, "title": row.title or "", "links": links})
        return found

    def _ancestors(self, cluster: int) -> Iterator[int]:
        seen = {cluster}
        parent = self._parents.get(cluster)
        while parent is not None and parent not in seen:
            seen.add(parent)
            yield parent
            parent = self._parents.get(parent)

    def _shown_ancestor(self, cluster: int) -> int:
        way = (cluster, *self._ancestors(cluster))
        return next((each for each in way if each in self._shown), len(self._inventory.clusters))
