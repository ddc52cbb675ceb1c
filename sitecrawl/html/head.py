"""What the head of a page and the headers of its answer say: title, language, base, relations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sitecrawl.html.addresses import cleaned, refresh_target
from sitecrawl.html.links import NO_REGION, LinkSource
from sitecrawl.html.rules import (
    ADDRESS_PROPERTIES,
    FEED_TYPES,
    INTERFACE_TYPES,
    LINK_RELATIONS,
    PAGE_TYPES,
    RESOURCE_RELATIONS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from selectolax.lexbor import LexborNode

    from sitecrawl.html.addresses import Attributes
    from sitecrawl.html.audit import AuditReader
    from sitecrawl.html.links import LinkRows


_MAX_TYPE_CHARACTERS = 60
_MAX_MEDIA_TYPE_CHARACTERS = 200
_GENERATOR_NAME = re.compile("[A-Za-z][A-Za-z0-9]{0,39}")


@dataclass(slots=True)
class HeadFacts:
    """Facts that a head states once; the first statement counts, as in browsers."""

    title: str = ""
    language: str = ""
    base: str = ""
    canonical: str = ""
    type: str = ""
    """The type of Open Graph."""
    generator: str = ""
    """The first word of what names the program that made the page, in lower case."""


class HeadReader:
    """Reads `html`, `title`, `base`, `link` and `meta`, also outside of the head.

    Facts that only an audit asks for go to *audit*.
    """

    def __init__(self, rows: LinkRows, audit: AuditReader, max_title_characters: int):
        self.facts = HeadFacts()
        self._rows = rows
        self._audit = audit
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
        media_type = normalize_media_type(attributes.get("type") or "")
        source = _link_source(relations, media_type)
        if source is None:
            # Most links in heads are styles, icons and fonts.
            if "stylesheet" in relations:
                self._audit.note_resource(attributes.get("href"))
            return
        href = cleaned(attributes.get("href"))
        if not href:
            return
        if source is LinkSource.CANONICAL:
            self.facts.canonical = self.facts.canonical or href
        title = " ".join((attributes.get("title") or "").split())
        stated = attributes.get("hreflang") or ""
        language = normalize_language(stated)
        if stated and not language:
            self._audit.note_bad_hreflang(stated)
        rel = " ".join(relations)
        if source is LinkSource.ALTERNATE:
            path = f'link[type="{media_type}"]'
            self._rows.add(source, href, NO_REGION, title, rel, path, language, media_type)
        else:
            self._rows.add(source, href, NO_REGION, title, rel, "", language)

    def _read_meta(self, attributes: Attributes) -> None:
        content = attributes.get("content")
        if not content:
            return
        name = (attributes.get("property") or attributes.get("name") or "").strip().lower()
        if name == "description":
            self._audit.note_description(content)
        elif name == "og:type":
            self.facts.type = self.facts.type or cleaned(content)[:_MAX_TYPE_CHARACTERS]
        elif name == "generator":
            self.facts.generator = self.facts.generator or _generator_name(content)
        elif name in ADDRESS_PROPERTIES:
            if address := cleaned(content):
                self._rows.add(LinkSource.OPENGRAPH, address, NO_REGION, "", "", "")
        elif directive := attributes.get("http-equiv"):
            self._read_directive(directive.strip().lower(), content)

    def _read_directive(self, directive: str, content: str) -> None:
        """Apply a meta element that replaces a response header."""
        if directive == "refresh":
            if address := refresh_target(content):
                self._rows.add(LinkSource.META_REFRESH, address, NO_REGION, "", "", "")
        elif directive == "content-language":
            self.facts.language = self.facts.language or normalize_language(content)


def _generator_name(content: str) -> str:
    """
    >>> [_generator_name(text) for text in ("javadoc/ClassWriterImpl", "Docutils 0.19: https://x")]
    ['javadoc', 'docutils']
    """
    name = _GENERATOR_NAME.match(cleaned(content))
    return name[0].lower() if name else ""


def _link_source(relations: list[str], media_type: str) -> LinkSource | None:
    if "alternate" in relations:
        return None if "stylesheet" in relations else alternate_source(media_type)
    for word in relations:
        if word in LINK_RELATIONS:
            return LINK_RELATIONS[word]
    return None


def alternate_source(media_type: str) -> LinkSource | None:
    """What a link with ``rel=alternate`` names; None: nothing that people read.

    >>> alternate_source(""), alternate_source("text/markdown")
    (<LinkSource.HREFLANG: 'hreflang'>, <LinkSource.ALTERNATE: 'alternate'>)
    """
    if media_type in FEED_TYPES:
        return LinkSource.FEED_LINK
    if media_type in PAGE_TYPES:
        return LinkSource.HREFLANG
    return None if media_type in INTERFACE_TYPES else LinkSource.ALTERNATE


_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+/-]{1,127}")


def normalize_media_type(text: str) -> str:
    """A media type in lower case without its parameters; the empty string if it cannot be one.

    >>> normalize_media_type(" Text/Markdown; charset=utf-8"), normalize_media_type('"] > a')
    ('text/markdown', '')
    """
    name = text[:_MAX_MEDIA_TYPE_CHARACTERS].partition(";")[0].strip().lower()
    return name if _MEDIA_TYPE.fullmatch(name) else ""


_MAX_LANGUAGE_CHARACTERS = 35
_LANGUAGE_TAG = re.compile(r"(?:[a-z]{2,3}|x)(?:-[a-z0-9]{1,8})*")


@lru_cache(maxsize=1_024)
def _normalized_language(tag: str) -> str:
    tag = tag.strip().lower().replace("_", "-")
    return tag if _LANGUAGE_TAG.fullmatch(tag) else ""


def normalize_language(tag: str) -> str:
    """A language tag in lower case; the empty string if it is invalid.

    >>> normalize_language(" en_GB "), normalize_language("x-default"), normalize_language("?")
    ('en-gb', 'x-default', '')
    """
    return _normalized_language(tag) if len(tag) <= _MAX_LANGUAGE_CHARACTERS else ""


# --- headers -----------------------------------------------------------------------------------

_MAX_HEADER_CHARACTERS = 65_536
_TARGET = re.compile(r"[\s,]*<([^<>]*)>")
_PARAMETER = re.compile(r'\s*;\s*([\w*-]{1,40})\s*(?:=\s*(?:"([^"]*)"|([^\s",;]*)))?')


def read_headers(headers: Mapping[str, Sequence[str]], rows: LinkRows) -> str:
    """Add the links of `Link`, `Refresh` and `Location`; return the canonical address, if any."""
    canonical = ""
    for value in headers.get("location", ()):
        _add(rows, LinkSource.REDIRECT, cleaned(value))
    for value in headers.get("refresh", ()):
        _add(rows, LinkSource.HTTP_REFRESH, refresh_target(value))
    for value in headers.get("link", ()):
        for target, parameters in parse_link_header(value):
            relations = parameters.get("rel", "").lower().split()
            if not relations or not RESOURCE_RELATIONS.isdisjoint(relations):
                continue
            language = normalize_language(parameters.get("hreflang", ""))
            rel = " ".join(relations)
            media_type = normalize_media_type(parameters.get("type", ""))
            if "alternate" in relations and media_type in INTERFACE_TYPES:
                continue
            if "alternate" in relations and alternate_source(media_type) is LinkSource.ALTERNATE:
                path = f'Link[type="{media_type}"]'
                source = LinkSource.ALTERNATE
                rows.add(source, target, NO_REGION, "", rel, path, language, media_type)
            else:
                _add(rows, LinkSource.HTTP_LINK, target, rel=rel, language=language)
            if "canonical" in relations:
                canonical = canonical or target
    return canonical


def parse_link_header(value: str) -> list[tuple[str, dict[str, str]]]:
    """Split a `Link` header (RFC 8288) into targets with their parameters.

    >>> parse_link_header('</2>; rel="next"; title="a, b", </fr>;rel=alternate;hreflang=fr')
    [('/2', {'rel': 'next', 'title': 'a, b'}), ('/fr', {'rel': 'alternate', 'hreflang': 'fr'})]
    """
    value = value[:_MAX_HEADER_CHARACTERS]
    found = []
    position = 0
    while match := _TARGET.match(value, position):
        parameters: dict[str, str] = {}
        position = match.end()
        while parameter := _PARAMETER.match(value, position):
            position = parameter.end()
            parameters.setdefault(parameter[1].lower(), parameter[2] or parameter[3] or "")
        found.append((cleaned(match[1]), parameters))
        # After something unreadable, the next link starts behind a comma.
        comma = value.find(",", position)
        position = comma + 1 if comma >= 0 else len(value)
    return found


def _add(
    rows: LinkRows, source: LinkSource, loc: str, *, rel: str = "", language: str = ""
) -> None:
    if loc:
        rows.add(source, loc, NO_REGION, "", rel, "", language)
