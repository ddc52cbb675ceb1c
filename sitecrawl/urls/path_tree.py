"""The folders of a site, with how many pages each has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

# A hostile site has a folder for every page: what is beyond these is counted in its parent only.
MAX_FOLDERS: Final = 100_000


@dataclass(slots=True)
class Folder:
    """The pages in and below a folder."""

    listed: int = 0
    refused: int = 0
    inner: dict[str, Folder] = field(default_factory=dict)
    """The folders in it, by name."""

    @property
    def pages(self) -> int:
        return self.listed + self.refused

    def by_size(self) -> list[tuple[str, Folder]]:
        """The folders in it, those with the most listed pages first."""
        return sorted(self.inner.items(), key=lambda each: (-each[1].listed, each[0]))

    def count(self, *, is_refused: bool) -> None:
        if is_refused:
            self.refused += 1
        else:
            self.listed += 1


class PathTree:
    """The folders of a site down to some depth, with the pages in and below each."""

    def __init__(self, depth: int, max_folders: int = MAX_FOLDERS) -> None:
        self._depth = depth
        self._left = max_folders
        self.hosts: dict[str, Folder] = {}

    def add(self, url: str, *, is_refused: bool) -> None:
        """Count a URL; a text that is no URL counts as a host of its own."""
        scheme, mark, rest = url.partition("://")
        host, *segments = rest.partition("#")[0].partition("?")[0].split("/", self._depth + 1)
        folder = self._folder(self.hosts, f"{scheme}{mark}{host}")
        if folder is None:
            folder = self.hosts.setdefault("", Folder())
        folder.count(is_refused=is_refused)
        for name in segments[: self._depth]:
            inner = self._folder(folder.inner, name) if name else None
            if inner is None:
                break
            folder = inner
            folder.count(is_refused=is_refused)

    def _folder(self, folders: dict[str, Folder], name: str) -> Folder | None:
        folder = folders.get(name)
        if folder is None and self._left > 0:
            self._left -= 1
            folder = folders[name] = Folder()
        return folder


def listed_by_section(hosts: Mapping[str, Folder]) -> Counter[str]:
    """The listed pages of each folder of the first level, and of the root."""
    found: Counter[str] = Counter()
    for folder in hosts.values():
        for name, inner in folder.inner.items():
            section = f"/{name}" if inner.inner else "/"
            found[section] += inner.listed
        found["/"] += folder.listed - sum(each.listed for each in folder.inner.values())
    return +found


def section_of(url: str, sections: Container[str]) -> str:
    """The section of a page, if it is one of *sections*: pages beside the folders are of the root.

    >>> section_of("https://example.com/blog/a", {"/", "/blog"})
    '/blog'
    >>> section_of("https://example.com/about", {"/", "/blog"})
    '/'
    """
    try:
        first = urlsplit(url).path.lstrip("/").partition("/")[0]
    except ValueError:
        return "/"
    return f"/{first}" if f"/{first}" in sections else "/"
