"""The key that encrypts secrets in the database: from a setting, or from a file of its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sitecrawl.config import ConfigError
from sitecrawl.safety.secrets import SecretBox, new_key

if TYPE_CHECKING:
    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database

_ENDING = ".key"
_OTHERS_MAY = 0o077


def secret_box(database: Database, config: Config) -> SecretBox:
    """Open the key; a missing file is created with a new key, readable only by its owner.

    Every machine that works with the database needs the same key.
    """
    if config.secret_key:
        return _box(list(config.secret_key), "SITECRAWL_SECRET_KEY")
    path = _key_file(database, config)
    try:
        keys = _read(path)
    except FileNotFoundError:
        _create(path)
        keys = _read(path)
    except OSError as error:
        raise ConfigError(f"the key file {path} cannot be read: {error.strerror}") from error
    return _box(keys, str(path))


def check_key(database: Database, config: Config) -> str:
    """Where the key is, in words; ``ConfigError`` if it is missing or cannot be used."""
    if config.secret_key:
        _box(list(config.secret_key), "SITECRAWL_SECRET_KEY")
        return "from SITECRAWL_SECRET_KEY"
    path = _key_file(database, config)
    try:
        _box(_read(path), str(path))
    except OSError as error:
        raise ConfigError(
            f"the key file {path} cannot be read: {error.strerror};"
            " without it nothing can be sent: restore it, or enter the secrets of channels again"
        ) from error
    return f"in {path}; keep a copy of it apart from the database"


def _box(keys: list[str], origin: str) -> SecretBox:
    try:
        return SecretBox(keys)
    except ValueError as error:
        raise ConfigError(f"{origin}: {error}") from None


def _key_file(database: Database, config: Config) -> Path:
    if config.secret_key_file:
        return Path(config.secret_key_file).expanduser()
    if database.is_sqlite:
        return Path(str(database.engine.url.database)).with_suffix(_ENDING)
    raise ConfigError(
        "secrets in a PostgreSQL database need a key that all machines share:"
        " set SITECRAWL_SECRET_KEY, or SITECRAWL_SECRET_KEY_FILE to the path of a file"
    )


def _read(path: Path) -> list[str]:
    text = path.read_text(encoding="ascii", errors="replace")
    if os.name == "posix" and path.stat().st_mode & _OTHERS_MAY:
        raise ConfigError(f"the key file {path} can be read by others; run: chmod 600 {path}")
    return text.split()


def _create(path: Path) -> None:
    try:
        # Complete before it has its name, so that nobody reads half of it; a link does not
        # replace the file of somebody who was faster.
        draft = path.with_name(f"{path.name}.{os.getpid()}.new")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(new_key() + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    except OSError as error:
        raise ConfigError(
            f"the key file {path} cannot be created: {error.strerror};"
            " SITECRAWL_SECRET_KEY_FILE names another place"
        ) from error
