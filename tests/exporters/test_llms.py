"""Which pages an llms.txt has, and in which sections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sitecrawl.exporters.llms import (
    MAX_SECTIONS,
    MAX_TITLE_CHARACTERS,
    Link,
    Section,
    SiteNames,
    export_llms,
    link_target,
    llms_text,
    plain,
)
from sitecrawl.store.queries.scans import site_for
from sitecrawl.urls.canonical import canonicalize
from tests.store.crawling import ROOT, Crawling
from tests.store.crawling import Link as PageLink
from tests.urls.nasty import nasty_urls

if TYPE_CHECKING:
    from sitecrawl.exporters.llms import LlmsExport
    from sitecrawl.store.engine import Database


def export(database: Database, crawling: Crawling, **options: Any) -> LlmsExport:
    site = site_for(database, "example.com")
    assert site is not None
    return export_llms(database, site, crawling.end(), **{"links_per_section": 20, **options})


def sections(text: str) -> dict[str, list[str]]:
    """The paths by section."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("## "):
            found[line[3:]] = []
        elif line.startswith("- "):
            path = line.partition("](")[2].partition(")")[0].removeprefix(ROOT)
            found[list(found)[-1]].append(path)
    return found


def test_the_menu_and_the_folders_are_the_sections(database: Database, crawling: Crawling) -> None:
    blog = [f"/blog/post-{number}" for number in range(4)]
    crawling.visit(
        "/", "/shop/", "/shop/tents", "/about", "/shop/lamps", *blog, "/legal/terms", "/single"
    )
    crawling.menu((0, "Shop", "/shop/"), (1, "Tents", "/shop/tents"), (0, "About us", "/about"))
    done = export(database, crawling)
    assert sections(done.text) == {
        "Main pages": ["", "about"],
        "Shop": ["shop/", "shop/tents", "shop/lamps"],
        "Blog": [path[1:] for path in blog],
        "Optional": ["single", "legal/terms"],
    }
    assert (done.links, done.pages, done.left_out) == (11, 11, {})


def test_the_main_language_comes_first(database: Database, crawling: Crawling) -> None:
    german = [f"/de/seite-{number}" for number in range(6)]
    english = [f"/en/page-{number}" for number in range(4)]
    crawling.visit("/", *german, *english, "/de-only", "/page", language="en")
    for paths, language in (
        (german, "de"),
        (english, "en"),
        (["/de-only"], "de"),
        (["/page"], "en"),
    ):
        for path in paths:
            crawling.visit(path, language=language)
    found = sections(export(database, crawling).text)
    assert list(found) == ["Main pages", "En", "De", "Optional"]
    assert found["Optional"] == ["page", "de-only"]


def test_titles_are_without_the_name_of_the_site(database: Database, crawling: Crawling) -> None:
    crawling.visit(
        "/", PageLink("/a", "First"), PageLink("/b", "Bees"), "/c-d_e.html", title="Hi | Site"
    )
    crawling.visit("/a", title="One | Site")
    crawling.visit("/b", title="Bees | Site")
    done = export(database, crawling)
    lines = done.text.splitlines()
    assert lines[0] == "# Site"
    assert lines[2].startswith("> Hi. The 4 most prominent of 4 pages of example.com, by section")
    assert [line for line in lines if line.startswith("- ")] == [
        f"- [Hi]({ROOT})",
        f"- [One]({ROOT}a): First",
        f"- [Bees]({ROOT}b)",
        f"- [C d e]({ROOT}c-d_e.html)",
    ]


def test_title_and_summary_can_be_given(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", title="Home")
    done = export(database, crawling, title="*Mine*", summary="- All\nof it")
    assert done.text.startswith("# \\*Mine\\*\n\n> \\- All of it\n\n## Main pages\n")


def test_what_does_not_belong_in_a_sitemap_is_left_out(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/hidden", "https://blog.example.com/")
    crawling.visit("/hidden", fetch={"directives": ["noindex"]})
    done = export(database, crawling)
    assert sections(done.text) == {"Main pages": [""]}
    assert done.left_out == {"noindex": 1, "other_host": 1}


def test_the_length_has_an_end(database: Database, crawling: Crawling) -> None:
    folders = MAX_SECTIONS + 10
    paths = [f"/folder-{folder:02}/page-{page}" for folder in range(folders) for page in range(9)]
    crawling.visit("/")
    crawling.list_in_sitemap(*paths)
    done = export(database, crawling, links_per_section=4)
    found = sections(done.text)
    assert len(found) == MAX_SECTIONS + 2
    assert all(len(links) <= 4 for links in found.values())
    assert done.pages == len(paths) + 1


def test_sections_of_the_same_name_are_told_apart(database: Database, crawling: Crawling) -> None:
    pages = [f"/{folder}/{page}" for folder in ("optional", "a/b", "c") for page in range(3)]
    crawling.visit("/", "/a/b", "/c", *pages)
    crawling.menu((0, "Same", "/a/b"), (0, "Same", "/c"))
    assert list(sections(export(database, crawling).text)) == [
        *("Main pages", "Same", "Same (3)", "Optional (4)"),
    ]


@pytest.mark.parametrize(
    ("titles", "title", "expected"),
    [
        (["A - S", "B - S", "C - S"], "D - S", "D"),
        (["A - S", "B - S", "C - S"], "D - E - S", "D - E"),
        (["A - S", "B - S"], "A - S", "A - S"),
        (["A - S", "B - S", "C - S"], "S", "S"),
        (["A-S", "B-S", "C-S"], "A-S", "A-S"),
        (["A \u2013 S", "B | S", "C :: S"], "D · S", "D"),
    ],
    ids=["name", "last part", "too few", "name alone", "no blanks", "separators"],
)
def test_the_name_of_a_site_is_learnt(titles: list[str], title: str, expected: str) -> None:
    names = SiteNames()
    for each in titles:
        names.add(each)
    assert names.without(title) == expected


# As the reader that comes with the proposal at llmstxt.org looks for links.
_SIMPLE_LINK = re.compile(r"-\s*\[(?P<title>[^\]]+)\]\((?P<url>[^\)]+)\)(?::\s*(?P<note>.*))?")

_words = st.text() | st.lists(
    st.sampled_from(
        [
            *("a", " ", "\n", "[", "]", "(", ")", "<b>", "*", "_", "`", "#", "> ", "- ", "1. "),
            *("\\", "&amp;", "&", "|", "~~~", "```", "---", "===", "![x](y)", "\u202e", "\x1b"),
        ]
    )
).map("".join)
_links = st.builds(
    lambda title, url, note: Link(
        plain(title) or "x", canonicalize(url) or "https://a.example/", note
    ),
    _words,
    nasty_urls(),
    _words,
)


def read(text: str) -> list[tuple[str, Any]]:
    """Each block with its text; a link as text, address and what is behind it."""
    found: list[tuple[str, Any]] = []
    kind = ""
    for token in MarkdownIt("commonmark").parse(text):
        if token.type.endswith("_open") and token.type != "paragraph_open":
            kind = token.tag
            found += [(kind, None)] if kind not in {"h1", "h2", "li", "blockquote"} else []
        elif token.type == "inline":
            found.append((kind, _inline(token.children or [])))
        elif token.type != "paragraph_open" and not token.type.endswith("_close"):
            found.append((token.type, token.content))
    return found


def _inline(tokens: list[Any]) -> Any:
    types = [token.type for token in tokens if token.type not in {"text", "text_special"}]
    text = "".join(token.content for token in tokens)
    if types == []:
        return text
    assert types == ["link_open", "link_close"], types
    close = next(place for place, token in enumerate(tokens) if token.type == "link_close")
    title = "".join(token.content for token in tokens[:close])
    behind = "".join(token.content for token in tokens[close:])
    return title, tokens[0].attrs["href"], behind


def test_the_form() -> None:
    sections = [
        Section("Docs", [Link("Start", "https://a.example/start", "How to begin")]),
        Section("Optional", [Link("Imprint", "https://a.example/imprint")]),
    ]
    assert llms_text("A site", "What it is.", sections) == (
        "# A site\n\n> What it is.\n\n## Docs\n\n"
        "- [Start](https://a.example/start): How to begin\n\n## Optional\n\n"
        "- [Imprint](https://a.example/imprint)\n"
    )


@settings(max_examples=150)
@given(_words, _words, _words, st.lists(_links, min_size=1, max_size=3))
def test_whatever_a_site_writes_stays_text(
    title: str, summary: str, heading: str, links: list[Link]
) -> None:
    title, summary, heading = (plain(text) or "x" for text in (title, summary, heading))
    text = llms_text(title, summary, [Section(heading, links)])
    notes = [plain(link.note, 200) for link in links]
    assert read(text) == [
        ("h1", title),
        ("blockquote", summary),
        ("h2", heading),
        ("ul", None),
        *(
            ("li", (link.title, link_target(link.url), f": {note}" if note else ""))
            for link, note in zip(links, notes, strict=True)
        ),
    ]


@settings(max_examples=150)
@given(st.lists(_links, min_size=1, max_size=3))
def test_a_simple_reader_finds_every_link(links: list[Link]) -> None:
    text = llms_text("x", "y", [Section("z", links)])
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    matches = [_SIMPLE_LINK.fullmatch(line) for line in lines]
    assert [match and match["url"] for match in matches] == [
        link_target(link.url) for link in links
    ]


@pytest.mark.parametrize(
    "text", ["a\u202eb", "a\u200bb", "a\x1b[31mb", "a\u2028b", "a\U000e0041b", "a\x00b"]
)
def test_nothing_is_hidden(text: str) -> None:
    assert plain(text).isprintable()


def test_what_joins_letters_stays() -> None:
    assert plain("\u0645\u06cc\u200c\u062e") == "\u0645\u06cc\u200c\u062e"


def test_a_long_title_is_cut() -> None:
    cut = plain("word " * 100)
    assert len(cut) <= MAX_TITLE_CHARACTERS
    assert cut.endswith("word…")
