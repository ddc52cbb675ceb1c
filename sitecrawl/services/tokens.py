"""Tokens by which programs use the API: ``sc_<number>_<secret>``, shown once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sitecrawl.errors import InvalidInputError, NotFoundError
from sitecrawl.services.passwords import new_secret, secret_hash
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.text_input import checked_name
from sitecrawl.store.queries import users as queries
from sitecrawl.store.writers import users as writers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sitecrawl.services.callers import Caller
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.users import ApiToken

_MAX_NAME: Final = 100
MAX_DAYS: Final = 3_650


@dataclass(frozen=True, slots=True)
class NewToken:
    token: ApiToken
    text: str
    """The only time that it is shown."""


@requires(Permission.READ)
def list_tokens(database: Database, caller: Caller) -> list[ApiToken]:
    """The caller's own in this workspace; everybody's for those who manage it."""
    everybody = Permission.MANAGE in caller.permissions
    with database.reading() as connection:
        user_id = None if everybody else caller.user_id
        return queries.tokens(connection, caller.workspace_id, user_id)


@requires(Permission.READ)
def create_token(
    database: Database,
    caller: Caller,
    name: str,
    scopes: Iterable[Permission],
    expires_in_days: int | None = None,
) -> NewToken:
    """It can do what its scopes and, at the time of a request, its user's role allow."""
    name = checked_name(name, _MAX_NAME)
    wanted = sorted(set(scopes))
    if not wanted:
        raise InvalidInputError("scopes", f"expected some of {', '.join(Permission)}")
    if beyond := [scope for scope in wanted if scope not in caller.permissions]:
        raise InvalidInputError("scopes", f"a {caller.role} cannot give {', '.join(beyond)}")
    if expires_in_days is not None and not 1 <= expires_in_days <= MAX_DAYS:
        raise InvalidInputError("expiresInDays", f"expected 1 to {MAX_DAYS:,}")
    now = datetime.now(UTC)
    secret = new_secret()
    with database.writing() as connection:
        token_id = writers.add_token(
            connection,
            secret_hash=secret_hash(secret),
            user_id=caller.user_id,
            workspace_id=caller.workspace_id,
            name=name,
            scopes=[str(scope) for scope in wanted],
            created_at=now,
            expires_at=now + timedelta(days=expires_in_days) if expires_in_days else None,
        )
        found = queries.token_by_id(connection, token_id)
    assert found is not None
    return NewToken(found[0], f"sc_{token_id}_{secret}")


@requires(Permission.READ)
def revoke_token(database: Database, caller: Caller, token_id: int) -> None:
    """One of the caller's own, or anybody's for those who manage the workspace."""
    with database.writing() as connection:
        found = queries.token_by_id(connection, token_id)
        if found is None or not _is_reachable(found[0], caller):
            raise NotFoundError(f"there is no token {token_id}")
        writers.delete_token(connection, token_id)


def _is_reachable(token: ApiToken, caller: Caller) -> bool:
    is_own = token.user_id == caller.user_id or Permission.MANAGE in caller.permissions
    return is_own and token.workspace_id == caller.workspace_id
