"""Passwords, and the random secrets of sessions, tokens and links: all are kept as hashes only.

Passwords: Argon2id with 19 MiB, two passes and one lane, as OWASP recommends for servers where
several people sign in at once. A hash with other parameters is renewed when its user signs in.
"""

from __future__ import annotations

import hashlib
import secrets
from functools import cache
from typing import TYPE_CHECKING, Final

from sitecrawl.errors import ExtraMissingError, InvalidInputError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MIN_LENGTH: Final = 12
MAX_LENGTH: Final = 1_000
_MEMORY_KIB: Final = 19_456
_PASSES: Final = 2
_LANES: Final = 1
_SECRET_BYTES: Final = 32


def check_password(password: str, email: str) -> None:
    """``InvalidInputError`` for one that is too short, too long or too easy."""
    if len(password) < MIN_LENGTH:
        raise InvalidInputError("password", f"expected at least {MIN_LENGTH} characters")
    if len(password) > MAX_LENGTH:
        raise InvalidInputError("password", f"expected at most {MAX_LENGTH:,} characters")
    if len(set(password)) < MIN_LENGTH // 3 or password.lower() == email:
        raise InvalidInputError("password", "it is too easy to guess")


def hash_password(password: str) -> str:
    return _hasher().hash(password)


def is_password(password: str, password_hash: str | None) -> bool:
    """Takes as long for a user without a password, so that nobody learns who has one."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        _hasher().verify(password_hash or _nobodys_hash(), password)
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None


def is_outdated(password_hash: str) -> bool:
    return _hasher().check_needs_rehash(password_hash)


@cache
def _hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher
    except ImportError as error:
        raise ExtraMissingError(
            "passwords need the argon2-cffi package; install it with: pip install 'sitecrawl[web]'"
        ) from error
    return PasswordHasher(time_cost=_PASSES, memory_cost=_MEMORY_KIB, parallelism=_LANES)


@cache
def _nobodys_hash() -> str:
    return hash_password("nobody has this password")


# --- random secrets -------------------------------------------------------------------------------


def new_secret() -> str:
    return secrets.token_urlsafe(_SECRET_BYTES)


def secret_hash(secret: str) -> str:
    """The hash that is stored; a fast one will do, as nobody can guess 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()
