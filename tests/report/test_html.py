"""The HTML file as text; what it does is in ``test_browser``."""

from __future__ import annotations

import gzip
import json
import re
import string
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest

from sitecrawl.report import html
from sitecrawl.report.html import MAX_FILE_BYTES, embedded_parts, html_report
from tests.report.hostile import hostile_report
from tests.report.sample import ROOT, sample_report


class _Elements(HTMLParser):
    """Every element with its attributes, and the text of scripts and style sheets."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag in self.raw:
            self.raw[tag].append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:  # within a script or a style sheet
            self.raw[self.cdata_elem][-1] += data


@pytest.fixture(scope="module")
def small() -> str:
    return html_report(sample_report(50))


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_only_the_bundled_script_and_style_may_run(small: str) -> None:
    elements = _Elements(small)
    policy = next(
        attributes["content"] or ""
        for tag, attributes in elements.found
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src {_digest(elements.raw['script'][-1])};" in policy
    assert f"style-src {_digest(elements.raw['style'][0])};" in policy
    assert "unsafe" not in policy


def test_nothing_is_loaded(small: str) -> None:
    for tag, attributes in _Elements(small).found:
        assert "src" not in attributes
        if "href" in attributes:
            assert (tag, (attributes["href"] or "")[:5]) == ("link", "data:")
    style = _Elements(small).raw["style"][0]
    assert "url(" not in style
    assert "@import" not in style


def test_the_same_report_gives_the_same_file(small: str) -> None:
    assert html_report(sample_report(50)) == small


@pytest.mark.parametrize("words", ["3,000", "Sitemap entries that answer 404", "95 % interval"])
def test_without_its_script_it_still_says_the_main_things(words: str) -> None:
    text = html_report(sample_report(3_000))
    brief = text.partition('<div id="brief"')[2].partition("<script")[0]
    assert words in brief


def test_attacks_are_escaped() -> None:
    text = html_report(hostile_report())
    elements = _Elements(text)
    assert {tag for tag, _ in elements.found} <= {
        *("html", "head", "meta", "title", "link", "style", "body", "div", "script", "noscript"),
        *("h1", "h2", "p", "dl", "dt", "dd", "ul", "li", "strong", "br"),
    }
    assert len(elements.raw["script"]) == 5
    assert not any(name.startswith("on") for _, attributes in elements.found for name in attributes)
    text.encode()  # half a surrogate pair would not go


def test_a_hundred_thousand_pages_fit() -> None:
    assert len(html_report(sample_report(100_000)).encode()) < MAX_FILE_BYTES


def test_pages_that_cannot_be_packed_are_left_out() -> None:
    report = sample_report(13_000)
    pages = report["pages"]
    # Digests: text without any pattern that could be packed.
    pages["title"] = [
        "".join(sha256(f"{row} {part}".encode()).hexdigest() for part in range(20))
        for row in range(len(pages["url"]))
    ]
    text = html_report(report)
    assert MAX_FILE_BYTES * 0.8 < len(text.encode()) < MAX_FILE_BYTES


def test_parts_are_plain_base64(small: str) -> None:
    for part in re.findall(r'<script type="application/gzip"[^>]*>([^<]*)</script>', small):
        assert set(part) <= {*string.ascii_letters, *string.digits, *"+/="}


# --- embedded data ----------------------------------------------------------------------------


def unpacked(part: str) -> Any:
    return json.loads(gzip.decompress(b64decode(part)))


@pytest.mark.parametrize("report", [sample_report(40), hostile_report()], ids=["plain", "hostile"])
def test_the_parts_together_are_the_report(report: Any) -> None:
    parts = {name: unpacked(part) for name, part in embedded_parts(report).items()}
    overview, items = parts.pop("overview"), parts.pop("items")
    whole = json.loads(json.dumps(report))
    for finding in whole["findings"]:
        shown = items[finding["kind"]]
        columns = ("url", "detail", *(("links", "linked_from") if "links" in shown else ()))
        rows = [
            dict(zip(columns, row, strict=True))
            for row in zip(*(shown[name] for name in columns), strict=True)
        ]
        # Two findings of the same kind are an attack, and share their items.
        assert len(rows) == len(finding.pop("items")) or "://long" in finding["kind"]
    assert {**overview, **parts} == whole


def test_items_beyond_the_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    report = sample_report(2_000)
    finding = report["findings"][0]
    finding["items"] = [
        {"url": f"{ROOT}/{sha256(str(number).encode()).hexdigest()}", "detail": ""}
        for number in range(2_000)
    ]
    monkeypatch.setattr(html, "_MAX_ITEM_BYTES", 60_000)
    packed = embedded_parts(report)["items"]
    assert len(packed) <= 60_000
    kept = unpacked(packed)[finding["kind"]]
    assert 100 <= len(kept["url"]) < 2_000
    assert kept["left_out"] == 2_000 - len(kept["url"])


def test_pages_beyond_the_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    report = sample_report(5_000)
    pages = report["pages"]
    pages["title"] = [sha256(url.encode()).hexdigest() for url in pages["url"]]
    pages["left_out"] = 7
    monkeypatch.setattr(html, "MAX_FILE_BYTES", 700_000)
    kept = unpacked(embedded_parts(report)["pages"])
    rows = len(kept["url"])
    assert 1_000 <= rows < 5_500
    assert kept["left_out"] == 7 + len(pages["url"]) - rows
    assert kept["url"] == pages["url"][:rows]
    assert {len(values) for values in kept.values() if isinstance(values, list)} == {rows}


def test_addresses_of_any_length_are_held_in_check(monkeypatch: pytest.MonkeyPatch) -> None:
    report = sample_report(3_000)
    monkeypatch.setattr(html, "_MAX_UNPACKED_CHARACTERS", 500_000)
    assert 1_000 < len(unpacked(embedded_parts(report)["pages"])["url"]) < 3_000


def test_evidence_beyond_its_room_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    report = sample_report(10)
    report["evidence"] *= 64
    monkeypatch.setattr(html, "_MAX_EVIDENCE_BYTES", 260)
    assert 0 < len(unpacked(embedded_parts(report)["evidence"])) < 64
