"""Assembles the entries of `<urlset>` and `<sitemapindex>` from tags and text, however broken.

- Only elements directly inside an entry are its own; what is nested deeper belongs to an extension.
- An end tag closes what is open inside it; one that matches nothing is ignored.
- An entry ends with its end tag, with the start of the next entry or with the end of the root.
- A value that is cut off by the end of the document is dropped: half a URL is a wrong URL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sitecrawl.parsing.findings import FindingKind
from sitecrawl.sitemaps.entries import Alternate, EntryDetails
from sitecrawl.sitemaps.lastmod import normalize_lastmod
from sitecrawl.sitemaps.markup import parse_attributes, plain_text

if TYPE_CHECKING:
    from sitecrawl.sitemaps.entries import EntrySink


MAX_TEXT_CHARACTERS = 65_536
# Deeper elements are counted instead of remembered, so nesting costs no memory.
_MAX_OPEN_ELEMENTS = 64


class EntryAssembler:
    """Handler of a document's markup from its root on; subclasses know the format."""

    entry_names: ClassVar[frozenset[str]]
    """Names of the elements that are entries."""
    field_names: ClassVar[frozenset[str]]
    """Names of the elements of an entry whose text counts; the start of one closes another."""
    void_names: ClassVar[frozenset[str]] = frozenset()
    """Names of elements without content, whether closed or not."""

    def __init__(self, sink: EntrySink, root_prefix: str, root_name: str):
        self.wants_text = False
        self.is_root_closed = False
        self._sink = sink
        self._root_prefix = root_prefix
        self._root_name = root_name
        self._entry_name = ""
        self._entry_prefix = ""
        self._open: list[str] = []
        self._too_deep = 0
        self._field = ""
        self._field_depth = 0
        self._parts: list[str] = []
        self._text_size = 0

    @property
    def is_between_entries(self) -> bool:
        """Whether what comes next belongs to no entry."""
        return not self._entry_name

    def start(self, prefix: str, name: str, attributes: str, *, is_empty: bool) -> None:
        if name in self.entry_names and self._starts_entry(prefix):
            if self._entry_name:
                self._end_entry()
            self._entry_name, self._entry_prefix = name, prefix
            self._begin(attributes)
            if is_empty:
                self._end_entry()
            return
        if not self._entry_name:
            self._outside(prefix, name, attributes)
            return
        is_own = self._is_own(prefix)
        if self._field and is_own and name in self.field_names:
            self._close_to(self._field_depth - 1)
        depth = len(self._open)
        self._child(prefix, name, attributes, depth)
        if is_empty or name in self.void_names:
            return
        if depth >= _MAX_OPEN_ELEMENTS:
            self._too_deep += 1
            return
        self._open.append(name)
        if not self._field:
            field = self._field_of(prefix, name, depth, is_own=is_own)
            if field:
                self._field = field
                self._field_depth = depth + 1
                self.wants_text = True

    def end(self, prefix: str, name: str) -> None:
        if not self._entry_name:
            if name == self._root_name:
                self.is_root_closed = True
            return
        if self._too_deep and name not in {self._entry_name, self._root_name}:
            self._too_deep -= 1
            return
        opened = self._open
        if name in opened:
            depth = len(opened) - 1
            while opened[depth] != name:
                depth -= 1
            self._close_to(depth)
        elif name == self._entry_name:
            self._end_entry()
        elif name == self._root_name:
            self._end_entry()
            self.is_root_closed = True

    def text(self, data: str) -> None:
        self._text_size += len(data)
        if self._text_size <= MAX_TEXT_CHARACTERS:
            self._parts.append(data)

    def declaration(self, head: str) -> None:
        """Declarations inside the root mean nothing."""

    def finish(self) -> None:
        """End the document; what it left open is cut, not closed."""
        self._drop_text()
        if self._entry_name:
            self._complete(is_cut=True)
            self._entry_name = ""

    def _starts_entry(self, prefix: str) -> bool:
        if not self._entry_name:
            return True
        return self._is_own(prefix) and (not self._open or bool(self._field))

    def _is_own(self, prefix: str) -> bool:
        return not prefix or prefix in {self._entry_prefix, self._root_prefix}

    def _close_to(self, depth: int) -> None:
        if self._field and depth < self._field_depth:
            if self._text_size > MAX_TEXT_CHARACTERS:
                detail = f"{self._field} of more than {MAX_TEXT_CHARACTERS:,} characters"
                self._sink.findings.note(FindingKind.OVERSIZED_TEXT, detail)
            else:
                self._captured(self._field, "".join(self._parts))
            self._drop_text()
        del self._open[depth:]

    def _end_entry(self) -> None:
        self._close_to(0)
        self._too_deep = 0
        self._complete(is_cut=False)
        self._entry_name = ""

    def _drop_text(self) -> None:
        self._field = ""
        self._field_depth = 0
        self._parts.clear()
        self._text_size = 0
        self.wants_text = False

    def _begin(self, attributes: str) -> None:
        """An entry starts."""
        raise NotImplementedError

    def _child(self, prefix: str, name: str, attributes: str, depth: int) -> None:
        """An element starts inside the entry, `depth` elements down."""
        raise NotImplementedError

    def _field_of(self, prefix: str, name: str, depth: int, *, is_own: bool) -> str:
        """Name the field that an element's text is, or give the empty string."""
        raise NotImplementedError

    def _captured(self, field: str, text: str) -> None:
        """A field is complete; its references are not resolved yet."""
        raise NotImplementedError

    def _complete(self, *, is_cut: bool) -> None:
        """The entry is over; put it into the sink."""
        raise NotImplementedError

    def _outside(self, prefix: str, name: str, attributes: str) -> None:
        """An element starts outside any entry."""


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
