"""Who is asking: somebody by a session, or a program by a token, with what they may do."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sitecrawl.errors import ForbiddenError
from sitecrawl.services.passwords import secret_hash
from sitecrawl.services.permissions import Permission, Role
from sitecrawl.store.errors import DatabaseLockedError, DatabaseReadOnlyError
from sitecrawl.store.queries import users as queries
from sitecrawl.store.writers import users as writers

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database

# When it was last used is written at most this often: a write may have to wait for a scan.
_TOUCH_INTERVAL: Final = timedelta(minutes=5)
_TOKEN: Final = re.compile(r"sc_([1-9][0-9]{0,17})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class SessionRules:
    """How long people stay signed in."""

    idle: timedelta = timedelta(hours=12)
    absolute: timedelta = timedelta(days=14)

    @classmethod
    def of(cls, config: Config) -> SessionRules:
        return cls(
            idle=timedelta(minutes=config.web_session_idle_minutes),
            absolute=timedelta(days=config.web_session_days),
        )


@dataclass(frozen=True, slots=True)
class Caller:
    """A signed-in user, or a token of one, in a workspace."""

    user_id: int
    email: str
    name: str
    workspace_id: int
    role: Role
    permissions: frozenset[Permission]
    session_id: int | None = None
    token_id: int | None = None
    token_name: str = ""

    @property
    def key(self) -> str:
        """Unique among all callers."""
        return f"token:{self.token_id}" if self.token_id else f"user:{self.user_id}"

    @property
    def actor(self) -> str:
        """As the audit log names it."""
        return f"token {self.token_name} of {self.email}" if self.token_id else self.email

    def check(self, permission: Permission) -> None:
        """``ForbiddenError`` if the caller lacks the permission."""
        if permission in self.permissions:
            return
        if self.token_id and permission in self.role.permissions:
            raise ForbiddenError(f"this token does not have the scope {permission}")
        raise ForbiddenError(f"this needs the permission {permission}; a {self.role} has it not")


def caller_by_session(
    database: Database, secret: str, rules: SessionRules, now: datetime | None = None
) -> Caller | None:
    """The user of a session that is neither revoked nor too old."""
    now = now or datetime.now(UTC)
    with database.reading() as connection:
        session = queries.session_by_hash(connection, secret_hash(secret))
        if session is None or session.expires_at <= now or session.last_used_at + rules.idle <= now:
            return None
        caller = _caller(connection, session.user_id, session.workspace_id)
    if caller is None:
        return None
    if session.last_used_at + _TOUCH_INTERVAL <= now:
        _touch(database, session_id=session.id, now=now)
    return Caller(*caller, permissions=caller[-1].permissions, session_id=session.id)


def caller_by_token(database: Database, text: str, now: datetime | None = None) -> Caller | None:
    """The user of a token such as ``sc_12_...``, with the permissions that both have."""
    now = now or datetime.now(UTC)
    parts = _TOKEN.fullmatch(text)
    if parts is None:
        return None
    with database.reading() as connection:
        found = queries.token_by_id(connection, int(parts[1]))
        if found is None or not hmac.compare_digest(found[1], secret_hash(parts[2])):
            return None
        token = found[0]
        if token.expires_at is not None and token.expires_at <= now:
            return None
        caller = _caller(connection, token.user_id, token.workspace_id)
    if caller is None:
        return None
    if token.last_used_at is None or token.last_used_at + _TOUCH_INTERVAL <= now:
        _touch(database, token_id=token.id, now=now)
    scopes = frozenset(Permission(scope) for scope in token.scopes)
    return Caller(
        *caller,
        permissions=caller[-1].permissions & scopes,
        token_id=token.id,
        token_name=token.name,
    )


def _caller(
    connection: Connection, user_id: int, workspace_id: int
) -> tuple[int, str, str, int, Role] | None:
    user = queries.member(connection, workspace_id, user_id)
    if user is None or user.disabled_at is not None:
        return None
    return user.id, user.email, user.name, workspace_id, Role(user.role)


def _touch(
    database: Database,
    *,
    session_id: int | None = None,
    token_id: int | None = None,
    now: datetime,
) -> None:
    try:
        with database.writing() as connection:
            if session_id is not None:
                writers.update_session(connection, session_id, last_used_at=now)
            if token_id is not None:
                writers.touch_token(connection, token_id, now)
    except (DatabaseLockedError, DatabaseReadOnlyError):
        return  # a request is not refused for that
