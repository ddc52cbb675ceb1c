from __future__ import annotations

import gzip
import json
from base64 import b64decode
from hashlib import sha256
from typing import Any

import pytest

from sitecrawl.report import embedding
from sitecrawl.report.embedding import embedded_parts
from tests.report.hostile import hostile_report
from tests.report.sample import sample_report


def unpacked(part: str) -> Any:
    return json.loads(gzip.decompress(b64decode(part)))


@pytest.mark.parametrize("report", [sample_report(40), hostile_report()], ids=["plain", "hostile"])
def test_the_parts_together_are_the_report(report: Any) -> None:
    parts = {name: unpacked(part) for name, part in embedded_parts(report).items()}
    overview = parts.pop("overview")
    assert {**overview, **parts} == json.loads(json.dumps(report))


def test_pages_beyond_the_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    report = sample_report(5_000)
    pages = report["pages"]
    pages["title"] = [sha256(url.encode()).hexdigest() for url in pages["url"]]
    pages["left_out"] = 7
    monkeypatch.setattr(embedding, "MAX_FILE_BYTES", 900_000)
    kept = unpacked(embedded_parts(report)["pages"])
    rows = len(kept["url"])
    assert 1_000 <= rows < 5_500
    assert kept["left_out"] == 7 + len(pages["url"]) - rows
    assert kept["url"] == pages["url"][:rows]
    assert {len(values) for values in kept.values() if isinstance(values, list)} == {rows}


def test_addresses_of_any_length_are_held_in_check(monkeypatch: pytest.MonkeyPatch) -> None:
    report = sample_report(3_000)
    monkeypatch.setattr(embedding, "_MAX_UNPACKED_CHARACTERS", 500_000)
    assert 1_000 < len(unpacked(embedded_parts(report)["pages"])["url"]) < 3_000


def test_evidence_beyond_its_room_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    report = sample_report(10)
    report["evidence"] *= 64
    monkeypatch.setattr(embedding, "_MAX_EVIDENCE_BYTES", 260)
    assert 0 < len(unpacked(embedded_parts(report)["evidence"])) < 64
