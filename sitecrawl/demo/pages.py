"""The pages of the demo site: home, guides, blog, events, news, and the shop in two languages."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from sitecrawl.demo.layout import (
    Draft,
    Language,
    Link,
    language_of,
    link_list,
    paragraphs,
    template,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from sitecrawl.demo.content import Content, Post, Variety

CATALOGUE = "/downloads/catalogue-2026.pdf"

_POSTS_PER_PAGE = 6
_RECENT = 3
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


def standing_pages(content: Content) -> Iterator[Draft]:
    for page in content.pages:
        below = [(p.path, p.title) for p in content.pages if p.path.startswith(f"{page.path}/")]
        above = [(p.path, p.title) for p in content.pages if page.path.startswith(f"{p.path}/")]
        yield Draft(
            page.path,
            page.title,
            paragraphs(page.text) + (link_list(below) if below else ""),
            page.updated,
            summary=page.text.strip(),
            language=language_of(page.path),
            crumbs=tuple(above),
            change=page.change,
            priority=page.priority,
        )


def home_pages(content: Content) -> Iterator[Draft]:
    newest = max(notice.date for notice in content.notices)
    languages = {"en": "/", "de": "/de/", "x-default": "/"}
    welcome = (
        "We keep the vegetables, herbs and flowers that grow well in the Lindental, and lend them "
        "as seed: take a packet, grow it, bring some back."
    )
    groups = [(f"/seeds/{group.slug}/", group.name) for group in content.groups]
    yield Draft(
        "/",
        "Seed that comes back",
        f"{paragraphs(welcome)}<h2>In the drawers</h2>\n{link_list(groups)}"
        f"<h2>Next events</h2>\n{link_list(_event_links(content)[:_RECENT])}",
        newest,
        summary=welcome,
        aside=f"<h2>News</h2>\n{link_list(_notice_links(content)[:_RECENT])}"
        f"<h2>From the blog</h2>\n{link_list(_post_links(content.posts[:_RECENT]))}"
        '<p><a href="/de/" hreflang="de" lang="de">Deutsch</a></p>\n',
        json_ld={"@type": "Library", "name": "Lindental Seed Library", "foundingDate": "2007"},
        alternates=languages,
        change="weekly",
        priority=1.0,
    )
    welcome_de = (
        "Wir erhalten Gemüse, Kräuter und Blumen, die im Lindental gut wachsen, und verleihen sie "
        "als Saatgut: eine Tüte mitnehmen, anbauen, etwas zurückbringen."
    )
    yield Draft(
        "/de/",
        "Saatgut, das zurückkommt",
        paragraphs(welcome_de)
        + link_list([("/de/saatgut/", "Alle Sorten"), ("/de/ausleihen", "So geht das Ausleihen")]),
        newest,
        summary=welcome_de,
        language="de",
        aside='<p><a href="/" hreflang="en" lang="en">English</a></p>\n',
        alternates=languages,
        change="weekly",
        priority=0.9,
    )


def guide_pages(content: Content) -> Iterator[Draft]:
    guides = content.guides
    links: list[Link] = [(f"/guides/{guide.slug}", guide.title) for guide in guides]
    by_section = groupby(zip(guides, links, strict=True), key=lambda pair: pair[0].section)
    yield Draft(
        "/guides/",
        "Growing and saving seed",
        "".join(
            f"<h2>{section}</h2>\n{link_list(link for _, link in pairs)}"
            for section, pairs in by_section
        ),
        max(guide.updated for guide in guides),
        summary="Fourteen short guides, from the first loan to a bed for seed.",
        priority=0.8,
    )
    for position, (guide, (path, title)) in enumerate(zip(guides, links, strict=True)):
        neighbours = {}
        if position > 0:
            neighbours["prev"] = links[position - 1][0]
        if position < len(links) - 1:
            neighbours["next"] = links[position + 1][0]
        steps = [(there, rel.capitalize()) for rel, there in neighbours.items()]
        yield Draft(
            path,
            title,
            paragraphs(guide.text) + link_list(steps),
            guide.updated,
            summary=guide.text.strip(),
            crumbs=(("/guides/", "Guides"),),
            aside=f"<h2>All guides</h2>\n{link_list(links)}",
            neighbours=neighbours,
        )


def post_pages(content: Content) -> Iterator[Draft]:
    for post in content.posts:
        tags = [(f"/blog/tag/{tag}/", tag) for tag in post.tags]
        yield Draft(
            f"/blog/{post.slug}",
            post.title,
            f'<p><time datetime="{post.date}">{post.date:%d %B %Y}</time></p>\n'
            f"{paragraphs(post.text)}<h2>Filed under</h2>\n{link_list(tags)}",
            post.date,
            summary=post.text.strip(),
            crumbs=(("/blog/", "Blog"),),
            aside=f"<h2>Newest</h2>\n{link_list(_post_links(content.posts[:_RECENT]))}",
            json_ld={
                "@type": "BlogPosting",
                "headline": post.title,
                "datePublished": post.date.isoformat(),
            },
        )


def blog_listings(content: Content) -> Iterator[Draft]:
    """The blog's first page, its further pages, and one page per tag."""
    newest = content.posts[0].date
    starts = range(0, len(content.posts), _POSTS_PER_PAGE)
    paths = ["/blog/", *(f"/blog/page/{number}/" for number in range(2, len(starts) + 1))]
    for position, (start, path) in enumerate(zip(starts, paths, strict=True)):
        neighbours = {}
        if position > 0:
            neighbours["prev"] = paths[position - 1]
        if position < len(paths) - 1:
            neighbours["next"] = paths[position + 1]
        steps = [
            (there, "Newer" if rel == "prev" else "Older") for rel, there in neighbours.items()
        ]
        posts = content.posts[start : start + _POSTS_PER_PAGE]
        yield Draft(
            path,
            "Blog" if position == 0 else f"Blog, page {position + 1}",
            f'{link_list(_post_links(posts))}<div class="pagination">\n{link_list(steps)}</div>\n',
            newest,
            crumbs=() if position == 0 else (("/blog/", "Blog"),),
            neighbours=neighbours,
            change="weekly",
            priority=0.7,
        )
    for tag in sorted({tag for post in content.posts for tag in post.tags}):
        posts = [post for post in content.posts if tag in post.tags]
        yield Draft(
            f"/blog/tag/{tag}/",
            f"Posts about {tag}",
            link_list(_post_links(posts)),
            posts[0].date,
            crumbs=(("/blog/", "Blog"),),
        )


def event_pages(content: Content) -> Iterator[Draft]:
    yield Draft(
        "/events/",
        "Events",
        link_list(_event_links(content)),
        max(event.updated for event in content.events),
        change="weekly",
        priority=0.8,
    )
    for event in content.events:
        facts = {
            "start": event.start.isoformat(),
            "when": f"{event.start:%A, %d %B %Y, %H:%M}",
            "place": event.place,
            "text": event.text,
        }
        yield Draft(
            f"/events/{event.slug}",
            event.title,
            template("event.html").substitute(facts),
            event.updated,
            summary=event.text,
            crumbs=(("/events/", "Events"),),
            json_ld={
                "@type": "Event",
                "name": event.title,
                "startDate": event.start.isoformat(),
                "location": {"@type": "Place", "name": event.place},
            },
            change="weekly",
            priority=0.6,
        )


def news_pages(content: Content) -> Iterator[Draft]:
    yield Draft(
        "/news/",
        "News",
        link_list(_notice_links(content)),
        content.notices[0].date,
        change="weekly",
        priority=0.6,
    )
    for notice in content.notices:
        yield Draft(
            f"/news/{notice.slug}",
            notice.title,
            paragraphs(notice.text),
            notice.date,
            summary=notice.text,
            crumbs=(("/news/", "News"),),
        )


def _post_links(posts: Sequence[Post]) -> list[Link]:
    return [(f"/blog/{post.slug}", post.title) for post in posts]


def _event_links(content: Content) -> list[Link]:
    return [(f"/events/{e.slug}", f"{e.title}, {e.start:%d %B}") for e in content.events]


def _notice_links(content: Content) -> list[Link]:
    return [(f"/news/{notice.slug}", notice.title) for notice in content.notices]


# --- the shop ----------------------------------------------------------------------------------


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
            _variety_html(variety, "en"),
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
            _variety_html(variety, "de"),
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


def _variety_html(variety: Variety, language: Language) -> str:
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
