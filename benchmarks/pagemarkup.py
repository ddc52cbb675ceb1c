"""A planned page as HTML, with what real templates wrap around their text.

Head with styles, metadata, JSON-LD; a menu, breadcrumbs, cards with responsive images, a sidebar,
comments, pagination and a footer. Links are written as sites write them: mostly from the root,
some absolute, each card's twice. None has a fragment: trafilatura would visit such a page again.
"""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from benchmarks.pageplan import HOME, PLAIN_LINKS, SECTIONS, section_link
from benchmarks.prose import Prose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.pageplan import Link, Page, SitePlan

_SITE_NAME = "The Lantern"
_OTHER_SITES = ("social.example/lantern", "video.example/@lantern", "photos.example/lantern")
_ICON = (
    '<svg class="icon icon--{name}" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">'
    '<path d="M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM3 8a5 5 0 0 1 8.6-3.5L4.5 11.6A5 5 0'
    ' 0 1 3 8zm5 5a5 5 0 0 1-2.6-.7l7-7A5 5 0 0 1 8 13z" fill="currentColor"/></svg>'
)
_BLOCKS = ("header", "menu", "trail", "article", "card", "sidebar", "comment", "pager", "footer")
# Critical styles and a consent script stand in the page itself on most sites.
_STYLE = "".join(
    f".{block}{{display:grid;grid-gap:{gap}px;margin:0 auto;max-width:{1200 - 7 * gap}px;"
    f"color:var(--ink);background:var(--paper)}}.{block}__link{{text-decoration:none;font-weight:600}}"
    f".{block}__link:hover,.{block}__link:focus-visible{{text-decoration:underline}}"
    for gap, block in enumerate(_BLOCKS, start=4)
)
_SCRIPT = "".join(
    f"(function(d,w){{var n=d.querySelectorAll('.{block}__link');for(var i=0;i<n.length;i++)"
    f"{{n[i].addEventListener('click',function(e){{(w.layer=w.layer||[]).push("
    f"{{event:'{block}',position:i,label:e.target.textContent.trim()}})}})}}}})(document,window);"
    for block in _BLOCKS
)


class PageTemplate:
    """Writes the pages of one site; what all of them share is written once."""

    def __init__(self, plan: SitePlan, root: str) -> None:
        self._root = root
        self._menu = _menu(plan)
        self._footer = _footer()

    def render(self, page: Page) -> bytes:
        prose = Prose(f"page {page.path}", page.subject)
        parts = (
            self._head(page, prose),
            '<body class="page">\n',
            self._menu,
            _trail(page.trail),
            '<div class="columns"><main id="main" class="article">\n',
            self._article(page, prose),
            _cards(page.cards, prose),
            _pager(page),
            _comments(page, prose),
            "</main>\n",
            _sidebar(page.sidebar, prose),
            "</div>\n",
            self._footer,
            f"<script>{_SCRIPT}</script>\n</body></html>\n",
        )
        return "".join(parts).encode()

    def _head(self, page: Page, prose: Prose) -> str:
        url = escape(self._root + page.path)
        title = f"{escape(page.title)} | {_SITE_NAME}"
        summary = prose.text(24)
        relations = "".join(
            f'<link rel="{name}" href="{escape(link.path)}">\n'
            for name, link in (("prev", page.previous), ("next", page.next))
            if link is not None
        )
        return (
            '<!doctype html>\n<html lang="en-GB" class="no-js">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<title>{title}</title>\n<meta name="description" content="{summary}">\n'
            f'<link rel="canonical" href="{url}">\n{relations}'
            f'<link rel="alternate" hreflang="en-GB" href="{url}">\n'
            '<link rel="alternate" type="application/rss+xml" title="News" href="/feed.xml">\n'
            '<link rel="preload" as="font" href="/static/ink.woff2" crossorigin>\n'
            '<link rel="stylesheet" href="/static/site.css?v=41">\n'
            '<link rel="icon" href="/static/icon.svg" type="image/svg+xml">\n'
            '<meta property="og:type" content="article">\n'
            f'<meta property="og:url" content="{url}">\n'
            f'<meta property="og:title" content="{title}">\n'
            f'<meta property="og:description" content="{summary}">\n'
            f'<meta property="og:image" content="{self._root}/static/share.jpg">\n'
            f'<meta name="twitter:card" content="summary_large_image">\n<style>{_STYLE}</style>\n'
            f'<script type="application/ld+json">{self._structured(page, summary)}</script>\n'
            "</head>\n"
        )

    def _structured(self, page: Page, summary: str) -> str:
        """The JSON-LD that search engines ask for: the page, its site and its breadcrumbs."""
        url = self._root + page.path
        crumbs = [
            {
                "@type": "ListItem",
                "position": position,
                "name": link.text,
                "item": {"@id": self._root + link.path, "name": link.text},
            }
            for position, link in enumerate(page.trail, start=1)
        ]
        graph = [
            {
                "@type": "WebSite",
                "@id": f"{self._root}/#website",
                "url": f"{self._root}/",
                "name": _SITE_NAME,
            },
            {
                "@type": "Article",
                "@id": f"{url}#article",
                "url": url,
                "headline": page.title,
                "description": summary,
                "mainEntityOfPage": {"@type": "WebPage", "@id": url},
                "isPartOf": {"@id": f"{self._root}/#website"},
                "author": {
                    "@type": "Organization",
                    "name": _SITE_NAME,
                    "url": f"{self._root}/team",
                },
            },
            {"@type": "BreadcrumbList", "itemListElement": crumbs},
        ]
        return json.dumps({"@context": "https://schema.org", "@graph": graph})

    def _article(self, page: Page, prose: Prose) -> str:
        """Running text in paragraphs; the links in it are spread over them."""
        sentences = prose.sentences(page.words)
        links = iter(page.inline)
        parts = [f'<article class="article__body"><h1 class="article__title">{page.title}</h1>\n']
        for number, first in enumerate(range(0, len(sentences), 4)):
            if number % 5 == 3:
                parts.append(f'<h2 id="part-{number}">{prose.title(4)}</h2>\n')
            text = " ".join(sentences[first : first + 4])
            if link := next(links, None):
                href = (self._root if number % 3 == 0 else "") + link.path
                text += f' See <a class="article__link" href="{escape(href)}">{link.text}</a>.'
            parts.append(f'<p class="article__text">{text}</p>\n')
        parts.append("</article>\n")
        return "".join(parts)


def _anchor(link: Link, block: str, extra: str = "") -> str:
    return f'<a class="{block}__link" href="{escape(link.path)}"{extra}>{link.text}</a>'


def _menu(plan: SitePlan) -> str:
    groups = "".join(
        f'<li class="menu__item menu__item--parent" data-menu="{number}">{_anchor(section, "menu")}'
        '<button class="menu__toggle" type="button" aria-expanded="false" '
        f'aria-controls="sub-{number}">{_ICON.format(name="open")}'
        '<span class="sr-only">Open</span></button>'
        f'<ul class="menu__list menu__list--sub" id="sub-{number}">'
        + "".join(f'<li class="menu__item">{_anchor(link, "menu")}</li>' for link in categories)
        + "</ul></li>\n"
        for number, (section, categories) in enumerate(plan.menu)
    )
    return (
        f'<header class="header"><div class="header__brand">{_anchor(HOME, "header")}</div>\n'
        f'<nav class="menu" aria-label="Main"><ul class="menu__list">\n{groups}</ul></nav>'
        "</header>\n"
    )


def _trail(trail: Iterable[Link]) -> str:
    items = "".join(f'<li class="trail__item">{_anchor(link, "trail")}</li>' for link in trail)
    return (
        f'<nav class="trail" aria-label="Breadcrumb"><ol class="trail__list">{items}</ol></nav>\n'
    )


def _cards(cards: Iterable[Link], prose: Prose) -> str:
    return "".join(_card(link, prose) for link in cards)


def _card(link: Link, prose: Prose) -> str:
    image = f"/static/images/{prose.number(1_000, 9_999)}"
    widths = ", ".join(f"{image}-{width}.webp {width}w" for width in (320, 640, 960, 1280))
    href = escape(link.path)
    return (
        f'<section class="card card--wide" data-position="{prose.number(1, 99)}">'
        f'<a class="card__link card__link--image" href="{href}" tabindex="-1" aria-hidden="true">'
        f'<picture><source type="image/webp" srcset="{widths}" sizes="(min-width: 60em) 20em">'
        f'<img class="card__image" src="{image}.jpg" width="640" height="360" loading="lazy" '
        f'decoding="async" alt=""></picture></a><h3 class="card__title">'
        f'<a class="card__link" href="{href}">{link.text}</a></h3>'
        f'<p class="card__text">{prose.text(22)}</p><div class="card__meta">'
        f'{_ICON.format(name="time")}<time datetime="2025-0{prose.number(1, 9)}-15">'
        f"{prose.number(2, 9)} minutes</time></div></section>\n"
    )


def _pager(page: Page) -> str:
    around = "".join(
        _anchor(link, "pager", f' rel="{name}"')
        for name, link in (("prev", page.previous), ("next", page.next))
        if link is not None
    )
    numbers = "".join(f"<li>{_anchor(link, 'pager')}</li>" for link in page.pagination)
    return f'<nav class="pager" aria-label="Pagination">{around}<ul>{numbers}</ul></nav>\n'


def _comments(page: Page, prose: Prose) -> str:
    if not page.inline:
        return ""  # only what has running text of its own is commented on
    comments = "".join(
        f'<li class="comment" id="comment-{number}"><div class="comment__head">'
        f"{_ICON.format(name='user')}<b>{prose.title(1)}</b></div>"
        f'<p class="comment__text">{prose.text(prose.number(20, 90))}</p></li>\n'
        for number in range(1, prose.number(3, 9))
    )
    return f'<section class="comments"><h2>Comments</h2><ol>{comments}</ol></section>\n'


def _sidebar(links: Iterable[Link], prose: Prose) -> str:
    items = "".join(
        f'<li class="sidebar__item">{_ICON.format(name="read")}{_anchor(link, "sidebar")}'
        f'<span class="sidebar__note">{prose.title(3)}</span></li>\n'
        for link in links
    )
    return (
        f'<aside class="sidebar"><h2>Read on</h2><ul class="sidebar__list">\n{items}</ul></aside>\n'
    )


def _footer() -> str:
    own = [*map(section_link, SECTIONS), *PLAIN_LINKS]
    items = "".join(f'<li class="footer__item">{_anchor(link, "footer")}</li>\n' for link in own)
    others = "".join(
        f'<li><a class="footer__link" rel="noopener nofollow" href="https://{site}">'
        f"{_ICON.format(name='share')}{site.partition('.')[0]}</a></li>\n"
        for site in _OTHER_SITES
    )
    return (
        f'<footer class="footer"><ul class="footer__list">\n{items}</ul><ul>{others}</ul>\n'
        "<address>Lantern Yard 4 "
        '<a class="footer__link" href="mailto:desk@lantern.example">Write to us</a> '
        '<a class="footer__link" href="tel:+4900000000">Call us</a></address></footer>\n'
    )
