"""The links of a site as a graph that is small enough to be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from sitecrawl.report.data import CollapsedCluster, GraphFacts, GraphNodeFacts
    from sitecrawl.report.inventory import Inventory
    from sitecrawl.report.knowledge import PageKnowledge

MAX_NODES: Final = 5_000
MAX_EDGES: Final = 20_000
# Where clusters collapse, the drawing is filled up to this with the pages that most links lead to.
_MOST_LINKED: Final = 1_000


def site_graph(
    inventory: Inventory, knowledge: PageKnowledge, max_nodes: int = MAX_NODES
) -> GraphFacts:
    """Listed pages as nodes; where there are too many, the largest clusters become one each."""
    drawing = _Drawing(inventory, knowledge.inlinks, max_nodes)
    edges, is_cut = _edges(knowledge.links, drawing.node_of)
    return {
        "nodes": drawing.nodes,
        "edges": edges,
        "collapsed": drawing.collapsed,
        "edges_left_out": is_cut,
    }


class _Drawing:
    def __init__(self, inventory: Inventory, inlinks: NDArray[np.int32], max_nodes: int) -> None:
        self._inventory = inventory
        self._inlinks = inlinks
        self.nodes: list[GraphNodeFacts] = []
        self.collapsed: list[CollapsedCluster] = []
        pages = len(inventory.ids)
        self._clusters = np.array(inventory.homes, np.int32)
        self.node_of = np.zeros(pages, np.int64)
        """The node of each page."""
        is_shown = np.zeros(pages, np.bool_)
        # Of further pages nothing but their number is known.
        is_shown[: len(inventory.listed)] = True
        folded = self._folded(is_shown, max_nodes)
        for place in np.flatnonzero(is_shown).tolist():
            self.node_of[place] = self._add_page(place)
        for cluster in folded:
            is_inside = (self._clusters == cluster) & ~is_shown
            if is_inside.any():
                self.node_of[is_inside] = self._add_cluster(cluster, is_inside)

    def _folded(self, is_shown: NDArray[np.bool_], max_nodes: int) -> list[int]:
        """Choose the clusters that become one node each, the largest first."""
        can_be_shown = is_shown.copy()
        sizes = np.bincount(self._clusters) if len(self._clusters) else np.empty(0, np.int64)
        folded = sorted(set(self._clusters[~is_shown].tolist()))
        for cluster in np.argsort(-sizes, kind="stable").tolist():
            if np.count_nonzero(is_shown) + len(folded) <= max_nodes:
                break
            is_shown[self._clusters == cluster] = False
            folded = sorted({*folded, cluster})
        room = min(max_nodes, _MOST_LINKED) - np.count_nonzero(is_shown) - len(folded)
        hidden = np.flatnonzero(can_be_shown & ~is_shown)
        in_order = hidden[np.argsort(-self._inlinks[hidden], kind="stable")]
        is_shown[in_order[: max(0, room)]] = True
        return folded

    def _add_page(self, place: int) -> int:
        row = self._inventory.listed[place].row
        node: GraphNodeFacts = {
            "id": len(self.nodes),
            "url": row.url,
            "title": row.title or "",
            "cluster": self._cluster_id(int(self._clusters[place])),
            "inlinks": int(self._inlinks[place]),
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
                "title": self._inventory.clusters.homes()[cluster],
                "cluster": self._cluster_id(cluster),
                "inlinks": int(self._inlinks[is_inside].sum()),
                "is_structural": False,
            }
        )
        pages = int(np.count_nonzero(is_inside))
        self.collapsed.append({"cluster": self._cluster_id(cluster), "pages": pages, "node": node})
        return node

    def _cluster_id(self, home: int) -> int | None:
        return home if home < len(self._inventory.clusters) else None


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
