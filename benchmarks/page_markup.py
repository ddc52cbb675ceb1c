"""Writes a planned page as HTML, with what real templates wrap around the text.

- Head with styles, metadata and JSON-LD; menu, breadcrumbs, cards with responsive images, sidebar,
  comments, pagination, footer.
- No two pages share a block byte for byte: the menu marks the section and category of the page and
  opens that section, ids and classes carry the number of the page, the sidebar has its neighbours.
- Sections write links in one of three ways: from the root, relative to the page (so that the same
  target reads differently at every depth), or absolute. Each card links twice.
- No link has a fragment: trafilatura would visit such a page again.
"""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from benchmarks.page_plan import HOME, PLAIN_LINKS, SECTIONS, LinkStyle, Prose, section_link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.page_plan import Link, Page, SitePlan

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
    """Writes the pages of one site."""

    def __init__(self, plan: SitePlan, root: str) -> None:
        self._plan = plan
        self._root = root

    def render(self, page: Page) -> bytes:
        prose = Prose(f"page {page.path}", page.subject)
        writer = _BlockWriter(page, self._root, prose)
        section, _, category = page.subject.partition("/")
        body_class = (
            f"page page-id-{writer.page_id} section-{section} category-{category or 'none'}"
        )
        parts = (
            self._head(page, prose, writer),
            f'<body class="{body_class}" data-page="{writer.page_id}">\n',
            writer.menu(self._plan),
            writer.trail(),
            f'<div class="columns"><main id="main-{writer.page_id}" class="article">\n',
            writer.article(),
            writer.cards(),
            writer.pager(),
            writer.comments(),
            "</main>\n",
            writer.sidebar(),
            "</div>\n",
            writer.footer(),
            f'<script nonce="{prose.number(10**15, 10**16)}">{_SCRIPT}</script>\n</body></html>\n',
        )
        return "".join(parts).encode()

    def _head(self, page: Page, prose: Prose, writer: _BlockWriter) -> str:
        url = escape(self._root + page.path)
        title = f"{escape(page.title)} | {_SITE_NAME}"
        summary = prose.text(24)
        relations = "".join(
            f'<link rel="{name}" href="{writer.href(link)}">\n'
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


class _BlockWriter:
    """Writes the blocks of one page."""

    def __init__(self, page: Page, root: str, prose: Prose) -> None:
        self._page = page
        self._root = root
        self._prose = prose
        self.page_id = prose.number(10_000, 99_999)

    def href(self, link: Link) -> str:
        """The address as the section of this page writes it."""
        style = self._page.link_style
        if style is LinkStyle.ABSOLUTE:
            return escape(self._root + link.path)
        return escape(
            relative_path(self._page.path, link.path) if style is LinkStyle.RELATIVE else link.path
        )

    def _anchor(self, link: Link, block: str, extra: str = "") -> str:
        """A link of a block; that to the page itself is marked."""
        if link.path == self._page.path:
            extra += ' aria-current="page"'
            block = f"{block}__link {block}__link--active"
        else:
            block = f"{block}__link"
        return f'<a class="{block}" href="{self.href(link)}"{extra}>{link.text}</a>'

    def menu(self, plan: SitePlan) -> str:
        """The menu: all categories of the section that the page belongs to, some of the others."""
        groups = "".join(
            self._menu_group(number, section, categories, plan)
            for number, (section, categories) in enumerate(plan.menu)
        )
        return (
            f'<header class="header" id="header-{self.page_id}"><div class="header__brand">'
            f"{self._anchor(HOME, 'header')}</div>\n"
            f'<nav class="menu" aria-label="Main"><ul class="menu__list">\n{groups}</ul></nav>'
            "</header>\n"
        )

    def _menu_group(
        self, number: int, section: Link, categories: Iterable[Link], plan: SitePlan
    ) -> str:
        is_active = self._page.path.startswith(section.path)
        if is_active:
            categories = plan.category_links(section.path.strip("/"))
        state = " menu__item--active" if is_active else ""
        list_id = f"sub-{self.page_id}-{number}"
        items = "".join(
            f'<li class="menu__item menu-item-{self.page_id + place}">'
            f"{self._anchor(link, 'menu')}</li>"
            for place, link in enumerate(categories)
        )
        return (
            f'<li class="menu__item menu__item--parent{state}" data-menu="{number}">'
            f'{self._anchor(section, "menu")}<button class="menu__toggle" type="button" '
            f'aria-expanded="{str(is_active).lower()}" aria-controls="{list_id}">'
            f'{_ICON.format(name="open")}<span class="sr-only">Open</span></button>'
            f'<ul class="menu__list menu__list--sub" id="{list_id}">{items}</ul></li>\n'
        )

    def trail(self) -> str:
        items = "".join(
            f'<li class="trail__item trail__item--{place}">{self._anchor(link, "trail")}</li>'
            for place, link in enumerate(self._page.trail)
        )
        return (
            f'<nav class="trail" id="trail-{self.page_id}" aria-label="Breadcrumb">'
            f'<ol class="trail__list">{items}</ol></nav>\n'
        )

    def article(self) -> str:
        """Running text in paragraphs; the links in it are spread over them."""
        page, prose = self._page, self._prose
        sentences = prose.sentences(page.words)
        links = iter(page.inline)
        parts = [f'<article class="article__body"><h1 class="article__title">{page.title}</h1>\n']
        for number, first in enumerate(range(0, len(sentences), 4)):
            if number % 5 == 3:
                parts.append(f'<h2 id="part-{self.page_id}-{number}">{prose.title(4)}</h2>\n')
            text = " ".join(sentences[first : first + 4])
            if link := next(links, None):
                # Editors paste absolute addresses, whatever the template writes.
                href = escape(self._root + link.path) if number % 3 == 0 else self.href(link)
                text += f' See <a class="article__link" href="{href}">{link.text}</a>.'
            parts.append(f'<p class="article__text">{text}</p>\n')
        parts.append("</article>\n")
        return "".join(parts)

    def cards(self) -> str:
        return "".join(map(self._card, self._page.cards))

    def _card(self, link: Link) -> str:
        prose = self._prose
        number = prose.number(1_000, 9_999)
        image = f"/static/images/{number}"
        widths = ", ".join(f"{image}-{width}.webp {width}w" for width in (320, 640, 960, 1280))
        href = self.href(link)
        return (
            f'<section class="card card--wide post-{number}" id="card-{self.page_id}-{number}" '
            f'data-position="{prose.number(1, 99)}">'
            f'<a class="card__link card__link--image" href="{href}" tabindex="-1" '
            'aria-hidden="true">'
            f'<picture><source type="image/webp" srcset="{widths}" sizes="(min-width: 60em) 20em">'
            f'<img class="card__image" src="{image}.jpg" width="640" height="360" loading="lazy" '
            f'decoding="async" alt=""></picture></a><h3 class="card__title">'
            f'<a class="card__link" href="{href}">{link.text}</a></h3>'
            f'<p class="card__text">{prose.text(22)}</p><div class="card__meta">'
            f'{_ICON.format(name="time")}<time datetime="2025-0{prose.number(1, 9)}-15">'
            f"{prose.number(2, 9)} minutes</time></div></section>\n"
        )

    def pager(self) -> str:
        page = self._page
        around = "".join(
            self._anchor(link, "pager", f' rel="{name}"')
            for name, link in (("prev", page.previous), ("next", page.next))
            if link is not None
        )
        numbers = "".join(f"<li>{self._anchor(link, 'pager')}</li>" for link in page.pagination)
        return f'<nav class="pager" aria-label="Pagination">{around}<ul>{numbers}</ul></nav>\n'

    def comments(self) -> str:
        if not self._page.inline:
            return ""  # only what has running text of its own is commented on
        prose = self._prose
        comments = "".join(
            f'<li class="comment" id="comment-{self.page_id + number}"><div class="comment__head">'
            f"{_ICON.format(name='user')}<b>{prose.title(1)}</b></div>"
            f'<p class="comment__text">{prose.text(prose.number(20, 90))}</p></li>\n'
            for number in range(1, prose.number(3, 12))
        )
        return f'<section class="comments"><h2>Comments</h2><ol>{comments}</ol></section>\n'

    def sidebar(self) -> str:
        """Neighbours of the page and others that only this page lists."""
        prose = self._prose
        items = "".join(
            f'<li class="sidebar__item sidebar__item--{prose.number(1, 9)}">'
            f"{_ICON.format(name='read')}{self._anchor(link, 'sidebar')}"
            f'<span class="sidebar__note">{prose.title(3)}</span></li>\n'
            for link in self._page.sidebar
        )
        return (
            f'<aside class="sidebar" id="sidebar-{self.page_id}"><h2>Read on</h2>'
            f'<ul class="sidebar__list">\n{items}</ul></aside>\n'
        )

    def footer(self) -> str:
        own = [*map(section_link, SECTIONS), *PLAIN_LINKS]
        items = "".join(
            f'<li class="footer__item">{self._anchor(link, "footer")}</li>\n' for link in own
        )
        others = "".join(
            f'<li><a class="footer__link" rel="noopener nofollow" href="https://{site}">'
            f"{_ICON.format(name='share')}{site.partition('.')[0]}</a></li>\n"
            for site in _OTHER_SITES
        )
        return (
            f'<footer class="footer" data-page="{self.page_id}"><ul class="footer__list">\n'
            f"{items}</ul><ul>{others}</ul>\n<address>Lantern Yard 4 "
            '<a class="footer__link" href="mailto:desk@lantern.example">Write to us</a> '
            '<a class="footer__link" href="tel:+4900000000">Call us</a></address></footer>\n'
        )


def relative_path(page: str, target: str) -> str:
    """Write the path of *target* as a link on *page* (RFC 3986, 5.2).

    >>> relative_path("/guides/tools/saw/", "/guides/repairs/?page=2")
    '../../repairs/?page=2'
    >>> relative_path("/about", "/"), relative_path("/a/b", "/a/c")
    ('./', 'c')
    """
    folders = page.partition("?")[0].split("/")[1:-1]
    path, mark, query = target.partition("?")
    wanted = path.split("/")[1:]
    shared = 0
    while shared < min(len(folders), len(wanted) - 1) and folders[shared] == wanted[shared]:
        shared += 1
    steps = [".."] * (len(folders) - shared) + wanted[shared:]
    return ("/".join(steps) if steps != [""] else "./") + mark + query
