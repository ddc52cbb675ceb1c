"""The main text of a page: what is left without its menus, headers, footers and side bars.

Pages are compared by it: a page of three lines between two long menus is not nearly the same as
the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitecrawl.html.links import Region

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.html.regions import ElementContexts

_MAIN: Final = "main,[role=main]"
# Elements that have a region of their own are among these.
_BLOCKS: Final = "nav,header,footer,aside,div,section,ul,table"
_LANDMARKS: Final = "nav,[role=navigation]"
_OUTSIDE: Final = frozenset(Region) - {Region.CONTENT}
# A page with less text than this, in characters, is all menu: a table of contents, an index.
_FEWEST_CHARACTERS: Final = 100


def main_text(body: LexborNode, contexts: ElementContexts, whole_text: str) -> str:
    """The text of the body without what surrounds the content; changes the tree.

    *whole_text* is the answer for a page that has hardly any text of its own.
    """
    main = body.css_first(_MAIN)
    # Side bars and headings inside of the main element belong to the content.
    surrounding = main.css(_LANDMARKS) if main is not None else body.css(_BLOCKS)
    removed = [
        node
        for node in surrounding
        # What is inside of such an element goes with it.
        if contexts.inside(node).region in _OUTSIDE and contexts.around(node).region not in _OUTSIDE
    ]
    if main is None and not removed:
        return whole_text
    for node in removed:
        node.decompose()
    text = (main or body).text(separator=" ")
    return text if len(text) - text.count(" ") >= _FEWEST_CHARACTERS else whole_text
