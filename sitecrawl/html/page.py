"""Reads one page: bytes and headers in, facts and links out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ada_url

from sitecrawl.html.audit import AuditReader
from sitecrawl.html.decoding import looks_like_html, page_as_utf8
from sitecrawl.html.elements import ElementReader
from sitecrawl.html.embedded_data import ScriptReader
from sitecrawl.html.head import HeadReader, read_headers
from sitecrawl.html.hostile_markup import defuse
from sitecrawl.html.links import LinkRows, PageLimits, PageReading
from sitecrawl.html.text import count_characters, fingerprint_words, hash_text, main_text
from sitecrawl.parsing.findings import FindingKind, Findings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.html.head import HeadFacts


_NO_HEADERS: Mapping[str, Sequence[str]] = {}
_DEFAULT_LIMITS = PageLimits()
# Findings that mean that a part of the page was not read.
_LOSSES = (FindingKind.OVER_LIMIT, FindingKind.OVERSIZED_TEXT, FindingKind.HOSTILE_NESTING)


def read_page(
    body: bytes,
    url: str,
    *,
    content_type: str = "",
    headers: Mapping[str, Sequence[str]] = _NO_HEADERS,
    limits: PageLimits = _DEFAULT_LIMITS,
    has_menu: bool = True,
) -> PageReading:
    """Read every link of a page, and what the page says of itself; never raises.

    The menu is read only if *has_menu*.
    """
    findings = Findings()
    rows = LinkRows(limits, findings)
    reading = PageReading(base=url)
    reading.canonical = read_headers(headers, rows)
    if looks_like_html(body, content_type):
        _read_body(body, content_type, reading, rows, findings, limits, has_menu=has_menu)
    else:
        reading.is_html = False
        reading.links = rows.columns()
        if body:
            findings.note(FindingKind.NOT_HTML, content_type or "no content type")
    reading.truncated = any(kind in findings for kind in _LOSSES)
    reading.findings = findings.as_list()
    return reading


def _read_body(
    body: bytes,
    content_type: str,
    reading: PageReading,
    rows: LinkRows,
    findings: Findings,
    limits: PageLimits,
    *,
    has_menu: bool,
) -> None:
    # Not at the top: selectolax is large, and most commands read no page.
    from selectolax.lexbor import LexborHTMLParser

    if len(body) > limits.max_bytes:
        findings.note(FindingKind.OVER_LIMIT, f"more than {limits.max_bytes:,} bytes")
        body = body[: limits.max_bytes]
    markup = defuse(page_as_utf8(body, content_type, findings), limits, findings)
    tree = LexborHTMLParser(markup)
    header_rows = len(rows)
    audit = AuditReader(reading.base, limits.max_title_characters)
    head = HeadReader(rows, audit, limits.max_title_characters)
    scripts = ScriptReader(limits, findings)
    elements = ElementReader(rows, head, scripts, audit, limits, 2 * len(markup), has_menu=has_menu)
    if tree.root is not None:
        elements.read(tree.root)
    scripts.add_links(rows, reading.base)
    reading.menu = elements.menu
    reading.own_links = elements.own_links
    reading.links = rows.columns()
    reading.audit = audit.facts
    _take_facts(head.facts, reading, header_rows, findings)
    generator = scripts.generator or head.facts.generator
    reading.declared_types = (
        *scripts.types,
        *([f"og:{head.facts.type.lower()}"] if head.facts.type else ()),
        *([f"generator:{generator}"] if generator else ()),
    )
    if tree.body is not None:
        text = tree.body.text(separator=" ")
        # On nearly every page the menu ends within the first quarter.
        start = len(text) // 4
        reading.text_sample = text[start : start + limits.max_sample_characters]
        reading.text_characters = count_characters(text)
        reading.fingerprint = fingerprint_words(text)
        reading.text = main_text(tree.body, elements.contexts, text)
        reading.text_hash = hash_text(reading.text)


def _take_facts(
    facts: HeadFacts, reading: PageReading, header_rows: int, findings: Findings
) -> None:
    reading.title = facts.title
    reading.language = facts.language
    url = reading.base
    if facts.base:
        try:
            reading.base = ada_url.join_url(url, facts.base)
        except ValueError:
            findings.note(FindingKind.BAD_BASE, facts.base)
    if reading.base != url:
        # Addresses in headers are relative to the page, not to its base element.
        reading.canonical = _joined(url, reading.canonical)
        locs = reading.links.locs
        locs[:header_rows] = [_joined(url, loc) for loc in locs[:header_rows]]
    reading.canonical = facts.canonical or reading.canonical


def _joined(base: str, address: str) -> str:
    try:
        return ada_url.join_url(base, address) if address else ""
    except ValueError:
        return address
