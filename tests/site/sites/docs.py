"""A manual below ``/docs/`` in two versions, with a blog and other hosts around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.reply import Reply, redirect
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
from tests.site.sites.model import ExpectedMention, ExpectedRefusal, ModelSite, not_found
from tests.site.sites.prose import paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.site.reply import Answer, Request

_BASE = "/docs/"
_VERSIONS = ("v1", "v2")
_CHAPTERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "guide": {
        "install": ("linux", "windows", "macos"),
        "configure": ("files", "environment"),
        "upgrade": (),
    },
    "reference": {
        "commands": ("run", "list", "export"),
        "formats": ("json", "csv"),
    },
    "cookbook": {"recipes": ("backup", "migration", "monitoring")},
}
# Only the HTML sitemap names these.
_APPENDIX = ("/docs/appendix/glossary", "/docs/appendix/licences")
_ORPHAN = "/docs/drafts/next-version"
_SEARCH, _MAP = "/docs/search", "/docs/sitemap"
_BLOG = ("/blog/", "/blog/version-two-is-here")
_FRAME = Frame(
    "Tern manual",
    menu=(Link("/docs/v2/", "Docs"), Link("/blog/", "Blog"), Link("/docs-old/", "Old manual")),
    footer=(
        Link(_MAP, "Sitemap"),
        Link("https://code.example/tern", "Source"),
        Link("/docs/latest/", "Latest"),
    ),
    home=_BASE,
)
_SEARCH_FORM = (
    f'<form method="get" action="{_SEARCH}"><input name="q"><button>Search</button></form>\n'
)


def docs_site() -> ModelSite:
    pages = {target: _FRAME.render(page) for target, page in _pages()}
    outside = {
        path: _FRAME.render(Page(path.strip("/"), paragraphs(path)))
        for path in (*_BLOG, "/", "/docs-old/")
    }

    def answer(request: Request) -> Answer:
        if request.path == "/docs/latest/":
            return redirect("/docs/v2/", 301)
        body = pages.get(request.target) or outside.get(request.target)
        if body is None and request.path == _SEARCH:
            body = pages[_SEARCH]
        return Reply(body, content_type="text/html; charset=utf-8") if body else not_found()

    return ModelSite(
        answer,
        truth=frozenset(pages),
        start=_BASE,
        unlinked=frozenset({_ORPHAN}),
        refusals={
            "/docs/latest/": ExpectedRefusal("redirected", "/docs/v2/"),
            "/blog/": ExpectedRefusal("outside_base"),
            "/blog/version-two-is-here": ExpectedRefusal("outside_base"),
            "/docs-old/": ExpectedRefusal("outside_base"),
            "https://code.example/tern": ExpectedRefusal("offsite"),
            "https://code.example/tern/edit/v2/guide/install": ExpectedRefusal("offsite"),
            "/docs/files/manual.pdf": ExpectedRefusal("skipped_file_type"),
        },
        mentions=_mentions(),
    )


def _pages() -> Iterator[tuple[str, Page]]:
    versions = [Link(f"{_BASE}{version}/", f"Version {version[1:]}") for version in _VERSIONS]
    further = [Link(_BLOG[1], "What is new"), Link("/docs/files/manual.pdf", "As a PDF")]
    yield (
        _BASE,
        Page(
            "Manual",
            paragraphs("docs", 2) + _SEARCH_FORM + link_list([*versions, *further]),
            aside=_sidebar(_VERSIONS[-1]),
        ),
    )
    for version in _VERSIONS:
        yield from _version_pages(version)
    yield _SEARCH, Page("Search", _SEARCH_FORM)
    everything = [Link(path, path.rpartition("/")[2]) for path in _APPENDIX]
    for version in _VERSIONS:
        everything += [Link(path, path) for path in _in_order(version)]
    yield _MAP, Page("Sitemap", link_list(everything))
    for path in (*_APPENDIX, _ORPHAN):
        yield path, Page(path.rpartition("/")[2].capitalize(), paragraphs(path))


def _version_pages(version: str) -> Iterator[tuple[str, Page]]:
    order = _in_order(version)
    sidebar = _SEARCH_FORM + _sidebar(version)
    for position, path in enumerate(order):
        turns = (
            order[position - 1] if position else None,
            order[position + 1] if position + 1 < len(order) else None,
        )
        contents = [Link("#overview", "Overview"), Link(f"{path}#details", "Details")]
        edit = Link(f"https://code.example/tern/edit{path.removeprefix('/docs')}", "Edit this page")
        text = (
            f'{link_list(contents)}<h2 id="overview">Overview</h2>\n{paragraphs(path, 3)}'
            f'<h2 id="details">Details</h2>\n{paragraphs(f"{path} details", 2)}'
            f"<p>{anchor(edit)}</p>\n{pager(*turns)}"
        )
        crumbs = (Link(_BASE, "Manual"), Link(order[0], f"Version {version[1:]}"))
        newest = head_link("canonical", path.replace(f"/{version}/", f"/{_VERSIONS[-1]}/"))
        name = path.removesuffix("/").rpartition("/")[2].capitalize()
        yield path, Page(name, text, newest + head_turns(*turns), crumbs, sidebar)


def _in_order(version: str) -> list[str]:
    """All pages of a version as one reads them, its first page first."""
    root = f"{_BASE}{version}/"
    paths = [root]
    for chapter, sections in _CHAPTERS.items():
        paths.append(f"{root}{chapter}/")
        for section, topics in sections.items():
            paths.append(f"{root}{chapter}/{section}")
            paths += [f"{root}{chapter}/{section}/{topic}" for topic in topics]
    return paths


def _sidebar(version: str) -> str:
    """Lists in lists in lists, relative to nothing but the root."""
    chapters = []
    for chapter, sections in _CHAPTERS.items():
        path = f"{_BASE}{version}/{chapter}"
        items = [
            f"<li>{anchor(Link(f'{path}/{section}', section))}\n"
            f"{link_list(Link(f'{path}/{section}/{topic}', topic) for topic in topics)}</li>\n"
            for section, topics in sections.items()
        ]
        chapters.append(
            f"<li>{anchor(Link(f'{path}/', chapter))}\n<ul>{''.join(items)}</ul></li>\n"
        )
    return f"<ul>\n{''.join(chapters)}</ul>\n"


def _mentions() -> tuple[ExpectedMention, ...]:
    first = "/docs/v2/"
    return (
        ExpectedMention(first, _BASE, "link", "navigation", "Docs"),
        ExpectedMention(_BASE, first, "link", "header", "Tern manual"),
        ExpectedMention(_SEARCH, _BASE, "form", "content-link"),
        ExpectedMention(_MAP, _BASE, "link", "footer", "Sitemap"),
        ExpectedMention("/docs/v2/guide/", first, "link", "aside", "guide"),
        ExpectedMention("/docs/v2/guide/install", first, "link", "aside", "install"),
        ExpectedMention("/docs/v2/guide/install/linux", first, "link", "aside", "linux"),
        ExpectedMention("/docs/v2/guide/", first, "link", "pagination", "Next"),
        ExpectedMention("/docs/v2/guide/", first, "link-next"),
        ExpectedMention(_BASE, "/docs/v2/guide/", "link", "breadcrumb", "Manual"),
        ExpectedMention("/docs/v2/guide/", "/docs/v1/guide/", "canonical"),
        ExpectedMention(_APPENDIX[0], _MAP, "link", "content-link", "glossary"),
        ExpectedMention("/blog/", _BASE, "link", "navigation", "Blog"),
    )
