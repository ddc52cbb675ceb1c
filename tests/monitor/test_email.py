"""Email through a real mail server that wants TLS and a login."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from sitecrawl.channels.rules import Cadence, Rules
from sitecrawl.errors import NotFoundError
from sitecrawl.monitor.announcements import announce
from sitecrawl.monitor.deliveries import deliver, prepare_due
from sitecrawl.services import channels as service
from sitecrawl.services.channels import NewChannel
from sitecrawl.store.vocabulary import DeliveryStatus
from tests.monitor.receivers import MailServer
from tests.monitor.seeding import Watched
from tests.site.tls import self_signed_certificate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.config import Config
    from sitecrawl.monitor.deliveries import DeliveryResult
    from sitecrawl.services.channels import Channel
    from sitecrawl.store.engine import Database

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moment of the test: the module may have been imported long before."""
    monkeypatch.setattr(sys.modules[__name__], "NOW", datetime.now(UTC).replace(microsecond=0))


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    """A mail server whose certificate is trusted."""
    trusted = tmp_path / "trusted.pem"
    trusted.write_text(self_signed_certificate().pem, encoding="ascii")
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with MailServer() as running:
        yield running


@pytest.fixture
def mail_config(config: Config, server: MailServer) -> Config:
    return replace(
        config,
        address_allow=(),  # the mail server of the settings may be in a private network
        email_smtp_host="localhost",
        email_smtp_port=server.port,
        email_smtp_user="anna",
        email_smtp_pass="hush-hush",
        email_from="Site Watch <watch@example.com>",
    )


def add(
    database: Database, config: Config, rules: Rules | None = None, to: str = "bob@example.com"
) -> Channel:
    new = NewChannel("email", to, rules=rules or Rules())
    return service.add_channel(database, 1, new, config).channel


def send(database: Database, config: Config, now: datetime = NOW) -> DeliveryResult:
    (number,) = prepare_due(database, now, config)
    return deliver(database, number, now, config)


def find(watched: Watched, now: datetime = NOW) -> None:
    scan_id = watched.scan(added=5, removed=2)
    watched.event(scan_id, "/blog: 2 new articles — größer")
    announce(watched.database, scan_id, now)


def test_an_email_is_sent_over_tls_after_a_login(
    database: Database, mail_config: Config, server: MailServer
) -> None:
    channel = add(database, mail_config)
    find(Watched(database, NOW))
    assert send(database, mail_config).status is DeliveryStatus.SENT
    assert server.logins == [("anna", True)]
    (mail,) = server.mails
    assert max(map(len, mail.raw.splitlines())) <= 998
    assert (mail.sender, mail.recipients) == ("watch@example.com", ["bob@example.com"])
    message = mail.message
    assert message["Subject"] == "Example: /blog: 2 new articles — größer"
    assert message["From"] == "Site Watch <watch@example.com>"
    assert message["Auto-Submitted"] == "auto-generated"
    text, html = message.iter_parts()
    assert (text.get_content_type(), html.get_content_type()) == ("text/plain", "text/html")
    assert "5 added, 2 removed, 0 updated" in text.get_content()
    link = message["List-Unsubscribe"].strip("<>")
    assert re.fullmatch(r"https://watch\.example\.com/unsubscribe/[\w-]+", link)
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    for part in (text, html):
        assert link in part.get_content()
    (delivery,) = service.list_deliveries(database, 1, channel_id=channel.id)
    stored = str(service.show_delivery(database, 1, delivery.id))
    assert link.rpartition("/")[2] not in stored
    assert message["Message-ID"] == f"<{delivery.message_id}@example.com>"


def test_several_sites_and_channels_make_one_digest_per_recipient(
    database: Database, mail_config: Config, server: MailServer
) -> None:
    daily = Rules(cadence=Cadence.DAILY)
    for address in ("bob@example.com", "BOB@example.com", "eve@example.com"):
        add(database, mail_config, daily, address)
    for name in ("one", "two", "three"):
        find(Watched(database, NOW, name, f"{name}.example"))
    later = NOW + timedelta(days=1)
    for number in prepare_due(database, later, mail_config):
        deliver(database, number, later, mail_config)
    assert sorted(mail.recipients[0] for mail in server.mails) == [
        "bob@example.com",
        "eve@example.com",
    ]
    assert {mail.message["Subject"] for mail in server.mails} == {"3 changes on 3 sites"}


def test_the_link_unsubscribes_and_only_that_channel(
    database: Database, mail_config: Config, server: MailServer
) -> None:
    channel = add(database, mail_config)
    other = add(database, mail_config, to="eve@example.com")
    number = service.prepare_test(database, 1, channel.id)
    deliver(database, number, NOW + timedelta(minutes=1), mail_config)
    token = server.mails[0].message["List-Unsubscribe"].strip("<>").rpartition("/")[2]
    assert service.channel_to_unsubscribe(database, token, mail_config) == channel
    assert service.show_channel(database, 1, channel.id).enabled  # looking changes nothing
    service.unsubscribe(database, token, mail_config)
    stopped = service.show_channel(database, 1, channel.id)
    assert (stopped.enabled, stopped.disabled_reason) == (False, "the recipient has unsubscribed")
    assert service.show_channel(database, 1, other.id).enabled
    for wrong in ("", "AAAA", "AAAA" + token[4:], token[:-2] + "AC", "ä" * 40, token + token):
        with pytest.raises(NotFoundError):
            service.unsubscribe(database, wrong, mail_config)


def test_without_a_dashboard_there_is_no_link(
    database: Database, mail_config: Config, server: MailServer
) -> None:
    channel = add(database, mail_config)
    find(Watched(database, NOW))
    send(database, replace(mail_config, web_public_url=""))
    message = server.mails[0].message
    assert message["List-Unsubscribe"] is None
    assert f"channel {channel.id}" in server.mails[0].raw.decode()


def test_a_recipient_that_does_not_exist_is_not_tried_again(
    database: Database, mail_config: Config, server: MailServer
) -> None:
    channel = add(database, mail_config, to="nobody@example.com")
    watched = Watched(database, NOW)
    for number in range(3):
        assert service.show_channel(database, 1, channel.id).failures == number
        find(watched)
        result = send(database, mail_config)
        assert result.status is DeliveryStatus.FAILED
        assert result.answer
        assert (result.answer.code, result.answer.text) == (550, "5.1.1 no such user")
    assert not service.show_channel(database, 1, channel.id).enabled


def test_a_refused_recipient_keeps_nothing_from_the_others(
    database: Database, mail_config: Config, server: MailServer
) -> None:
    addresses = ("bob@example.com", "nobody@example.com", "eve@example.com")
    channels = [add(database, mail_config, to=address) for address in addresses]
    find(Watched(database, NOW))
    results = [
        deliver(database, number, NOW, mail_config)
        for number in prepare_due(database, NOW, mail_config)
    ]
    assert sorted(each.status for each in results) == ["failed", "sent", "sent"]
    assert sorted(mail.recipients for mail in server.mails) == [[addresses[0]], [addresses[2]]]
    failures = [service.show_channel(database, 1, each.id).failures for each in channels]
    assert failures == [0, 1, 0]


def test_a_wrong_password_is_told_without_it(
    database: Database, mail_config: Config, server: MailServer
) -> None:
    add(database, mail_config)
    find(Watched(database, NOW))
    result = send(database, replace(mail_config, email_smtp_pass="wrong-hush"))
    assert result.status is DeliveryStatus.PENDING  # somebody may set the right one
    assert result.answer
    assert result.answer.error == "the mail server refused EMAIL_SMTP_USER or its password"
    assert "hush" not in repr(result)


def test_a_certificate_that_is_not_trusted_ends_the_attempt(
    database: Database,
    mail_config: Config,
    server: MailServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    add(database, mail_config)
    find(Watched(database, NOW))
    result = send(database, mail_config)
    assert result.answer
    assert "certificate" in str(result.answer.error).lower()
    assert server.logins == []


def test_a_server_without_tls_is_told_nothing(
    database: Database, mail_config: Config, server: MailServer
) -> None:
    """TLS from the start fails against a server that does not speak it then."""
    add(database, mail_config)
    find(Watched(database, NOW))
    result = send(database, replace(mail_config, email_smtp_tls="implicit"))
    assert result.answer
    assert result.answer.error
    assert server.mails == []


def test_missing_settings_are_named(database: Database, mail_config: Config) -> None:
    add(database, mail_config)
    find(Watched(database, NOW))
    result = send(database, replace(mail_config, email_smtp_host=""))
    assert result.answer
    assert result.answer.error == "no mail server is set: EMAIL_SMTP_HOST"
