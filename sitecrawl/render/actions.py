"""Which elements of a page may be clicked, and in which order."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from sitecrawl.render.rules.action_words import (
    HARD_NAMES,
    HARD_PARTS,
    HARD_SIGNS,
    HARD_WORDS,
    PAGE_WORDS,
    SOFT_NAMES,
    SOFT_PARTS,
    SOFT_SIGNS,
    SOFT_WORDS,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitecrawl.render.page_script import Candidate


class ActionSign(StrEnum):
    """What shows that a click would do something."""

    HARD_WORD = "hard-word"
    SOFT_WORD = "soft-word"
    NAME = "name"
    HANDLER = "handler"
    FORM = "form"
    DOWNLOAD = "download"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an element is not clicked; ``rule`` is the word or the construct that decided."""

    sign: ActionSign
    rule: str


@dataclass(frozen=True, slots=True)
class Clickable:
    """An element, by its label and its markup."""

    tag: str
    type: str = ""
    text: str = ""
    """Its visible text, without the buttons and links inside."""
    titles: tuple[str, ...] = ()
    """Accessible names: ``aria-label``, ``title``, ``value``, ``alt``."""
    names: tuple[str, ...] = ()
    """Its own names in the markup: ``id``, ``name``, ``data-*``."""
    classes: tuple[str, ...] = ()
    """Classes, and the names of the icons within it."""
    handlers: tuple[str, ...] = ()
    """The sources of its handlers, as far as they are known."""
    in_form: bool = False
    is_download: bool = False

    @property
    def label(self) -> str:
        """What a person would call it."""
        return next(filter(None, (self.text, *self.titles)), "")


# How many similar elements are clicked before other elements get their chance; more of an open
# menu, because it may have closed by then.
_SAMPLES = 3
_REVEALED_SAMPLES = 12
# `7`, `2024-report`, `how-to-tie-a-knot` are rows; `about` and `size-guide` are not.
_ROW_NAME = re.compile(r"\d|-.*-")

# `Order`, `Send it now`; longer ones are sentences and names of pages.
_MAX_SHORT_WORDS = 3
# `btn btn-delete`, `deleteAccount`, `order/remove`: a longer value is text.
_MAX_NAME_WORDS = 6
_NOT_LETTERS = re.compile(r"[\W_]+")
_CAMEL_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BUTTON_TYPES = frozenset({"button", "menu"})
_CONTROLS = frozenset({"input", "select", "option", "textarea", "output", "datalist"})
_MUTATING_CODE = re.compile(
    r"""
    \bmethod\s*:\s*["'`](?:POST|PUT|PATCH|DELETE)\b
    | \b(?:post|put|patch|delete|del)\s*\(\s*["'`](?:https?:|/)
    | \bopen\(\s*["'`](?:POST|PUT|PATCH|DELETE)\b
    | \bsendBeacon\b
    | \b(?:requestSubmit|submit)\(
    | \b(?:log_?out|sign_?out|delete(?:Account|User))\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def refusal(element: Clickable) -> Refusal | None:
    """Say why the element must not be clicked, or None if nothing speaks against it.

    >>> refusal(Clickable("button", "button", "Konto löschen"))
    Refusal(sign=<ActionSign.HARD_WORD: 'hard-word'>, rule='loschen')
    >>> refusal(Clickable("div", text="Order history")) is None
    True
    """
    return _form_refusal(element) or _label_refusal(element) or _markup_refusal(element)


def hard_words() -> tuple[list[str], list[str]]:
    """The words, and the parts of words, that a question of the page is refused for."""
    return sorted(_HARD), sorted(_HARD_PARTS)


def _form_refusal(element: Clickable) -> Refusal | None:
    if element.is_download:
        return Refusal(ActionSign.DOWNLOAD, "download")
    is_button = element.type in _BUTTON_TYPES
    if element.tag in _CONTROLS and not (element.tag == "input" and is_button):
        return Refusal(ActionSign.FORM, element.tag)
    # A button of a form sends it unless its type says something else.
    if element.tag == "button" and not is_button and (element.in_form or element.type == "submit"):
        return Refusal(ActionSign.FORM, element.type or "submit")
    return None


def _label_refusal(element: Clickable) -> Refusal | None:
    for label in (element.text, *element.titles):
        words = _words(label)
        for phrase in _phrases(words):
            if phrase in _HARD:
                return Refusal(ActionSign.HARD_WORD, phrase)
        if part := _part_in(label, words, _HARD_PARTS, HARD_SIGNS):
            return Refusal(ActionSign.HARD_WORD, part)
        if len(words) <= _MAX_SHORT_WORDS and (word := _soft_start(label, words)):
            return Refusal(ActionSign.SOFT_WORD, word)
    return None


def _soft_start(label: str, words: list[str]) -> str:
    for length in range(len(words), 0, -1):
        phrase = " ".join(words[:length])
        if phrase in _SOFT and (len(words) == length or words[length] not in _PAGE_WORDS):
            return phrase
    joined = "".join(words)
    # A sign is an action only if it is all there is: `★ Favourites` is a page.
    signs = "" if joined else SOFT_SIGNS
    is_start = next((part for part in _SOFT_PARTS if joined.startswith(part)), "")
    return is_start or next((sign for sign in signs if sign in label), "")


def _markup_refusal(element: Clickable) -> Refusal | None:
    for name in (*element.names, *element.classes):
        words = _words(_CAMEL_HUMP.sub(" ", name))
        if len(words) <= _MAX_NAME_WORDS:
            for phrase in _phrases(words):
                if phrase in _HARD_NAMES:
                    return Refusal(ActionSign.NAME, name)
    for name in element.names:
        if " ".join(_words(_CAMEL_HUMP.sub(" ", name))) in _SOFT_NAMES:
            return Refusal(ActionSign.NAME, name)
    for source in element.handlers:
        if match := _MUTATING_CODE.search(source):
            return Refusal(ActionSign.HANDLER, match[0])
    return None


def _folded(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text)
    folded = "".join(part for part in parts if not unicodedata.combining(part)).casefold()
    # Capital letters do not tell which i it was.
    return folded.replace("\N{LATIN SMALL LETTER DOTLESS I}", "i")


def _words(text: str) -> list[str]:
    return _NOT_LETTERS.sub(" ", _folded(text)).split()


def _phrases(words: list[str]) -> Iterator[str]:
    """Every run of up to as many words as the longest phrase has."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + _MAX_PHRASE_WORDS, len(words)) + 1):
            yield " ".join(words[start:end])


def _part_in(label: str, words: list[str], parts: Iterable[str], signs: str) -> str:
    joined = "".join(words)
    found = next((part for part in parts if part in joined), "")
    return found or next((sign for sign in signs if sign in label), "")


def _table(*texts: str) -> frozenset[str]:
    entries = (entry for text in texts for entry in text.split(";"))
    return frozenset(" ".join(_words(entry)) for entry in entries)


_HARD = _table(*HARD_WORDS.values())
_SOFT = _table(*SOFT_WORDS.values())
_HARD_PARTS = sorted(entry.replace(" ", "") for entry in _table(*HARD_PARTS.values()))
_SOFT_PARTS = sorted(entry.replace(" ", "") for entry in _table(*SOFT_PARTS.values()))
_HARD_NAMES = _table(HARD_NAMES)
_SOFT_NAMES = _table(SOFT_NAMES)
_PAGE_WORDS = _table(PAGE_WORDS)
_MAX_PHRASE_WORDS = max(len(entry.split()) for entry in _HARD | _HARD_NAMES)


@dataclass(frozen=True, slots=True)
class RefusedClick:
    """An element that was not clicked, and why."""

    label: str
    path: str
    refusal: Refusal


class ClickQueue:
    """The elements still to be clicked: different ones before more of the same.

    - Elements that a click has revealed come next, while they are there.
    - The first few of similar elements come in document order with the others, the rest at the
      end, until *max_alike* of them have led to rows of one list (``/items/1``, ``/items/2``) or
      nowhere.
    - No element comes twice, even if the page was reloaded; lost elements may come again.
    """

    def __init__(self, max_alike: int) -> None:
        self.refused: list[RefusedClick] = []
        self.left_out = 0
        self._max_alike = max_alike
        self._revealed: deque[Candidate] = deque()
        self._first: deque[Candidate] = deque()
        self._rest: deque[Candidate] = deque()
        self._known: set[tuple[str, str, str]] = set()
        self._lost: set[tuple[str, str, str]] = set()
        self._revealers: dict[tuple[str, str, str], Candidate] = {}
        self._counts: Counter[str] = Counter()
        self._outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)

    @property
    def has_lost(self) -> bool:
        """Whether there are elements that could not be found again."""
        return bool(self._lost)

    def add(self, candidates: Iterable[Candidate], revealer: Candidate | None = None) -> None:
        """Add elements of the page, or those that a click on the *revealer* has shown."""
        at_once = []
        for candidate in candidates:
            if candidate.identity in self._known:
                continue
            self._known.add(candidate.identity)
            if reason := refusal(candidate.clickable):
                self.refused.append(RefusedClick(candidate.label, candidate.path, reason))
                continue
            self._counts[candidate.kind] += 1
            position = self._counts[candidate.kind]
            if revealer is not None:
                self._revealers[candidate.identity] = revealer
            if revealer is not None and position <= _REVEALED_SAMPLES:
                at_once.append(candidate)
            else:
                (self._first if position <= _SAMPLES else self._rest).append(candidate)
        self._revealed.extendleft(reversed(at_once))

    def take(self) -> Candidate | None:
        for queue in (self._revealed, self._first, self._rest):
            while queue:
                candidate = queue.popleft()
                if not self._is_exhausted(candidate):
                    return candidate
                self.left_out += 1
        return None

    def lose(self, candidate: Candidate) -> None:
        """Record that the element could not be found for its click."""
        self._lost.add(candidate.identity)

    def retry(self) -> None:
        """Let lost elements, and those that revealed them, come again on a reloaded page."""
        for identity in self._lost:
            revealer = self._revealers.get(identity)
            self._known.discard(identity)
            while revealer is not None:
                self._known.discard(revealer.identity)
                revealer = self._revealers.get(revealer.identity)
        self._lost.clear()

    def conclude(self, candidate: Candidate, urls: Sequence[str]) -> None:
        """Record where a click led to."""
        for group in {_list_of(url) for url in urls} or {""}:
            self._outcomes[candidate.kind][group] += 1

    def _is_exhausted(self, candidate: Candidate) -> bool:
        return max(self._outcomes[candidate.kind].values(), default=0) >= self._max_alike


def _list_of(url: str) -> str:
    """The folder of a row of a list; the URL itself if it is no row.

    >>> _list_of("https://a.example/items/7"), _list_of("https://a.example/items/about")
    ('https://a.example/items', 'https://a.example/items/about')
    """
    folder, _, name = url.partition("?")[0].rstrip("/").rpartition("/")
    return folder if _ROW_NAME.search(name) else url
