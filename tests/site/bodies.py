"""Bodies too large to hold: made while they are sent."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.site.reply import Request

_PIECE_BYTES = 64 * 1024


def repeated(unit: bytes, total_bytes: int) -> Callable[[Request], Iterator[bytes]]:
    """``unit`` over and over, ``total_bytes`` in all."""

    def pieces(_request: Request) -> Iterator[bytes]:
        piece = unit * max(1, _PIECE_BYTES // len(unit))
        left = total_bytes
        while left > 0:
            yield piece[:left]
            left -= len(piece)

    return pieces


def gzip_bomb(total_bytes: int, start: bytes = b"") -> Callable[[Request], Iterator[bytes]]:
    """A gzip stream of ``start`` and then spaces, ``total_bytes`` when unpacked."""

    def pieces(_request: Request) -> Iterator[bytes]:
        packer = zlib.compressobj(9, wbits=31)
        head = packer.compress(start)
        if head:
            yield head
        left = total_bytes - len(start)
        while left > 0:
            packed = packer.compress(b" " * min(left, 1024 * 1024))
            if packed:
                yield packed
            left -= 1024 * 1024
        yield packer.flush()

    return pieces
