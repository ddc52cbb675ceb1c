from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import ada_url
import pytest

from tests.sitemaps.reading import ExactReader, Reading, read

DATA = Path(__file__).parent / "data" / "sitemaps"
CASES: list[dict[str, Any]] = json.loads((DATA / "expected.json").read_text())["cases"]


def canonical(loc: str, base: str) -> str:
    url = ada_url.URL(loc, base=base)
    url.hash = url.username = url.password = ""
    return str(url.href)


def answers(case: dict[str, Any], reading: Reading) -> tuple[set[str], set[str]]:
    pages = {canonical(loc, case["url"]) for loc in reading.locs}
    maps = {canonical(loc, case["url"]) for loc in reading.maps}
    return pages, maps


def is_one_of(answer: set[str], expected: list[str], others: list[list[str]]) -> bool:
    return answer in [set(expected), *map(set, others)]


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    body = (DATA / case["file"]).read_bytes()
    started = time.process_time()
    reading = read(body, case["url"])
    pages, maps = answers(case, reading)
    if "min_pages" in case:
        assert len(pages) >= case["min_pages"]
        assert "over_limit" in reading.kinds
    else:
        assert is_one_of(pages, case["pages"], case.get("alt_pages", []))
    assert is_one_of(maps, case["sitemaps"], case.get("alt_sitemaps", []))
    assert not pages & set(case.get("must_not", []))
    assert not [url for url in pages for part in case.get("must_not_substr", []) if part in url]
    assert reading.kind == case.get("kind", reading.kind)
    assert time.process_time() - started < case.get("max_seconds", 10)
    lastmods = {canonical(row[0], case["url"]): row[1] for row in reading.pages}
    assert {url: lastmods[url] for url in case.get("lastmod", {})} == case.get("lastmod", {})


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_the_fast_path_changes_nothing(case: dict[str, Any]) -> None:
    body = (DATA / case["file"]).read_bytes()
    assert read(body, case["url"]) == read(body, case["url"], reader_class=ExactReader)


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("amp_raw.xml", "raw_ampersand"),
        ("enc_lie.xml", "encoding"),
        ("gz_trailing_garbage.xml.gz", "trailing_bytes"),
        ("lastmod_invalid.xml", "invalid_lastmod"),
        ("leading_php_warning.xml", "leading_junk"),
        ("loc_anchor_inside.xml", "markup_in_loc"),
        ("loc_relative.xml", "relative_loc"),
        ("opml.xml", "not_a_sitemap"),
        ("trunc_mid_loc.xml", "truncated"),
        ("urlset_in_index.xml", "misplaced_entry"),
        ("xxe_file.xml", "undefined_entity"),
        ("empty.xml", "empty"),
    ],
)
def test_what_is_wrong_is_found(file: str, kind: str) -> None:
    assert kind in read((DATA / file).read_bytes()).kinds


def test_a_good_map_has_no_findings() -> None:
    assert read((DATA / "plain.xml").read_bytes()).findings == []
