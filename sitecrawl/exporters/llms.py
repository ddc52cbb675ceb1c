"""Exports the most prominent pages of a site as an llms.txt."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.exporters.llms_sections import Candidate, LlmsSections, path_words
from sitecrawl.exporters.llms_text import (
    MAX_SUMMARY_CHARACTERS,
    Link,
    Section,
    llms_text,
    plain,
)
from sitecrawl.exporters.llms_titles import SiteNames
from sitecrawl.exporters.sitemap_fitness import read_fitness
from sitecrawl.exporters.sitemap_xml import latest_lastmod, valid_lastmod
from sitecrawl.store.menu import site_menu
from sitecrawl.store.sitemap_pages import listed_pages
from sitecrawl.urls.address import origin_of
from sitecrawl.urls.canonical import page_key

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan, Site

_DATE_CHARACTERS: Final = 10


@dataclass(frozen=True, slots=True)
class LlmsExport:
    """The text, and how much of the site it has."""

    text: str
    links: int
    pages: int
    """Pages that could have been in it."""
    left_out: Counter[str]
    """Pages that do not belong in it, by reason."""


def export_llms(
    database: Database,
    site: Site,
    scan: Scan,
    *,
    title: str = "",
    summary: str = "",
    links_per_section: int,
) -> LlmsExport:
    """Choose from the pages that also belong in a sitemap: the menu, then what lies highest."""
    origin = origin_of(scan.root_url)
    fitness = read_fitness(database, site, scan, origin)
    chosen = LlmsSections(scan.root_url, site_menu(database, scan), links_per_section)
    latest = latest_lastmod(scan.started_at)
    names = SiteNames()
    left_out: Counter[str] = Counter()
    pages, root_title, root_key = 0, "", page_key(scan.root_url)
    for number, page in enumerate(listed_pages(database, scan)):
        if objection := fitness.objection(page):
            left_out[objection.reason] += 1
            continue
        pages += 1
        candidate = Candidate(
            number,
            fitness.address(page),
            plain(page.title or ""),
            plain(page.anchor or ""),
            valid_lastmod(page.lastmod, latest),
        )
        if candidate.title:
            names.add(candidate.title)
            if not root_title and page_key(page.url) == root_key:
                root_title = candidate.title
        chosen.add(candidate, page.url)
    sections = [
        Section(name, [_link(page, names) for page in best])
        for name, best in chosen.in_order()
        if best
    ]
    links = sum(len(section.links) for section in sections)
    host = origin.partition("://")[2]
    heading = plain(title) or names.usual() or root_title or host
    slogan = names.without(root_title)
    words = plain(summary, MAX_SUMMARY_CHARACTERS) or (
        (f"{slogan}. " if slogan and slogan != heading else "")
        + f"The {links:,} most prominent of {pages:,} pages of {host}, by section,"
        f" as of {scan.started_at:%Y-%m-%d}."
    )
    return LlmsExport(llms_text(heading, words, sections), links, pages, left_out)


def _link(page: Candidate, names: SiteNames) -> Link:
    title = names.without(page.title) or page.anchor
    title = title or plain(path_words(page.url.rstrip("/").rpartition("/")[2])) or page.url
    notes = [page.anchor] if page.anchor.casefold() != title.casefold() else []
    if page.lastmod:
        notes.append(f"changed {page.lastmod[:_DATE_CHARACTERS]}")
    return Link(title, page.url, ", ".join(note for note in notes if note))
