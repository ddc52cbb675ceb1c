from __future__ import annotations

import codecs
from encodings.aliases import aliases

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.parsing.encoding import decode_pieces
from sitecrawl.parsing.findings import Findings


def decode(body: bytes, size: int = 1_000_000) -> tuple[str, set[str]]:
    findings = Findings()
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    text = "".join(decode_pieces(pieces, findings))
    return text, {finding.kind.value for finding in findings.as_list()}


def declared(name: str, text: str) -> str:
    return f'<?xml version="1.0" encoding="{name}"?>{text}'


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (b"", "utf-8"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
        (b"", "utf-32-le"),
        (b"", "utf-32-be"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_what_the_bytes_show_wins(mark: bytes, encoding: str, size: int) -> None:
    text = declared("iso-8859-1" if encoding != "utf-8" or mark else "utf-8", "é€😀")
    assert decode(mark + text.encode(encoding), size) == (text, set())


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("ISO-8859-1", "cp1252"),
        ("windows-1252", "cp1252"),
        ("windows-1251", "cp1251"),
        ("Shift_JIS", "cp932"),
        ("x-sjis", "cp932"),
        ("GB2312", "gb18030"),
        ("euc-kr", "cp949"),
        ("utf8", "utf-8"),
    ],
)
def test_declared_encodings(name: str, codec: str) -> None:
    letters = {"cp1251": "я", "cp932": "日本", "gb18030": "汉", "cp949": "한"}.get(codec, "€")
    text = declared(name, letters * 3)
    assert decode(text.encode(codec), 41) == (text, set())


@pytest.mark.parametrize(
    "name",
    ["klingon", "zlib", "hex", "rot13", "utf-7", "unicode_escape", "utf-16", "cp037", "idna",
     "punycode", "undefined", "raw_unicode_escape"],
)  # fmt: skip
def test_an_encoding_that_cannot_be_is_read_as_utf_8(name: str) -> None:
    text = declared(name, "é +AGE- \\u0041")
    assert decode(text.encode()) == (text, {"encoding"})


@pytest.mark.parametrize("size", [1, 1_500, 100_000])
def test_bytes_that_are_no_utf_8_are_windows_1252(size: int) -> None:
    body = "é".encode() * 700 + b"caf\xe9 \x80 \x81 " + "é".encode() + b"\xe9"
    assert decode(body, size) == ("é" * 700 + "café € \x81 éé", {"encoding"})


@given(st.sampled_from(sorted(set(aliases.values()))), st.binary(max_size=40), st.integers(1, 60))
@settings(max_examples=500)
def test_any_bytes_in_any_encoding(name: str, noise: bytes, size: int) -> None:
    text, _ = decode(declared(name, "").encode() + noise, size)
    assert text.startswith(declared(name, ""))
    assert text.encode()


def test_a_declaration_after_junk_counts() -> None:
    text = "Warning\n" + declared("windows-1251", "я")
    assert decode(text.encode("cp1251")) == (text, set())


def test_nulls_are_dropped_and_found_once() -> None:
    assert decode(b"<a\0b>" + b"\0" * 5_000, 100) == ("<ab>", {"null_characters"})


@given(st.binary(max_size=64), st.integers(1, 20))
@settings(max_examples=500)
def test_any_bytes_become_text_that_can_be_stored(body: bytes, size: int) -> None:
    text, _ = decode(body, size)
    assert text == text.encode().decode()
    assert text == decode(body)[0]
