"""The true pages of a site, read from its files without sitecrawl's code.

A page is a file, whatever the number of addresses that lead to it: `/` and `/index.html` are one
page, and a list with both has a duplicate. A page belongs to the truth when links lead to it from
the root, as a person would follow them: `a`, `area`, frames, and `meta refresh`.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ORIGIN = "http://site.invalid"
_LINK_ATTRIBUTES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
_REFRESH = re.compile(r"^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.IGNORECASE)
_HTML_SUFFIXES = (".html", ".htm", ".xhtml")


class Truth(Protocol):
    """What a list of URLs is compared with."""

    @property
    def pages(self) -> frozenset[str]: ...

    def page_of(self, url: str) -> str | None:
        """Name the page or file that a URL leads to; None when the site has none there."""

    def is_listable(self, page: str) -> bool:
        """Whether a list of the site's URLs may have it: a page, or a file that pages link to."""


@dataclass(frozen=True, slots=True)
class FileTruth:
    """The truth about a folder of HTML files."""

    root: Path
    pages: frozenset[str]
    files: frozenset[str]  # linked files that are no HTML
    broken: frozenset[str]  # linked paths without a file

    @classmethod
    def of(cls, root: Path) -> FileTruth:
        root = root.resolve()
        pages, files, broken = set[str](), set[str](), set[str]()
        waiting = deque(["/"])
        known = {"/"}
        while waiting:
            path = waiting.popleft()
            name = served_file(root, path)
            if name is None:
                broken.add(path)
                continue
            if not name.endswith(_HTML_SUFFIXES):
                files.add(name)
                continue
            if name in pages:
                continue
            pages.add(name)
            for linked in linked_paths(root / name, path):
                if linked not in known:
                    known.add(linked)
                    waiting.append(linked)
        return cls(root, frozenset(pages), frozenset(files), frozenset(broken))

    def page_of(self, url: str) -> str | None:
        return served_file(self.root, urlsplit(url).path)

    def is_listable(self, page: str) -> bool:
        return page in self.files or page.endswith(_HTML_SUFFIXES)


def served_file(root: Path, path: str) -> str | None:
    """Name the file that a web server with `index index.html` sends for a path."""
    relative = unquote(path).lstrip("/")
    file = root / relative
    if file.is_dir():
        file /= "index.html"
        relative = f"{relative.rstrip('/')}/index.html".lstrip("/")
    elif path.endswith("/"):
        return None
    return relative if file.is_file() else None


class _LinkReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.base: str | None = None
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if (link := values.get(_LINK_ATTRIBUTES.get(tag, ""))) is not None:
            self.links.append(link)
        elif tag == "base" and self.base is None:
            self.base = values.get("href")
        elif tag == "meta" and (values.get("http-equiv") or "").lower() == "refresh":
            self.links += _REFRESH.findall(values.get("content") or "")


def linked_paths(file: Path, path: str) -> Iterator[str]:
    """Yield the paths of the same site that a page links to."""
    reader = _LinkReader()
    reader.feed(file.read_text(encoding="utf-8", errors="replace"))
    reader.close()
    # A folder is sent from its address with a slash: the server redirects to it.
    if file.name == "index.html" and not path.endswith(("/", "index.html")):
        path += "/"
    base = urljoin(_ORIGIN + path, (reader.base or "").strip())
    for link in reader.links:
        try:
            target = urlsplit(urldefrag(urljoin(base, link.strip())).url)
        except ValueError:  # no address at all, such as http://[x
            continue
        if f"{target.scheme}://{target.netloc}" == _ORIGIN:
            yield target.path or "/"


# --- applications, whose pages are no files ---

# A route's path, and the rest of its entry up to the next path.
_ROUTE = re.compile(r"\bpath:\s*'([^']*)'(.*?)(?=\bpath:|\Z)", re.DOTALL)
_COMPONENT = re.compile(r"\bimport\('([^']+)'\)")
_MARKDOWN_LINK = re.compile(r"\]\(\s*([^)\s]+\.md)(?:#[^)\s]*)?\s*\)")
_MARKDOWN_REFERENCE = re.compile(r"^\[[^\]]+\]:\s*(\S+?\.md)(?:#\S*)?\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RouterTruth:
    """The truth about an application: the paths of its router's table.

    Patterns such as `/:pathMatch(.*)*` are no addresses, and what they show is the error page: it
    is no page under an address of its own either.
    """

    pages: frozenset[str]

    @classmethod
    def of(cls, router_source: Path) -> RouterTruth:
        entries = _ROUTE.findall(router_source.read_text(encoding="utf-8"))
        shown = {path: _COMPONENT.findall(entry) for path, entry in entries}
        error_pages = [shown[path] for path in shown if ":" in path]
        return cls(frozenset(path for path in shown if shown[path] not in error_pages))

    def page_of(self, url: str) -> str | None:
        path = urlsplit(url).path
        return path if path in self.pages else path.rstrip("/") or "/"

    def is_listable(self, page: str) -> bool:
        return page in self.pages


@dataclass(frozen=True, slots=True)
class MarkdownTruth:
    """The truth about an application that shows Markdown files by the fragment of its address."""

    root: Path
    pages: frozenset[str]

    @classmethod
    def of(cls, root: Path, home: str) -> MarkdownTruth:
        waiting = [home]
        pages = set[str]()
        while waiting:
            name = waiting.pop()
            if name in pages or not (root / name).is_file():
                continue
            pages.add(name)
            text = (root / name).read_text(encoding="utf-8")
            for link in _MARKDOWN_LINK.findall(text) + _MARKDOWN_REFERENCE.findall(text):
                target = urlsplit(urljoin(f"{_ORIGIN}/{name}", link))
                if f"{target.scheme}://{target.netloc}" == _ORIGIN:
                    waiting.append(unquote(target.path).lstrip("/"))
        return cls(root, frozenset(pages))

    def page_of(self, url: str) -> str | None:
        parts = urlsplit(url)
        if parts.path.strip("/") not in {"", "index.html"}:
            return served_file(self.root, parts.path)
        route = unquote(parts.fragment.partition("?")[0]).strip("/")
        name = f"{route or 'index'}.md".replace("/./", "/").removeprefix("./")
        return name if (self.root / name).is_file() else None

    def is_listable(self, page: str) -> bool:
        return page in self.pages
