"""Build the synthetic site of the benchmark: robots.txt, a sitemap index and its gzipped maps.

    python -m benchmarks.sitemap_site 1m --port 8917

- The same size and port give the same bytes, on every machine with the same zlib.
- Every address is a pure function of its slot, the position of its entry among all entries of the
  site, so that a duplicate or an alternate needs no memory of what was written before.
- About 3 % of the entries repeat an entry of an earlier map word for word, 3 % give their address
  as CDATA, 3 % stand in groups of three languages that name each other as alternates. Alternates
  are always listed themselves, so the number of distinct URLs is known: `manifest.json` has it.
"""

from __future__ import annotations

import argparse
import gzip
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar
from xml.sax.saxutils import escape, quoteattr

from benchmarks.built_sites import (
    BENCH_DIR,
    DEFAULT_PORT,
    SiteManifest,
    ensure_built,
    parse_size,
    size_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENTRIES_PER_MAP = 50_000  # the most that the sitemap protocol allows

DUPLICATE_PERCENT = 3
CDATA_PERCENT = 3
ALTERNATE_PERCENT = 3
LANGUAGES = ("en", "de", "fr")

_SECTIONS = ("news", "business", "culture", "science", "sports", "travel", "opinion", "technology")
_CATEGORIES = (
    "kitchen",
    "garden",
    "office",
    "lighting",
    "outdoor",
    "furniture",
    "bathroom",
    "toys",
    "shoes",
    "jackets",
)
_TOPICS = ("getting-started", "guides", "recipes", "reviews", "how-to", "collections", "stories")
_COLORS = ("black", "blue", "green", "natural", "red", "white")
_WORD_LIST = """
    amber ancient autumn bamboo basic better bicycle blanket bottle bright bronze budget camera
    canvas ceramic city classic coastal coffee comfort compact copper cotton country crystal
    designer digital double drawer dynamic early elegant engine evening family festival fiber
    flexible folding forest fresh future gallery garden gentle glass golden granite handmade
    harbor heavy hidden honest island jasmine jersey kettle ladder lantern leather light linen
    local marble market meadow metal midnight minimal modern morning mountain natural northern
    orchard organic outdoor oxford paper pattern pepper pocket portable quiet ribbon river rustic
    saddle school shadow silver simple solid spring square stone storage summer sunset timber
    travel urban velvet village vintage walnut water weekend willow winter wooden woven yellow
    """
_WORDS = tuple(_WORD_LIST.split())

_PAGE = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Benchmark site</title></head>
<body><h1>Benchmark site</h1><p>Its pages exist in its sitemaps only.</p></body></html>
"""


@dataclass(frozen=True, slots=True)
class Manifest(SiteManifest):
    """What a built site of sitemaps holds."""

    BUILDER: ClassVar[int] = 1

    maps: int
    entries: int
    distinct_urls: int
    duplicates: int
    alternates: int
    cdata: int
    xml_bytes: int
    gzip_bytes: int
    mean_url_characters: float

    @property
    def folder(self) -> Path:
        return site_folder(self.entries)


@dataclass(slots=True)
class _Tally:
    duplicates: int = 0
    alternates: int = 0
    cdata: int = 0
    url_characters: int = 0
    xml_bytes: int = 0
    gzip_bytes: int = 0


def _mix(number: int, salt: int) -> int:
    """Scatter a slot over 64 bits (the finaliser of splitmix64): a random stream without state."""
    number = (number + salt * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return number ^ (number >> 31)


def _group_start(slot: int) -> int | None:
    """Return the first slot of the language group that a slot stands in, if it stands in one."""
    start = slot - slot % ENTRIES_PER_MAP % len(LANGUAGES)
    return start if _mix(start, 1) % 100 < ALTERNATE_PERCENT else None


def _is_duplicate(slot: int) -> bool:
    return (
        slot >= ENTRIES_PER_MAP
        and _mix(slot, 2) % 100 < DUPLICATE_PERCENT
        and _group_start(slot) is None
    )


def _original(slot: int) -> int:
    """Return the slot of an earlier map that a duplicate repeats."""
    original = _mix(slot, 3) % (slot - slot % ENTRIES_PER_MAP)
    while _is_duplicate(original):
        original -= 1
    return original


def _slug(bits: int, words: int) -> str:
    chosen = []
    for _ in range(words):
        bits, index = divmod(bits, len(_WORDS))
        chosen.append(_WORDS[index])
    return "-".join(chosen)


def _date(bits: int) -> tuple[int, int, int]:
    return 2016 + bits % 10, 1 + bits // 10 % 12, 1 + bits // 120 % 28


def _path(slot: int) -> str:
    """Give the path of a slot that is no duplicate; its number in it keeps it unique."""
    start = _group_start(slot)
    if start is not None:
        bits = _mix(start, 4)
        category = _CATEGORIES[bits % len(_CATEGORIES)]
        return f"/{LANGUAGES[slot - start]}/shop/{category}/{_slug(bits >> 8, 3)}-{start}"
    bits = _mix(slot, 4)
    kind = bits % 100
    bits >>= 8
    section = _SECTIONS[bits % len(_SECTIONS)]
    category = _CATEGORIES[bits % len(_CATEGORIES)]
    topic = _TOPICS[bits % len(_TOPICS)]
    slug_bits = bits >> 16
    if kind < 45:
        return f"/shop/{category}/{_slug(slug_bits, 3)}-p{10_000_000 + slot}.html"
    if kind < 80:
        year, month, day = _date(bits >> 6)
        return f"/{section}/{year}/{month:02}/{day:02}/{_slug(slug_bits, 3)}-{slot:x}"
    if kind < 92:
        return f"/{section}/{topic}/{_slug(slug_bits, 3)}-{slot}/"
    if kind < 97:
        return f"/forum/{topic}/{_slug(slug_bits, 4)}-{slot}"
    color = _COLORS[bits % len(_COLORS)]
    size = f"&size={30 + bits % 20}" if kind == 99 else ""
    return f"/catalog/{category}/{_slug(slug_bits, 2)}-{slot}?color={color}{size}"


def url_of(slot: int, root: str) -> str:
    """Give the address of the entry in a slot."""
    return root + _path(_original(slot) if _is_duplicate(slot) else slot)


def lastmod_of(slot: int) -> str:
    """Give the lastmod of a slot: a date, a timestamp in one of two styles, or nothing."""
    bits = _mix(slot, 5)
    style = bits % 100
    bits >>= 8
    if style < 5:
        return ""
    year, month, day = _date(bits)
    text = f"{year}-{month:02}-{day:02}"
    if style >= 55:
        zone = "Z" if style >= 85 else "+00:00"
        text += f"T{bits % 24:02}:{bits % 59:02}:{bits % 53:02}{zone}"
    return text


def _lastmod(slot: int) -> str:
    text = lastmod_of(slot)
    return f"<lastmod>{text}</lastmod>" if text else ""


def _alternates(slot: int, last: int, root: str) -> str:
    start = _group_start(slot)
    if start is None or start + len(LANGUAGES) > last:
        return ""  # a group that the end of the map cuts would name URLs that are not listed
    return "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" '
        f"href={quoteattr(root + _path(start + offset))}/>"
        for offset, language in enumerate(LANGUAGES)
    )


def _entries(first: int, last: int, root: str, tally: _Tally) -> Iterator[str]:
    """Yield the url elements of one map."""
    # Both layouts are common; generators are about evenly split between them.
    indented = first // ENTRIES_PER_MAP % 2 == 1
    opening, gap, closing = ("  <url>\n    ", "\n    ", "\n  </url>\n")
    if not indented:
        opening, gap, closing = ("<url>", "", "</url>\n")
    for slot in range(first, last):
        is_duplicate = _is_duplicate(slot)
        url = url_of(slot, root)
        is_cdata = _mix(slot, 6) % 100 < CDATA_PERCENT
        alternates = "" if is_duplicate else _alternates(slot, last, root)
        tally.duplicates += is_duplicate
        tally.cdata += is_cdata
        tally.alternates += bool(alternates)
        tally.url_characters += len(url)
        loc = f"<![CDATA[{url}]]>" if is_cdata else escape(url)
        parts = (f"<loc>{loc}</loc>", _lastmod(slot), alternates)
        yield opening + gap.join(filter(None, parts)) + closing


def _write_map(path: Path, first: int, last: int, root: str, tally: _Tally) -> None:
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        'xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
    )
    body = "".join((head, *_entries(first, last, root, tally), "</urlset>\n")).encode()
    packed = gzip.compress(body, compresslevel=6, mtime=0)
    tally.xml_bytes += len(body)
    tally.gzip_bytes += len(packed)
    path.write_bytes(packed)


def _write_front(folder: Path, root: str, maps: list[str]) -> None:
    robots = f"User-agent: *\nDisallow: /admin\nDisallow: /cart\n\nSitemap: {root}/sitemap.xml\n"
    index = ['<?xml version="1.0" encoding="UTF-8"?>\n']
    index.append('<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n')
    index += (
        f"<sitemap><loc>{root}/{name}</loc><lastmod>2025-10-01</lastmod></sitemap>\n"
        for name in maps
    )
    index.append("</sitemapindex>\n")
    (folder / "robots.txt").write_text(robots)
    (folder / "sitemap.xml").write_text("".join(index))
    (folder / "index.html").write_bytes(_PAGE)


def _build(folder: Path, entries: int, port: int) -> Manifest:
    root = f"http://127.0.0.1:{port}"
    tally = _Tally()
    names = []
    for first in range(0, entries, ENTRIES_PER_MAP):
        names.append(f"sitemap-{first // ENTRIES_PER_MAP + 1}.xml.gz")
        _write_map(folder / names[-1], first, min(first + ENTRIES_PER_MAP, entries), root, tally)
    _write_front(folder, root, names)
    return Manifest(
        builder=Manifest.BUILDER,
        port=port,
        maps=len(names),
        entries=entries,
        distinct_urls=entries - tally.duplicates,
        duplicates=tally.duplicates,
        alternates=tally.alternates,
        cdata=tally.cdata,
        xml_bytes=tally.xml_bytes,
        gzip_bytes=tally.gzip_bytes,
        mean_url_characters=round(tally.url_characters / entries, 1),
    )


def site_folder(entries: int) -> Path:
    return BENCH_DIR / f"site-{size_name(entries)}"


def ensure_site(entries: int, port: int) -> Manifest:
    """Build the site unless it is there already for this port."""
    return ensure_built(
        Manifest, site_folder(entries), port, lambda folder: _build(folder, entries, port)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the synthetic site of the benchmark.")
    parser.add_argument("entries", type=parse_size, help="number of entries: 1m, 100k, 2500")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port in its addresses")
    options = parser.parse_args()
    print(json.dumps(asdict(ensure_site(options.entries, options.port)), indent=2))


if __name__ == "__main__":
    main()
