"""What the elements of a page's head say: title, language, base, relations to other pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.parse.links.languages import normalize_language
from sitecrawl.parse.links.targets import cleaned, refresh_target
from sitecrawl.parse.links.vocabulary import NO_REGION, LinkSource

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.parse.links.attributes import Attributes
    from sitecrawl.parse.links.rows import LinkRows

_FEED_TYPES = frozenset(
    {
        "application/rss+xml",
        "application/atom+xml",
        "application/feed+json",
        "application/rdf+xml",
        "text/rss+xml",
        "text/atom+xml",
    }
)
_PAGE_TYPES = frozenset({"", "text/html", "application/xhtml+xml"})
_PLAIN_RELATIONS = """
    first last start up top contents index toc chapter section appendix glossary help author
    license copyright home archives prerender privacy-policy terms-of-service
"""
_RELATIONS = {
    "canonical": LinkSource.CANONICAL,
    "next": LinkSource.LINK_NEXT,
    "prev": LinkSource.LINK_PREV,
    "previous": LinkSource.LINK_PREV,
    "amphtml": LinkSource.AMP,
    # A map of the site is read like a feed.
    "sitemap": LinkSource.FEED_LINK,
    "feed": LinkSource.FEED_LINK,
    **dict.fromkeys(_PLAIN_RELATIONS.split(), LinkSource.LINK),
}
_MAX_TYPE_CHARACTERS = 60
_ADDRESS_PROPERTIES = frozenset({"og:url", "og:see_also", "twitter:url", "al:web:url"})


@dataclass(slots=True)
class HeadFacts:
    """What the head says once: the first that says it counts, as in browsers."""

    title: str = ""
    language: str = ""
    base: str = ""
    canonical: str = ""
    type: str = ""
    """Open Graph's."""


class HeadReader:
    """Reads `html`, `title`, `base`, `link` and `meta`, wherever broken markup has put them."""

    def __init__(self, rows: LinkRows, max_title_characters: int):
        self.facts = HeadFacts()
        self._rows = rows
        self._max_title_characters = max_title_characters

    def read(self, tag: str, node: LexborNode, attributes: Attributes) -> None:
        if tag == "link":
            self._read_link(attributes)
        elif tag == "meta":
            self._read_meta(attributes)
        elif tag == "title":
            parent = node.parent
            if not self.facts.title and (parent is None or parent.tag != "svg"):
                words = node.text()[: 4 * self._max_title_characters].split()
                self.facts.title = " ".join(words)[: self._max_title_characters]
        elif tag == "base":
            self.facts.base = self.facts.base or cleaned(attributes.get("href"))
        else:
            language = attributes.get("lang") or attributes.get("xml:lang") or ""
            self.facts.language = self.facts.language or normalize_language(language)

    def _read_link(self, attributes: Attributes) -> None:
        relations = (attributes.get("rel") or "").lower().split()
        source = _link_source(relations, attributes)
        # Most are styles, icons and fonts.
        href = cleaned(attributes.get("href")) if source is not None else ""
        if source is None or not href:
            return
        if source is LinkSource.CANONICAL:
            self.facts.canonical = self.facts.canonical or href
        title = " ".join((attributes.get("title") or "").split())
        language = normalize_language(attributes.get("hreflang") or "")
        self._rows.add(source, href, NO_REGION, title, " ".join(relations), "", language)

    def _read_meta(self, attributes: Attributes) -> None:
        content = attributes.get("content")
        if not content:
            return
        name = (attributes.get("property") or attributes.get("name") or "").strip().lower()
        if name == "og:type":
            self.facts.type = self.facts.type or cleaned(content)[:_MAX_TYPE_CHARACTERS]
        elif name in _ADDRESS_PROPERTIES:
            if address := cleaned(content):
                self._rows.add(LinkSource.OPENGRAPH, address, NO_REGION, "", "", "")
        elif directive := attributes.get("http-equiv"):
            self._obey(directive.strip().lower(), content)

    def _obey(self, directive: str, content: str) -> None:
        """Take what stands for a header of the answer."""
        if directive == "refresh":
            if address := refresh_target(content):
                self._rows.add(LinkSource.META_REFRESH, address, NO_REGION, "", "", "")
        elif directive == "content-language":
            self.facts.language = self.facts.language or normalize_language(content)


def _link_source(relations: list[str], attributes: Attributes) -> LinkSource | None:
    if "alternate" in relations:
        if "stylesheet" in relations:
            return None
        media_type = (attributes.get("type") or "").partition(";")[0].strip().lower()
        if media_type in _FEED_TYPES:
            return LinkSource.FEED_LINK
        return LinkSource.HREFLANG if media_type in _PAGE_TYPES else None
    for word in relations:
        if word in _RELATIONS:
            return _RELATIONS[word]
    return None
