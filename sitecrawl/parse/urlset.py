"""Entries of `<urlset>` and `<sitemapindex>`: pages, child maps and their extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.parse.assembly import EntryAssembler
from sitecrawl.parse.entries import Alternate, EntryDetails
from sitecrawl.parse.findings import FindingKind
from sitecrawl.parse.lastmod import normalize_lastmod
from sitecrawl.parse.markup import parse_attributes
from sitecrawl.parse.references import plain_text

if TYPE_CHECKING:
    from sitecrawl.parse.columns import EntrySink

_NEWS_FIELDS = {"title": "news_title", "publication_date": "news_date"}


class MapAssembler(EntryAssembler):
    """Reads entries by local name, since the namespaces of real maps are wrong in every way.

    - `<url>` is a page and `<sitemap>` a child map, whichever root they are in.
    - A loc counts directly inside its entry and without a foreign prefix: `image:loc` is an image.
    - Each loc of an entry that has several is an entry.
    """

    entry_names = frozenset({"url", "sitemap"})
    field_names = frozenset({"loc", "lastmod", "changefreq", "priority"})
    # Many maps leave `<xhtml:link ...>` open; what follows is still the entry's own.
    void_names = frozenset({"link"})

    def __init__(self, sink: EntrySink, root_prefix: str, root_name: str):
        super().__init__(sink, root_prefix, root_name)
        self._locs: list[str] = []
        self._values: dict[str, str] = {}
        self._alternates: list[Alternate] = []
        self._images = 0
        self._videos = 0
        self._loc_href = ""

    @property
    def is_between_pages(self) -> bool:
        """Whether the next `<url>` is a page where pages belong."""
        return self.is_between_entries and self._root_name != "sitemapindex"

    def _begin(self, attributes: str) -> None:
        self._locs.clear()
        self._values.clear()
        self._alternates.clear()
        self._images = self._videos = 0

    def _child(self, prefix: str, name: str, attributes: str, depth: int) -> None:
        if self._field == "loc":
            self._sink.findings.note(FindingKind.MARKUP_IN_LOC, f"<{name}> inside a loc")
            if name == "a":
                self._loc_href = parse_attributes(attributes).get("href", "")
        elif name == "link":
            if depth == 0 and (alternate := parse_alternate(attributes)):
                self._alternates.append(alternate)
        elif depth == 0 and (name == "image" or (name == "loc" and prefix == "image")):
            self._images += 1
        elif depth == 0 and name == "video":
            self._videos += 1

    def _outside(self, prefix: str, name: str, attributes: str) -> None:
        if name == "loc" and self._is_own(prefix):
            self._sink.findings.note(FindingKind.BAD_LOC, "a loc outside of an entry")

    def _field_of(self, prefix: str, name: str, depth: int, *, is_own: bool) -> str:
        if depth == 0:
            return name if is_own and name in self.field_names else ""
        return _NEWS_FIELDS.get(name, "") if self._open[0] == "news" else ""

    def _captured(self, field: str, text: str) -> None:
        if field == "loc":
            if self._loc_href and not text.strip():
                text = self._loc_href.replace("&", "&amp;")
            self._loc_href = ""
            self._locs.append(text)
        else:
            self._values.setdefault(field, text)

    def _complete(self, *, is_cut: bool) -> None:
        if not self._locs and not is_cut:
            self._sink.findings.note(FindingKind.BAD_LOC, "an entry without an address")
        is_map = self._entry_name == "sitemap"
        if self._locs and self._root_name == ("urlset" if is_map else "sitemapindex"):
            detail = f"<{self._entry_name}> in <{self._root_name}>"
            self._sink.findings.note(FindingKind.MISPLACED_ENTRY, detail)
        value = self._values.get
        for loc in self._locs:
            self._sink.add(
                loc,
                value("lastmod", ""),
                value("changefreq", ""),
                value("priority", ""),
                self._details(),
                is_map=is_map,
            )

    def _details(self) -> EntryDetails | None:
        title = self._values.get("news_title", "")
        if not (self._alternates or self._images or self._videos or title):
            return None
        return EntryDetails(
            tuple(self._alternates),
            self._images,
            self._videos,
            plain_text(title),
            normalize_lastmod(plain_text(self._values.get("news_date", ""))),
        )


def parse_alternate(attributes: str) -> Alternate | None:
    """Read a `<link rel="alternate" hreflang=".." href="..">`.

    >>> parse_alternate('rel="alternate" hreflang="de" href="https://shop.example/de"')
    Alternate(hreflang='de', href='https://shop.example/de')
    """
    values = parse_attributes(attributes)
    href = values.get("href", "").strip()
    if not href or values.get("rel", "alternate").strip().lower() != "alternate":
        return None
    return Alternate(values.get("hreflang", "").strip(), href)
