from __future__ import annotations

import base64

import pytest

from sitecrawl.channels.signing import key_of, new_secret
from sitecrawl.channels.targets import ChannelKind, Target, label_of, parse_target
from sitecrawl.errors import InvalidInputError


@pytest.mark.parametrize(
    ("kind", "given", "label"),
    [
        ("webhook", "https://example.com:8443/hook?token=1", "https://example.com:8443/…"),
        ("slack", "https://hooks.slack.com/services/T0/B0/x", "https://hooks.slack.com/…"),
        ("email", "anna+watch@example.com", "anna+watch@example.com"),
        ("apprise", "ntfys://token@ntfy.example/topic", "ntfys://…"),
    ],
)
def test_labels_tell_no_secrets(kind: str, given: str, label: str) -> None:
    target = parse_target(ChannelKind(kind), given, apprise_schemes=["ntfys"])
    assert label_of(ChannelKind(kind), target) == label
    assert given not in repr(target)


@pytest.mark.parametrize(
    ("kind", "given", "secret", "field"),
    [
        ("webhook", "", "", "target"),
        ("webhook", "example.com/hook", "", "target"),
        ("webhook", "ftp://example.com/", "", "target"),
        ("webhook", "file:///etc/passwd", "", "target"),
        ("webhook", "https://user:hush@example.com/", "", "target"),
        ("webhook", "https://example.com/" + "x" * 2_000, "", "target"),
        ("webhook", "https://example.com/", "short", "secret"),
        ("webhook", "https://example.com/", "whsec_not base64!!!", "secret"),
        ("slack", "https://example.com/", "0123456789abcdef", "secret"),
        ("email", "anna", "", "target"),
        ("email", "anna@localhost", "", "target"),
        ("email", "a@example.com, b@example.com", "", "target"),
        ("email", "anna@example.com\r\nBcc: eve@example.com", "", "target"),
        ("email", "Anna <anna@example.com>", "", "target"),
        ("apprise", "syslog://", "", "target"),
        ("apprise", "json://127.0.0.1/", "", "target"),
    ],
)
def test_what_cannot_be_a_target_is_refused_without_repeating_it(
    kind: str, given: str, secret: str, field: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_target(ChannelKind(kind), given, secret, apprise_schemes=["ntfys"])
    assert caught.value.field == field
    assert "hush" not in str(caught.value)


def test_apprise_is_off_unless_schemes_are_listed() -> None:
    with pytest.raises(InvalidInputError, match="SITECRAWL_APPRISE_SCHEMES"):
        parse_target(ChannelKind.APPRISE, "ntfys://ntfy.example/topic")


def test_secrets_are_keys_as_standard_webhooks_writes_them() -> None:
    secret = new_secret()
    assert key_of(secret) == base64.b64decode(secret.removeprefix("whsec_"))
    assert len(key_of(secret)) == 32
    assert key_of("a secret of my own") == b"a secret of my own"


def test_the_same_recipient_has_the_same_fingerprint() -> None:
    one, other = Target("Anna@example.com"), Target("anna@example.com", "secret")
    assert one.fingerprint(ChannelKind.EMAIL, b"k") == other.fingerprint(ChannelKind.EMAIL, b"k")
    assert one.fingerprint(ChannelKind.EMAIL, b"k") != one.fingerprint(ChannelKind.EMAIL, b"l")
