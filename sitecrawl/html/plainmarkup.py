"""Whether a piece of markup is so plain that its tree is the same wherever in a page it stands.

- All its tags are of a few names that parsers treat alike in every place where they may stand: no
  tables, forms, templates, scripts, nor anything whose text is no markup.
- Every element is closed, in its order, and the parser makes exactly these elements of it. So it
  leaves nothing open behind, and nothing was closed or opened that is not written there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


_ATTRIBUTE = rb"""\s++[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'=<>`]++))?"""
_TOKEN = re.compile(
    rb"<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]*+)(?:%b)*+\s*+(?P<empty>/?)>"
    rb"|<!--[^<>-]*+-->"
    rb"|[^<]++" % _ATTRIBUTE
)
_MAX_DEPTH = 100
_EMPTY = frozenset({"br", "hr", "img", "source", "wbr"})
_PLAIN_NAMES = """
    a abbr address article aside b button dd div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6
    header i label li nav ol p picture section small span strong sub sup svg time u ul
"""
_PLAIN = frozenset(_PLAIN_NAMES.split()) | _EMPTY
_NAMES_IN_DRAWINGS = "circle defs ellipse g line path polygon polyline rect symbol use"
_DRAWN = frozenset(_NAMES_IN_DRAWINGS.split())
Shape = list[tuple[str, int]]


def written_shape(markup: bytes) -> Shape | None:
    """The names of its elements and how deep they are nested; None: it is not one plain element."""
    shape: Shape = []
    opened: list[str] = []
    position = 0
    while position < len(markup):
        token = _TOKEN.match(markup, position)
        if token is None or (position and not opened):
            return None
        position = token.end()
        if token["name"] is None:
            continue  # a comment or text
        name = token["name"].decode().lower()
        if token["end"]:
            if opened.pop() != name:
                return None
            continue
        is_drawn = "svg" in opened
        if name not in (_DRAWN if is_drawn else _PLAIN) or len(opened) >= _MAX_DEPTH:
            return None
        shape.append((name, len(opened)))
        is_closed = name in _EMPTY or (is_drawn and bool(token["empty"]))
        if not is_closed:
            opened.append(name)
    return None if opened else shape


def parsed_shape(root: LexborNode) -> Shape:
    """The same of an element that was parsed."""
    shape: Shape = []
    depths: dict[int, int] = {}
    for node in root.traverse():
        if node.is_element_node:
            parent = node.parent
            depth = depths[parent.mem_id] + 1 if depths and parent is not None else 0
            depths[node.mem_id] = depth
            shape.append(((node.tag or "").lower(), depth))
    return shape
