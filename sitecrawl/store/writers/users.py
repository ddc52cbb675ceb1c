"""Writes users, their sessions and tokens, the audit log and saved views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, or_, update

from sitecrawl.store import schema as t
from sitecrawl.store.writers.bulk import upserting_insert

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection


def add_workspace(connection: Connection, name: str, now: datetime) -> int:
    return _add(connection, t.workspaces, name=name, created_at=now)


def add_user(
    connection: Connection, *, email: str, name: str, password_hash: str | None, now: datetime
) -> int:
    return _add(
        connection,
        t.users,
        email=email,
        name=name,
        password_hash=password_hash,
        created_at=now,
    )


def update_user(connection: Connection, user_id: int, **values: Any) -> None:
    connection.execute(update(t.users).where(t.users.c.id == user_id).values(**values))


def set_role(
    connection: Connection, workspace_id: int, user_id: int, role: str, now: datetime
) -> None:
    """Make the user a member of the workspace, or change what it is there."""
    statement = upserting_insert(connection.dialect)(t.memberships).values(
        workspace_id=workspace_id, user_id=user_id, role=role, created_at=now
    )
    own = [t.memberships.c.workspace_id, t.memberships.c.user_id]
    connection.execute(statement.on_conflict_do_update(index_elements=own, set_={"role": role}))


def remove_member(connection: Connection, workspace_id: int, user_id: int) -> None:
    """With what it can reach the workspace by."""
    for table in (t.sessions, t.api_tokens, t.saved_views, t.memberships):
        connection.execute(
            delete(table).where(table.c.workspace_id == workspace_id, table.c.user_id == user_id)
        )


def add_identity(
    connection: Connection, issuer: str, subject: str, user_id: int, now: datetime
) -> None:
    values = {"issuer": issuer, "subject": subject, "user_id": user_id, "created_at": now}
    connection.execute(insert(t.identities).values(values))


def add_session(connection: Connection, **values: Any) -> int:
    return _add(connection, t.sessions, **values)


def update_session(connection: Connection, session_id: int, **values: Any) -> None:
    connection.execute(update(t.sessions).where(t.sessions.c.id == session_id).values(**values))


def delete_sessions(
    connection: Connection, user_id: int, *, only: int | None = None, keep: int | None = None
) -> int:
    """Those of a user, one of them, or all but one; return how many there were."""
    statement = delete(t.sessions).where(t.sessions.c.user_id == user_id)
    if only is not None:
        statement = statement.where(t.sessions.c.id == only)
    if keep is not None:
        statement = statement.where(t.sessions.c.id != keep)
    return connection.execute(statement).rowcount


def add_token(connection: Connection, **values: Any) -> int:
    return _add(connection, t.api_tokens, **values)


def touch_token(connection: Connection, token_id: int, now: datetime) -> None:
    own = t.api_tokens.c.id == token_id
    connection.execute(update(t.api_tokens).where(own).values(last_used_at=now))


def delete_token(connection: Connection, token_id: int) -> None:
    connection.execute(delete(t.api_tokens).where(t.api_tokens.c.id == token_id))


def delete_tokens_of(connection: Connection, user_id: int) -> None:
    connection.execute(delete(t.api_tokens).where(t.api_tokens.c.user_id == user_id))


def add_link(
    connection: Connection, secret_hash: str, purpose: str, user_id: int | None, expires: datetime
) -> None:
    """Instead of the links that the user, or the set-up, has had before."""
    delete_links(connection, user_id)
    values = {"secret_hash": secret_hash, "purpose": purpose, "user_id": user_id}
    connection.execute(insert(t.one_time_links).values(**values, expires_at=expires))


def delete_links(connection: Connection, user_id: int | None) -> None:
    connection.execute(delete(t.one_time_links).where(t.one_time_links.c.user_id == user_id))


def set_login_failures(connection: Connection, key: str, **values: Any) -> None:
    statement = upserting_insert(connection.dialect)(t.login_failures).values(key=key, **values)
    connection.execute(
        statement.on_conflict_do_update(index_elements=[t.login_failures.c.key], set_=values)
    )


def forget_login_failures(connection: Connection, key: str) -> None:
    connection.execute(delete(t.login_failures).where(t.login_failures.c.key == key))


def add_known_address(connection: Connection, user_id: int, address: str, now: datetime) -> None:
    statement = upserting_insert(connection.dialect)(t.known_addresses).values(
        user_id=user_id, address=address, last_used_at=now
    )
    own = [t.known_addresses.c.user_id, t.known_addresses.c.address]
    used = {"last_used_at": now}
    connection.execute(statement.on_conflict_do_update(index_elements=own, set_=used))


def add_audit_entry(connection: Connection, **values: Any) -> None:
    connection.execute(insert(t.audit_log).values(**values))


def add_view(connection: Connection, **values: Any) -> int:
    return _add(connection, t.saved_views, **values)


def update_view(connection: Connection, view_id: int, values: Mapping[str, Any]) -> None:
    own = t.saved_views.c.id == view_id
    connection.execute(update(t.saved_views).where(own).values(**values))


def delete_view(connection: Connection, view_id: int) -> None:
    connection.execute(delete(t.saved_views).where(t.saved_views.c.id == view_id))


def claim_key(
    connection: Connection, caller: str, key: str, request_hash: str, now: datetime
) -> bool:
    """Whether nobody else has claimed this idempotency key."""
    statement = upserting_insert(connection.dialect)(t.idempotency_keys).values(
        caller=caller, key=key, request_hash=request_hash, created_at=now
    )
    claimed = statement.on_conflict_do_nothing().returning(t.idempotency_keys.c.key)
    return connection.execute(claimed).first() is not None


def keep_answer(
    connection: Connection,
    caller: str,
    key: str,
    *,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
) -> None:
    own = (t.idempotency_keys.c.caller == caller) & (t.idempotency_keys.c.key == key)
    values = {"status": status, "headers": dict(headers), "body": body}
    connection.execute(update(t.idempotency_keys).where(own).values(**values))


def release_key(connection: Connection, caller: str, key: str) -> None:
    """The request failed: it may be sent again."""
    own = (t.idempotency_keys.c.caller == caller) & (t.idempotency_keys.c.key == key)
    connection.execute(delete(t.idempotency_keys).where(own))


def delete_expired(
    connection: Connection,
    *,
    now: datetime,
    unused_since: datetime,
    day_ago: datetime,
    addresses_since: datetime,
) -> None:
    """Sessions, links, throttles, addresses and kept answers that no longer count."""
    old_session = or_(t.sessions.c.expires_at < now, t.sessions.c.last_used_at < unused_since)
    connection.execute(delete(t.sessions).where(old_session))
    connection.execute(delete(t.one_time_links).where(t.one_time_links.c.expires_at < now))
    connection.execute(delete(t.login_failures).where(t.login_failures.c.last_failed_at < day_ago))
    old_address = t.known_addresses.c.last_used_at < addresses_since
    connection.execute(delete(t.known_addresses).where(old_address))
    connection.execute(delete(t.idempotency_keys).where(t.idempotency_keys.c.created_at < day_ago))


def _add(connection: Connection, table: Table, **values: Any) -> int:
    statement = insert(table).values(**values).returning(table.c.id)
    return int(connection.execute(statement).scalar_one())
