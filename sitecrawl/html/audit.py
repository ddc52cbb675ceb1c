"""Facts of a page for findings: its description, headings, images and insecure resources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.html.addresses import Attributes

# Elements that are read for an audit alone; scripts, frames and style sheets are read for links.
AUDITED_TAGS: Final = frozenset({"h1", "img", "source", "video", "audio", "embed", "object"})
_INSECURE: Final = "http://"
_MAX_ADDRESS_CHARACTERS: Final = 2_000
# Roles of images that are decoration.
_DECORATIVE: Final = frozenset({"presentation", "none"})


@dataclass(slots=True)
class PageAudit:
    """Facts of one page; absent text is empty."""

    description: str = ""
    h1: str = ""
    """The text of the first ``h1`` that has one."""
    h1_count: int = 0
    images: int = 0
    images_without_alt: int = 0
    insecure_resources: int = 0
    """Resources that a page with https loads by http."""
    insecure_example: str = ""
    bad_hreflang: str = ""
    """The first value of ``hreflang`` that is no language tag."""


class AuditReader:
    """Collects the facts of one page in its ``facts``."""

    def __init__(self, url: str, max_text_characters: int):
        self.facts = PageAudit()
        self._headings: list[LexborNode] = []
        self._is_secure = url[:8].lower() == "https://"
        self._max_text_characters = max_text_characters

    def read(self, tag: str, node: LexborNode, attributes: Attributes) -> None:
        """Read one of the ``AUDITED_TAGS``."""
        if tag == "img":
            self.facts.images += 1
            if "alt" not in attributes and not _is_decorative(attributes):
                self.facts.images_without_alt += 1
            self.note_resource(attributes.get("src"))
        elif tag == "h1":
            self._headings.append(node)
        else:
            self.note_resource(attributes.get("data" if tag == "object" else "src"))

    def note_description(self, text: str) -> None:
        """The first description that says something counts."""
        self.facts.description = self.facts.description or self._shortened(text)

    def note_bad_hreflang(self, value: str) -> None:
        self.facts.bad_hreflang = self.facts.bad_hreflang or value[:50].strip()

    def note_resource(self, address: str | None) -> None:
        """Count a resource that the browser loads, if the page is more secure than it."""
        if not self._is_secure or not address:
            return
        address = address.lstrip()
        if address[: len(_INSECURE)].lower() == _INSECURE:
            self.facts.insecure_resources += 1
            example = self.facts.insecure_example or address[:_MAX_ADDRESS_CHARACTERS].rstrip()
            self.facts.insecure_example = example

    def read_headings(self) -> None:
        """Read the texts of the headings so far, once they are without scripts."""
        for node in self._headings:
            self.facts.h1_count += 1
            if not self.facts.h1:
                self.facts.h1 = self._shortened(node.text(separator=" ")) or _image_label(node)
        self._headings.clear()

    def _shortened(self, text: str) -> str:
        limit = self._max_text_characters
        return " ".join(text[: 4 * limit].split())[:limit]


def _is_decorative(attributes: Attributes) -> bool:
    role = (attributes.get("role") or "").strip().lower()
    return role in _DECORATIVE or attributes.get("aria-hidden") == "true"


def _image_label(heading: LexborNode) -> str:
    """The label of a heading that is a picture, such as a logo."""
    image = heading.css_first("img[alt]")
    return " ".join((image.attributes.get("alt") or "")[:500].split()) if image else ""
