"""The layout that every HTML page of the demo site shares, and its assets: style, images, PDF."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from sitecrawl.demo.content import StandingPage, Variety

Language = Literal["en", "de"]
Link = tuple[str, str]
"""Path and text."""

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "organisation": "Lindental Seed Library",
        "search": "Search",
        "cart": "Cart",
        "members": "Members",
    },
    "de": {
        "organisation": "Saatgutbibliothek Lindental",
        "search": "Suche",
        "cart": "Warenkorb",
        "members": "Mitglieder",
    },
}
_HOMES: Mapping[Language, Link] = {"en": ("/", "Home"), "de": ("/de/", "Startseite")}
_MENU_STARTS: Mapping[Language, list[Link]] = {
    "en": [
        ("/seeds/", "Seeds"),
        ("/guides/", "Guides"),
        ("/blog/", "Blog"),
        ("/events/", "Events"),
        ("/news/", "News"),
    ],
    "de": [("/de/saatgut/", "Saatgut")],
}
_DESCRIPTION_CHARACTERS = 155
_PACKET_COLOURS = {
    "tomatoes": "#b8402f",
    "beans": "#5d7f3b",
    "salads": "#87a84b",
    "roots": "#c9772b",
    "squash": "#d9a036",
    "flowers": "#6a5a9c",
}


@dataclass(frozen=True, slots=True)
class Draft:
    """A page without its layout; ``main`` and ``aside`` are HTML."""

    path: str
    title: str
    main: str
    updated: date
    summary: str = ""
    language: Language = "en"
    crumbs: tuple[Link, ...] = ()
    """From below the home page down to the parent."""
    aside: str = ""
    json_ld: Mapping[str, object] = field(default_factory=dict)
    alternates: Mapping[str, str] = field(default_factory=dict)
    """Path by language."""
    neighbours: Mapping[str, str] = field(default_factory=dict)
    """Path by ``rel``: next, prev."""
    change: str = "monthly"
    priority: float = 0.5


class Layout:
    """Renders drafts with the menus and the footer of the site."""

    def __init__(self, origin: str, pages: Iterable[StandingPage]) -> None:
        self._origin = origin
        standing = list(pages)
        self._menus: dict[Language, list[Link]] = {}
        self._footers: dict[Language, list[Link]] = {}
        for language, start in _MENU_STARTS.items():
            own = [page for page in standing if language_of(page.path) == language]
            self._menus[language] = start + [(p.path, p.menu) for p in own if p.menu]
            self._footers[language] = [(p.path, p.footer) for p in own if p.footer]

    def render(self, draft: Draft) -> bytes:
        home, _ = _HOMES[draft.language]
        html = template("layout.html").substitute(
            _WORDS[draft.language],
            language=draft.language,
            title=escape(draft.title),
            description=escape(draft.summary[:_DESCRIPTION_CHARACTERS]),
            url=self._origin + draft.path,
            home=home,
            head=self._head(draft),
            menu=link_items(self._menus[draft.language]),
            breadcrumb=_breadcrumb(draft),
            main=draft.main,
            aside=f"<aside>\n{draft.aside}</aside>\n" if draft.aside else "",
            footer=link_items(self._footers[draft.language]),
        )
        return html.encode()

    def _head(self, draft: Draft) -> str:
        lines = [
            f'<link rel="alternate" hreflang="{language}" href="{self._origin}{path}">'
            for language, path in draft.alternates.items()
        ]
        lines += [f'<link rel="{rel}" href="{path}">' for rel, path in draft.neighbours.items()]
        if draft.json_ld:
            facts = {
                "@context": "https://schema.org",
                "url": self._origin + draft.path,
                **draft.json_ld,
            }
            data = json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c")
            lines.append(f'<script type="application/ld+json">{data}</script>')
        return "".join(f"{line}\n" for line in lines)


def language_of(path: str) -> Language:
    return "de" if path.startswith("/de/") else "en"


@cache
def template(name: str) -> Template:
    return Template((files(__package__) / "templates" / name).read_text("utf-8"))


def paragraphs(text: str) -> str:
    blocks = text.strip().split("\n\n")
    return "".join(f"<p>{escape(block, quote=False)}</p>\n" for block in blocks)


def link_items(links: Iterable[Link]) -> str:
    return "".join(
        f'<li><a href="{escape(path)}">{escape(text, quote=False)}</a></li>\n'
        for path, text in links
    )


def link_list(links: Iterable[Link]) -> str:
    return f"<ul>\n{link_items(links)}</ul>\n"


def _breadcrumb(draft: Draft) -> str:
    home = _HOMES[draft.language]
    if draft.path == home[0]:
        return ""
    here = f'<li aria-current="page">{escape(draft.title, quote=False)}</li>\n'
    trail = link_items([home, *draft.crumbs])
    return f'<nav aria-label="Breadcrumb" class="breadcrumb">\n<ol>\n{trail}{here}</ol>\n</nav>\n'


# --- assets ------------------------------------------------------------------------------------


def stylesheet() -> str:
    return template("site.css").template


def packet_image(variety: Variety) -> str:
    colour = _PACKET_COLOURS[variety.group.slug]
    return template("packet.svg").substitute(name=escape(variety.name), colour=colour)


def pdf(line: str) -> bytes:
    """A PDF of one page with one line of ASCII text."""
    text = f"BT /F1 24 Tf 72 720 Td ({line}) Tj ET".encode("ascii")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources 6 0 R>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(text), text),
        b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>",
        b"<</Font<</F1 5 0 R>>>>",
    ]
    body = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(objects) + 1
    return (
        body
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table)
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, len(body))
    )
