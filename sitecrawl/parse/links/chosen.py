"""Which elements of a tree are worth a look."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# Stands for a block that is known (see `blocks`); of others it says nothing.
MARK_TAG = "wbr"
HEAD_TAGS = frozenset({"html", "title", "base", "link", "meta"})
SILENT_TAGS = frozenset({"script", "style"})
# Their links count, but nobody sees their text.
UNSEEN_TAGS = frozenset({"noscript", "template"})
_LINK_TAGS = frozenset({"a", "area", "iframe", "frame", "form", "loc"})
# Elements that often act like links.
_ACTING_TAGS = frozenset({"button", "router-link", "nuxt-link", "g-link", "gatsby-link", "inertia"})
_TAGS = frozenset.union(
    *(HEAD_TAGS, SILENT_TAGS, UNSEEN_TAGS, _LINK_TAGS, _ACTING_TAGS), {MARK_TAG}
)
# Each of these costs a look at every element, so only the usual ones are here: others are read
# on links, buttons and whatever else is chosen.
_ACTING_QUERY = "[data-href],[data-url],[data-link],[onclick],[role=link],[routerlink],[hx-get]"

# Elements with their names.
Elements = list[tuple[str, "LexborNode"]]


def chosen_elements(root: LexborNode) -> Elements:
    """Choose elements, in the order of the document.

    Walking over all of them is faster than asking for each of many names by a selector.
    """
    acting = {node.mem_id for node in root.css(_ACTING_QUERY)}
    if not acting:
        return [(tag, node) for node in root.traverse() if (tag := node.tag) in _TAGS]
    every = [(node.tag or "", node) for node in root.traverse()]
    return [(tag, node) for tag, node in every if tag in _TAGS or node.mem_id in acting]
