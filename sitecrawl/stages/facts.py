"""What a page says of itself, whether it was read as sent or as a browser shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.classify.language import text_detector
from sitecrawl.classify.page_types import declared_type
from sitecrawl.config import ConfigError
from sitecrawl.html.text import storable
from sitecrawl.items import PageFacts

if TYPE_CHECKING:
    from sitecrawl.config import Config
    from sitecrawl.html.audit import PageAudit
    from sitecrawl.html.links import PageReading


class PageFactsReader:
    """Makes facts of what was read."""

    def __init__(self, config: Config):
        self._config = config
        self._detector = text_detector() if config.language_detection != "never" else None
        if self._detector is None and config.language_detection == "always":
            raise ConfigError(
                "SITECRAWL_LANGUAGE_DETECTION=always needs the py3langid package;"
                " pip install 'sitecrawl[language]'"
            )

    def of(self, reading: PageReading, category: str = "") -> PageFacts:
        title, language, canonical = storable([reading.title, reading.language, reading.canonical])
        if reading.is_html:
            _make_storable(reading.audit)
        has_text = bool(reading.text_characters)
        return PageFacts(
            title=title,
            language=language,
            canonical=canonical,
            category=category,
            declared_type=declared_type(reading.declared_types) or "",
            text_language=self._text_language(reading),
            text_hash=reading.text_hash if has_text else "",
            text=reading.text if has_text else "",
            fingerprint=reading.fingerprint if has_text else None,
            audit=reading.audit if reading.is_html else None,
        )

    def _text_language(self, reading: PageReading) -> str:
        is_wanted = self._config.language_detection == "always" or not reading.language
        if self._detector is None or not is_wanted:
            return ""
        return self._detector(f"{reading.title} {reading.text_sample}")


def _make_storable(audit: PageAudit) -> None:
    audit.description, audit.h1, audit.insecure_example, audit.bad_hreflang = storable(
        [audit.description, audit.h1, audit.insecure_example, audit.bad_hreflang]
    )
