"""The parts of a site that never end, as real sites have them without knowing it.

Each is a function of the target alone: no state, the same answer for ever.
"""

from __future__ import annotations

import contextlib
import random
import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from html import escape
from typing import TYPE_CHECKING, ClassVar, Protocol
from urllib.parse import parse_qsl, urlencode

from tests.site.sites.frame import Link, Page, head_turns, link_list, pager
from tests.site.sites.prose import paragraphs, sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Choices = dict[str, str]
"""Query parameters in the order in which a visitor chose them."""

_FIRST_DAY, _LAST_DAY = date(1, 2, 1), date(9999, 11, 30)


class EndlessPart(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def most_requests(self) -> int:
        """A crawl has seen enough by then."""

    def owns(self, target: str) -> bool: ...

    def page(self, target: str) -> Page: ...


@dataclass(frozen=True, slots=True)
class RelativeLoop:
    """Links without a leading slash on a server that ignores what follows its folder."""

    folder: str
    name: str = "loop"
    most_requests: int = 50

    def owns(self, target: str) -> bool:
        return target.startswith(f"{self.folder}/")

    def page(self, target: str) -> Page:
        links = [Link("info/", "Information"), Link("opening/", "Opening"), Link("map/", "Map")]
        # Where one is goes into the text, as a trail of names that grows with the path.
        trail = " / ".join(target.strip("/").split("/"))
        here = f"<p>You are here: {escape(trail)}</p>\n"
        return Page("Information", here + paragraphs(self.folder) + link_list(links))


@dataclass(frozen=True, slots=True)
class Calendar:
    """Months and days in both directions; a few months have an event of their own."""

    folder: str
    events: Mapping[str, Link]
    """By month, as in ``2026/05``."""
    name: str = "calendar"
    most_requests: int = 200

    def owns(self, target: str) -> bool:
        return self._date(target) is not None

    def page(self, target: str) -> Page:
        day = self._date(target)
        assert day is not None
        is_month = target.count("/") == self.folder.count("/") + 2
        return self._month(day) if is_month else self._day(day)

    def _date(self, target: str) -> date | None:
        """The day of a day's page, the first one of a month's."""
        folder, _, text = target.partition(f"{self.folder}/")
        if folder or not re.fullmatch(r"[0-9]{4}/[0-9]{2}(?:/[0-9]{2})?", text):
            return None
        year, month, *day = map(int, text.split("/"))
        with contextlib.suppress(ValueError):  # the thirtieth of February
            return date(year, month, day[0] if day else 1)
        return None

    def _month(self, first: date) -> Page:
        before = max(_FIRST_DAY, first - timedelta(days=1))
        after = min(_LAST_DAY, (first + timedelta(days=31)).replace(day=1))
        count = (after - timedelta(days=1)).day
        cells = "".join(
            f'<td><a href="{self.folder}/{first:%Y/%m}/{day:02}">{day}</a></td>\n'
            for day in range(1, count + 1)
        )
        event = self.events.get(f"{first:%Y/%m}")
        listed = link_list([event]) if event else "<p>No events in this month.</p>\n"
        turns = [f"{self.folder}/{month:%Y/%m}" for month in (before, after)]
        table = f"<table><tr>\n{cells}</tr></table>\n"
        return Page(f"Events in {first:%B %Y}", table + listed + pager(*turns))

    def _day(self, day: date) -> Page:
        turns = [
            f"{self.folder}/{there:%Y/%m/%d}"
            for there in (day - timedelta(days=1), day + timedelta(days=1))
        ]
        up = link_list([Link(f"{self.folder}/{day:%Y/%m}", f"All of {day:%B}")])
        text = f"<p>Nothing is planned for {day:%A, %d %B %Y}.</p>\n"
        return Page(f"{day:%d %B %Y}", text + up + pager(*turns))


@dataclass(frozen=True, slots=True)
class Facets:
    """Every page of a filtered list offers every further filter, in whatever order one clicks."""

    path: str
    facets: Mapping[str, Sequence[str]]
    items: Sequence[Link]
    """What the list has; each page shows some of it."""
    only_under: Mapping[tuple[str, str], Link] = field(default_factory=dict)
    """Shown nowhere but under this one choice."""
    name: str = "facets"
    most_requests: int = 300

    def owns(self, target: str) -> bool:
        return bool(self._chosen(target))

    def page(self, target: str) -> Page:
        chosen = self._chosen(target)
        chance = random.Random(str(sorted(chosen.items())))
        shown = [item for item in self.items if chance.random() < 1 / (1 + len(chosen))]
        shown += [item for choice, item in self.only_under.items() if choice in chosen.items()]
        title = ", ".join(f"{name} {value}" for name, value in sorted(chosen.items()))
        result = f"<p>{len(shown)} of {len(self.items)} things match.</p>\n{link_list(shown)}"
        return Page(f"With {title}", result, aside=self.sidebar(chosen))

    def sidebar(self, chosen: Choices) -> str:
        blocks = []
        for facet, values in self.facets.items():
            links = [Link(_query(self.path, {**chosen, facet: value}), value) for value in values]
            blocks.append(f"<h2>{escape(facet.capitalize())}</h2>\n{link_list(links)}")
        return "".join(blocks)

    def _chosen(self, target: str) -> Choices:
        path, _, query = target.partition("?")
        chosen = dict(parse_qsl(query))
        return chosen if path == self.path and chosen.keys() <= self.facets.keys() else {}


@dataclass(frozen=True, slots=True)
class Orderings:
    """One list in every order, view and length."""

    path: str
    items: Sequence[str]
    name: str = "orderings"
    most_requests: int = 100

    _OPTIONS: ClassVar[Mapping[str, Sequence[str]]] = {
        "sort": ("name", "date", "size", "maker"),
        "dir": ("asc", "desc"),
        "view": ("grid", "list", "wall"),
        "per_page": ("12", "24", "48"),
    }

    def owns(self, target: str) -> bool:
        path, _, query = target.partition("?")
        return path == self.path and bool(query)

    def page(self, target: str) -> Page:
        chosen = dict(parse_qsl(target.partition("?")[2]))
        captions = list(self.items)
        random.Random(str(sorted(chosen.items()))).shuffle(captions)
        shown = "".join(f"<li>{escape(caption)}</li>\n" for caption in captions)
        links = [
            Link(_query(self.path, {**chosen, option: value}), f"{option}: {value}")
            for option, values in self._OPTIONS.items()
            for value in values
            if chosen.get(option) != value
        ]
        return Page("Gallery", f"<ul>\n{shown}</ul>\n{link_list(links)}")


@dataclass(frozen=True, slots=True)
class PagesBeyondTheLast:
    """A list that answers every further page number with its last page and a link to the next."""

    path: str
    last: int
    last_page: str
    """HTML of what the last one lists."""
    name: str = "pagination"
    most_requests: int = 50

    def owns(self, target: str) -> bool:
        number = re.fullmatch(rf"{re.escape(self.path)}\?page=([0-9]+)", target)
        return number is not None and int(number[1]) > self.last

    def page(self, target: str) -> Page:
        number = int(target.rpartition("=")[2])
        turns = (f"{self.path}?page={number - 1}", f"{self.path}?page={number + 1}")
        main = f"<p>Page {number}</p>\n{self.last_page}{pager(*turns)}"
        return Page("Stories", main, head=head_turns(*turns))


@dataclass(frozen=True, slots=True)
class Tokens:
    """Links with a new random token each time, all to the same text."""

    folder: str
    name: str = "tokens"
    most_requests: int = 100

    def owns(self, target: str) -> bool:
        return target.startswith(f"{self.folder}/")

    def page(self, target: str) -> Page:
        links = [
            Link(f"{self.folder}/{token(f'{target}{number}')}", f"Partner {number}")
            for number in range(1, 4)
        ]
        # An advertisement that changes with every visit.
        text = paragraphs(self.folder) + f"<p>{sentences(target, 1)}</p>\n"
        return Page("Our partners", text + link_list(links))


@dataclass(frozen=True, slots=True)
class DeepPaths:
    """Folders in folders without an end, none named like the one above it."""

    folder: str
    name: str = "depth"
    most_requests: int = 100

    _WORDS: ClassVar[Sequence[str]] = (
        *("wood", "iron", "glass", "paper", "linen", "stone"),
        *("copper", "leather", "clay", "ink", "wax", "rope"),
    )

    def owns(self, target: str) -> bool:
        return target.startswith(f"{self.folder}/")

    def page(self, target: str) -> Page:
        above = target.rstrip("/").split("/")
        free = [word for word in self._WORDS if word not in above[-3:]]
        words = random.Random(target).sample(free, 2)
        links = [Link(f"{target.rstrip('/')}/{word}", f"More: {word}") for word in words]
        title = f"Things of {above[-1]}"
        return Page(title, paragraphs(self.folder) + link_list(links))


def token(seed: str) -> str:
    """24 hexadecimal digits."""
    return f"{random.Random(seed).getrandbits(96):024x}"


def _query(path: str, chosen: Choices) -> str:
    return f"{path}?{urlencode(chosen)}"
