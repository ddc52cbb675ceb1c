"""Slows down guessing of passwords, without keeping the owner of an account out.

Failed attempts are counted whether there is such an account or not, so that nothing tells which
accounts exist:

- by account and address together: whoever guesses is stopped soon, and only there;
- by address: whoever tries many accounts is stopped a little later;
- by account alone, much later: many addresses that guess together. It does not hold for addresses
  from which the user has signed in before, or has chosen a password by a link.
"""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from sitecrawl.errors import ThrottledError
from sitecrawl.store.queries import users as queries
from sitecrawl.store.writers import users as writers

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

# Attempts that may fail before the next ones are blocked. Many people may share an address.
_FREE_FAILURES: Final = {"pair": 8, "address": 40, "account": 100}
_FIRST_BLOCK: Final = timedelta(seconds=30)
_LONGEST_BLOCK: Final = timedelta(minutes=15)
# Failures before that no longer count.
_FORGOTTEN_AFTER: Final = timedelta(hours=1)
# A provider gives each of its customers at least so much of IPv6.
_IPV6_CUSTOMER_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class Attempt:
    """Somebody who wants to sign in: as whom, and from where."""

    email: str
    address: str

    @property
    def keys(self) -> tuple[str, ...]:
        """What its failures are counted by."""
        account, network = _account_hash(self.email), network_of(self.address)
        return f"pair:{account}:{network}", f"address:{network}", f"account:{account}"


def check_throttle(
    connection: Connection, attempt: Attempt, user_id: int | None, now: datetime
) -> None:
    """``ThrottledError`` if too many have failed; *user_id*: whose account it is, if there is."""
    for key in attempt.keys:
        known = queries.login_failures(connection, key)
        if known is None or known.blocked_until is None or known.blocked_until <= now:
            continue
        if _kind(key) == "account" and user_id is not None:
            network = network_of(attempt.address)
            if queries.is_known_address(connection, user_id, network):
                continue
        wait = int((known.blocked_until - now).total_seconds()) + 1
        raise ThrottledError("too many attempts to sign in have failed", wait)


def count_failure(connection: Connection, attempt: Attempt, now: datetime) -> None:
    for key in attempt.keys:
        before = queries.login_failures(connection, key)
        is_recent = before is not None and before.last_failed_at + _FORGOTTEN_AFTER > now
        failures = (before.failures if before and is_recent else 0) + 1
        block = block_after(_kind(key), failures)
        writers.set_login_failures(
            connection,
            key,
            failures=failures,
            last_failed_at=now,
            blocked_until=now + block if block else None,
        )


def trust_address(connection: Connection, attempt: Attempt, user_id: int, now: datetime) -> None:
    """Remember an address from which the user has signed in."""
    writers.forget_login_failures(connection, attempt.keys[0])
    writers.add_known_address(connection, user_id, network_of(attempt.address), now)


def forget_account(connection: Connection, email: str) -> None:
    """Forget the failed attempts of an account from all addresses."""
    writers.forget_login_failures(connection, f"account:{_account_hash(email)}")


def block_after(kind: str, failures: int) -> timedelta | None:
    """How long further attempts are blocked after so many that failed.

    >>> block_after("pair", 7), block_after("pair", 8), block_after("pair", 10)
    (None, datetime.timedelta(seconds=30), datetime.timedelta(seconds=120))
    >>> block_after("account", 99), block_after("pair", 10_000) == block_after("address", 60)
    (None, True)
    """
    beyond = failures - _FREE_FAILURES[kind]
    if beyond < 0:
        return None
    return min(_FIRST_BLOCK * (1 << min(beyond, 10)), _LONGEST_BLOCK)


def network_of(address: str) -> str:
    """The address, or the network of a customer, who can choose among its IPv6 addresses.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3::4"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7')
    """
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if known.version == 4:  # noqa: PLR2004  as it is called
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((int(known), _IPV6_CUSTOMER_BITS), strict=False))


def _kind(key: str) -> str:
    return key.partition(":")[0]


def _account_hash(email: str) -> str:
    return hashlib.sha256(email.strip().lower().encode(errors="replace")).hexdigest()
