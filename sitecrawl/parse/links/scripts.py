"""The links in a page's scripts: JSON-LD, and the data of frameworks."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sitecrawl.parse.findings import FindingKind, Findings
from sitecrawl.parse.links.islands import script_addresses
from sitecrawl.parse.links.jsonld import jsonld_addresses, jsonld_types
from sitecrawl.parse.links.vocabulary import NO_REGION, LinkSource

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.parse.links.reading import PageLimits
    from sitecrawl.parse.links.rows import LinkRows

_JSON_LD = "ld+json"
# A script without one of these has no data for us.
_DATA_MARKS = (".__", ".pagePath")


class ScriptReader:
    """Takes the texts of the scripts that hold data, and adds their links later."""

    def __init__(self, limits: PageLimits, findings: Findings):
        self._findings = findings
        self._max_anchor_characters = limits.max_anchor_characters
        self._texts: list[tuple[str, str]] = []
        self._room = limits.max_json_characters
        self._max_types = limits.max_declared_types
        self.types: list[str] = []
        """What the page is about, of all that `add_links` has read."""

    def take(self, script: LexborNode) -> None:
        attributes = script.attributes
        if "src" in attributes:
            return
        kind = (attributes.get("type") or "").lower()
        text = script.text()
        if "json" not in kind and not any(mark in text for mark in _DATA_MARKS):
            return
        if len(text) > self._room:
            self._findings.note(FindingKind.OVER_LIMIT, f"data of {len(text):,} characters")
            return
        self._room -= len(text)
        self._texts.append((kind, text))

    def add_links(self, rows: LinkRows, url: str) -> None:
        for kind, text in self._texts:
            try:
                if _JSON_LD in kind:
                    data = json.loads(text, strict=False)
                    self.types += islice(jsonld_types(data), self._max_types - len(self.types))
                    for address, name in jsonld_addresses(data):
                        anchor = " ".join(name.split())[: self._max_anchor_characters]
                        rows.add(LinkSource.JSON_LD, address, NO_REGION, anchor, "", "")
                else:
                    site = _site_of(url)
                    for source, address in script_addresses(kind, text):
                        if _is_of_site(address, site):
                            rows.add(source, address, NO_REGION, "", "", "")
            except (ValueError, RecursionError) as error:
                self._findings.note(FindingKind.BAD_JSON, str(error))


def _is_of_site(address: str, site: str) -> bool:
    return "//" not in address[:8] or _site_of(address) == site


def _site_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
