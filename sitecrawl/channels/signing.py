"""Signatures of webhooks: Standard Webhooks, and the plain one of ``X-Sitemap-Signature``.

* The key of Standard Webhooks is the secret as UTF-8 or, if it starts with ``whsec_``, what the
  base64 behind this prefix decodes to.
* ``X-Sitemap-Signature`` is the hexadecimal HMAC-SHA256 of the body; its key is the whole secret as
  UTF-8, also if it starts with ``whsec_``.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

_PREFIX = "whsec_"
_SECRET_BYTES = 32


def new_secret() -> str:
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def key_of(secret: str) -> bytes:
    """ValueError: it starts with ``whsec_`` and is not base64."""
    if not secret.startswith(_PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        raise ValueError(f"what follows {_PREFIX} is not base64") from None


def signature_headers(
    message_id: str, moment: datetime, body: bytes, signing_secrets: Sequence[str]
) -> dict[str, str]:
    """The headers that sign the body; the first secret is the newest one.

    >>> from datetime import UTC, datetime
    >>> moment = datetime(2026, 1, 1, tzinfo=UTC)
    >>> headers = signature_headers("msg_1", moment, b"{}", ["new", "old"])
    >>> headers["webhook-signature"].count("v1,")
    2
    """
    timestamp = str(int(moment.timestamp()))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(_standard(secret, signed) for secret in signing_secrets),
        "X-Sitemap-Signature": hmac.new(
            signing_secrets[0].encode(), body, hashlib.sha256
        ).hexdigest(),
    }


def _standard(secret: str, signed: bytes) -> str:
    digest = hmac.new(key_of(secret), signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"
