"""Dives into files: fetched as pages are, although scans skip them, and read with limits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.dive.files import making
from tests.dive.files.making import Text
from tests.dive.test_dives import FAST, _discover, _list, article
from tests.site import Reply
from tests.site.build import robots

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dive.test_dives import RunCli
    from tests.site import SiteServer

GUIDE = making.pdf(
    [Text(f"The museum was founded by {name} in the old town.", 700 - 14 * row)
     for row, name in enumerate(("Ida", "Max", "Eva", "Jon", "Kim", "Leo", "Mia", "Ben", "Zoe"))],
    [Text(f"Groups of more than {number} persons need a guide of the house.", 700 - 14 * number)
     for number in range(10, 20)],
    info="/Title (Guide for groups)",
)  # fmt: skip


def _file(body: bytes, content_type: str = "application/octet-stream") -> Reply:
    return Reply(body, content_type=content_type)


@pytest.fixture
def library(site: SiteServer, run_cli: RunCli) -> SiteServer:
    """A scanned site with files, of which one is disallowed."""
    site.routes |= {
        "/": article("Library", "Welcome to the library of ordinary things in our town."),
        "/robots.txt": robots(site.at("/sitemap.xml"), disallow=("/files/secret.pdf",)),
        "/files/guide.pdf": _file(GUIDE, "application/pdf"),
        "/files/secret.pdf": _file(GUIDE, "application/pdf"),
        "/files/rules.docx": _file(making.word()),
        "/files/locked.pdf": _file(making.encrypted(GUIDE, "secret")),
        "/files/pack.zip": _file(making.word(), "application/zip"),
        # No ending says what it is.
        "/download": _file(making.slides(), "application/vnd.openxmlformats-officedocument"),
        "/notes.txt": _file(b"Notes\n=====\n\nThe cellar is closed in winter.\n", "text/plain"),
    }
    _list(site, *(path for path in site.routes if path != "/robots.txt"))
    _discover(site, run_cli)
    return site


def _found(site: SiteServer, run_cli: RunCli, query: str) -> dict[str, Any]:
    found = run_cli("search", site.at("/"), query, "--json").succeeded()
    return dict(json.loads(found.stdout)[0])


def _pages(site: SiteServer, run_cli: RunCli) -> list[tuple[str, str]]:
    listed = run_cli("urls", site.at("/"), "--refused", "--format", "json").succeeded().stdout
    return [(page["url"], page["reason"]) for page in json.loads(listed)]


def test_files_are_fetched_read_and_found(library: SiteServer, run_cli: RunCli) -> None:
    before = _pages(library, run_cli)
    said = run_cli("dive", library.at("/"), "--all", *FAST).succeeded()
    assert "files      3" in said.stdout
    assert "1 file needs a password" in said.stdout
    assert library.requests("/files/secret.pdf") == []
    assert library.requests("/files/pack.zip") == []
    best = _found(library, run_cli, "do groups need a guide")
    assert (best["format"], best["file_page"], best["title"]) == ("pdf", 2, "Guide for groups")
    assert best["link"] == library.at("/files/guide.pdf") + "#page=2"
    best = _found(library, run_cli, "where do dogs stay")
    assert (best["url"], best["headings"]) == (library.at("/files/rules.docx"), ["Visiting"])
    assert _found(library, run_cli, "cost of the roof")["format"] == "pptx"
    assert _found(library, run_cli, "cellar in winter")["format"] == "text"
    # They are as refused as before.
    assert _pages(library, run_cli) == before
    answered = run_cli("ask", library.at("/"), "Do groups need a guide?", "--json").succeeded()
    assert json.loads(answered.stdout)["citations"][0]["file_page"] == 2
    # What is kept is neither fetched nor read again, nor is what could not be read.
    again = run_cli("dive", library.at("/"), "--all", *FAST).succeeded().stdout
    assert "0 new, 0 embedded" in again
    assert " read" not in again
    assert len(library.requests("/files/guide.pdf")) == 1


def test_files_below_the_path_of_a_cluster_belong_to_it(
    library: SiteServer, run_cli: RunCli
) -> None:
    said = run_cli("dive", library.at("/"), "--cluster", "/files", *FAST).succeeded().stdout
    assert "files      3" in said
    assert library.requests("/notes.txt") == []


def test_a_setting_leaves_files_out(library: SiteServer, run_cli: RunCli) -> None:
    chosen = ("-s", "SITECRAWL_DIVE_FILES=docx")
    said = run_cli("dive", library.at("/"), "--all", *FAST, *chosen).succeeded().stdout
    assert "files      1" in said
    assert library.requests("/files/guide.pdf") == []
    wrong = run_cli("dive", library.at("/"), "--all", "-s", "SITECRAWL_DIVE_FILES=exe")
    assert (wrong.returncode, "is none of: pdf, docx" in wrong.stderr) == (2, True)


def test_without_the_extra_a_dive_says_what_it_left_out(
    library: SiteServer, run_cli: RunCli, tmp_path: Path
) -> None:
    blocker = "import sys\nsys.modules['pypdf'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(blocker)
    said = run_cli(
        "dive", library.at("/"), "--all", *FAST, environment={"PYTHONPATH": str(tmp_path)}
    ).succeeded()
    assert "2 PDF files left out; to read them: pip install 'sitecrawl[files]'" in said.stdout
    assert library.requests("/files/guide.pdf") == []
    assert _found(library, run_cli, "where do dogs stay")["format"] == "docx"
    # With it, the next dive reads them.
    run_cli("dive", library.at("/"), "--all", *FAST).succeeded()
    assert _found(library, run_cli, "do groups need a guide")["format"] == "pdf"
