"""Types of pages of real documentation sites; docs/classification.md states the figures.

The pages are those of Python 3.11, PostgreSQL 15, Django 3.2, the JDK 17 and the Debian handbook as
Debian packages them: 600 of each site with what a scan knows of them, 50 of each with a label. Half
of the labelled ones, where there are so many, have a word of the rules in their address. The half
that is held out, by the hash of the path, was not looked at while the rules were written.
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
import xxhash

from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.pages import PageColumns, PageType
from sitecrawl.classify.site_model import learn_site
from tests.site.project import ROOT

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class _Labelled:
    site: str
    path: str
    label: str
    """A type, or several that a person would accept."""
    found: PageType
    undeclared: PageType
    """What is found if no page declares anything."""

    @property
    def is_held_out(self) -> bool:
        return xxhash.xxh3_64_intdigest(self.path.encode()) % 2 == 0


@cache
def _labelled() -> list[_Labelled]:
    sites: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    text = gzip.decompress((_DATA / "documentation_pages.csv.gz").read_bytes()).decode()
    for row in csv.DictReader(text.splitlines()):
        sites[row["site"]].append(row)
    declared: dict[tuple[str, str], PageType] = {}
    undeclared: dict[tuple[str, str], PageType] = {}
    for site, rows in sites.items():
        columns = PageColumns(
            urls=[f"https://{site}.example{row['path']}" for row in rows],
            titles=[row["title"] or None for row in rows],
            kinds=[row["kind"] or None for row in rows],
            own_languages=[row["language"] or None for row in rows],
            regions=[row["region"] or None for row in rows],
            inlinks=[int(row["inlinks"]) if row["inlinks"] else None for row in rows],
        )
        keys = [(site, row["path"]) for row in rows]
        declared |= dict(zip(keys, _types(columns), strict=True))
        undeclared |= dict(zip(keys, _types(replace(columns, kinds=None)), strict=True))
    with (_DATA / "documentation_labels.csv").open(encoding="utf-8", newline="") as file:
        return [
            _Labelled(
                row["site"],
                row["path"],
                row["type"],
                declared[row["site"], row["path"]],
                undeclared[row["site"], row["path"]],
            )
            for row in csv.DictReader(file)
        ]


def _types(columns: PageColumns) -> list[PageType]:
    found = PageClassifier(learn_site([columns]).model).classify(columns)
    return [page.page_type for page in found]


def _precision(pages: list[_Labelled], kind: str) -> float:
    """The share of right types where one is given: ``page`` says that none is."""
    given = [
        getattr(page, kind) in page.label.split("|")
        for page in pages
        if getattr(page, kind) is not PageType.PAGE
    ]
    return sum(given) / len(given)


def test_each_site_has_fifty_labels() -> None:
    pages = _labelled()
    assert {site: sum(page.site == site for page in pages) for site in _sites()} == dict.fromkeys(
        _sites(), 50
    )
    assert 100 <= sum(page.is_held_out for page in pages) <= 150


def test_a_given_type_is_right_on_pages_that_nobody_looked_at() -> None:
    held_out = [page for page in _labelled() if page.is_held_out]
    assert _precision(held_out, "found") >= 0.95
    # Documentation is recognised, not avoided.
    assert sum(page.found is not PageType.PAGE for page in held_out) >= 0.95 * len(held_out)


@pytest.mark.parametrize("site", ["python", "postgres", "django", "jdk", "handbook"])
def test_a_given_type_is_right_on_each_site(site: str) -> None:
    assert _precision([page for page in _labelled() if page.site == site], "found") >= 0.95


def test_the_figures_in_the_documentation_are_these() -> None:
    text = (ROOT / "docs" / "classification.md").read_text(encoding="utf-8")
    for is_held_out, name in (
        (False, "documentation, looked at"),
        (True, "documentation, held out"),
    ):
        pages = [page for page in _labelled() if page.is_held_out is is_held_out]
        shown = f"{_precision(pages, 'found'):.1%} | {_precision(pages, 'undeclared'):.1%}"
        assert f"| {name} | {len(pages)} | {shown} |" in text


def _sites() -> list[str]:
    return sorted({page.site for page in _labelled()})
