"""A museum of 67 pages, with every kind of trap beside them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.site.reply import Reply
from tests.site.sites.endless import (
    Calendar,
    DeepPaths,
    Facets,
    Orderings,
    PagesBeyondTheLast,
    RelativeLoop,
    Tokens,
    token,
)
from tests.site.sites.frame import Frame, Link, Page, anchor, head_turns, link_list, pager
from tests.site.sites.model import ExpectedMention, ModelSite, not_found
from tests.site.sites.prose import paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.site.reply import Answer, Request
    from tests.site.sites.endless import EndlessPart

_HOME = Link("/", "Home")
_FRAME = Frame(
    "Alder Valley Museum",
    menu=tuple(
        Link(f"/{name}", name.capitalize())
        for name in ("about", "visit", "rooms", "stories", "events", "shop", "gallery")
    ),
    footer=(
        Link("/members", "Members"),
        Link("/help", "Help"),
        Link("/browse/wood", "By material"),
        Link(f"/go/{token('partners')}", "Partners"),
        Link("/info/", "Information"),
    ),
)
_SECTIONS = {
    "/about": ("history", "team", "contact"),
    "/visit": ("hours", "tickets", "directions"),
}
_ROOMS = {
    "harbour": ("ropes", "compass"),
    "mill": ("gears", "millstone"),
    "school": ("desks", "slate"),
}
_TOUR = (
    *("gate", "courtyard", "stairs", "attic", "cellar", "garden"),
    *("pier", "boathouse", "meadow", "well", "chapel", "tower"),
)
_STORIES = (
    *("the-night-ferry", "a-clock-for-the-mill", "the-last-lamplighter", "snow-in-may"),
    *("two-bridges", "the-weavers-strike", "letters-from-the-island"),
    *("an-orchard-moves", "the-glass-roof", "who-rang-the-bell"),
)
_STORIES_PER_PAGE = 2
_ITEMS = ("postcards", "mug", "scarf", "whistle")
_WINTER_ITEM, _COPPER_ITEM = "sledge", "kettle"
_LISTED_EVENTS = ("open-house", "regatta", "lantern-walk")
_CALENDAR_EVENTS = {"2026/06": "boat-sale", "2026/08": "harvest-fair", "2026/03": "carnival"}
_FACETS = {
    "colour": ("red", "green", "blue", "white"),
    "material": ("wood", "wool", "copper", "paper"),
    "season": ("spring", "summer", "autumn", "winter"),
    "maker": ("abel", "brandt", "castro", "dufour"),
    "price": ("0-10", "10-20", "20-50", "50-100"),
    "size": ("s", "m", "l", "xl"),
}
# Pages whose links to each other carry the visitor: in the path and the query as servers write it
# (what canonicalisation knows), or in a parameter of the site's own.
_MEMBERS = ("/members", "/members/newsletter", "/members/benefits")
_HELP = ("/help", "/help/booking", "/help/access")
_VISITOR = re.compile(r";jsessionid=|\?PHPSESSID=|\?visit=")


def trap_site() -> ModelSite:
    parts = _endless_parts()
    real = dict(_real_pages(parts))
    pages = {target: _FRAME.render(page) for target, page in real.items()}

    def trap_of(target: str) -> str | None:
        if _VISITOR.search(target):
            return "sessions"
        return next((part.name for part in parts if part.owns(target)), None)

    def answer(request: Request) -> Answer:
        path, *visitor = _VISITOR.split(request.target, maxsplit=1)
        if visitor and path in real:
            return _html(_FRAME.render(_visitors_page(path, visitor[0])))
        if request.target in pages:
            return _html(pages[request.target])
        for part in parts:
            if part.owns(request.target):
                return _html(_FRAME.render(part.page(request.target)))
        return not_found()

    return ModelSite(
        answer,
        truth=frozenset(real),
        trap_of=trap_of,
        most_requests={"sessions": 200, **{part.name: part.most_requests for part in parts}},
        mentions=_mentions(),
    )


def _endless_parts() -> Sequence[EndlessPart]:
    months = {month: Link(f"/events/{slug}", slug) for month, slug in _CALENDAR_EVENTS.items()}
    return (
        RelativeLoop("/info"),
        Calendar("/events/calendar", months),
        Facets(
            "/shop",
            _FACETS,
            [_item(slug) for slug in _ITEMS],
            {
                ("season", "winter"): _item(_WINTER_ITEM),
                ("material", "copper"): _item(_COPPER_ITEM),
            },
        ),
        Orderings("/gallery", [slug.replace("-", " ") for slug in _STORIES]),
        PagesBeyondTheLast("/stories", len(_story_pages()), _story_list(_story_pages()[-1])),
        Tokens("/go"),
        DeepPaths("/browse"),
    )


def _real_pages(parts: Sequence[EndlessPart]) -> Iterator[tuple[str, Page]]:
    facets = next(part for part in parts if isinstance(part, Facets))
    gallery = next(part for part in parts if isinstance(part, Orderings))
    yield (
        "/",
        Page(
            "A museum by the water",
            paragraphs("home") + link_list([Link(f"/tour/{_TOUR[0]}", "Take the tour")]),
        ),
    )
    for path, names in _SECTIONS.items():
        links = [Link(f"{path}/{name}", name.capitalize()) for name in names]
        yield path, Page(path[1:].capitalize(), paragraphs(path) + link_list(links))
        for link in links:
            yield link.href, _text_page(link.href, link.text, Link(path, path[1:].capitalize()))
    yield from _room_pages()
    yield from _tour_pages()
    yield from _story_listings()
    for slug in _STORIES:
        path = f"/stories/{slug}"
        yield path, _text_page(path, slug.replace("-", " "), Link("/stories", "Stories"))
    shop = link_list(facets.items)
    yield "/shop", Page("Shop", paragraphs("shop", 2) + shop, aside=facets.sidebar({}))
    for slug in (*_ITEMS, _WINTER_ITEM, _COPPER_ITEM):
        yield _item(slug).href, _text_page(_item(slug).href, slug, Link("/shop", "Shop"))
    listed = [Link(f"/events/{slug}", slug) for slug in _LISTED_EVENTS]
    month = Link("/events/calendar/2026/05", "Calendar")
    yield "/events", Page("Events", paragraphs("events") + link_list([*listed, month]))
    for slug in (*_LISTED_EVENTS, *_CALENDAR_EVENTS.values()):
        path = f"/events/{slug}"
        yield path, _text_page(path, slug, Link("/events", "Events"))
    yield "/gallery", gallery.page("/gallery")
    for path in (*_MEMBERS, *_HELP):
        yield path, _visitors_page(path, "")


def _room_pages() -> Iterator[tuple[str, Page]]:
    rooms = [Link(f"/rooms/{room}", f"The {room}") for room in _ROOMS]
    yield "/rooms", Page("Rooms", paragraphs("rooms") + link_list(rooms))
    for room, (case, thing) in zip(rooms, _ROOMS.values(), strict=True):
        case_link = Link(f"{room.href}/cases/{case}", case)
        thing_link = Link(f"{case_link.href}/objects/{thing}", thing)
        for link, below in ((room, case_link), (case_link, thing_link)):
            yield link.href, Page(link.text, paragraphs(link.href) + link_list([below]))
        yield thing_link.href, _text_page(thing_link.href, thing, room)


def _tour_pages() -> Iterator[tuple[str, Page]]:
    """A walk on which every stop is linked from the one before alone."""
    for position, stop in enumerate(_TOUR, start=1):
        onward = [Link(f"/tour/{name}", f"On to the {name}") for name in _TOUR[position:][:1]]
        yield f"/tour/{stop}", Page(f"The {stop}", paragraphs(f"tour {stop}") + link_list(onward))


def _story_pages() -> list[Sequence[str]]:
    starts = range(0, len(_STORIES), _STORIES_PER_PAGE)
    return [_STORIES[start : start + _STORIES_PER_PAGE] for start in starts]


def _story_list(slugs: Sequence[str]) -> str:
    return link_list(Link(f"/stories/{slug}", slug.replace("-", " ")) for slug in slugs)


def _story_listings() -> Iterator[tuple[str, Page]]:
    """The last one links to one more page, as careless listings do."""
    pages = _story_pages()
    paths = ["/stories", *(f"/stories?page={number}" for number in range(2, len(pages) + 2))]
    for position, slugs in enumerate(pages):
        turns = (paths[position - 1] if position else None, paths[position + 1])
        listing = _story_list(slugs) + pager(*turns)
        yield paths[position], Page("Stories", listing, head=head_turns(*turns))


def _visitors_page(path: str, visitor: str) -> Page:
    ident = token(f"{path} {visitor}")
    if path in _HELP:
        links = [Link(f"{there}?visit={ident}", there) for there in _HELP]
        plain = [Link(there, there) for there in _HELP[1:]] if path == "/help" else []
    else:
        links = [Link(f"{there};jsessionid={ident}", there) for there in _MEMBERS]
        plain = [Link(f"{there}?PHPSESSID={ident}", there) for there in _MEMBERS]
    return Page(path.rpartition("/")[2], paragraphs(path) + link_list([*plain, *links]))


def _text_page(path: str, title: str, parent: Link) -> Page:
    back = f"<p>Back to {anchor(parent)}</p>\n"
    return Page(title.capitalize(), paragraphs(path) + back, crumbs=(_HOME, parent))


def _item(slug: str) -> Link:
    return Link(f"/shop/items/{slug}", slug.capitalize())


def _html(body: bytes) -> Reply:
    return Reply(body, content_type="text/html; charset=utf-8")


def _mentions() -> tuple[ExpectedMention, ...]:
    return (
        ExpectedMention("/about", "/", "link", "navigation", "About"),
        ExpectedMention("/help", "/", "link", "footer", "Help"),
        ExpectedMention("/", "/about", "link", "header", "Alder Valley Museum"),
        ExpectedMention("/rooms/mill", "/rooms", "link", "content-link", "The mill"),
        ExpectedMention("/about", "/about/team", "link", "breadcrumb", "About"),
        ExpectedMention("/stories?page=2", "/stories", "link", "pagination", "Next"),
        ExpectedMention("/stories?page=2", "/stories", "link-next"),
        ExpectedMention("/stories", "/stories?page=2", "link-prev"),
        ExpectedMention("/members/benefits", "/members", "link", "content-link"),
        ExpectedMention("/shop/items/sledge", "/shop?season=winter", "link", "content-link"),
        ExpectedMention("/events/carnival", "/events/calendar/2026/03", "link", "content-link"),
    )
