"""How raw bodies and texts are packed for the database."""

from __future__ import annotations

import gzip

from isal import igzip, isal_zlib

from sitecrawl.items import PackedBody
from sitecrawl.store.vocabulary import BodyEncoding

_GZIP_MAGIC = b"\x1f\x8b"


def pack_body(body: bytes) -> PackedBody:
    """Compress the body, unless it came compressed."""
    if body.startswith(_GZIP_MAGIC):
        return PackedBody(BodyEncoding.IDENTITY, body, len(body))
    return PackedBody(BodyEncoding.GZIP, igzip.compress(body), len(body))


def unpack_body(encoding: str, content: bytes) -> bytes:
    """The bytes exactly as they came from the site."""
    if encoding == BodyEncoding.IDENTITY:
        return content
    return gzip.decompress(content)


def pack_text(text: str) -> bytes:
    """Compress a text; a lone surrogate becomes ``?``."""
    return isal_zlib.compress(text.encode("utf-8", "replace"))


def unpack_text(content: bytes) -> str:
    return isal_zlib.decompress(content).decode()
