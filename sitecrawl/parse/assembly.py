"""Puts entries together from tags and text, whatever state their nesting is in.

- Only elements directly inside an entry are its own; what lies deeper belongs to an extension.
- An end tag closes what is open inside it; one that fits nothing is ignored.
- An entry ends with its end tag, with the next entry's start or with the end of the root.
- A value that the end of the document cuts off is dropped: half a URL is a wrong URL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sitecrawl.parse.findings import FindingKind

if TYPE_CHECKING:
    from sitecrawl.parse.columns import EntrySink

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
