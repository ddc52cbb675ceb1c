"""Encrypts secrets that have to be stored."""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

if TYPE_CHECKING:
    from collections.abc import Sequence


class SecretBox:
    """Encrypts with the first of its keys and decrypts with any of them, so that keys can change.

    >>> box = SecretBox([new_key()])
    >>> box.decrypt(box.encrypt("s3cret"))
    's3cret'
    """

    def __init__(self, keys: Sequence[str]):
        """Raises ValueError if a key is invalid, or there is no key."""
        if not keys:
            raise ValueError("there is no key")
        try:
            self._fernet = MultiFernet([Fernet(key) for key in keys])
        except ValueError:
            raise ValueError("a key is 32 bytes in URL-safe base64") from None
        # Of the last: that is the one that stays the same when a new one is put in front.
        self._oldest = base64.urlsafe_b64decode(keys[-1])

    def encrypt(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode()

    def decrypt(self, token: str) -> str:
        """Raises ValueError if it was encrypted with another key."""
        try:
            return self._fernet.decrypt(token.encode()).decode()
        except InvalidToken:
            raise ValueError("it was encrypted with another key") from None

    def derived_key(self, purpose: str) -> bytes:
        """A key for another purpose than encryption."""
        return hmac.new(self._oldest, purpose.encode(), hashlib.sha256).digest()


def new_key() -> str:
    return Fernet.generate_key().decode()
