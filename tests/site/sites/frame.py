"""The frame that the pages of a site share: head, menu, breadcrumb, sidebar and footer."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Link(NamedTuple):
    href: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page before it is put into its frame; ``main``, ``head`` and ``aside`` are HTML."""

    title: str
    main: str
    head: str = ""
    crumbs: tuple[Link, ...] = ()
    """From the home page down to the parent."""
    aside: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    site_name: str
    menu: tuple[Link, ...]
    footer: tuple[Link, ...] = ()
    home: str = "/"

    def render(self, page: Page) -> bytes:
        title = escape(page.title)
        aside = f"<aside>\n{page.aside}</aside>\n" if page.aside else ""
        return f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} | {escape(self.site_name)}</title>
<link rel="stylesheet" href="/assets/site.css">
{page.head}</head>
<body>
<header>
<a class="logo" href="{self.home}"><img src="/assets/logo.svg" alt="{escape(self.site_name)}"></a>
<nav>
{link_list(self.menu)}</nav>
</header>
{_breadcrumb(page)}<main>
<h1>{title}</h1>
{page.main}</main>
{aside}<footer>
<p>{escape(self.site_name)}</p>
{link_list(self.footer)}</footer>
<script src="/assets/site.js" defer></script>
</body>
</html>
""".encode()


def anchor(link: Link, rel: str = "") -> str:
    attribute = f' rel="{rel}"' if rel else ""
    return f'<a href="{escape(link.href)}"{attribute}>{escape(link.text, quote=False)}</a>'


def link_list(links: Iterable[Link]) -> str:
    items = "".join(f"<li>{anchor(link)}</li>\n" for link in links)
    return f"<ul>\n{items}</ul>\n" if items else ""


def head_link(rel: str, href: str, **attributes: str) -> str:
    further = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return f'<link rel="{rel}" href="{escape(href)}"{further}>\n'


def pager(previous: str | None, following: str | None) -> str:
    """Links to the pages before and after, as listings and manuals have them below the text."""
    turns = [anchor(Link(href, text), rel) for href, text, rel in _turns(previous, following)]
    return f'<div class="pagination">\n{"".join(turns)}</div>\n'


def head_turns(previous: str | None, following: str | None) -> str:
    return "".join(head_link(rel, href) for href, _, rel in _turns(previous, following))


def _turns(previous: str | None, following: str | None) -> list[tuple[str, str, str]]:
    turns = [(previous, "Previous", "prev"), (following, "Next", "next")]
    return [(href, text, rel) for href, text, rel in turns if href is not None]


def _breadcrumb(page: Page) -> str:
    if not page.crumbs:
        return ""
    trail = "".join(f"<li>{anchor(link)}</li>\n" for link in page.crumbs)
    here = f'<li aria-current="page">{escape(page.title, quote=False)}</li>\n'
    return f'<nav aria-label="Breadcrumb">\n<ol>\n{trail}{here}</ol>\n</nav>\n'
