"""Large parts of sites as they should be: every page of them is to be visited."""

from __future__ import annotations

import random
import re
import uuid
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from tests.urls.models.words import FRAME, Answer, names, prose

if TYPE_CHECKING:
    from tests.urls.models.words import Model


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    model: Model
    real: frozenset[str]
    start: str = "/"


def _number(target: str) -> int:
    return int((re.findall("[0-9]+", target) or ["0"])[-1])


def _page(target: str, links: list[str]) -> Answer:
    return Answer(links, f"{FRAME} {prose(target)}")


_PRODUCTS = 5_000
_CATEGORIES = 20
_PER_PAGE = 25


def _products(target: str) -> Answer:
    """Twenty categories of ten pages; a product links to its category alone."""
    if target == "/":
        return _page(target, [f"/c/{number}-things" for number in range(_CATEGORIES)])
    if target.startswith("/product/"):
        return _page(target, [f"/c/{_number(target) % _CATEGORIES}-things"])
    path, _, query = target.partition("?page=")
    category, page = int(path[3:].partition("-")[0]), int(query or 1)
    first = (page - 1) * _PER_PAGE * _CATEGORIES + category
    shown = range(first, min(first + _PER_PAGE * _CATEGORIES, _PRODUCTS), _CATEGORIES)
    links = [f"/product/{number}" for number in shown]
    if shown and shown[-1] + _CATEGORIES < _PRODUCTS:
        links.append(f"{path}?page={page + 1}")
    return _page(target, links)


_NEIGHBOURS = (1, 2, 7, 31)


def _chain(address: str, count: int) -> Model:
    """Pages that link to each other and are linked from nowhere else."""

    def answer(target: str) -> Answer:
        number = _number(target)
        return _page(target, [address.format((number + step) % count) for step in _NEIGHBOURS])

    return answer


def _all(address: str, count: int) -> frozenset[str]:
    return frozenset(address.format(number) for number in range(count))


_TITLES = [f"{name}_{name[::-1]}" for name in names(0, 1_500)]


def _wiki(target: str) -> Answer:
    """Each article has views that are worth nothing."""
    path = target.partition("?")[0]
    chance = random.Random(path)
    links = [f"/wiki/{title}" for title in chance.sample(_TITLES, 6)]
    at = _TITLES.index(path[6:]) if path[6:] in _TITLES else 0
    links.append(f"/wiki/{_TITLES[(at + 1) % len(_TITLES)]}")
    return _page(path, [*links, f"{path}?action=print", f"{path}?action=info"])


_DAYS = [date(2020, 1, 1) + timedelta(days=n) for n in range(1_000)]
_STORIES = [f"/{day:%Y/%m}/about-{name}" for day, name in zip(_DAYS, names(0, 1_000), strict=True)]


def _news(target: str) -> Answer:
    """A list of a hundred pages."""
    if not target.startswith("/news"):
        return _page(target, ["/news"])
    page = int(target.partition("page=")[2] or 1)
    stories = _STORIES[10 * (page - 1) : 10 * page]
    links = [f"/news?page={number}" for number in range(page, page + 3) if number <= 100]
    return Answer([*stories, *links], " ".join([FRAME, *stories]))


def _dated_chain(target: str) -> Answer:
    """One picture a day, each with a link to the day before and the day after."""
    day = date.fromisoformat(target[9:]) if target != "/" else _DAYS[500]
    turns = [day + timedelta(days=step) for step in (-1, 1)]
    return _page(target, [f"/picture/{there}" for there in turns if _DAYS[0] <= there <= _DAYS[-1]])


_FORUMS, _TOPICS = 10, 1_000


def _forum(target: str) -> Answer:
    """Topics have parts, and views that say the same once more."""
    path, _, query = target.partition("?")
    chosen = {name: int(value) for name, value in parse_qsl(query) if value.isdigit()}
    if path == "/":
        return _page(target, [f"/viewforum.php?f={number}" for number in range(_FORUMS)])
    forum, start = chosen.get("f", 0), chosen.get("start", 0)
    if path == "/viewforum.php":
        topics = range(forum, _TOPICS, _FORUMS)[start : start + 25]
        links = [f"/viewtopic.php?f={forum}&t={topic}" for topic in topics]
        if len(topics) == 25:
            links.append(f"/viewforum.php?f={forum}&start={start + 25}")
        return _page(target, links)
    topic = f"/viewtopic.php?f={forum}&t={chosen['t']}"
    views = [f"{topic}&view=print", f"{topic}&view=next"]
    views += [f"{topic}&start=20"] if chosen["t"] % 2 else []
    return _page(f"{topic}&start=20" if start else topic, views)


def _verses(target: str) -> Answer:
    """Two parameters, each with few values, that choose a page together."""
    chosen = dict(parse_qsl(target.partition("?")[2]))
    chapter, verse = int(chosen.get("chapter", 1)), int(chosen.get("verse", 0))
    links = [f"/read?chapter={chapter}&verse={verse + 1}"] if verse < 40 else []
    links += [f"/read?chapter={chapter + 1}&verse=1"] if chapter < 25 else []
    return _page(target, links)


_TREE = [f"/{a}/{a}{b}/{b}{c}" for a in ("api", "doc", "lib") for b in "abcdefgh" for c in "rstuvw"]


def _copied(target: str) -> Answer:
    """A site with the same site once more in a folder."""
    folder = "/gb" if target.startswith("/gb") else ""
    path = target.removeprefix("/gb") or "/"
    below = [page for page in _TREE if page.startswith(path)]
    if path != "/":
        depth = path.count("/") + 1
        below = ["/".join(page.split("/")[: depth + 1]) for page in below if page != path]
    else:
        below = ["/api", "/doc", "/lib"]
    return Answer([*(folder + page for page in below), "/gb"], f"{FRAME} {prose(path)}")


def _folders(pages: list[str]) -> set[str]:
    return {page.rsplit("/", up)[0] for page in pages for up in (0, 1, 2)}


_CODE = [f"/lamp/lamp/tree/{name}" for name in names(0, 600)]


def _named_twice(target: str) -> Answer:
    """A project of the same name as its owner."""
    if target == "/":
        return _page(target, ["/lamp", "/lamp/lamp"])
    at = (_CODE.index(target) + 1) if target in _CODE else 0
    return _page(target, _CODE[at : at + 5])


_DOCUMENTS = [f"/document/{uuid.UUID(int=random.Random(n).getrandbits(128))}" for n in range(800)]


def _documents(target: str) -> Answer:
    at = _DOCUMENTS.index(target) if target in _DOCUMENTS else 0
    return _page(target, _DOCUMENTS[at : at + 4])


SECTIONS = [
    Section("products", _products, _all("/product/{}", _PRODUCTS)),
    Section("threads", _chain("/thread/{}", 2_000), _all("/thread/{}", 2_000)),
    Section("index.php?id", _chain("/index.php?id={}", 1_500), _all("/index.php?id={}", 1_500)),
    Section("numbered files", _chain("/a{}.html", 1_000), _all("/a{}.html", 1_000)),
    Section("wiki", _wiki, frozenset(f"/wiki/{title}" for title in _TITLES)),
    Section("news", _news, frozenset(_STORIES), "/news"),
    Section("a picture a day", _dated_chain, frozenset(f"/picture/{day}" for day in _DAYS)),
    Section(
        "forum",
        _forum,
        frozenset(f"/viewtopic.php?f={topic % _FORUMS}&t={topic}" for topic in range(_TOPICS)),
    ),
    Section(
        "verses",
        _verses,
        frozenset(f"/read?chapter={c}&verse={v}" for c in range(2, 26) for v in range(1, 41)),
        "/read",
    ),
    Section(
        "a copy in a folder",
        _copied,
        frozenset(f"{folder}{page}" for folder in ("", "/gb") for page in _folders(_TREE)),
    ),
    Section("a name twice", _named_twice, frozenset(_CODE)),
    Section("documents", _documents, frozenset(_DOCUMENTS)),
]
