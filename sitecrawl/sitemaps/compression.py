"""Decompresses a body piece by piece, in bounded memory.

- gzip (and zlib) is recognised by its magic bytes, because names and content types are often wrong.
- The readable part of a damaged or cut stream is kept, and the damage is a finding.
- Each layer ends at the byte limit, which stops decompression bombs, nested ones as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isal import igzip_lib, isal_zlib

from sitecrawl.parsing.findings import FindingKind, Findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


MAX_LAYERS = 2
_GZIP_MAGIC = b"\x1f\x8b\x08"
_GZIP_HEADER_BYTES = 10
_GZIP_TRAILER_BYTES = 8
_MAX_HEADER_FIELD_BYTES = 65_536
# Empty members cost time and no output, so the limit on bytes does not stop them.
_MAX_MEMBERS = 10_000
_FLAG_HEADER_CRC, _FLAG_EXTRA, _FLAG_NAME, _FLAG_COMMENT = 2, 4, 8, 16
_ZLIB_HEADERS = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")

# A damaged stream loses the output of the last slice, so slices are short; for a small body they
# are tiny, because there one slice may be the whole sitemap.
_SLICE_BYTES = 4_096
_SMALL_BODY_BYTES = 16_384
_SMALL_BODY_SLICE_BYTES = 16

# isal's stubs declare its exception as an instance.
_InflateError: Any = igzip_lib.IsalError


class Decompressor:
    """Iterates over the plain bytes of a body in pieces of about `piece_bytes`."""

    def __init__(self, body: bytes, *, max_bytes: int, piece_bytes: int, findings: Findings):
        self.bytes_out = 0
        self.is_truncated = False
        self._max_bytes = max_bytes
        self._piece_bytes = piece_bytes
        self._findings = findings
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        is_small = len(self._body) < _SMALL_BODY_BYTES
        slice_bytes = _SMALL_BODY_SLICE_BYTES if is_small else _SLICE_BYTES
        wrapped = _header_kind(self._body[:3]) is not None
        pieces = _slices(self._body, slice_bytes if wrapped else self._piece_bytes)
        for _ in range(MAX_LAYERS):
            source = _ByteSource(pieces)
            header = _header_kind(source.peek(3))
            if header is None:
                pieces = source.chunks()
                break
            pieces = self._capped(self._inflate(source, header))
        for piece in self._capped(_joined(pieces, self._piece_bytes)):
            self.bytes_out += len(piece)
            yield piece

    def _capped(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        room = self._max_bytes
        for piece in pieces:
            if len(piece) > room:
                self.is_truncated = True
                if FindingKind.OVER_LIMIT not in self._findings:
                    detail = f"more than {self._max_bytes:,} bytes"
                    self._findings.note(FindingKind.OVER_LIMIT, detail)
                if room:
                    yield piece[:room]
                return
            room -= len(piece)
            yield piece

    def _inflate(self, source: _ByteSource, header: str) -> Iterator[bytes]:
        for _ in range(_MAX_MEMBERS):
            if header == "gzip":
                _skip_gzip_header(source)
            else:
                source.skip(2)
            yield from self._member(source, has_gzip_trailer=header == "gzip")
            rest = source.peek(3)
            if self.is_truncated or header != "gzip" or not rest:
                return
            if not rest.startswith(_GZIP_MAGIC):
                # Tape-style zero padding is harmless and common enough not to be reported.
                if rest.strip(b"\0"):
                    self._findings.note(FindingKind.TRAILING_BYTES, "bytes after the gzip data")
                return
        self._damaged(f"more than {_MAX_MEMBERS:,} gzip members")

    def _member(self, source: _ByteSource, *, has_gzip_trailer: bool) -> Iterator[bytes]:
        # Raw inflate with our own check of the trailer: a wrong checksum must not lose the data.
        inflater = igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_DEFLATE)
        checksum = size = 0
        while not inflater.eof:
            data = source.next_chunk() if inflater.needs_input else b""
            try:
                piece = inflater.decompress(data, self._piece_bytes)
            except _InflateError:
                return self._damaged("the compressed data is corrupt")
            # Without new input there may still be output; without either the stream ends early.
            if not (data or piece or inflater.eof):
                return self._damaged("the compressed data ends early")
            checksum = isal_zlib.crc32(piece, checksum)
            size += len(piece)
            if piece:
                yield piece
        source.push_back(inflater.unused_data)
        if has_gzip_trailer:
            trailer = source.peek(_GZIP_TRAILER_BYTES)[:_GZIP_TRAILER_BYTES]
            source.skip(_GZIP_TRAILER_BYTES)
            expected = checksum.to_bytes(4, "little") + (size & 0xFFFFFFFF).to_bytes(4, "little")
            if trailer != expected:
                self._findings.note(FindingKind.GZIP_DAMAGED, "gzip checksum does not match")
        return None

    def _damaged(self, detail: str) -> None:
        self.is_truncated = True
        self._findings.note(FindingKind.GZIP_DAMAGED, detail)


class _ByteSource:
    """Chunks of bytes with look-ahead and push-back."""

    def __init__(self, chunks: Iterable[bytes]):
        self._chunks = iter(chunks)
        self._held = b""

    def peek(self, size: int) -> bytes:
        while len(self._held) < size:
            chunk = next(self._chunks, b"")
            if not chunk:
                break
            self._held += chunk
        return self._held

    def skip(self, size: int) -> None:
        self._held = self.peek(size)[size:]

    def skip_past(self, mark: bytes) -> None:
        """Skip up to and including `mark`, or as far as a header field may reach."""
        size = 1
        while size <= _MAX_HEADER_FIELD_BYTES:
            held = self.peek(size)
            if mark in held or len(held) < size:
                self._held = held.partition(mark)[2]
                return
            size = len(held) + 1
        self._held = b""

    def next_chunk(self) -> bytes:
        if not self._held:
            return next(self._chunks, b"")
        chunk, self._held = self._held, b""
        return chunk

    def chunks(self) -> Iterator[bytes]:
        while chunk := self.next_chunk():
            yield chunk

    def push_back(self, data: bytes) -> None:
        self._held = data + self._held


def _header_kind(start: bytes) -> str | None:
    if start.startswith(_GZIP_MAGIC):
        return "gzip"
    return "zlib" if start.startswith(_ZLIB_HEADERS) else None


def _skip_gzip_header(source: _ByteSource) -> None:
    header = source.peek(_GZIP_HEADER_BYTES)
    flags = header[3] if len(header) >= _GZIP_HEADER_BYTES else 0
    source.skip(_GZIP_HEADER_BYTES)
    if flags & _FLAG_EXTRA:
        size = int.from_bytes(source.peek(2)[:2], "little")
        source.skip(2 + size)
    for flag in (_FLAG_NAME, _FLAG_COMMENT):
        if flags & flag:
            source.skip_past(b"\0")
    if flags & _FLAG_HEADER_CRC:
        source.skip(2)


def _slices(body: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


def _joined(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Join short pieces, so that what comes after works on blocks of at least `size`."""
    held: list[bytes] = []
    held_bytes = 0
    for piece in pieces:
        held.append(piece)
        held_bytes += len(piece)
        if held_bytes >= size:
            yield b"".join(held)
            held.clear()
            held_bytes = 0
    if held:
        yield b"".join(held)
