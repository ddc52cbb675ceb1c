"""Counts URLs by the folders of their paths."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# A hostile site has a folder for every page: what is beyond these counts only where it hangs.
MAX_FOLDERS: Final = 100_000
# Of one folder, those with the most pages.
_MAX_SHOWN: Final = 15


@dataclass(slots=True)
class _Folder:
    listed: int = 0
    refused: int = 0
    inner: dict[str, _Folder] = field(default_factory=dict)

    @property
    def pages(self) -> int:
        return self.listed + self.refused

    def count(self, *, is_refused: bool) -> None:
        if is_refused:
            self.refused += 1
        else:
            self.listed += 1


class PathTree:
    """The folders of a site down to some depth, with what is in each and below."""

    def __init__(self, depth: int, max_folders: int = MAX_FOLDERS) -> None:
        self._depth = depth
        self._left = max_folders
        self._hosts: dict[str, _Folder] = {}

    def add(self, url: str, *, is_refused: bool) -> None:
        """Count a URL; what is none counts as a host of its own."""
        scheme, mark, rest = url.partition("://")
        host, *segments = rest.partition("#")[0].partition("?")[0].split("/", self._depth + 1)
        folder = self._folder(self._hosts, f"{scheme}{mark}{host}")
        if folder is None:
            folder = self._hosts.setdefault("", _Folder())
        folder.count(is_refused=is_refused)
        for name in segments[: self._depth]:
            inner = self._folder(folder.inner, name) if name else None
            if inner is None:
                break
            folder = inner
            folder.count(is_refused=is_refused)

    def _folder(self, folders: dict[str, _Folder], name: str) -> _Folder | None:
        folder = folders.get(name)
        if folder is None and self._left > 0:
            self._left -= 1
            folder = folders[name] = _Folder()
        return folder

    def lines(self) -> Iterator[str]:
        """The tree, the largest folders first; hosts that only have refused pages share a line."""
        own = {host: folder for host, folder in self._hosts.items() if folder.listed}
        yield from _lines(own)
        elsewhere = [folder for host, folder in self._hosts.items() if host not in own]
        if elsewhere:
            refused = sum(folder.refused for folder in elsewhere)
            yield f"elsewhere  {refused:,} refused"


def _lines(folders: dict[str, _Folder], level: int = 0) -> Iterator[str]:
    indent, mark = "  " * level, "/" if level else ""
    in_order = sorted(folders.items(), key=lambda item: (-item[1].pages, item[0]))
    # Below the first level single pages are too many to be named.
    named = [each for each in in_order if level <= 1 or each[1].pages > 1][:_MAX_SHOWN]
    for name, folder in named:
        yield f"{indent}{mark}{name}  {_counts([folder])}"
        yield from _lines(folder.inner, level + 1)
    if named and (rest := [folder for _, folder in in_order[len(named) :]]):
        yield f"{indent}and {len(rest):,} more: {_counts(rest)}"


def _counts(folders: Iterable[_Folder]) -> str:
    listed, refused = 0, 0
    for folder in folders:
        listed += folder.listed
        refused += folder.refused
    words = [f"{listed:,} page{'' if listed == 1 else 's'}"] if listed or not refused else []
    return ", ".join([*words, *([f"{refused:,} refused"] if refused else [])])
