"""How raw bodies are packed for the database."""

from __future__ import annotations

import gzip

from isal import igzip

from sitecrawl.store.vocabulary import BodyEncoding

_GZIP_MAGIC = b"\x1f\x8b"


def pack_body(body: bytes) -> tuple[BodyEncoding, bytes]:
    """Compress the body, unless it came compressed."""
    if body.startswith(_GZIP_MAGIC):
        return BodyEncoding.IDENTITY, body
    return BodyEncoding.GZIP, igzip.compress(body)


def unpack_body(encoding: str, content: bytes) -> bytes:
    """The bytes exactly as they came from the site."""
    if encoding == BodyEncoding.IDENTITY:
        return content
    return gzip.decompress(content)
