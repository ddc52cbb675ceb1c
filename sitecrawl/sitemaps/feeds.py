"""Entries of RSS 2.0, RSS 1.0 and Atom feeds, which may serve as sitemaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ada_url

from sitecrawl.sitemaps.assembler import EntryAssembler
from sitecrawl.sitemaps.entries import EntryDetails
from sitecrawl.sitemaps.lastmod import normalize_feed_date
from sitecrawl.sitemaps.markup import parse_attributes, plain_text

if TYPE_CHECKING:
    from sitecrawl.sitemaps.entries import EntrySink


_EXTENSION_FIELDS = {
    ("feedburner", "origlink"): "origlink",
    ("dc", "date"): "date",
    ("dcterms", "modified"): "updated",
}
_LASTMOD_FIELDS = ("updated", "modified", "pubdate", "date", "published", "issued", "created")
_PUBLISHED_FIELDS = ("published", "issued", "pubdate", "date", "created")
_PAGE_TYPES = frozenset({"", "text/html", "application/xhtml+xml"})
_ALTERNATE_RELATIONS = frozenset(
    {"alternate", "http://www.iana.org/assignments/relation/alternate"}
)


class FeedAssembler(EntryAssembler):
    """What RSS and Atom share: dates, titles and `xml:base`.

    Links stay relative, like those of a sitemap, unless there is an `xml:base`.
    """

    def __init__(
        self,
        sink: EntrySink,
        root_prefix: str,
        root_name: str,
        *,
        attributes: str,
        document_url: str,
    ):
        super().__init__(sink, root_prefix, root_name)
        self._document_url = document_url
        self._feed_base = self._base(attributes, "")
        self._entry_base = ""
        self._values: dict[str, str] = {}

    def _begin(self, attributes: str) -> None:
        self._values.clear()
        self._entry_base = self._base(attributes, self._feed_base)

    def _outside(self, prefix: str, name: str, attributes: str) -> None:
        if name == "channel":
            self._feed_base = self._base(attributes, self._feed_base)

    def _field_of(self, prefix: str, name: str, depth: int, *, is_own: bool) -> str:
        if depth:
            return ""
        if is_own:
            return name if name in self.field_names else ""
        return _EXTENSION_FIELDS.get((prefix, name), "")

    def _captured(self, field: str, text: str) -> None:
        self._values.setdefault(field, text)

    def _complete(self, *, is_cut: bool) -> None:
        link = self._page_link()
        if link:
            details = EntryDetails(
                title=plain_text(self._values.get("title", "")),
                published=normalize_feed_date(self._first_of(_PUBLISHED_FIELDS)),
            )
            date = self._first_of(_LASTMOD_FIELDS)
            self._sink.add(link, normalize_feed_date(date) or date, details=details)

    def _page_link(self) -> str:
        """The address of the entry's page with references unresolved, or the empty string."""
        raise NotImplementedError

    def _first_of(self, fields: tuple[str, ...]) -> str:
        values = (plain_text(self._values.get(field, "")) for field in fields)
        return next(filter(None, values), "")

    def _base(self, attributes: str, outer: str) -> str:
        if "base" not in attributes:
            return outer
        base = parse_attributes(attributes).get("xml:base", "").strip()
        return _join(outer or self._document_url, base) if base else outer

    def _resolved(self, link: str, base: str) -> str:
        return _join(base, link) if base else link


class RssAssembler(FeedAssembler):
    """The page of an item: its link, a guid that is a permalink, or the subject in RDF."""

    entry_names = frozenset({"item"})
    field_names = frozenset({"link", "guid", "title", "pubdate", "date"})

    def _begin(self, attributes: str) -> None:
        super()._begin(attributes)
        self._is_guid_permalink = True
        self._href = ""
        self._about = parse_attributes(attributes).get("rdf:about", "") if attributes else ""

    def _child(self, prefix: str, name: str, attributes: str, depth: int) -> None:
        if depth or not attributes or not self._is_own(prefix):
            return
        if name == "guid":
            permalink = parse_attributes(attributes).get("ispermalink", "true")
            self._is_guid_permalink = permalink.strip().lower() != "false"
        elif name == "link":
            self._href = self._href or _alternate_link(attributes)[0]

    def _page_link(self) -> str:
        guid = plain_text(self._values.get("guid", "")) if self._is_guid_permalink else ""
        if not guid.lower().startswith(("http://", "https://")):
            guid = ""
        candidates = (
            # FeedBurner replaces the link by its own redirect and keeps the page's here.
            self._values.get("origlink", ""),
            self._values.get("link", ""),
            _escaped(self._href),
            _escaped(guid),
            _escaped(self._about),
        )
        link = next((link.strip() for link in candidates if link.strip()), "")
        if link and self._entry_base:
            return _escaped(self._resolved(plain_text(link), self._entry_base))
        return link


class AtomAssembler(FeedAssembler):
    """The page of an entry is its alternate link, not self, edit, enclosure or replies."""

    entry_names = frozenset({"entry"})
    field_names = frozenset(
        {"title", "updated", "modified", "published", "issued", "created"},
    )
    void_names = frozenset({"link"})

    def _begin(self, attributes: str) -> None:
        super()._begin(attributes)
        self._links: list[tuple[str, str]] = []

    def _child(self, prefix: str, name: str, attributes: str, depth: int) -> None:
        if name == "link" and depth == 0 and self._is_own(prefix):
            href, media_type = _alternate_link(attributes)
            if href:
                base = self._base(attributes, self._entry_base)
                self._links.append((self._resolved(href, base), media_type))

    def _page_link(self) -> str:
        pages = [href for href, media_type in self._links if media_type in _PAGE_TYPES]
        others = [href for href, _ in self._links]
        return _escaped(next(iter(pages or others), ""))


def _alternate_link(attributes: str) -> tuple[str, str]:
    """Address and media type of a link element that leads to the page, or empty strings."""
    values = parse_attributes(attributes)
    if values.get("rel", "alternate").strip().lower() not in _ALTERNATE_RELATIONS:
        return "", ""
    return values.get("href", "").strip(), values.get("type", "").strip().lower()


def _escaped(link: str) -> str:
    return link.replace("&", "&amp;")


def _join(base: str, link: str) -> str:
    try:
        return ada_url.join_url(base, link)
    except ValueError:
        return link
