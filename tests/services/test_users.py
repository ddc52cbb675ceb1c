"""Users, sessions, tokens and kept answers on both databases."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from sitecrawl.errors import ConflictError, NotFoundError
from sitecrawl.services import audit, idempotency, sessions, tokens, users, views
from sitecrawl.services.callers import SessionRules, caller_by_session, caller_by_token
from sitecrawl.services.permissions import Permission, Role
from sitecrawl.services.sessions import Client
from sitecrawl.services.views import ViewKind

if TYPE_CHECKING:
    from sitecrawl.services.callers import Caller
    from sitecrawl.store.engine import Database

EMAIL, PASSWORD = "ada@example.com", "a long password"
RULES, CLIENT = SessionRules(), Client("192.0.2.1", "a browser")


@pytest.fixture(autouse=True)
def owner(database: Database) -> None:
    users.create_user(database, 1, EMAIL, Role.OWNER, password=PASSWORD)


def signed_in(database: Database) -> Caller:
    opened = sessions.sign_in(database, EMAIL, PASSWORD, CLIENT, RULES)
    caller = caller_by_session(database, opened.secret, RULES)
    assert caller is not None
    return caller


def test_sessions_and_tokens(database: Database) -> None:
    caller = signed_in(database)
    made = tokens.create_token(database, caller, "nightly", [Permission.READ], 1)
    by_token = caller_by_token(database, made.text)
    assert by_token is not None
    assert by_token.permissions == {Permission.READ}
    assert caller_by_token(database, made.text[:-1] + "x") is None
    [shown] = tokens.list_tokens(database, caller)
    assert shown.last_used_at is not None
    tokens.revoke_token(database, caller, made.token.id)
    assert caller_by_token(database, made.text) is None
    sessions.clear_expired(database, RULES)
    assert len(sessions.list_sessions(database, caller.user_id, RULES)) == 1
    sessions.clear_expired(database, SessionRules(idle=timedelta(0)))
    assert sessions.list_sessions(database, caller.user_id, RULES) == []


def test_the_last_owner_stays(database: Database) -> None:
    caller = signed_in(database)
    with pytest.raises(ConflictError):
        users.change_user(database, 1, caller.user_id, role=Role.VIEWER)
    with pytest.raises(ConflictError):
        users.change_user(database, 1, caller.user_id, disabled=True)
    with pytest.raises(ConflictError):
        users.remove_user(database, 1, caller.user_id)
    other = users.create_user(database, 1, "bob@example.com", Role.OWNER)
    users.remove_user(database, 1, other.id)
    with pytest.raises(NotFoundError):
        users.get_user(database, 1, other.id)


def test_users_of_a_workspace_without_an_owner_can_be_disabled(database: Database) -> None:
    """The operator has made it so."""
    other = users.workspace_named(database, "other")
    viewer = users.create_user(database, other, "bob@example.com", Role.VIEWER)
    for disabled in (True, False):
        changed = users.disable_everywhere(database, viewer.email, disabled=disabled)
        assert (changed.disabled_at is not None) is disabled
    with pytest.raises(ConflictError):
        users.disable_everywhere(database, EMAIL, disabled=True)


def test_views_are_ones_own_or_shared(database: Database) -> None:
    caller = signed_in(database)
    made = views.create_view(database, caller, ViewKind.PAGES, "broken", {"status": "broken"})
    with pytest.raises(ConflictError):
        views.create_view(database, caller, ViewKind.PAGES, "broken", {})
    shared = views.change_view(database, caller, made.id, is_shared=True)
    assert shared.query == {"status": "broken"}
    views.delete_view(database, caller, made.id)
    assert views.list_views(database, caller) == []


def test_a_kept_answer_is_given_again(database: Database) -> None:
    assert idempotency.claim(database, "user:1", "key", "hash") is None
    waiting = idempotency.claim(database, "user:1", "key", "hash")
    assert waiting is not None
    assert waiting.status is None
    idempotency.keep(database, "user:1", "key", status=201, headers={"etag": "x"}, body=b"{}")
    kept = idempotency.claim(database, "user:1", "key", "hash")
    assert kept is not None
    assert (kept.status, kept.headers, kept.body) == (201, {"etag": "x"}, b"{}")
    idempotency.release(database, "user:1", "key")
    assert idempotency.claim(database, "user:1", "key", "hash") is None


def test_the_audit_log_is_of_a_workspace(database: Database) -> None:
    caller = signed_in(database)
    other = users.workspace_named(database, "other")
    audit.record(database, "createSite", caller=caller, detail={"site_id": "1"})
    [entry] = audit.list_audit_entries(database, 1)
    assert (entry.actor, entry.action, entry.detail) == (EMAIL, "createSite", {"site_id": "1"})
    assert audit.list_audit_entries(database, other) == []
