"""Sites without an end, each with the pages on it that are real."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from tests.urls.models.words import FRAME, Answer, names, prose

if TYPE_CHECKING:
    from tests.urls.models.words import Model


@dataclass(frozen=True, slots=True)
class Trap:
    name: str
    model: Model
    most_visits: int
    real: frozenset[str] = field(default_factory=frozenset)
    start: str = "/"


_NAMES = names(0, 12)
_PAGES = frozenset(f"/{name}" for name in _NAMES)


def _beside_pages(trap: Model) -> Model:
    """A trap in its folder, and a dozen real pages that lead to it."""

    def answer(target: str) -> Answer:
        if target.startswith("/trap/"):
            return trap(target)
        return Answer([*sorted(_PAGES), "/trap/"], f"{FRAME} {prose(target)}")

    return answer


def _relative_loop(*words: str, one_text: bool) -> Model:
    """Links without a leading slash on a server that reads the last segment only, or none."""

    def answer(target: str) -> Answer:
        about = "" if one_text else target.rstrip("/").rpartition("/")[2]
        return Answer([f"{word}/" for word in words], f"{FRAME} {prose(about)}")

    return answer


def _deep_words(target: str) -> Answer:
    words = random.Random(target).sample(names(0, 400), 3)
    return Answer([f"{target.rstrip('/')}/{word}" for word in words], FRAME)


def _numbered_depth(target: str) -> Answer:
    level = target.count("/")
    return Answer([f"{target.rstrip('/')}/level-{level}"], FRAME)


def _counted_depth(target: str) -> Answer:
    return Answer([f"{target.rstrip('/')}/{number}" for number in (1, 2)], FRAME)


def _token(seed: str) -> str:
    return f"{random.Random(seed).getrandbits(96):024x}"


def _tokens(target: str) -> Answer:
    return Answer([f"/go/{_token(f'{target}{number}')}" for number in range(4)], FRAME)


def _nested_tokens(target: str) -> Answer:
    folder = target.rstrip("/")
    return Answer([f"{folder}/{_token(f'{target}{number}')}" for number in range(3)], FRAME)


def _visitor_in_path(target: str) -> Answer:
    """Every page is there for every visitor, and every visit is a new visitor."""
    path = re.sub("^/s/[0-9a-f]{24}", "", target) or "/"
    ident = _token(target)
    return Answer([f"/s/{ident}/{name}" for name in _NAMES], f"{FRAME} {prose(path)}")


def _visitor_in_query(target: str) -> Answer:
    path = target.partition("?")[0]
    links = [f"/{name}?visitor={_token(target)}" for name in _NAMES]
    return Answer([*links, *(f"/{name}" for name in _NAMES)], f"{FRAME} {prose(path)}")


def _calendar(month: str, day: str, *, words: int, start: date = date(2026, 5, 1)) -> Model:
    """Months with their days, in both directions; *words* of text beside the name of the day."""
    frame = prose("calendar", words)
    month_format, day_format = (text.replace("?", r"\?") for text in (month, day))

    def parse(target: str, form: str) -> date | None:
        pattern = form.replace("%Y", "(?P<y>[0-9]{4})").replace("%m", "(?P<m>[0-9]{2})")
        found = re.fullmatch(pattern.replace("%d", "(?P<d>[0-9]{2})"), target)
        if not found:
            return None
        parts = {"d": "01", **found.groupdict()}
        return date(int(parts["y"]), int(parts["m"]), int(parts["d"]))

    def answer(target: str) -> Answer:
        if target == "/":
            return Answer([f"{start:{month}}"], frame)
        if first := parse(target, month_format):
            after = (first + timedelta(days=31)).replace(day=1)
            days = [f"{first + timedelta(days=n):{day}}" for n in range((after - first).days)]
            turns = [f"{there:{month}}" for there in (first - timedelta(days=1), after)]
            event = [f"/event/{first:%B}".lower()] if first.year == start.year else []
            return Answer([*days, *turns, *event], f"{frame} {first:%B %Y}")
        if this := parse(target, day_format):
            turns = [f"{this + timedelta(days=n):{day}}" for n in (-1, 1)]
            return Answer([*turns, f"{this:{month}}"], f"{frame} {this:%A %d %B %Y}")
        return Answer(["/"], f"{frame} {prose(target)}")

    return answer


_FACETS = {name: names(100 * number, 5) for number, name in enumerate(names(900, 6))}
_ITEMS = [f"/item/{name}" for name in names(0, 48)]


def _filtered(target: str) -> Answer:
    """A list of 48 items on four pages, and under any choice of 6 filters."""
    if not target.startswith("/shop"):
        return Answer(["/shop"], f"{FRAME} {prose(target)}")
    chosen = dict(parse_qsl(target.partition("?")[2]))
    page = int(chosen.pop("page", "1"))
    chance = random.Random(str(sorted(chosen.items())))
    shown = [item for item in _ITEMS if chance.random() < 1 / (1 + len(chosen))]
    shown = shown[12 * (page - 1) : 12 * page]
    links = [
        f"/shop?{urlencode({**chosen, facet: value})}"
        for facet, values in _FACETS.items()
        for value in values
    ]
    if len(shown) == 12:
        links.append(f"/shop?{urlencode({**chosen, 'page': str(page + 1)})}")
    return Answer([*shown, *links], f"{FRAME} {' '.join([*shown, *chosen, *chosen.values()])}")


_LISTS = [f"/list/{name}" for name in names(0, 40)]
_VIEWS = {
    "sort": ["name", "price", "date", "rating"],
    "dir": ["up", "down"],
    "view": ["grid", "list", "table"],
    "limit": ["10", "20", "50", "100"],
}


def _orderings(target: str) -> Answer:
    """Forty lists, each in any order, view and length."""
    path, _, query = target.partition("?")
    if path == "/":
        return Answer(_LISTS, FRAME)
    chosen = dict(parse_qsl(query))
    links = [
        f"{path}?{urlencode({**chosen, name: value})}"
        for name, values in _VIEWS.items()
        for value in values
    ]
    return Answer(links, f"{FRAME} {prose(path)}")


_ARTICLES = [f"/article-{name}" for name in names(0, 250)]


def _pages_past_the_end(address: str, *, last: int, is_empty: bool) -> Model:
    def answer(target: str) -> Answer:
        number = int((re.findall("[0-9]+", target) or ["1"])[-1])
        if target.startswith("/article"):
            return Answer(["/"], f"{FRAME} {prose(target)}")
        articles = _ARTICLES[10 * min(number, last) - 10 : 10 * min(number, last)]
        if is_empty and number > last:
            articles = []
        links = [address.format(number + step) for step in range(1, 4)]
        return Answer([*articles, *links], " ".join([FRAME, f"page {number}", *articles]))

    return answer


def _filters_past_the_end(target: str) -> Answer:
    """Every page of an endless list offers its filters, and every filtered list is endless."""
    chosen = dict(parse_qsl(target.partition("?")[2]))
    page = int(chosen.get("page", "1"))
    links = [f"/?{urlencode({**chosen, 'page': str(page + 1)})}"]
    links += [f"/?{urlencode({**chosen, 'tag': tag})}" for tag in "abcdef"]
    links += [f"/?{urlencode({**chosen, 'by': tag})}" for tag in "abcdef"]
    return Answer(links, f"{FRAME} nothing here")


_MONTHS = frozenset(f"/event/{date(2026, month, 1):%B}".lower() for month in range(1, 13))
_WORDS = ("map", "news", "team", "jobs", "help")

TRAPS = [
    *(
        Trap(name, _beside_pages(loop), most_visits + len(_PAGES) + 1, _PAGES)
        for name, loop, most_visits in (
            ("one relative link", _relative_loop("map", one_text=True), 25),
            ("three relative links, one text", _relative_loop(*_WORDS[:3], one_text=True), 35),
            ("three relative links", _relative_loop(*_WORDS[:3], one_text=False), 35),
            ("four relative links", _relative_loop(*_WORDS[:4], one_text=False), 45),
            ("five relative links", _relative_loop(*_WORDS, one_text=False), 60),
            ("ever deeper words", _deep_words, 90),
        )
    ),
    Trap("ever deeper levels", _numbered_depth, 25),
    Trap("ever deeper numbers", _counted_depth, 55),
    Trap("tokens", _tokens, 45),
    Trap("tokens in tokens", _nested_tokens, 50),
    Trap("visitors in the path", _visitor_in_path, 70),
    Trap("visitors in the query", _visitor_in_query, 70, _PAGES),
    Trap("calendar, short", _calendar("/cal/%Y/%m", "/cal/%Y/%m/%d", words=12), 200, _MONTHS),
    Trap("calendar, long", _calendar("/cal/%Y/%m", "/cal/%Y/%m/%d", words=150), 150, _MONTHS),
    Trap("calendar, dates", _calendar("/m/%Y-%m", "/d/%Y-%m-%d", words=60), 180, _MONTHS),
    Trap(
        "calendar, query",
        _calendar("/cal?month=%m&year=%Y", "/cal?day=%d&month=%m&year=%Y", words=60),
        180,
        _MONTHS,
    ),
    Trap("filters", _filtered, 300, frozenset(_ITEMS), "/shop"),
    Trap("orders and views", _orderings, 300, frozenset(_LISTS)),
    Trap(
        "last page again and again",
        _pages_past_the_end("/?page={}", last=25, is_empty=False),
        310,
        frozenset(_ARTICLES),
    ),
    Trap(
        "empty pages",
        _pages_past_the_end("/page/{}", last=25, is_empty=True),
        310,
        frozenset(_ARTICLES),
    ),
    Trap("filters past the end", _filters_past_the_end, 120),
]
