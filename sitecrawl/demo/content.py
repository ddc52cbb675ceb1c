"""What the demo site has to say, read from the data files of this package."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class StandingPage:
    path: str
    title: str
    text: str
    updated: date
    change: str
    priority: float
    menu: str = ""
    footer: str = ""


@dataclass(frozen=True, slots=True)
class Guide:
    slug: str
    section: str
    title: str
    text: str
    updated: date


@dataclass(frozen=True, slots=True)
class Post:
    slug: str
    title: str
    text: str
    date: date
    tags: list[str]


@dataclass(frozen=True, slots=True)
class Event:
    slug: str
    title: str
    text: str
    start: datetime
    place: str
    updated: date


@dataclass(frozen=True, slots=True)
class Notice:
    slug: str
    title: str
    text: str
    date: date


@dataclass(frozen=True, slots=True)
class Group:
    slug: str
    name: str
    name_de: str
    latin: str
    saving: str
    saving_de: str


@dataclass(frozen=True, slots=True)
class Variety:
    slug: str
    group: Group
    name: str
    name_de: str
    days: int
    sow: str
    sow_de: str
    price: int
    updated: date
    note: str
    note_de: str

    @property
    def path(self) -> str:
        return f"/seeds/{self.group.slug}/{self.slug}"

    @property
    def path_de(self) -> str:
        return f"/de/saatgut/{self.slug}"

    @property
    def image(self) -> str:
        return f"/images/seeds/{self.slug}.svg"


@dataclass(frozen=True, slots=True)
class Content:
    pages: list[StandingPage]
    guides: list[Guide]
    posts: list[Post]
    events: list[Event]
    notices: list[Notice]
    groups: list[Group]
    varieties: list[Variety]


def load_content() -> Content:
    seeds = _load("varieties")
    groups = {slug: Group(slug=slug, **facts) for slug, facts in seeds["group"].items()}
    return Content(
        pages=[StandingPage(**page) for page in _load("pages")["page"]],
        guides=[Guide(**guide) for guide in _load("guides")["guide"]],
        posts=[Post(**post) for post in _load("posts")["post"]],
        events=[Event(**event) for event in _load("events")["event"]],
        notices=[Notice(**notice) for notice in _load("news")["notice"]],
        groups=list(groups.values()),
        varieties=[
            Variety(**{**variety, "group": groups[variety["group"]]})
            for variety in seeds["variety"]
        ],
    )


def earlier_content(content: Content) -> Content:
    """Before the newest posts, notices and varieties, with guides that are retired since."""
    return replace(
        content,
        posts=content.posts[2:],
        notices=content.notices[1:],
        varieties=content.varieties[:-3],
        guides=[*content.guides, *(Guide(**guide) for guide in _load("guides")["retired"])],
    )


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "content" / f"{name}.toml").read_text("utf-8"))
