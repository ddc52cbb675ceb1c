"""Reads users, their sessions and tokens, the audit log and saved views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, or_, select

from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.engine import Connection


@dataclass(frozen=True, slots=True)
class User:
    """A member of a workspace."""

    id: int
    email: str
    name: str
    role: str
    created_at: datetime
    last_login_at: datetime | None
    disabled_at: datetime | None


@dataclass(frozen=True, slots=True)
class Workspace:
    id: int
    name: str
    role: str
    """What the user is in it."""


@dataclass(frozen=True, slots=True)
class Account:
    """What signing in needs to know of a user."""

    id: int
    email: str
    name: str
    password_hash: str | None
    disabled_at: datetime | None


@dataclass(frozen=True, slots=True)
class Session:
    id: int
    user_id: int
    workspace_id: int
    address: str
    user_agent: str
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ApiToken:
    id: int
    user_id: int
    workspace_id: int
    name: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class OneTimeLink:
    purpose: str
    user_id: int | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class LoginFailures:
    failures: int
    last_failed_at: datetime
    blocked_until: datetime | None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    id: int
    workspace_id: int | None
    user_id: int | None
    actor: str
    action: str
    detail: dict[str, Any]
    address: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SavedView:
    id: int
    workspace_id: int
    user_id: int
    kind: str
    name: str
    query: dict[str, Any]
    is_shared: bool
    created_at: datetime
    updated_at: datetime


def _columns(kind: type[Any], table: Any) -> Select[Any]:
    return select(*(table.c[name] for name in kind.__dataclass_fields__))


_USERS = select(
    *(t.users.c[name] for name in User.__dataclass_fields__ if name != "role"),
    t.memberships.c.role,
).join_from(t.users, t.memberships)


def members(connection: Connection, workspace_id: int) -> list[User]:
    """The users of a workspace, by email."""
    of_workspace = _USERS.where(t.memberships.c.workspace_id == workspace_id)
    rows = connection.execute(of_workspace.order_by(t.users.c.email))
    return [User(**row._asdict()) for row in rows]


def member(connection: Connection, workspace_id: int, user_id: int) -> User | None:
    is_member = and_(t.memberships.c.workspace_id == workspace_id, t.users.c.id == user_id)
    row = connection.execute(_USERS.where(is_member)).first()
    return User(**row._asdict()) if row else None


def account_by_email(connection: Connection, email: str) -> Account | None:
    return _account(connection, t.users.c.email == email)


def account_by_id(connection: Connection, user_id: int) -> Account | None:
    return _account(connection, t.users.c.id == user_id)


def account_by_identity(connection: Connection, issuer: str, subject: str) -> Account | None:
    own = select(t.identities.c.user_id).where(
        t.identities.c.issuer == issuer, t.identities.c.subject == subject
    )
    return _account(connection, t.users.c.id.in_(own))


def _account(connection: Connection, condition: Any) -> Account | None:
    row = connection.execute(_columns(Account, t.users).where(condition)).first()
    return Account(**row._asdict()) if row else None


def has_users(connection: Connection) -> bool:
    return connection.scalar(select(t.users.c.id).limit(1)) is not None


def workspaces_of(connection: Connection, user_id: int) -> list[Workspace]:
    """In the order in which the user came to them."""
    statement = (
        select(t.workspaces.c.id, t.workspaces.c.name, t.memberships.c.role)
        .join_from(t.workspaces, t.memberships)
        .where(t.memberships.c.user_id == user_id)
        .order_by(t.memberships.c.created_at, t.workspaces.c.id)
    )
    return [Workspace(**row._asdict()) for row in connection.execute(statement)]


def workspaces(connection: Connection) -> list[tuple[int, str]]:
    rows = connection.execute(select(t.workspaces.c.id, t.workspaces.c.name))
    return [(row.id, row.name) for row in rows]


def workspace_by_name(connection: Connection, name: str) -> int | None:
    return connection.scalar(select(t.workspaces.c.id).where(t.workspaces.c.name == name))


def count_owners(connection: Connection, workspace_id: int) -> int:
    """Those who can sign in."""
    statement = (
        select(func.count())
        .select_from(t.memberships.join(t.users))
        .where(
            t.memberships.c.workspace_id == workspace_id,
            t.memberships.c.role == "owner",
            t.users.c.disabled_at.is_(None),
        )
    )
    return connection.scalar(statement) or 0


def session_by_hash(connection: Connection, secret_hash: str) -> Session | None:
    wanted = _columns(Session, t.sessions).where(t.sessions.c.secret_hash == secret_hash)
    row = connection.execute(wanted).first()
    return Session(**row._asdict()) if row else None


def sessions_of(connection: Connection, user_id: int) -> list[Session]:
    """The last used first."""
    of_user = _columns(Session, t.sessions).where(t.sessions.c.user_id == user_id)
    rows = connection.execute(of_user.order_by(t.sessions.c.last_used_at.desc()))
    return [Session(**row._asdict()) for row in rows]


def token_by_id(connection: Connection, token_id: int) -> tuple[ApiToken, str] | None:
    """The token and the hash of its secret."""
    statement = _columns(ApiToken, t.api_tokens).add_columns(t.api_tokens.c.secret_hash)
    row = connection.execute(statement.where(t.api_tokens.c.id == token_id)).first()
    if row is None:
        return None
    values = row._asdict()
    secret_hash = values.pop("secret_hash")
    return ApiToken(**values), secret_hash


def tokens(connection: Connection, workspace_id: int, user_id: int | None = None) -> list[ApiToken]:
    """Those of a workspace, or of one user in it; the newest first."""
    statement = _columns(ApiToken, t.api_tokens).where(t.api_tokens.c.workspace_id == workspace_id)
    if user_id is not None:
        statement = statement.where(t.api_tokens.c.user_id == user_id)
    rows = connection.execute(statement.order_by(t.api_tokens.c.id.desc()))
    return [ApiToken(**row._asdict()) for row in rows]


def one_time_link(connection: Connection, secret_hash: str) -> OneTimeLink | None:
    statement = _columns(OneTimeLink, t.one_time_links)
    row = connection.execute(statement.where(t.one_time_links.c.secret_hash == secret_hash)).first()
    return OneTimeLink(**row._asdict()) if row else None


def login_failures(connection: Connection, key: str) -> LoginFailures | None:
    statement = _columns(LoginFailures, t.login_failures)
    row = connection.execute(statement.where(t.login_failures.c.key == key)).first()
    return LoginFailures(**row._asdict()) if row else None


def is_known_address(connection: Connection, user_id: int, address: str) -> bool:
    """Whether the user has signed in from there."""
    own = (t.known_addresses.c.user_id == user_id) & (t.known_addresses.c.address == address)
    return connection.scalar(select(t.known_addresses.c.user_id).where(own)) is not None


def audit_entries(
    connection: Connection, workspace_id: int, before_id: int | None, limit: int
) -> list[AuditEntry]:
    """The newest first; those of no workspace belong to the first one, whose owners run it all."""
    own = t.audit_log.c.workspace_id == workspace_id
    if workspace_id == 1:
        own = or_(own, t.audit_log.c.workspace_id.is_(None))
    statement = _columns(AuditEntry, t.audit_log).where(own)
    if before_id is not None:
        statement = statement.where(t.audit_log.c.id < before_id)
    rows = connection.execute(statement.order_by(t.audit_log.c.id.desc()).limit(limit))
    return [AuditEntry(**row._asdict()) for row in rows]


def saved_views(
    connection: Connection, workspace_id: int, user_id: int, kind: str = ""
) -> list[SavedView]:
    """The user's own and the shared ones, by name."""
    statement = _columns(SavedView, t.saved_views).where(
        t.saved_views.c.workspace_id == workspace_id,
        or_(t.saved_views.c.user_id == user_id, t.saved_views.c.is_shared),
    )
    if kind:
        statement = statement.where(t.saved_views.c.kind == kind)
    rows = connection.execute(statement.order_by(t.saved_views.c.name, t.saved_views.c.id))
    return [SavedView(**row._asdict()) for row in rows]


def saved_view(connection: Connection, workspace_id: int, view_id: int) -> SavedView | None:
    statement = _columns(SavedView, t.saved_views).where(
        t.saved_views.c.workspace_id == workspace_id, t.saved_views.c.id == view_id
    )
    row = connection.execute(statement).first()
    return SavedView(**row._asdict()) if row else None


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The answer to a request with an idempotency key."""

    request_hash: str
    status: int | None
    """None: the request is under way."""
    headers: dict[str, str] | None
    body: bytes | None
    created_at: datetime


def kept_answer(connection: Connection, caller: str, key: str) -> KeptAnswer | None:
    statement = _columns(KeptAnswer, t.idempotency_keys).where(
        t.idempotency_keys.c.caller == caller, t.idempotency_keys.c.key == key
    )
    row = connection.execute(statement).first()
    return KeptAnswer(**row._asdict()) if row else None
