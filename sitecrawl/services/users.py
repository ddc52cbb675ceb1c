"""The users of a workspace: added, changed, disabled, and given links to choose a password by."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.services.login_throttle import forget_account
from sitecrawl.services.passwords import check_password, hash_password, new_secret, secret_hash
from sitecrawl.services.permissions import Permission, Role, requires
from sitecrawl.store.queries import users as queries
from sitecrawl.store.vocabulary import FIRST_WORKSPACE
from sitecrawl.store.writers import users as writers

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.users import User, Workspace

LINK_LIFETIME: Final = timedelta(days=3)
_SETUP = "setup"
_PASSWORD = "password"  # noqa: S105  the purpose of a link
_MAX_EMAIL: Final = 254
_MAX_NAME: Final = 200
# A mail server knows better what is an address; this refuses what certainly is none.
_EMAIL: Final = re.compile(r"[^@\s\x00-\x1f<>,;:\"]+@[^@\s\x00-\x1f<>,;:\"]+")


@requires(Permission.MANAGE)
def list_users(database: Database, workspace_id: int) -> list[User]:
    """By email."""
    with database.reading() as connection:
        return queries.members(connection, workspace_id)


@requires(Permission.MANAGE)
def get_user(database: Database, workspace_id: int, user_id: int) -> User:
    with database.reading() as connection:
        return _member(connection, workspace_id, user_id)


@requires(Permission.MANAGE)
def create_user(
    database: Database,
    workspace_id: int,
    email: str,
    role: Role,
    *,
    name: str = "",
    password: str | None = None,
) -> User:
    """Add a user; without a password it chooses one by :func:`password_link`.

    Somebody who is a user of another workspace becomes one of this as well, under the same
    password.
    """
    address = checked_email(email)
    now = datetime.now(UTC)
    hashed = None
    if password is not None:
        check_password(password, address)
        hashed = hash_password(password)
    with database.writing() as connection:
        known = queries.account_by_email(connection, address)
        if known and queries.member(connection, workspace_id, known.id):
            raise ConflictError(f"{address} is a user of this workspace already")
        if known and hashed:
            raise ConflictError(f"{address} has an account with its own password; give none")
        user_id = known.id if known else _add(connection, address, name, hashed, now)
        writers.set_role(connection, workspace_id, user_id, role, now)
        return _member(connection, workspace_id, user_id)


@requires(Permission.MANAGE)
def change_user(
    database: Database,
    workspace_id: int,
    user_id: int,
    *,
    role: Role | None = None,
    name: str | None = None,
    disabled: bool | None = None,
) -> User:
    """Change what is given; a disabled user is signed out, and loses its tokens."""
    now = datetime.now(UTC)
    with database.writing() as connection:
        user = _member(connection, workspace_id, user_id)
        if disabled and (len(queries.workspaces_of(connection, user_id)) > 1):
            raise ConflictError(
                f"{user.email} is a user of another workspace, too; remove it from this one instead"
            )
        if role is not None:
            writers.set_role(connection, workspace_id, user_id, role, now)
        if name is not None:
            writers.update_user(connection, user_id, name=_checked_name(name))
        if disabled is not None:
            _disable(connection, user_id, now if disabled else None)
        _check_owner_left(connection, workspace_id)
        return _member(connection, workspace_id, user_id)


@requires(Permission.MANAGE)
def remove_user(database: Database, workspace_id: int, user_id: int) -> None:
    """Take the user out of the workspace; its account stays."""
    with database.writing() as connection:
        _member(connection, workspace_id, user_id)
        writers.remove_member(connection, workspace_id, user_id)
        _check_owner_left(connection, workspace_id)


@requires(Permission.MANAGE)
def password_link(database: Database, workspace_id: int, user_id: int) -> str:
    """The secret of a link by which the user can choose a password, once, within three days.

    It replaces the user's links from before. An owner can give one only to users who have no other
    workspace: it would open that one, too.
    """
    with database.writing() as connection:
        user = _member(connection, workspace_id, user_id)
        if user.disabled_at is not None:
            raise ConflictError(f"{user.email} is disabled")
        if len(queries.workspaces_of(connection, user_id)) > 1:
            raise ConflictError(
                f"{user.email} is a user of another workspace, too; use: sitecrawl user"
                f" reset-password {user.email}"
            )
        return _add_link(connection, _PASSWORD, user_id)


@requires(Permission.READ)
def own_workspaces(database: Database, user_id: int) -> list[Workspace]:
    with database.reading() as connection:
        return queries.workspaces_of(connection, user_id)


# --- on the machine itself ---------------------------------------------------------------------


@requires(Permission.MANAGE)
def find_user(database: Database, email: str) -> User:
    """The user with this email, in its first workspace."""
    address = checked_email(email)
    with database.reading() as connection:
        account = queries.account_by_email(connection, address)
        own = queries.workspaces_of(connection, account.id) if account else []
        if account is None or not own:
            raise NotFoundError(f"there is no user {address}; see: sitecrawl user list")
        return _member(connection, own[0].id, account.id)


@requires(Permission.MANAGE)
def all_users(database: Database) -> list[tuple[str, User]]:
    """The users of every workspace, each with the name of the workspace."""
    with database.reading() as connection:
        return [
            (name, user)
            for workspace_id, name in queries.workspaces(connection)
            for user in queries.members(connection, workspace_id)
        ]


@requires(Permission.MANAGE)
def disable_everywhere(database: Database, email: str, *, disabled: bool) -> User:
    """As :func:`change_user`, whatever workspaces the user belongs to."""
    user = find_user(database, email)
    with database.writing() as connection:
        _disable(connection, user.id, datetime.now(UTC) if disabled else None)
        own = queries.workspaces_of(connection, user.id)
        for workspace in own:
            if disabled and workspace.role == Role.OWNER:
                _check_owner_left(connection, workspace.id)
        return _member(connection, own[0].id, user.id)


@requires(Permission.MANAGE)
def reset_link(database: Database, user_id: int) -> str:
    """As :func:`password_link`, for whoever runs the server."""
    with database.writing() as connection:
        return _add_link(connection, _PASSWORD, user_id)


@requires(Permission.MANAGE)
def workspace_named(database: Database, name: str) -> int:
    """The workspace with this name, made if there is none."""
    name = _checked_name(name.strip())
    if not name:
        raise InvalidInputError("workspace", "expected a name")
    with database.writing() as connection:
        known = queries.workspace_by_name(connection, name)
        return known or writers.add_workspace(connection, name, datetime.now(UTC))


@requires(Permission.MANAGE)
def setup_link(database: Database) -> str | None:
    """The secret of the link that makes the first user; None if there are users."""
    with database.writing() as connection:
        if queries.has_users(connection):
            return None
        return _add_link(connection, _SETUP, None)


# --- by a link ---------------------------------------------------------------------------------


def link_purpose(database: Database, secret: str) -> tuple[str, str]:
    """What the link is for, ``setup`` or ``password``, and whose; ``NotFoundError`` if it is over.

    Whoever has the link may ask: there is no other permission.
    """
    with database.reading() as connection:
        purpose, user_id = _link(connection, secret)
        account = queries.account_by_id(connection, user_id) if user_id else None
        return purpose, account.email if account else ""


def use_setup_link(database: Database, secret: str, email: str, password: str) -> User:
    """Make the first user, an owner of the first workspace."""
    with database.reading() as connection:
        _link(connection, secret)  # a password is hashed for nobody else
    address = checked_email(email)
    check_password(password, address)
    hashed = hash_password(password)
    now = datetime.now(UTC)
    with database.writing() as connection:
        purpose, _ = _link(connection, secret)
        if purpose != _SETUP or queries.has_users(connection):
            raise NotFoundError(_NO_LINK)
        user_id = _add(connection, address, "", hashed, now)
        writers.set_role(connection, FIRST_WORKSPACE, user_id, Role.OWNER, now)
        writers.delete_links(connection, None)
        return _member(connection, FIRST_WORKSPACE, user_id)


def use_password_link(database: Database, secret: str, password: str) -> str:
    """Set the password that the link's user has chosen, and return the user's email."""
    with database.reading() as connection:
        _, user_id = _link(connection, secret)
        account = queries.account_by_id(connection, user_id) if user_id else None
    if account is None or user_id is None:
        raise NotFoundError(_NO_LINK)
    check_password(password, account.email)
    hashed = hash_password(password)
    with database.writing() as connection:
        _link(connection, secret)  # nobody else has used it meanwhile
        _set_password(connection, user_id, hashed)
    return account.email


@requires(Permission.READ)
def change_own_password(
    database: Database, user_id: int, password: str, *, keep_session: int | None
) -> None:
    """Signs the user out everywhere but in *keep_session*. The caller has checked the old one."""
    with database.reading() as connection:
        account = queries.account_by_id(connection, user_id)
    assert account is not None
    check_password(password, account.email)
    hashed = hash_password(password)
    with database.writing() as connection:
        _set_password(connection, user_id, hashed, keep_session)


@requires(Permission.MANAGE)
def set_password(database: Database, user_id: int, email: str, password: str) -> None:
    """Set the password of any user, from the command line; failed attempts are forgotten."""
    check_password(password, email)
    hashed = hash_password(password)
    with database.writing() as connection:
        _set_password(connection, user_id, hashed)
        forget_account(connection, email)


_NO_LINK: Final = "this link has been used, has been replaced by a newer one, or is too old"


def checked_email(text: str) -> str:
    address = text.strip().lower()
    if len(address) > _MAX_EMAIL or not _EMAIL.fullmatch(address):
        raise InvalidInputError("email", "expected an address such as ada@example.com")
    return address


def _checked_name(name: str) -> str:
    if len(name) > _MAX_NAME or not name.isprintable():
        raise InvalidInputError("name", f"expected at most {_MAX_NAME} printable characters")
    return name


def _add(connection: Connection, email: str, name: str, hashed: str | None, now: datetime) -> int:
    checked = _checked_name(name)
    return writers.add_user(connection, email=email, name=checked, password_hash=hashed, now=now)


def _set_password(
    connection: Connection, user_id: int, hashed: str, keep_session: int | None = None
) -> None:
    values: dict[str, Any] = {"password_hash": hashed}
    writers.update_user(connection, user_id, **values)
    writers.delete_sessions(connection, user_id, keep=keep_session)
    writers.delete_links(connection, user_id)


def _disable(connection: Connection, user_id: int, since: datetime | None) -> None:
    writers.update_user(connection, user_id, disabled_at=since)
    if since is not None:
        writers.delete_sessions(connection, user_id)
        writers.delete_tokens_of(connection, user_id)
        writers.delete_links(connection, user_id)


def _add_link(connection: Connection, purpose: str, user_id: int | None) -> str:
    secret = new_secret()
    expires = datetime.now(UTC) + LINK_LIFETIME
    writers.add_link(connection, secret_hash(secret), purpose, user_id, expires)
    return secret


def _link(connection: Connection, secret: str) -> tuple[str, int | None]:
    link = queries.one_time_link(connection, secret_hash(secret))
    if link is None or link.expires_at < datetime.now(UTC):
        raise NotFoundError(_NO_LINK)
    return link.purpose, link.user_id


def _member(connection: Connection, workspace_id: int, user_id: int) -> User:
    user = queries.member(connection, workspace_id, user_id)
    if user is None:
        raise NotFoundError(f"there is no user {user_id}")
    return user


def _check_owner_left(connection: Connection, workspace_id: int) -> None:
    if not queries.count_owners(connection, workspace_id):
        raise ConflictError("a workspace needs an owner who can sign in; make another one first")
