"""The demo site's shop: varieties in two languages, and the pages that only customers need."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sitecrawl.demo.layout import Draft, Language, Link, link_list, paragraphs, template

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from sitecrawl.demo.content import Content, Variety

CATALOGUE = "/downloads/catalogue-2026.pdf"

_LABELS = {
    "label_sow": "Sow",
    "label_days": "Days to harvest",
    "label_latin": "Species",
    "label_price": "Packet",
    "label_saving": "Saving your own seed",
    "label_order": "Put into the cart",
}
_LABELS_DE = {
    "label_sow": "Aussaat",
    "label_days": "Tage bis zur Ernte",
    "label_latin": "Art",
    "label_price": "Tüte",
    "label_saving": "Eigenes Saatgut gewinnen",
    "label_order": "In den Warenkorb",
}


def variety_pages(content: Content) -> Iterator[Draft]:
    for variety in content.varieties:
        group = variety.group
        others = [v for v in content.varieties if v.group is group and v is not variety]
        product = {"@type": "Product", "sku": variety.slug, "image": variety.image}
        offer = {"@type": "Offer", "price": f"{_price(variety)}", "priceCurrency": "EUR"}
        languages = {"en": variety.path, "de": variety.path_de, "x-default": variety.path}
        yield Draft(
            variety.path,
            variety.name,
            _main(variety, "en"),
            variety.updated,
            summary=variety.note,
            crumbs=(("/seeds/", "Seeds"), (f"/seeds/{group.slug}/", group.name)),
            aside=f"<h2>More {escape(group.name.lower())}</h2>\n"
            + link_list((other.path, other.name) for other in others)
            + link_list([(variety.path_de, "Deutsch")]),
            json_ld={**product, "name": variety.name, "offers": offer},
            alternates=languages,
        )
        yield Draft(
            variety.path_de,
            variety.name_de,
            _main(variety, "de"),
            variety.updated,
            summary=variety.note_de,
            language="de",
            crumbs=(("/de/saatgut/", "Saatgut"),),
            aside=link_list([(variety.path, "English")]),
            json_ld={**product, "name": variety.name_de, "offers": offer},
            alternates=languages,
        )


def seed_listings(content: Content) -> Iterator[Draft]:
    newest = max(variety.updated for variety in content.varieties)
    groups: list[Link] = [(f"/seeds/{group.slug}/", group.name) for group in content.groups]
    sorts = [(f"/seeds/?sort={key}", f"By {key}") for key in ("name", "price", "days")]
    yield Draft(
        "/seeds/",
        "Seeds",
        f"{link_list(groups)}<h2>Everything</h2>\n{link_list(sorts)}"
        + link_list((variety.path, variety.name) for variety in content.varieties)
        + link_list([(CATALOGUE, "The catalogue for printing")]),
        newest,
        alternates={"en": "/seeds/", "de": "/de/saatgut/"},
        change="weekly",
        priority=0.9,
    )
    for group in content.groups:
        own = [variety for variety in content.varieties if variety.group is group]
        yield Draft(
            f"/seeds/{group.slug}/",
            group.name,
            paragraphs(group.saving) + link_list((variety.path, variety.name) for variety in own),
            max(variety.updated for variety in own),
            summary=group.saving,
            crumbs=(("/seeds/", "Seeds"),),
            priority=0.7,
        )
    yield Draft(
        "/de/saatgut/",
        "Saatgut",
        "".join(
            f"<h2>{escape(group.name_de)}</h2>\n"
            + link_list((v.path_de, v.name_de) for v in content.varieties if v.group is group)
            for group in content.groups
        ),
        newest,
        language="de",
        alternates={"en": "/seeds/", "de": "/de/saatgut/"},
        change="weekly",
        priority=0.8,
    )


def service_pages(updated: date) -> Iterator[Draft]:
    """Pages for customers; robots.txt keeps crawlers out of all but the last."""
    yield Draft("/cart", "Cart", paragraphs("Your cart is empty."), updated)
    yield Draft("/account/login", "Log in", paragraphs("Members log in at the counter."), updated)
    yield Draft(
        "/search",
        "Search",
        paragraphs("Nothing was asked for.") + link_list([("/search/help", "How to search")]),
        updated,
    )
    yield Draft("/search/help", "How to search", paragraphs("One word is enough."), updated)


def _main(variety: Variety, language: Language) -> str:
    group = variety.group
    if language == "de":
        own = {"name": variety.name_de, "note": variety.note_de, "saving": group.saving_de}
        labels, sow = _LABELS_DE, variety.sow_de
    else:
        own = {"name": variety.name, "note": variety.note, "saving": group.saving}
        labels, sow = _LABELS, variety.sow
    return template("variety.html").substitute(
        labels,
        **{key: escape(text) for key, text in own.items()},
        slug=variety.slug,
        image=variety.image,
        sow=sow,
        days=variety.days,
        latin=group.latin,
        price=f"€ {_price(variety)}",
    )


def _price(variety: Variety) -> str:
    return f"{variety.price / 100:.2f}"
