"""Which pages an llms.txt has, and in which sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.exporters.llms import export_llms
from sitecrawl.exporters.llms_sections import MAX_SECTIONS
from sitecrawl.exporters.llms_titles import SiteNames
from sitecrawl.store.queries import site_for
from tests.store.crawling import ROOT, Crawling, Link

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


def test_titles_are_without_the_name_of_the_site(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", Link("/a", "First"), Link("/b", "Bees"), "/c-d_e.html", title="Hi | Site")
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
