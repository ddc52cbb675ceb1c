"""Signing in and out: by password or as somebody whom a provider has vouched for.

Nothing tells which accounts exist; :mod:`~sitecrawl.services.login_throttle` slows down guessing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sitecrawl.errors import InvalidInputError, NotFoundError, SignInRefusedError
from sitecrawl.services.login_throttle import (
    Attempt,
    check_throttle,
    count_failure,
    trust_address,
)
from sitecrawl.services.passwords import (
    MAX_LENGTH,
    hash_password,
    is_outdated,
    is_password,
    new_secret,
    secret_hash,
)
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.users import checked_email
from sitecrawl.store.queries import users as queries
from sitecrawl.store.writers import users as writers

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.services.callers import SessionRules
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.users import Account, Session

REFUSED: Final = "email or password is wrong"
_MAX_USER_AGENT: Final = 300
# An address from which nobody has signed in for so long may belong to somebody else.
_KNOWN_ADDRESS_LIFETIME: Final = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Client:
    """Where somebody signs in from."""

    address: str
    user_agent: str = ""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session: its secret is shown to the browser and nobody else."""

    secret: str
    session_id: int
    user_id: int
    email: str
    workspace_id: int
    expires_at: datetime


def sign_in(
    database: Database,
    email: str,
    password: str,
    client: Client,
    rules: SessionRules,
    now: datetime | None = None,
) -> SignedIn:
    """``SignInRefusedError`` or ``ThrottledError`` if not; it takes as long either way."""
    now = now or datetime.now(UTC)
    attempt = Attempt(email, client.address)
    with database.reading() as connection:
        account = _account(connection, email)
        check_throttle(connection, attempt, account.id if account else None, now)
    known_hash = account.password_hash if account else None
    is_right = len(password) <= MAX_LENGTH and is_password(password, known_hash)
    if not is_right or account is None or account.disabled_at is not None:
        with database.writing() as connection:
            count_failure(connection, attempt, now)
        raise SignInRefusedError(REFUSED)
    renewed = hash_password(password) if is_outdated(known_hash or "") else None
    with database.writing() as connection:
        if renewed:
            writers.update_user(connection, account.id, password_hash=renewed)
        return open_session(connection, account, client, rules, now)


def is_own_password(database: Database, user_id: int, password: str, client: Client) -> bool:
    """Whether a user who is signed in knows the password; failures count as those of signing in."""
    now = datetime.now(UTC)
    with database.reading() as connection:
        account = queries.account_by_id(connection, user_id)
        assert account is not None
        attempt = Attempt(account.email, client.address)
        check_throttle(connection, attempt, user_id, now)
    if len(password) <= MAX_LENGTH and is_password(password, account.password_hash):
        return True
    with database.writing() as connection:
        count_failure(connection, attempt, now)
    return False


def open_session(
    connection: Connection, account: Account, client: Client, rules: SessionRules, now: datetime
) -> SignedIn:
    """A session for somebody whose identity has been proven; in the user's first workspace."""
    own = queries.workspaces_of(connection, account.id)
    if account.disabled_at is not None or not own:
        raise SignInRefusedError(REFUSED)
    secret = new_secret()
    expires_at = now + rules.absolute
    session_id = writers.add_session(
        connection,
        secret_hash=secret_hash(secret),
        user_id=account.id,
        workspace_id=own[0].id,
        address=client.address,
        user_agent=client.user_agent[:_MAX_USER_AGENT],
        created_at=now,
        last_used_at=now,
        expires_at=expires_at,
    )
    writers.update_user(connection, account.id, last_login_at=now)
    trust_address(connection, Attempt(account.email, client.address), account.id, now)
    return SignedIn(secret, session_id, account.id, account.email, own[0].id, expires_at)


def trust_by_link(database: Database, email: str, client: Client) -> None:
    """Whoever has chosen a password by a link can sign in from there, whatever others have tried.

    It is the way in for somebody whose account is being attacked.
    """
    with database.writing() as connection:
        account = _account(connection, email)
        if account is not None:
            attempt = Attempt(email, client.address)
            trust_address(connection, attempt, account.id, datetime.now(UTC))


def end_session(database: Database, secret: str) -> None:
    """End the session with this secret."""
    with database.writing() as connection:
        session = queries.session_by_hash(connection, secret_hash(secret))
        if session is not None:
            writers.delete_sessions(connection, session.user_id, only=session.id)


@requires(Permission.READ)
def list_sessions(database: Database, user_id: int, rules: SessionRules) -> list[Session]:
    """The user's own valid sessions, the last used first."""
    now = datetime.now(UTC)
    with database.reading() as connection:
        return [
            session
            for session in queries.sessions_of(connection, user_id)
            if session.expires_at > now and session.last_used_at + rules.idle > now
        ]


@requires(Permission.READ)
def revoke_session(database: Database, user_id: int, session_id: int) -> None:
    """End one of the user's own sessions."""
    with database.writing() as connection:
        if not writers.delete_sessions(connection, user_id, only=session_id):
            raise NotFoundError(f"there is no session {session_id}")


@requires(Permission.READ)
def revoke_other_sessions(database: Database, user_id: int, session_id: int) -> int:
    """End all sessions of the user but this one; return their number."""
    with database.writing() as connection:
        return writers.delete_sessions(connection, user_id, keep=session_id)


@requires(Permission.READ)
def choose_workspace(database: Database, user_id: int, session_id: int, workspace_id: int) -> None:
    """Switch the session to another workspace of the user."""
    with database.writing() as connection:
        own = {each.id for each in queries.workspaces_of(connection, user_id)}
        if workspace_id not in own:
            raise NotFoundError(f"there is no workspace {workspace_id}")
        writers.update_session(connection, session_id, workspace_id=workspace_id)


def sign_in_by_identity(
    database: Database,
    issuer: str,
    subject: str,
    email: str,
    client: Client,
    rules: SessionRules,
) -> SignedIn:
    """Somebody whom a provider vouches for; the first time it is known by its verified email.

    There has to be a user with this email: a provider lets nobody in whom no owner has added.
    """
    now = datetime.now(UTC)
    with database.writing() as connection:
        account = queries.account_by_identity(connection, issuer, subject)
        if account is None:
            account = _account(connection, email)
            if account is None:
                raise SignInRefusedError(
                    "there is no user with the email that the provider gives; ask an owner"
                )
            writers.add_identity(connection, issuer, subject, account.id, now)
        return open_session(connection, account, client, rules, now)


def clear_expired(database: Database, rules: SessionRules) -> None:
    """Delete expired sessions, links and addresses, and kept answers older than a day."""
    now = datetime.now(UTC)
    with database.writing() as connection:
        writers.delete_expired(
            connection,
            now=now,
            unused_since=now - rules.idle,
            day_ago=now - timedelta(days=1),
            addresses_since=now - _KNOWN_ADDRESS_LIFETIME,
        )


def _account(connection: Connection, email: str) -> Account | None:
    try:
        return queries.account_by_email(connection, checked_email(email))
    except InvalidInputError:
        return None
