"""The paths of a site as a tree that is small enough to be drawn."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.report.data import TreeNode

MAX_NODES: Final = 3_000
# A hostile site has a folder for every page: what is beyond these counts only where it hangs.
_MAX_FOLDERS: Final = 200_000
_MAX_DEPTH: Final = 12
_MAX_CHILDREN: Final = 100


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

    def root(self, max_nodes: int = MAX_NODES) -> TreeNode:
        """The tree, the largest folders first; what is too small is folded into one node each.

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
        # By size, then by path, so that the same site gives the same tree.
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
