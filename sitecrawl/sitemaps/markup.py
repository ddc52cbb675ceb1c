"""A tolerant tokenizer of markup that arrives in pieces.

- Feeds tags, text and declarations to a handler; the same text gives the same calls however it
  is cut into pieces (text may come in several parts).
- Never holds more than one tag back; comments, instructions and DTDs of any length are skipped
  as they stream by, so nothing in them is ever defined, expanded or fetched.
- Everything else is text: a `<` that starts no complete tag, a tag that never ends.
- Character references: the numeric ones and the names of HTML, never what a DTD defines.
"""

from __future__ import annotations

import html.entities
import re
from typing import Protocol

MAX_TAG_CHARACTERS = 65_536
_MAX_KNOWN_NAMES = 1_000
_DECLARATION_HEAD_CHARACTERS = 64

_NAME = r"[^\W\d][^\s<>/\"'=]*+"
_TAG = re.compile(rf"<(/?)({_NAME})((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*)>")
_TAG_WITH_ODD_QUOTES = re.compile(rf"<(/?)({_NAME})([^<>]*+)>")
_END_WITHOUT_BRACKET = re.compile(rf"<(/)({_NAME})()\s*+(?=<)")
_ATTRIBUTE = re.compile(
    # Only at the start of a word, so that a long one without a value is read once.
    r"""(?<![^\s"'/])([^\s"'<>/=]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>]++))""",
)
_DECLARATION_STOP = re.compile(r"""["'\[\]>]|<!--""")


class MarkupHandler(Protocol):
    """Receives the tokens; names are in lower case, without their prefix.

    `text` is called only while `wants_text` is set; its text still has its character references
    (ampersands of CDATA sections are escaped on the way).
    """

    wants_text: bool

    def start(self, prefix: str, name: str, attributes: str, *, is_empty: bool) -> None: ...
    def end(self, prefix: str, name: str) -> None: ...
    def text(self, data: str) -> None: ...
    def declaration(self, head: str) -> None: ...


class MarkupTokenizer:
    """Cuts text into tokens for its `handler`, which may be replaced at any call."""

    def __init__(self, handler: MarkupHandler):
        self.handler = handler
        self.broken_tags = 0
        self._held = ""
        self._names: dict[str, tuple[str, str]] = {}
        self._skip_to = ""
        self._is_cdata = False
        self._declaration: _DeclarationSkipper | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no token is open, so that the next character starts a new one."""
        return not (self._held or self._skip_to or self._declaration)

    def feed(self, text: str, *, is_final: bool = False) -> None:
        buffer = self._held + text if self._held else text
        position = self._advance(buffer, is_final=is_final)
        self._held = buffer[position:]

    def close(self) -> None:
        self.feed("", is_final=True)

    def _advance(self, buffer: str, *, is_final: bool) -> int:
        position = 0
        size = len(buffer)
        while position < size:
            if self._skip_to or self._declaration:
                position, is_over = self._skip(buffer, position, is_final=is_final)
                if not is_over:
                    return position
                continue
            bracket = buffer.find("<", position)
            end = size if bracket < 0 else bracket
            if end > position and self.handler.wants_text:
                self.handler.text(buffer[position:end])
            if bracket < 0:
                return size
            match = _TAG.match(buffer, bracket, bracket + MAX_TAG_CHARACTERS)
            if match is None:
                after = self._irregular(buffer, bracket, is_final=is_final)
                if after < 0:
                    return bracket
                position = after
                continue
            self._tell(match)
            position = match.end()
        return position

    def _tell(self, tag: re.Match[str]) -> None:
        slash, raw_name, attributes = tag.groups()
        prefix, name = self._names.get(raw_name) or self._learn(raw_name)
        if slash:
            self.handler.end(prefix, name)
        else:
            self.handler.start(prefix, name, attributes, is_empty=attributes[-1:] == "/")

    def _irregular(self, buffer: str, start: int, *, is_final: bool) -> int:
        """Handle a `<` that starts no well-formed tag; -1 means that more text is needed."""
        kind = buffer[start + 1 : start + 2]
        if kind == "!":
            return self._open_declaration(buffer, start, is_final=is_final)
        if kind == "?":
            return self._open_instruction(buffer, start, is_final=is_final)
        limit = start + MAX_TAG_CHARACTERS
        is_decided = is_final or len(buffer) >= limit or buffer.find("<", start + 1) >= 0
        if not is_decided:
            return -1
        self.broken_tags += 1
        match = _TAG_WITH_ODD_QUOTES.match(buffer, start, limit)
        match = match or _END_WITHOUT_BRACKET.match(buffer, start, limit)
        if match is None:
            if self.handler.wants_text:
                self.handler.text("<")
            return start + 1
        self._tell(match)
        return match.end()

    def _open_declaration(self, buffer: str, start: int, *, is_final: bool) -> int:
        head = buffer[start : start + _DECLARATION_HEAD_CHARACTERS]
        if head.startswith("<!--"):
            self._skip_to = "-->"
            return start + 4
        if head.startswith("<![CDATA["):
            self._skip_to = "]]>"
            self._is_cdata = True
            return start + 9
        is_decided = is_final or ">" in head or len(head) == _DECLARATION_HEAD_CHARACTERS
        if not is_decided:
            return -1
        self.handler.declaration(head.partition(">")[0])
        self._declaration = _DeclarationSkipper()
        return start + 2

    def _open_instruction(self, buffer: str, start: int, *, is_final: bool) -> int:
        head = buffer[start + 2 : start + 6]
        if len(head) < 4 and not is_final:  # noqa: PLR2004 - "xml" and what follows it
            return -1
        # `<?xml version="1.0">` without its second question mark would otherwise hide the map.
        self._skip_to = ">" if head[:3].lower() == "xml" else "?>"
        return start + 2

    def _skip(self, buffer: str, position: int, *, is_final: bool) -> tuple[int, bool]:
        """Read on inside a comment, CDATA section, instruction or declaration."""
        if self._declaration is not None:
            position = self._declaration.skip(buffer, position, is_final=is_final)
            is_over = self._declaration.is_over
            if is_over:
                self._declaration = None
            return position, is_over
        mark = self._skip_to
        found = buffer.find(mark, position)
        # The start of the closing mark may be all that has arrived of it.
        kept = 0 if is_final else len(mark) - 1
        end = found if found >= 0 else max(position, len(buffer) - kept)
        if self._is_cdata and end > position and self.handler.wants_text:
            self.handler.text(buffer[position:end].replace("&", "&amp;"))
        if found < 0:
            return end, False
        self._skip_to = ""
        self._is_cdata = False
        return end + len(mark), True

    def _learn(self, raw_name: str) -> tuple[str, str]:
        prefix, _, name = raw_name.lower().rpartition(":")
        if len(self._names) < _MAX_KNOWN_NAMES:
            self._names[raw_name] = (prefix, name)
        return prefix, name


class _DeclarationSkipper:
    """Finds the end of `<!DOCTYPE ... [ ... ]>`, where quotes and comments may hold anything."""

    def __init__(self) -> None:
        self.is_over = False
        self._inside = ""
        self._is_subset = False

    def skip(self, buffer: str, position: int, *, is_final: bool) -> int:
        while True:
            if self._inside:
                found = buffer.find(self._inside, position)
                if found < 0:
                    kept = 0 if is_final else len(self._inside) - 1
                    return max(position, len(buffer) - kept)
                position = found + len(self._inside)
                self._inside = ""
            match = _DECLARATION_STOP.search(buffer, position)
            if match is None:
                # Half a `<!--` may be at the end.
                return len(buffer) if is_final else max(position, len(buffer) - 3)
            position = match.end()
            stop = match[0]
            if stop == ">" and not self._is_subset:
                self.is_over = True
                return position
            if stop in {'"', "'"}:
                self._inside = stop
            elif stop == "<!--":
                self._inside = "-->"
            elif stop in {"[", "]"}:
                self._is_subset = stop == "["


def parse_attributes(attributes: str) -> dict[str, str]:
    """Read the attributes of a tag, names in lower case; a broken reference stays as written.

    >>> parse_attributes(' rel="alternate" HREF="/a?b=1&amp;c=2" /')
    {'rel': 'alternate', 'href': '/a?b=1&c=2'}
    """
    values = {}
    for name, double, single, bare in _ATTRIBUTE.findall(attributes):
        value = double or single or bare
        values[name.lower()] = resolve_references(value) or value
    return values


_REFERENCE = re.compile(r"&(#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{0,31});")
_FIRST_PRINTABLE = 0x20
_SURROGATES = range(0xD800, 0xE000)
_WHITESPACE = frozenset({0x09, 0x0A, 0x0D})


def resolve_references(text: str) -> str | None:
    """Resolve character references; None if one of them is unknown.

    - The semicolon is required, so a raw ampersand in a query stays as it is:
      `?a=1&copy=2` has no copyright sign in it.
    - Resolved once: `&amp;amp;` becomes `&amp;`.

    >>> resolve_references("/b?x=1&amp;y=2&copy=3&#233;&eacute;")
    '/b?x=1&y=2&copy=3éé'
    >>> resolve_references("/&defined_in_a_dtd;/&x;") is None
    True
    """
    if "&" not in text:
        return text
    try:
        return _REFERENCE.sub(_character, text)
    except LookupError:
        return None


def plain_text(raw: str) -> str:
    """Resolve and trim a text that is not an address; an unknown reference stays as written."""
    if "&" in raw:
        raw = resolve_references(raw) or raw
    return raw.strip()


def has_raw_ampersand(text: str) -> bool:
    """Whether an ampersand starts no reference, as in an unescaped query."""
    return text.count("&") != len(_REFERENCE.findall(text))


def _character(match: re.Match[str]) -> str:
    name = match[1]
    if name[0] != "#":
        return html.entities.html5[f"{name};"]
    digits = name[1:]
    code = int(f"0{digits}", 0) if digits[0] in "xX" else int(digits)
    is_text = code >= _FIRST_PRINTABLE or code in _WHITESPACE
    if not is_text or code in _SURROGATES or code > 0x10FFFF:  # noqa: PLR2004 - the end of Unicode
        raise LookupError(name)
    return chr(code)
