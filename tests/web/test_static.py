"""What browsers load is what its sources say, is small, and is licensed."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from tests.site.project import ROOT

SOURCES = ROOT / "frontend" / "dashboard"
STATIC = ROOT / "sitecrawl" / "web" / "static"
_MAX_BYTES = 1_500_000


def digest_of_sources() -> str:
    """As ``frontend/dashboard/build.mjs`` counts it."""
    names = ["package.json", "tsconfig.json", "build.mjs", "../shared/tokens.css"]
    names += [
        path.relative_to(SOURCES).as_posix()
        for path in (SOURCES / "src").rglob("*")
        if path.is_file()
    ]
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(name.encode() + b"\0" + (SOURCES / name).read_bytes() + b"\0")
    return digest.hexdigest()


@pytest.mark.parametrize("name", ["dashboard.js", "dashboard.css"])
def test_the_asset_is_built_from_its_sources(name: str) -> None:
    stated = re.search(r"sources sha256 (\w+)", (STATIC / name).read_text(encoding="utf-8"))
    assert stated
    assert stated[1] == digest_of_sources(), "run: make dashboard-assets"


def test_all_assets_together_are_small() -> None:
    assert sum(path.stat().st_size for path in STATIC.rglob("*")) < _MAX_BYTES


def test_htmx_is_the_version_that_is_named() -> None:
    packages = json.loads((SOURCES / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert [version for version in packages.values() if not re.fullmatch(r"[\d.]+", version)] == []
    licence = (STATIC / "htmx-LICENSE.txt").read_text(encoding="utf-8")
    assert licence.startswith(f"htmx {packages['htmx.org']}\n")
    assert packages["htmx.org"] in (STATIC / "htmx.min.js").read_text(encoding="utf-8")
