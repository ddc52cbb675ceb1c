"""Tokens in links that stop the messages of a channel: they name it, and prove the right to."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

PATH = "/unsubscribe/"
_PROOF_BYTES = 16


def unsubscribe_token(channel_id: int, key: bytes) -> str:
    return (
        base64.urlsafe_b64encode(_proof(channel_id, key) + channel_id.to_bytes(8, "big"))
        .decode()
        .rstrip("=")
    )


def channel_of_token(token: str, key: bytes) -> int | None:
    """None: nobody here has made it.

    >>> channel_of_token(unsubscribe_token(7, b"key"), b"key")
    7
    >>> channel_of_token(unsubscribe_token(7, b"key"), b"other") is None
    True
    """
    try:
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except (binascii.Error, ValueError):
        return None
    proof, number = raw[:_PROOF_BYTES], raw[_PROOF_BYTES:]
    if len(number) != 8:  # noqa: PLR2004  the bytes of a row's number
        return None
    channel_id = int.from_bytes(number, "big")
    return channel_id if hmac.compare_digest(proof, _proof(channel_id, key)) else None


def _proof(channel_id: int, key: bytes) -> bytes:
    return hmac.new(key, f"unsubscribe:{channel_id}".encode(), hashlib.sha256).digest()[
        :_PROOF_BYTES
    ]
