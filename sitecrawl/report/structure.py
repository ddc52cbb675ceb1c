"""The structure of a site, small enough to be drawn: paths as a tree, links as a graph."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from sitecrawl.report.data import CollapsedCluster, GraphFacts, GraphNodeFacts, TreeNode
    from sitecrawl.report.inventory import Inventory
    from sitecrawl.report.mentions import PageMentions

MAX_TREE_NODES: Final = 3_000
# A hostile site has a folder for every page: pages of further folders count in their parent only.
_MAX_FOLDERS: Final = 200_000
_MAX_DEPTH: Final = 12
_MAX_CHILDREN: Final = 100
MAX_NODES: Final = 5_000
MAX_EDGES: Final = 20_000
# Where clusters collapse, the graph is filled up to this with the most linked pages.
_MOST_LINKED: Final = 1_000


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


def site_graph(
    inventory: Inventory, mentions: PageMentions, max_nodes: int = MAX_NODES
) -> GraphFacts:
    """Listed pages as nodes; where there are too many, the largest clusters become one each."""
    graph = _GraphBuilder(inventory, mentions.inlinks, max_nodes)
    edges, is_cut = _edges(mentions.links, graph.node_of)
    return {
        "nodes": graph.nodes,
        "edges": edges,
        "collapsed": graph.collapsed,
        "edges_left_out": is_cut,
    }


class _GraphBuilder:
    def __init__(self, inventory: Inventory, inlinks: NDArray[np.int32], max_nodes: int) -> None:
        self._inventory = inventory
        self._inlinks = inlinks
        self.nodes: list[GraphNodeFacts] = []
        self.collapsed: list[CollapsedCluster] = []
        pages = len(inventory.ids)
        self._clusters = np.array(inventory.main_clusters, np.int32)
        self.node_of = np.zeros(pages, np.int64)
        """The node of each page."""
        is_shown = np.zeros(pages, np.bool_)
        # Only the number of further pages is known.
        is_shown[: len(inventory.listed)] = True
        collapsed = self._collapse(is_shown, max_nodes)
        for position in np.flatnonzero(is_shown).tolist():
            self.node_of[position] = self._add_page(position)
        for cluster in collapsed:
            is_inside = (self._clusters == cluster) & ~is_shown
            if is_inside.any():
                self.node_of[is_inside] = self._add_cluster(cluster, is_inside)

    def _collapse(self, is_shown: NDArray[np.bool_], max_nodes: int) -> list[int]:
        """Choose the clusters that become one node each, the largest first."""
        can_be_shown = is_shown.copy()
        sizes = np.bincount(self._clusters) if len(self._clusters) else np.empty(0, np.int64)
        collapsed = sorted(set(self._clusters[~is_shown].tolist()))
        for cluster in np.argsort(-sizes, kind="stable").tolist():
            if np.count_nonzero(is_shown) + len(collapsed) <= max_nodes:
                break
            is_shown[self._clusters == cluster] = False
            collapsed = sorted({*collapsed, cluster})
        room = min(max_nodes, _MOST_LINKED) - np.count_nonzero(is_shown) - len(collapsed)
        hidden = np.flatnonzero(can_be_shown & ~is_shown)
        in_order = hidden[np.argsort(-self._inlinks[hidden], kind="stable")]
        is_shown[in_order[: max(0, room)]] = True
        return collapsed

    def _add_page(self, position: int) -> int:
        row = self._inventory.listed[position].row
        node: GraphNodeFacts = {
            "id": len(self.nodes),
            "url": row.url,
            "title": row.title or "",
            "cluster": self._cluster_id(int(self._clusters[position])),
            "inlinks": int(self._inlinks[position]),
            "is_structural": bool(row.importance),
        }
        self.nodes.append(node)
        return node["id"]

    def _add_cluster(self, cluster: int, is_inside: NDArray[np.bool_]) -> int:
        node = len(self.nodes)
        self.nodes.append(
            {
                "id": node,
                "url": "",
                "title": self._inventory.clusters.names()[cluster],
                "cluster": self._cluster_id(cluster),
                "inlinks": int(self._inlinks[is_inside].sum()),
                "is_structural": False,
            }
        )
        pages = int(np.count_nonzero(is_inside))
        self.collapsed.append({"cluster": self._cluster_id(cluster), "pages": pages, "node": node})
        return node

    def _cluster_id(self, number: int) -> int | None:
        return number if number < len(self._inventory.clusters) else None


def _edges(
    links: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]], node_of: NDArray[np.int64]
) -> tuple[list[tuple[int, int]], bool]:
    """Each pair of nodes once, in the order in which the links come, and whether some are left."""
    edges: dict[tuple[int, int], None] = {}
    for origins, targets in links:
        starts, ends = node_of[origins], node_of[targets]
        is_drawn = starts != ends
        edges |= dict.fromkeys(zip(starts[is_drawn].tolist(), ends[is_drawn].tolist(), strict=True))
        if len(edges) > MAX_EDGES:
            return list(edges)[:MAX_EDGES], True
    return list(edges), False
