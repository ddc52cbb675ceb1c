"""Guessing is slowed down, and keeps nobody out who has been there before; on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from sitecrawl.errors import SignInRefusedError, ThrottledError
from sitecrawl.services import sessions, users
from sitecrawl.services.callers import SessionRules
from sitecrawl.services.permissions import Role
from sitecrawl.services.sessions import Client

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

EMAIL, PASSWORD = "ada@example.com", "a long password"
RULES = SessionRules()
HOME, ELSEWHERE, EVIL = Client("192.0.2.1"), Client("192.0.2.2"), Client("203.0.113.9")
NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def user_id(database: Database, monkeypatch: pytest.MonkeyPatch) -> int:
    """Hashes are those of no cost: it is counting that is tested."""
    made = users.create_user(database, 1, EMAIL, Role.OWNER, password=PASSWORD)
    monkeypatch.setattr(
        "sitecrawl.services.sessions.is_password", lambda given, _hash: given == PASSWORD
    )
    return made.id


def sign_in(
    database: Database, client: Client, password: str = PASSWORD, now: datetime = NOW
) -> None:
    sessions.sign_in(database, EMAIL, password, client, RULES, now)


def guess(database: Database, client: Client, times: int, email: str = EMAIL) -> None:
    for _ in range(times):
        with pytest.raises(SignInRefusedError):
            sessions.sign_in(database, email, "guess", client, RULES, NOW)


def guess_from_everywhere(database: Database) -> None:
    """Until the account itself is blocked."""
    for number in range(20):
        guess(database, Client(f"198.51.100.{number}"), 5)


def test_who_guesses_is_stopped_where_it_guesses_only(database: Database) -> None:
    guess(database, EVIL, 8)
    with pytest.raises(ThrottledError) as caught:
        sign_in(database, EVIL)
    assert caught.value.retry_after_seconds <= 31
    sign_in(database, HOME)
    # What the owner does elsewhere gives no further guesses.
    with pytest.raises(ThrottledError):
        sign_in(database, EVIL, "guess")
    sign_in(database, EVIL, now=NOW + timedelta(seconds=31))


def test_many_addresses_that_guess_together_are_stopped(database: Database) -> None:
    guess_from_everywhere(database)
    with pytest.raises(ThrottledError):
        sign_in(database, EVIL)
    sign_in(database, EVIL, now=NOW + timedelta(minutes=15))


def test_a_known_address_is_let_in_while_the_account_is_attacked(database: Database) -> None:
    sign_in(database, HOME)
    guess_from_everywhere(database)
    sign_in(database, HOME)
    with pytest.raises(ThrottledError):
        sign_in(database, ELSEWHERE)
    # It is no place to guess from, either.
    guess(database, HOME, 8)
    with pytest.raises(ThrottledError):
        sign_in(database, HOME)


def test_a_link_is_the_way_in_from_elsewhere(database: Database) -> None:
    guess_from_everywhere(database)
    sessions.trust_by_link(database, EMAIL, ELSEWHERE)
    sign_in(database, ELSEWHERE)


def test_a_password_set_on_the_machine_ends_the_block(database: Database, user_id: int) -> None:
    guess_from_everywhere(database)
    users.set_password(database, user_id, EMAIL, "another long password")
    sign_in(database, ELSEWHERE)


def test_an_address_that_was_not_used_for_long_is_forgotten(database: Database) -> None:
    old = datetime.now(UTC) - timedelta(days=91)
    sign_in(database, HOME, now=old)
    sessions.clear_expired(database, RULES)
    guess_from_everywhere(database)
    with pytest.raises(ThrottledError):
        sign_in(database, HOME)


def test_a_customer_has_one_address_of_ipv6(database: Database) -> None:
    for number in range(8):
        guess(database, Client(f"2001:db8::{number}"), 1)
    with pytest.raises(ThrottledError):
        sign_in(database, Client("2001:db8::ffff"))
    sign_in(database, Client("2001:db8:0:1::1"))


def test_accounts_that_do_not_exist_are_blocked_as_others_are(database: Database) -> None:
    nobody = "nobody@example.com"
    guess(database, EVIL, 8, nobody)
    with pytest.raises(ThrottledError):
        sessions.sign_in(database, nobody, "guess", EVIL, RULES, NOW)
