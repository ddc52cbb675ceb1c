"""Hostile and damaged files: each is given up with a reason, and the next one is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.dive.files.formats import FileProblem, UnreadableFileError
from sitecrawl.dive.files.reader import FileProcess
from tests.dive.files import making
from tests.dive.files.making import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

PDF = making.pdf(*([Text(f"This is page {number} of the guide.", 700)] for number in range(5)))
ENTITIES = (
    '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">'
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + '<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document xmlns:w="x"><w:body><w:p><w:r><w:t>'
    "&i;&x;</w:t></w:r></w:p></w:body></w:document>"
)
HOSTILE = {
    "a password": (making.encrypted(PDF, "secret"), FileProblem.ENCRYPTED),
    "a password of Word": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(5000),
        FileProblem.ENCRYPTED,
    ),
    "a password of LibreOffice": (
        making.opendocument("text", "", manifest="<manifest:encryption-data/>"),
        FileProblem.ENCRYPTED,
    ),
    "a bomb": (
        making.archive(word__document_xml=b"<a>" + b" " * 80_000_000 + b"</a>"),
        FileProblem.TOO_LARGE,
    ),
    "too many members": (
        making.packed({f"{number}": "" for number in range(6_000)}),
        FileProblem.TOO_LARGE,
    ),
    "entities": (making.archive(word__document_xml=ENTITIES), FileProblem.DAMAGED),
    "a document type": (
        making.archive(word__document_xml='<!DOCTYPE a [<!ENTITY b "c">]><a/>'),
        FileProblem.DAMAGED,
    ),
    "no XML": (making.archive(word__document_xml="<a><b></a>"), FileProblem.DAMAGED),
    "deep XML": (
        making.archive(word__document_xml="<a>" * 100_000 + "</a>" * 100_000),
        FileProblem.DAMAGED,
    ),
    "some other zip": (making.packed({"a.txt": "hello"}), FileProblem.DAMAGED),
    "half of a zip": (making.word()[:5_000], FileProblem.DAMAGED),
    "half of a PDF": (PDF[: len(PDF) // 2], FileProblem.DAMAGED),
    "nothing but a signature": (b"%PDF-1.7", FileProblem.DAMAGED),
    "no pages": (b"%PDF-1.7\n" + b"\0" * 500, FileProblem.DAMAGED),
}


@pytest.fixture(scope="module")
def files() -> Iterator[FileProcess]:
    with FileProcess() as process:
        yield process


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_given_up_with_a_reason(files: FileProcess, name: str) -> None:
    body, problem = HOSTILE[name]
    with pytest.raises(UnreadableFileError) as raised:
        files.read(body, "https://example.com/a")
    assert raised.value.problem is problem
    # The next one is read.
    assert files.read(PDF, "https://example.com/a").article.blocks


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"/Count 5", b"/Count 1000000"), (b"/Count 5", b"/Count -1")],
)
def test_a_pdf_that_lies_about_itself_is_read(files: FileProcess, old: bytes, new: bytes) -> None:
    body = PDF.replace(old, new)
    assert body != PDF
    read = files.read(body, "https://example.com/a")
    assert [block.page for block in read.article.blocks] == [1, 2, 3, 4, 5]


def test_pages_that_hold_each_other_end(files: FileProcess) -> None:
    with pytest.raises(UnreadableFileError) as raised:
        files.read(PDF.replace(b"/Kids [4 0 R", b"/Kids [2 0 R"), "https://example.com/a")
    assert raised.value.problem is not FileProblem.TOO_SLOW


def test_a_file_that_takes_too_long_is_given_up() -> None:
    many = making.pdf(*([Text("Hello there.", 700)] for _ in range(1_500)))
    with FileProcess(max_seconds=0.05) as process:
        for _ in range(2):  # each of them gets a new process
            with pytest.raises(UnreadableFileError) as raised:
                process.read(many, "https://example.com/a")
            assert raised.value.problem is FileProblem.TOO_SLOW


def test_a_process_that_was_killed_is_replaced(files: FileProcess) -> None:
    files.read(PDF, "https://example.com/a")
    assert files._process is not None
    files._process.kill()
    files._process.wait()
    with pytest.raises(UnreadableFileError):
        files.read(PDF, "https://example.com/a")
    assert files.read(PDF, "https://example.com/a").article.blocks
