"""Random texts that let their holder in: made here, kept as hashes only."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

_SECRET_BYTES: Final = 32


def new_secret() -> str:
    return secrets.token_urlsafe(_SECRET_BYTES)


def secret_hash(secret: str) -> str:
    """What is kept. Nobody can guess 256 random bits, so a fast hash will do."""
    return hashlib.sha256(secret.encode()).hexdigest()
