"""What is bundled is what its sources say, and can be read wherever the project is deployed."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from zipfile import ZipFile

import pytest

from tests.site.project import ROOT

SOURCES = ROOT / "frontend" / "report"
ASSETS = ROOT / "sitecrawl" / "report" / "assets"


def digest_of_sources() -> str:
    """As ``frontend/report/build.mjs`` counts it."""
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


@pytest.mark.parametrize("name", ["report.js", "report.css"])
def test_the_asset_is_built_from_its_sources(name: str) -> None:
    stated = re.search(r"sources sha256 (\w+)", (ASSETS / name).read_text(encoding="utf-8"))
    assert stated
    assert stated[1] == digest_of_sources(), "run: make report-assets"


def test_nothing_in_the_assets_ends_their_element() -> None:
    assert "</script" not in (ASSETS / "report.js").read_text(encoding="utf-8").lower()
    assert "<!--" not in (ASSETS / "report.js").read_text(encoding="utf-8")
    assert "</style" not in (ASSETS / "report.css").read_text(encoding="utf-8").lower()


def test_versions_are_exact_and_licences_are_there() -> None:
    packages = json.loads((SOURCES / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert [version for version in packages.values() if not re.fullmatch(r"[\d.]+", version)] == []
    licences = (ASSETS / "LICENSES.txt").read_text(encoding="utf-8")
    for name in ("d3-hierarchy", "d3-scale", "d3-shape"):
        assert f"{name} {packages[name]} (" in licences


def test_a_zipped_project_has_them(tmp_path_factory: pytest.TempPathFactory) -> None:
    egg = tmp_path_factory.mktemp("egg") / "project.egg"
    with ZipFile(egg, "w") as archive:
        for path in (ROOT / "sitecrawl").rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(ROOT))
    script = (
        "from sitecrawl.report import html; print(html.__file__, len(html._asset('report.js')))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(egg)},
        cwd=egg.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(egg) in run.stdout
