"""Apprise in its guarded process: by its plugin for JSON, which posts to any host."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from sitecrawl.errors import InvalidInputError
from sitecrawl.monitor.deliveries import deliver
from sitecrawl.services import channels as service
from sitecrawl.services.channels import NewChannel
from tests.monitor.receivers import HttpReceiver

if TYPE_CHECKING:
    from sitecrawl.config import Config
    from sitecrawl.monitor.deliveries import DeliveryResult
    from sitecrawl.store.engine import Database


@pytest.fixture
def config(config: Config) -> Config:
    return replace(config, apprise_schemes=("json",))


def send(database: Database, config: Config, url: str, sending: Config) -> DeliveryResult:
    added = service.add_channel(database, 1, NewChannel("apprise", url), config)
    number = service.prepare_test(database, 1, added.channel.id)
    return deliver(database, number, datetime.now(UTC) + timedelta(seconds=1), sending)


def test_a_message_is_sent_without_attachments(database: Database, config: Config) -> None:
    with HttpReceiver() as receiver:
        result = send(database, config, f"json://127.0.0.1:{receiver.port}/t0ken", config)
    assert result.answer
    assert result.answer.error is None
    (received,) = receiver.received
    assert received.path == "/t0ken"
    assert received.json["title"] == "Test of channel 1: json://…"
    assert received.json["attachments"] == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_internal_addresses_are_refused_when_it_connects(
    database: Database, config: Config, host: str
) -> None:
    with HttpReceiver() as receiver:
        guarded = replace(config, address_allow=())
        result = send(database, config, f"json://{host}:{receiver.port}/t0ken", guarded)
    assert receiver.received == []
    assert result.answer
    assert "is a loopback address; not allowed" in str(result.answer.error)
    assert "t0ken" not in repr(result)


def test_redirects_are_not_followed(database: Database, config: Config) -> None:
    with HttpReceiver() as other:
        location = {"Location": other.url}
        with HttpReceiver(status=307, answer_headers=location) as receiver:
            result = send(database, config, f"json://127.0.0.1:{receiver.port}/", config)
    assert len(receiver.received) == 1
    assert other.received == []
    assert result.answer
    assert result.answer.error == "the service did not take it"


def test_a_scheme_that_is_no_longer_allowed_is_not_sent(database: Database, config: Config) -> None:
    with HttpReceiver() as receiver:
        off = replace(config, apprise_schemes=())
        result = send(database, config, f"json://127.0.0.1:{receiver.port}/", off)
    assert receiver.received == []
    assert result.answer
    assert result.answer.is_final
    with pytest.raises(InvalidInputError):
        service.add_channel(database, 1, NewChannel("apprise", "syslog://"), config)
