"""Pairs pages that disappeared with new ones: one to one, with evidence and confidence.

From the strongest evidence to the weakest:

- the old address redirects to the new one;
- the old page names the new one as its canonical address;
- both have the same text, and no other page has it;
- their texts are similar, and their titles are the same;
- they have the same slug in the same template, or a rename that explains many pages gives the new
  address (``/blog/`` -> ``/articles/``).

A page that matches several others stays unpaired, unless a rename decides.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

_ENDING: Final = re.compile(r"\.(?:html?|php|aspx?|jsp)\Z", re.IGNORECASE)
_SPACES: Final = re.compile(r"\W+")
_MAX_DISTANCE: Final = 10
_MIN_RENAMES: Final = 3
_SITE_SHARE: Final = 0.8
_SITE_PAGES: Final = 3
_MANY_REDIRECTS: Final = 3


class MoveEvidence(StrEnum):
    REDIRECT = "redirect"
    CANONICAL = "canonical"
    SAME_TEXT = "same_text"
    SIMILAR_TEXT = "similar_text"
    RENAME = "rename"
    SAME_SLUG = "same_slug"


_CONFIDENCE: Final = {
    MoveEvidence.REDIRECT: 1.0,
    MoveEvidence.CANONICAL: 0.95,
    MoveEvidence.SAME_TEXT: 0.95,
    MoveEvidence.SIMILAR_TEXT: 0.85,
    MoveEvidence.RENAME: 0.9,
    MoveEvidence.SAME_SLUG: 0.75,
}


@dataclass(frozen=True, slots=True)
class MovingPage:
    """A page that disappeared or is new."""

    id: int
    url: str
    template: str = ""
    type: str = ""
    title: str = ""
    text_hash: str = ""
    fingerprint: int | None = None
    """Simhash of its words."""
    redirects_to: int | None = None
    """The page that it redirects to."""
    canonical_id: int | None = None


class Move(NamedTuple):
    old: MovingPage
    new: MovingPage
    by: MoveEvidence
    confidence: float
    words: str


class Rename(NamedTuple):
    """How the start of addresses changed."""

    old: str
    new: str


def pair_moves(
    leaving: Sequence[MovingPage], arriving: Sequence[MovingPage], known: Mapping[int, MovingPage]
) -> list[Move]:
    """Which of the *leaving* pages moved, and where; *known*: other pages they may point to."""
    pairing = _Pairing(leaving, arriving)
    pairing.by_pointer(MoveEvidence.REDIRECT, known, lambda page: page.redirects_to)
    pairing.by_pointer(MoveEvidence.CANONICAL, known, lambda page: page.canonical_id)
    pairing.by_value(MoveEvidence.SAME_TEXT, lambda page: page.text_hash or None)
    pairing.by_value(MoveEvidence.SIMILAR_TEXT, _title_of, _is_similar)
    pairing.by_slug()
    return list(pairing.moves.values())


class _Pairing:
    def __init__(self, leaving: Sequence[MovingPage], arriving: Sequence[MovingPage]) -> None:
        self.moves: dict[int, Move] = {}
        self._leaving = {page.id: page for page in leaving}
        self._arriving = {page.id: page for page in arriving if page.id not in self._leaving}

    def by_pointer(
        self,
        by: MoveEvidence,
        known: Mapping[int, MovingPage],
        target: Callable[[MovingPage], int | None],
    ) -> None:
        """Pair pages with what they point to, unless many point to the same page."""
        pointers = Counter(target(page) for page in self._leaving.values())
        for page in list(self._leaving.values()):
            target_id = target(page)
            if target_id is None or target_id == page.id:
                continue
            new = self._arriving.get(target_id) or known.get(target_id)
            if new is None or pointers[target_id] >= _MANY_REDIRECTS or _is_root(new.url):
                continue
            if all(move.new.id != new.id for move in self.moves.values()):
                verb = "redirects to" if by is MoveEvidence.REDIRECT else "names as canonical"
                self._pair(page, new, by, f"{page.url} {verb} {new.url}")

    def by_value(
        self,
        by: MoveEvidence,
        value: Callable[[MovingPage], Hashable | None],
        is_match: Callable[[MovingPage, MovingPage], bool] | None = None,
    ) -> None:
        """Pair pages with the same value that no other page on their side has."""
        old, new = (_by_value(pages.values(), value) for pages in (self._leaving, self._arriving))
        for key, pages in old.items():
            others = new.get(key, [])
            if len(pages) != 1 or len(others) != 1:
                continue
            if is_match is None or is_match(pages[0], others[0]):
                self._pair(pages[0], others[0], by, _VALUE_WORDS[by])

    def by_slug(self) -> None:
        """Pair pages by slug; renames that explain many pages decide between several matches."""
        old, new = (_by_value(pages.values(), slug) for pages in (self._leaving, self._arriving))
        renames = self._renames(old, new)
        arriving = {page.url: page for page in self._arriving.values()}
        for page in list(self._leaving.values()):
            for rename, pages in renames:
                target = arriving.get(rename.new + page.url.removeprefix(rename.old))
                if page.url.startswith(rename.old) and target and target.id in self._arriving:
                    words = f"{pages:,} pages moved from {rename.old} to {rename.new}"
                    self._pair(page, target, MoveEvidence.RENAME, words)
                    break
        self._by_lone_slug()

    def _renames(
        self, old: Mapping[Hashable, list[MovingPage]], new: Mapping[Hashable, list[MovingPage]]
    ) -> list[tuple[Rename, int]]:
        """Renames that pages with the same slug suggest, the most frequent first."""
        counts: Counter[Rename] = Counter()
        for key, pages in old.items():
            others = new.get(key, [])
            if len(pages) * len(others) <= _MIN_RENAMES**2:
                counts.update({_rename(page.url, other.url) for page in pages for other in others})
        return [(rename, pages) for rename, pages in counts.most_common() if pages >= _MIN_RENAMES]

    def _by_lone_slug(self) -> None:
        old, new = (_by_value(pages.values(), slug) for pages in (self._leaving, self._arriving))
        for key, pages in old.items():
            others = new.get(key, [])
            if len(pages) != 1 or len(others) != 1 or not _is_distinctive(str(key)):
                continue
            page, other = pages[0], others[0]
            is_alike = page.template == other.template or (page.type and page.type == other.type)
            if is_alike:
                words = f"both have the slug {key}, and no other page that came or went has it"
                self._pair(page, other, MoveEvidence.SAME_SLUG, words)

    def _pair(self, old: MovingPage, new: MovingPage, by: MoveEvidence, words: str) -> None:
        if old.id in self.moves or old.id not in self._leaving:
            return
        self.moves[old.id] = Move(old, new, by, _CONFIDENCE[by], words)
        del self._leaving[old.id]
        self._arriving.pop(new.id, None)


_VALUE_WORDS: Final = {
    MoveEvidence.SAME_TEXT: "the same text, which no other page that came or went has",
    MoveEvidence.SIMILAR_TEXT: "a similar text and the same title",
}


def _by_value(
    pages: Iterable[MovingPage], value: Callable[[MovingPage], Hashable | None]
) -> dict[Hashable, list[MovingPage]]:
    found: defaultdict[Hashable, list[MovingPage]] = defaultdict(list)
    for page in pages:
        if (key := value(page)) is not None:
            found[key].append(page)
    return found


def slug(page: MovingPage) -> str | None:
    """The last segment of the path, without the ending of a file.

    >>> slug(MovingPage(1, "https://example.com/blog/Hello-World.html?x=1"))
    'hello-world'
    >>> slug(MovingPage(1, "https://example.com/"))
    """
    path = urlsplit(page.url).path.rstrip("/")
    return _ENDING.sub("", path.rpartition("/")[2]).lower() or None


def _is_distinctive(text: str) -> bool:
    """Whether unrelated pages hardly share this slug: it has several words, or a long number.

    >>> _is_distinctive("red-running-shoes"), _is_distinctive("about"), _is_distinctive("48213")
    (True, False, True)
    """
    return len(re.findall(r"[^\W_]{2,}", text)) >= 2 or bool(re.search(r"\d{4,}", text))  # noqa: PLR2004


def _title_of(page: MovingPage) -> str | None:
    return _SPACES.sub(" ", page.title).strip().casefold() or None


def _is_similar(old: MovingPage, new: MovingPage) -> bool:
    if old.fingerprint is None or new.fingerprint is None:
        return False
    return ((old.fingerprint ^ new.fingerprint) & (2**64 - 1)).bit_count() <= _MAX_DISTANCE


def _is_root(url: str) -> bool:
    return urlsplit(url).path in {"", "/"}


def _rename(old: str, new: str) -> Rename:
    """The different starts of two addresses that end alike, in whole segments.

    >>> _rename("https://a.example/blog/x", "https://a.example/articles/x")
    Rename(old='https://a.example/blog/', new='https://a.example/articles/')
    """
    old_parts, new_parts = old.split("/"), new.split("/")
    while len(old_parts) > 1 and len(new_parts) > 1 and old_parts[-1] == new_parts[-1]:
        old_parts.pop()
        new_parts.pop()
    return Rename("/".join(old_parts) + "/", "/".join(new_parts) + "/")


class SiteMove(NamedTuple):
    """The whole site has another scheme or host."""

    old: str
    new: str
    pages: int


def site_move(addresses: Iterable[tuple[str, str]], known: int) -> SiteMove | None:
    """Whether the old and new addresses of pages show that the site has moved.

    *known* is how many pages the site had.

    >>> pages = [(f"http://a.example/{n}", f"https://b.example/{n}") for n in range(9)]
    >>> site_move(pages, 10)
    SiteMove(old='http://a.example', new='https://b.example', pages=9)
    >>> site_move(pages, 100)
    """
    counts: Counter[tuple[str, str]] = Counter()
    for old, new in addresses:
        before, after = urlsplit(old), urlsplit(new)
        origins = f"{before.scheme}://{before.netloc}", f"{after.scheme}://{after.netloc}"
        if origins[0] != origins[1] and before.path == after.path:
            counts[origins] += 1
    if not counts:
        return None
    [((old, new), pages)] = counts.most_common(1)
    if pages < _SITE_PAGES or pages < _SITE_SHARE * known:
        return None
    return SiteMove(old, new, pages)
