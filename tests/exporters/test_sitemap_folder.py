from __future__ import annotations

import gzip
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from sitecrawl.config import ConfigError
from sitecrawl.exporters import sitemap_folder
from sitecrawl.exporters.sitemap_folder import INDEX_NAME, is_own, writing
from sitecrawl.exporters.sitemap_xml import entry_xml
from tests.exporters.sitemap_schema import locs, valid_index, valid_urlset

if TYPE_CHECKING:
    from pathlib import Path

BASE = "https://a.example/maps/"
LASTMOD = "2026-05-06T07:08:09Z"


def write(folder: Path, *paths: str, compress: bool = True) -> None:
    with writing(folder, BASE, LASTMOD, compress=compress) as sitemaps:
        for path in paths:
            sitemaps.add(entry_xml(f"https://a.example/{path}"))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def two_in_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap_folder, "MAX_ENTRIES", 2)


def test_an_index_and_its_parts(tmp_path: Path, two_in_a_part: None) -> None:
    write(tmp_path / "new" / "folder", "1", "2", "3")
    folder = tmp_path / "new" / "folder"
    assert names(folder) == ["sitemap-00001.xml.gz", "sitemap-00002.xml.gz", INDEX_NAME]
    index = valid_index(folder / INDEX_NAME)
    assert locs(index) == [f"{BASE}sitemap-00001.xml.gz", f"{BASE}sitemap-00002.xml.gz"]
    parts = [locs(valid_urlset(folder / f"sitemap-0000{number}.xml.gz")) for number in (1, 2)]
    assert parts == [["https://a.example/1", "https://a.example/2"], ["https://a.example/3"]]


def test_bytes_have_a_limit_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, *"abcdef", compress=False)
    size = (tmp_path / "sitemap-00001.xml").stat().st_size
    monkeypatch.setattr(sitemap_folder, "MAX_BYTES", size - 1)
    write(tmp_path, *"abcdef", compress=False)
    parts = sorted(tmp_path.glob("sitemap-*"))
    assert [len(locs(valid_urlset(part))) for part in parts] == [5, 1]
    assert all(part.stat().st_size < size for part in parts)
    monkeypatch.setattr(sitemap_folder, "MAX_BYTES", size)
    write(tmp_path, *"abcdef", compress=False)
    assert names(tmp_path) == ["sitemap-00001.xml", INDEX_NAME]


def test_an_index_can_be_full(tmp_path: Path, two_in_a_part: None) -> None:
    with pytest.raises(ConfigError, match="more pages than one index can name"):
        write(tmp_path, *"abcde")
    assert names(tmp_path) == []


def test_the_same_entries_give_the_same_bytes(tmp_path: Path) -> None:
    contents = []
    for name in ("one", "two"):
        write(tmp_path / name, "a", "b")
        contents.append([path.read_bytes() for path in sorted((tmp_path / name).iterdir())])
    assert contents[0] == contents[1]


def test_what_an_earlier_export_left_is_removed(tmp_path: Path, two_in_a_part: None) -> None:
    write(tmp_path, *"abc")
    (tmp_path / ".sitemap-00009.xml.gz.partial").touch()
    (tmp_path / "sitemap-news.xml").write_text("mine")
    write(tmp_path, "a", compress=False)
    assert names(tmp_path) == ["sitemap-00001.xml", "sitemap-news.xml", INDEX_NAME]
    assert (tmp_path / "sitemap-news.xml").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        (INDEX_NAME, b"<urlset/>"),
        ("sitemap-00001.xml.gz", gzip.compress(b"<urlset/>")),
        ("sitemap-00007.xml.gz", b"broken"),
        ("sitemap-00007.xml", b""),
    ],
    ids=["an index", "a map", "no gzip", "empty"],
)
def test_files_of_others_are_not_touched(tmp_path: Path, name: str, body: bytes) -> None:
    (tmp_path / name).write_bytes(body)
    with pytest.raises(ConfigError, match=f"{name} is there and was not written by sitecrawl"):
        write(tmp_path, "a")
    assert names(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == body


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    write(tmp_path, "a")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    seen_midway = []
    with suppress(ZeroDivisionError), writing(tmp_path, BASE, LASTMOD, compress=True) as sitemaps:
        sitemaps.add(entry_xml("https://a.example/b"))
        seen_midway = names(tmp_path)
        raise ZeroDivisionError
    assert seen_midway[0] == ".sitemap-00001.xml.gz.partial"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_nothing_is_written_without_an_entry(tmp_path: Path) -> None:
    write(tmp_path, "a")
    write(tmp_path)
    assert names(tmp_path) == ["sitemap-00001.xml.gz", INDEX_NAME]


def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file"):
        write(tmp_path / "file", "a")


@pytest.mark.parametrize("name", ["a.xml", "a.xml.gz"])
def test_own_files_are_known_by_what_is_in_them(tmp_path: Path, name: str) -> None:
    write(tmp_path, "a", compress=name.endswith("gz"))
    [part] = tmp_path.glob("sitemap-*")
    assert is_own(part)
    part.write_bytes(part.read_bytes()[:20])
    assert not is_own(part)
