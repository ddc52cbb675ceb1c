"""Skip rules: which URLs of a site are neither listed nor fetched, by path, file type or query."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from sitecrawl.urls.canonical import canonicalize
from sitecrawl.urls.columns import HEAD_CHARACTERS
from sitecrawl.urls.refusal import Reason, Refusal
from sitecrawl.urls.rules import CONTENT_TYPE_KINDS, DEFAULT_SKIP_EXTENSIONS, DEFAULT_SKIP_PATHS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sitecrawl.urls.columns import SharedOrigin

_PATH = re.compile(r"https?://[^/]*([^?#]*)")
_QUERY = Refusal(Reason.SKIPPED_QUERY, "?")


class SkipRules:
    """Rules on canonical URLs; the first match counts: paths in order, then file type, then query.

    * ``/admin`` is the page and everything below it, not ``/administration``; ``/api/*`` is
      everything below ``/api/``; ``*`` stands for any text, slashes too, anywhere (``*/print``,
      ``/tag-*/feed``).
    * ``pdf`` (or ``.pdf``) is the extension of the last path segment.
    * Case never matters.

    >>> rules = SkipRules(["/admin", "*/print"], ["pdf"], skip_queries=True)
    >>> [rules.refusal("https://example.com" + path) for path in ("/administration", "/a.html")]
    [None, None]
    >>> skipped = ("/Admin/x", "/a/print", "/a.PDF", "/a?b")
    >>> [rules.refusal("https://example.com" + path).rule for path in skipped]
    ['/admin', '*/print', '*.pdf', '?']
    """

    def __init__(
        self,
        paths: Iterable[str] = DEFAULT_SKIP_PATHS,
        extensions: Iterable[str] = DEFAULT_SKIP_EXTENSIONS,
        *,
        skip_queries: bool = False,
    ) -> None:
        # Patterns whose first segment is plain text are looked up by it; only the others are tried
        # on every URL.
        self._by_segment: defaultdict[str, list[tuple[int, re.Pattern[str], Refusal]]] = (
            defaultdict(list)
        )
        self._anywhere: list[tuple[int, re.Pattern[str], Refusal]] = []
        for order, rule in enumerate(paths):
            pattern = _canonical_pattern(rule)
            entry = (order, _compile(pattern), Refusal(Reason.SKIPPED_PATH, rule))
            segment = pattern.split("/", 2)[1] if pattern.startswith("/") else "*"
            (self._anywhere if "*" in segment else self._by_segment[segment]).append(entry)
        self._heads = tuple({f"/{segment}"[:HEAD_CHARACTERS] for segment in self._by_segment})
        self._extensions = {
            extension: Refusal(Reason.SKIPPED_FILE_TYPE, f"*.{extension}")
            for extension in map(_parse_extension, extensions)
        }
        self._tail_length = 1 + max(map(len, self._extensions), default=0)
        self._skip_queries = skip_queries

    def refusal(self, url: str) -> Refusal | None:
        match = _PATH.match(url)
        if match is None:
            return None
        path = match[1].lower()
        return (
            self._path_refusal(path)
            or self._extensions.get(_extension_of(path))
            or (_QUERY if self._skip_queries and url.startswith("?", match.end()) else None)
        )

    def refusals(
        self, urls: Sequence[str], origin: SharedOrigin | None = None
    ) -> dict[int, Refusal]:
        """Return the refused ones of *urls* by index; *origin* is what they share, if known."""
        candidates: Iterable[int] = range(len(urls))
        if not self._anywhere:
            candidates = self._candidates(urls, origin)
        found = ((index, self.refusal(urls[index])) for index in candidates)
        return {index: refusal for index, refusal in found if refusal is not None}

    def _candidates(self, urls: Sequence[str], origin: SharedOrigin | None) -> list[int]:
        """Return the indexes of the URLs that a rule may match; cheap, and misses none."""
        if origin is not None and not self._may_match_path(urls, origin):
            return list(origin.query_rows)
        extensions, tail = self._extensions, -self._tail_length
        firsts = first_segments(urls)
        # A batch has few different first segments.
        segments = {first for first in set(firsts) if first.lower() in self._by_segment}
        return [
            index
            for index, (url, first) in enumerate(zip(urls, firsts, strict=True))
            if "?" in url
            or "#" in url
            or ("." in url[tail:] and url.rpartition(".")[2].lower() in extensions)
            or first in segments
        ]

    def _may_match_path(self, urls: Sequence[str], origin: SharedOrigin) -> bool:
        """Whether a rule may match a URL without query and fragment; in most batches none does."""
        if any(head.lower().startswith(self._heads) for head in origin.path_starts):
            return True
        tail = -self._tail_length
        # A batch has few different extensions.
        tails = {text for url in urls if "." in (text := url[tail:])}
        return any(text.rpartition(".")[2].lower() in self._extensions for text in tails)

    def _path_refusal(self, path: str) -> Refusal | None:
        entries = [*self._by_segment.get(path.split("/", 2)[1], ()), *self._anywhere]
        matching = [entry for entry in entries if entry[1].match(path)]
        return min(matching, key=_order)[2] if matching else None


def first_segments(urls: Sequence[str]) -> list[str]:
    """The first path segment of each canonical URL, with what follows a lone one.

    >>> first_segments(["https://example.com/", "https://example.com/a/b", "https://example.com/c?d"])
    ['', 'a', 'c?d']
    """
    return [url.split("/", 4)[3] for url in urls]


def file_kind(content_type: str) -> str:
    """The kind of file that a content type means; ``""`` for pages and unknown types.

    >>> file_kind("application/pdf"), file_kind("video/mp4; codecs=avc1"), file_kind("text/html")
    ('document', 'media', '')
    >>> file_kind("text/x-python"), file_kind("text/plain; charset=utf-8")
    ('text', 'text')
    """
    name = content_type.partition(";")[0].strip().lower()
    if "html" in name:
        return ""
    return next((kind for word, kind in CONTENT_TYPE_KINDS.items() if word in name), "")


def _extension_of(path: str) -> str:
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return extension if dot else ""


def _order(entry: tuple[int, re.Pattern[str], Refusal]) -> int:
    return entry[0]


def _canonical_pattern(rule: str) -> str:
    """Return *rule* as it is written in a canonical URL, in lower case; users write ``/größe``."""
    if not rule.startswith(("/", "*")) or "?" in rule or "#" in rule:
        raise ValueError(
            f"skip path {rule!r}: must be a path that starts with / or *, such as /admin or */print"
        )
    canonical = canonicalize(f"https://x.example/{rule.removeprefix('/')}")
    if canonical is None:
        raise ValueError(f"skip path {rule[:200]!r}: is too long")
    path = canonical.removeprefix("https://x.example").lower()
    if not path.strip("/*"):
        raise ValueError(f"skip path {rule!r}: would skip the whole site")
    return path if rule.startswith("/") else path.removeprefix("/")


def _compile(pattern: str) -> re.Pattern[str]:
    """Return the regex of a path pattern.

    Each piece of text is matched at its first occurrence only (atomic groups), so that matching is
    linear in the length of the path for each piece.
    """
    first, *others = pattern.split("*")
    pieces = [re.escape(first), *(f".*?{re.escape(piece)}" for piece in others)]
    if not pattern.endswith(("*", "/")):
        pieces[-1] += r"(?=/|\Z)"
    return re.compile("".join(f"(?>{piece})" for piece in pieces))


def _parse_extension(extension: str) -> str:
    name = extension.removeprefix("*").removeprefix(".").lower()
    if not re.fullmatch(r"[a-z0-9_-]+", name):
        raise ValueError(f"skip extension {extension!r}: must be one extension such as pdf or .pdf")
    return name
