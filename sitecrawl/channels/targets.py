"""The recipients of channels: what is valid for each kind, what is secret, what may be shown."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.errors import MessageError
from email.headerregistry import Address
from enum import StrEnum
from typing import TYPE_CHECKING

from ada_url import URL

from sitecrawl.channels.signing import key_of, new_secret
from sitecrawl.errors import InvalidInputError
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Collection

_MAX_LENGTH = 2_000
_MIN_SECRET, _MAX_SECRET = 16, 200
_APPRISE_SCHEME = re.compile(r"([a-z0-9]+)://\S+", re.IGNORECASE)
# How long a webhook is signed with both secrets after a change of its secret.
ROTATION = timedelta(hours=24)


class ChannelKind(StrEnum):
    """The service that a channel sends to."""

    WEBHOOK = "webhook"
    EMAIL = "email"
    SLACK = "slack"
    DISCORD = "discord"
    TEAMS = "teams"
    APPRISE = "apprise"


@dataclass(frozen=True, slots=True)
class Target:
    """The recipient of a channel. All of it may be secret, so its ``repr`` shows nothing."""

    address: str = field(repr=False)
    secret: str = field(default="", repr=False)
    """Signs webhooks."""
    old_secret: str = field(default="", repr=False)
    old_secret_until: str = ""

    def to_json(self) -> str:
        return json.dumps(
            {
                "address": self.address,
                "secret": self.secret,
                "old_secret": self.old_secret,
                "old_secret_until": self.old_secret_until,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Target:
        return cls(**json.loads(text))

    def signing_secrets(self, now: datetime) -> list[str]:
        """The newest first."""
        until = self.old_secret_until
        is_rotating = bool(until) and now < datetime.fromisoformat(until)
        return [self.secret, self.old_secret] if is_rotating else [self.secret]

    def rotated(self, secret: str, now: datetime) -> Target:
        """The target with another secret; for a day both sign."""
        checked = _checked_secret(secret) if secret else new_secret()
        until = (now + ROTATION).astimezone(UTC).isoformat()
        return replace(self, secret=checked, old_secret=self.secret, old_secret_until=until)

    def fingerprint(self, kind: ChannelKind, key: bytes) -> str:
        """Equal for channels with the same recipient; without *key* it reveals nothing."""
        address = self.address.lower() if kind is ChannelKind.EMAIL else self.address
        return hmac.new(key, f"{kind}:{address}".encode(), hashlib.sha256).hexdigest()


def parse_target(
    kind: ChannelKind, address: str, secret: str = "", *, apprise_schemes: Collection[str] = ()
) -> Target:
    """Check what a person gives; errors do not repeat what may be secret."""
    address = address.strip()
    if not address or len(address) > _MAX_LENGTH:
        raise InvalidInputError("target", f"expected 1 to {_MAX_LENGTH} characters")
    if secret and kind is not ChannelKind.WEBHOOK:
        raise InvalidInputError("secret", f"only webhooks are signed; {kind} needs none")
    if kind is ChannelKind.EMAIL:
        return Target(_checked_email(address))
    if kind is ChannelKind.APPRISE:
        return Target(_checked_apprise(address, apprise_schemes))
    url = _checked_url(address)
    if kind is ChannelKind.WEBHOOK:
        return Target(url, _checked_secret(secret) if secret else new_secret())
    return Target(url)


def label_of(kind: ChannelKind, target: Target) -> str:
    """What may be shown of a target: paths and queries of URLs are often secret.

    >>> label_of(ChannelKind.SLACK, Target("https://hooks.slack.com/services/T0/B0/x"))
    'https://hooks.slack.com/…'
    """
    if kind is ChannelKind.EMAIL:
        return target.address
    if kind is ChannelKind.APPRISE:
        return f"{target.address.partition('://')[0].lower()}://…"
    return f"{URL(target.address).origin}/…"


def _checked_url(text: str) -> str:
    try:
        url = URL(text)
    except ValueError:
        raise InvalidInputError(
            "target", "expected a URL such as https://example.com/hook"
        ) from None
    if url.protocol not in {"http:", "https:"} or not url.hostname:
        raise InvalidInputError("target", "expected a URL with http:// or https://")
    if url.username or url.password:
        raise InvalidInputError("target", "a user name or password in the URL is not supported")
    url.hash = ""
    return url.href


def _checked_email(text: str) -> str:
    wrong = InvalidInputError("target", "expected one email address such as anna@example.com")
    if not text.isprintable() or not text.isascii():
        raise wrong
    try:
        address = Address(addr_spec=text)
    except (MessageError, ValueError, IndexError):
        raise wrong from None
    if not address.username or "." not in address.domain.strip("."):
        raise wrong
    return address.addr_spec


def _checked_apprise(text: str, schemes: Collection[str]) -> str:
    if not schemes:
        raise InvalidInputError(
            "kind",
            "Apprise is off; SITECRAWL_APPRISE_SCHEMES lists the services that may be used",
        )
    match = _APPRISE_SCHEME.fullmatch(text)
    if match is None:
        raise InvalidInputError("target", "expected a URL of Apprise such as ntfys://host/topic")
    if match[1].lower() not in schemes:
        allowed = ", ".join(sorted(schemes))
        raise InvalidInputError(
            "target", f"{printable(match[1])}:// is not one of SITECRAWL_APPRISE_SCHEMES: {allowed}"
        )
    return text


def _checked_secret(secret: str) -> str:
    if not _MIN_SECRET <= len(secret) <= _MAX_SECRET:
        raise InvalidInputError("secret", f"expected {_MIN_SECRET} to {_MAX_SECRET} characters")
    try:
        key_of(secret)
    except ValueError as error:
        raise InvalidInputError("secret", str(error)) from None
    return secret
