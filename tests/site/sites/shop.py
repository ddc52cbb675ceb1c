"""A shop: listings with filters, products in colours, reviews, leaflets, sessions in links."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.site.reply import Reply
from tests.site.sites.endless import Facets, token
from tests.site.sites.frame import (
    Frame,
    Link,
    Page,
    anchor,
    head_link,
    head_turns,
    link_list,
    pager,
)
from tests.site.sites.model import (
    ORIGIN,
    ExpectedMention,
    ExpectedRefusal,
    ModelSite,
    not_found,
    with_origin,
)
from tests.site.sites.prose import paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.site.reply import Answer, Request

_HOME = Link("/", "Home")
_CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "tents": ("dome", "tunnel", "ridge", "tarp", "bivvy", "geodesic", "tipi", "awning", "porch"),
    "lamps": ("lantern", "torch", "headlamp", "candle", "spot", "strip", "globe", "flood", "clip"),
    "packs": ("daypack", "duffel", "pannier", "pouch", "sling", "tote", "rolltop", "hip", "frame"),
}
_PER_PAGE = 4
_COLOURS = ("red", "green", "sand")
_FACETS = {
    "brand": ("alpa", "boreas", "corvo", "dune"),
    "season": ("summer", "winter", "all"),
    "weight": ("light", "medium", "heavy"),
    "price": ("0-50", "50-100", "100-200"),
    "rating": ("3", "4", "5"),
    "colour": _COLOURS,
    "sort": ("price", "name", "newest"),
}
_FRAME = Frame(
    "Ridge & Valley",
    menu=tuple(Link(f"/c/{name}", name.capitalize()) for name in _CATEGORIES),
    footer=(
        Link("/delivery", "Delivery"),
        Link("/returns", "Returns"),
        Link("/cart", "Cart"),
        Link("/account/orders", "Orders"),
        Link("/login?next=%2F", "Log in"),
        Link("/de/", "Deutsch"),
    ),
)
_LANGUAGES = head_link("alternate", "/", hreflang="en") + head_link(
    "alternate", "/de/", hreflang="de"
)


def shop_site() -> ModelSite:
    filters = [
        Facets(f"/c/{name}", _FACETS, [_product(kind, name) for kind in kinds])
        for name, kinds in _CATEGORIES.items()
    ]
    pages = dict(_pages(filters))

    def trap_of(target: str) -> str | None:
        path, _, query = target.partition("?")
        if "osCsid=" in query or "sid=" in query:
            return "sessions"
        if path.startswith("/p/") and query.startswith("colour="):
            return "variants"
        return next((part.name for part in filters if part.owns(target)), None)

    def answer(request: Request) -> Answer:
        target = request.target.partition("?osCsid=")[0].partition("?sid=")[0]
        page = pages.get(target)
        if page is None:
            part = next((part for part in filters if part.owns(target)), None)
            page = part.page(target) if part else pages.get(_without_colour(target))
        if page is None:
            return not_found()
        reply = Reply(_FRAME.render(page), content_type="text/html; charset=utf-8")
        return with_origin(reply, request)

    products = sum(len(kinds) for kinds in _CATEGORIES.values())
    return ModelSite(
        answer,
        truth=frozenset(pages),
        trap_of=trap_of,
        # Their parameters are known: none of them may be asked for.
        most_requests={"facets": 300, "variants": products * len(_COLOURS), "sessions": 0},
        refusals={
            "/cart": ExpectedRefusal("skipped_path"),
            "/cart/add?id=dome-tents": ExpectedRefusal("skipped_path"),
            "/account/orders": ExpectedRefusal("skipped_path"),
            "/login?next=%2F": ExpectedRefusal("skipped_path"),
            "/files/dome-tents.pdf": ExpectedRefusal("skipped_file_type"),
            "/images/dome-tents.jpg": ExpectedRefusal("skipped_file_type"),
            "tel:+4312345": ExpectedRefusal("scheme_not_allowed"),
        },
        mentions=_mentions(),
    )


def _pages(filters: Sequence[Facets]) -> Iterator[tuple[str, Page]]:
    newest = [_product(kinds[0], name) for name, kinds in _CATEGORIES.items()]
    yield "/", Page("Outdoors", paragraphs("shop home", 2) + link_list(newest), head=_LANGUAGES)
    yield "/de/", Page("Draußen", paragraphs("shop home de", 2), head=_LANGUAGES)
    phone = link_list([Link("tel:+4312345", "Call us")])
    for path in ("/delivery", "/returns"):
        yield path, Page(path[1:].capitalize(), paragraphs(path) + phone)
    for part in filters:
        yield from _listings(part)
        name = part.path.removeprefix("/c/")
        for kind in _CATEGORIES[name]:
            yield from _product_pages(kind, name)


def _listings(part: Facets) -> Iterator[tuple[str, Page]]:
    count = -(-len(part.items) // _PER_PAGE)
    paths = [part.path, *(f"{part.path}?page={number}" for number in range(2, count + 1))]
    for position, path in enumerate(paths):
        shown = part.items[position * _PER_PAGE : (position + 1) * _PER_PAGE]
        turns = (
            paths[position - 1] if position else None,
            paths[position + 1] if position + 1 < count else None,
        )
        yield (
            path,
            Page(
                part.path.removeprefix("/c/").capitalize(),
                link_list(shown) + pager(*turns),
                head=head_turns(*turns),
                crumbs=(_HOME,),
                aside=part.sidebar({}),
            ),
        )


def _product_pages(kind: str, category: str) -> Iterator[tuple[str, Page]]:
    path = _product(kind, category).href
    slug = path.removeprefix("/p/")
    reviews = f"{path}/reviews"
    visitor = token(slug)
    colours = [Link(f"{path}?colour={colour}", colour) for colour in _COLOURS]
    further = [
        Link(reviews, "Reviews"),
        Link(f"/files/{slug}.pdf", "Leaflet"),
        Link(f"/images/{slug}.jpg", "Large picture"),
        Link(f"/cart/add?id={slug}", "Into the cart"),
        Link(f"/delivery?sid={visitor}", "Delivery"),
    ]
    facts = {"@type": "Product", "name": kind, "url": f"{ORIGIN}{path}"}
    head = (
        head_link("canonical", path)
        + f'<meta property="og:url" content="{ORIGIN}{path}">\n'
        + f'<script type="application/ld+json">{json.dumps(facts)}</script>\n'
    )
    back = Link(f"/c/{category}?osCsid={visitor}", category.capitalize())
    yield (
        path,
        Page(
            f"{kind.capitalize()} {category}",
            paragraphs(path) + link_list([*colours, *further]),
            head=head,
            crumbs=(_HOME, back),
        ),
    )
    yield f"{reviews}?page=2", Page("More reviews", paragraphs(f"{reviews} 2", 2))
    more = anchor(Link(f"{reviews}?page=2", "Older reviews"))
    yield reviews, Page("Reviews", f"{paragraphs(reviews, 3)}<p>{more}</p>\n")


def _product(kind: str, category: str) -> Link:
    return Link(f"/p/{kind}-{category}", f"{kind.capitalize()} {category}")


def _without_colour(target: str) -> str:
    """The product itself: a variant differs from it by nothing that is written."""
    path, _, query = target.partition("?colour=")
    return path if query in _COLOURS else target


def _mentions() -> tuple[ExpectedMention, ...]:
    product = "/p/dome-tents"
    return (
        ExpectedMention("/c/lamps", "/", "link", "navigation", "Lamps"),
        ExpectedMention("/delivery", "/", "link", "footer", "Delivery"),
        ExpectedMention("/de/", "/", "hreflang"),
        ExpectedMention(product, "/c/tents", "link", "content-link", "Dome tents"),
        ExpectedMention("/c/tents?page=2", "/c/tents", "link", "pagination", "Next"),
        ExpectedMention("/c/tents?page=2", "/c/tents", "link-next"),
        ExpectedMention("/c/tents?brand=alpa", "/c/tents", "link", "aside", "alpa"),
        ExpectedMention("/c/tents", product, "link", "breadcrumb", "Tents"),
        ExpectedMention(product, product, "canonical"),
        ExpectedMention(product, f"{product}?colour=red", "canonical"),
        ExpectedMention(product, product, "opengraph"),
        ExpectedMention(product, product, "json-ld"),
        ExpectedMention(f"{product}/reviews", product, "link", "content-link", "Reviews"),
        ExpectedMention("/files/dome-tents.pdf", product, "link", "content-link", "Leaflet"),
    )
