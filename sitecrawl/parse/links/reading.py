"""What was read from one page: facts about it, its links in columns, its menu."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sitecrawl.parse.findings import Finding
    from sitecrawl.parse.links.vocabulary import LinkSource


@dataclass(frozen=True, slots=True)
class PageLimits:
    """What one page may cost; everything that a limit leaves out is said in the findings."""

    max_bytes: int = 10 * 1024 * 1024
    max_links: int = 50_000
    max_tags: int = 400_000
    max_depth: int = 512
    max_address_characters: int = 8_192
    max_anchor_characters: int = 200
    max_path_characters: int = 200
    max_title_characters: int = 500
    max_json_characters: int = 4_000_000
    max_sample_characters: int = 2_000
    max_declared_types: int = 50


@dataclass(slots=True)
class Links:
    """Columns with a row for each mention: headers, then elements, then data in scripts."""

    locs: list[str] = field(default_factory=list)
    sources: list[LinkSource] = field(default_factory=list)
    regions: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    rels: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    languages: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.locs)


class MenuEntry(NamedTuple):
    """A link of the site's menus: its row, and how deep its list is nested in others."""

    title: str
    row: int
    level: int


@dataclass(slots=True)
class PageReading:
    """What one page says; `base` is what the addresses of its links are relative to."""

    base: str
    title: str = ""
    language: str = ""
    canonical: str = ""
    text_hash: str = ""
    folded_hash: int = 0
    fingerprint: int = 0
    text_characters: int = 0
    text_sample: str = ""
    """Some of the text, from behind the menu, for telling its language."""
    declared_types: tuple[str, ...] = ()
    """What JSON-LD says the page is about; ``og:`` stands before Open Graph's."""
    links: Links = field(default_factory=Links)
    menu: list[MenuEntry] = field(default_factory=list)
    is_html: bool = True
    findings: list[Finding] = field(default_factory=list)
    truncated: bool = False
