from __future__ import annotations

import gzip
import io
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.parsing.findings import Findings
from sitecrawl.sitemaps.compression import Decompressor

PLAIN = b"".join(b"<url><loc>https://shop.example/%d</loc></url>" % at for at in range(5_000))


def unpack(
    body: bytes, max_bytes: int = 10_000_000, piece_bytes: int = 4_096
) -> tuple[bytes, set[str], bool]:
    findings = Findings()
    reader = Decompressor(body, max_bytes=max_bytes, piece_bytes=piece_bytes, findings=findings)
    plain = b"".join(reader)
    assert reader.bytes_out == len(plain)
    return plain, {finding.kind.value for finding in findings.as_list()}, reader.is_truncated


def header_with_every_field() -> bytes:
    start = b"\x1f\x8b\x08\x1e" + b"\0" * 6
    return start + struct.pack("<H", 5) + b"extra" + b"name\0" + b"comment\0" + b"\0\0"


@pytest.mark.parametrize(
    "body",
    [
        PLAIN,
        gzip.compress(PLAIN),
        gzip.compress(gzip.compress(PLAIN)),
        zlib.compress(PLAIN),
        gzip.compress(PLAIN[:999]) + gzip.compress(b"") + gzip.compress(PLAIN[999:]),
        gzip.compress(PLAIN) + b"\0" * 100,
        header_with_every_field() + gzip.compress(PLAIN)[10:],
    ],
)
def test_good_bodies(body: bytes) -> None:
    assert unpack(body) == (PLAIN, set(), False)


def test_a_name_in_the_header_is_skipped() -> None:
    buffer = io.BytesIO()
    with gzip.GzipFile("sitemap.xml", "wb", fileobj=buffer) as file:
        file.write(PLAIN)
    assert unpack(buffer.getvalue()) == (PLAIN, set(), False)


def test_a_third_layer_is_left_alone() -> None:
    inner = gzip.compress(PLAIN)
    assert unpack(gzip.compress(gzip.compress(inner)))[0] == inner


def test_trailing_garbage_is_found() -> None:
    assert unpack(gzip.compress(PLAIN) + b"garbage") == (PLAIN, {"trailing_bytes"}, False)


def test_a_wrong_checksum_loses_nothing() -> None:
    body = bytearray(gzip.compress(PLAIN))
    body[-6] ^= 0xFF
    assert unpack(bytes(body)) == (PLAIN, {"gzip_damaged"}, False)


@pytest.mark.parametrize("plain", [PLAIN, PLAIN[:2_000]])
def test_a_cut_body_gives_what_was_readable(plain: bytes) -> None:
    body = gzip.compress(plain)
    read, kinds, is_truncated = unpack(body[: len(body) * 2 // 3])
    assert plain.startswith(read)
    assert len(read) > len(plain) // 3
    assert kinds == {"gzip_damaged"}
    assert is_truncated


@pytest.mark.parametrize("plain", [PLAIN, PLAIN[:2_000]])
def test_a_corrupt_body_gives_what_was_readable(plain: bytes) -> None:
    packer = zlib.compressobj(0, wbits=31)  # stored blocks: a bad length is found at once
    body = packer.compress(plain[: len(plain) // 2]) + packer.flush(zlib.Z_FULL_FLUSH)
    read, kinds, is_truncated = unpack(body + b"\xff" * 1_000)
    assert plain.startswith(read)
    lost = len(plain) // 2 - len(read)
    assert lost <= (16 if len(plain) == 2_000 else 4_096)
    assert kinds == {"gzip_damaged"}
    assert is_truncated


@pytest.mark.parametrize("layers", [0, 1, 2])
@pytest.mark.parametrize(("room", "is_cut"), [(0, False), (-1, True)])
def test_the_limit_is_exact(layers: int, room: int, *, is_cut: bool) -> None:
    body = PLAIN
    for _ in range(layers):
        body = gzip.compress(body)
    limit = len(PLAIN) + room
    plain, kinds, is_truncated = unpack(body, max_bytes=limit)
    assert plain == PLAIN[:limit]
    assert kinds == ({"over_limit"} if is_cut else set())
    assert is_truncated is is_cut


def test_empty_members_come_to_an_end() -> None:
    plain, kinds, is_truncated = unpack(gzip.compress(b"") * 10_001)
    assert (plain, kinds, is_truncated) == (b"", {"gzip_damaged"}, True)


@given(st.binary(max_size=200), st.integers(1, 50))
@settings(max_examples=300)
def test_any_bytes_behind_a_magic_number(noise: bytes, piece_bytes: int) -> None:
    for magic in (b"\x1f\x8b\x08", b"\x1f\x8b\x08\x1c", b"\x78\x9c"):
        unpack(magic + noise, piece_bytes=piece_bytes)


@given(st.binary(max_size=2_000), st.integers(1, 300))
@settings(max_examples=200)
def test_what_was_packed_comes_back(plain: bytes, piece_bytes: int) -> None:
    prefixed = b"<" + plain
    assert unpack(gzip.compress(prefixed), piece_bytes=piece_bytes)[0] == prefixed
    assert unpack(zlib.compress(prefixed), piece_bytes=piece_bytes)[0] == prefixed
