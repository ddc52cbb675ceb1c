"""The labelled table: addresses as real sites have them, with what a person says they are.

The labels were written before the rules. More than a quarter, chosen by hash, was not looked at
while the rules were written: what is right of these says how the rules do on other sites.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import xxhash

from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.page_types import declared_type
from sitecrawl.classify.pages import PageColumns
from sitecrawl.classify.site_model import learn_site

if TYPE_CHECKING:
    from sitecrawl.classify.pages import PageClass

_TABLE = Path(__file__).parent / "data" / "labelled_urls.csv"
_HELD_OUT = 3


@dataclass(frozen=True, slots=True)
class Labelled:
    """One row, and what the classifier says of it."""

    url: str
    category: str
    page_type: str
    language: str
    found: PageClass

    def is_right(self, what: str) -> bool:
        """Whether ``category``, ``type`` or ``language`` is what the label says."""
        return {
            "category": self.found.category == self.category,
            "type": self.found.page_type == self.page_type,
            "language": self.found.language == self.language,
        }[what]

    @property
    def is_held_out(self) -> bool:
        return xxhash.xxh3_64_intdigest(self.url.encode()) % _HELD_OUT == 0


@cache
def labelled_pages() -> list[Labelled]:
    """Every row; the rows of one site are classified together, as one small inventory."""
    sites: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    with _TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            host = row["url"].split("/")[2]
            sites[".".join(host.split(".")[-2:])].append(row)
    return [page for rows in sites.values() for page in _classified(rows)]


def _classified(rows: list[dict[str, str]]) -> list[Labelled]:
    columns = PageColumns(
        urls=[row["url"] for row in rows],
        titles=[row["title"] for row in rows],
        regions=[row["region"] for row in rows],
        kinds=[declared_type([row["kind"]]) or row["kind"] for row in rows],
        own_languages=[row["html_language"] for row in rows],
    )
    classes = PageClassifier(learn_site([columns]).model).classify(columns)
    return [
        Labelled(row["url"], row["category"], row["type"], row["language"], found)
        for row, found in zip(rows, classes, strict=True)
    ]
