from __future__ import annotations

import inspect
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert

from sitecrawl.channels.rules import Rules
from sitecrawl.config import ConfigError
from sitecrawl.errors import InvalidInputError, NotFoundError
from sitecrawl.safety.secrets import SecretBox, new_key
from sitecrawl.services import channels as service
from sitecrawl.services.channels import ChannelChange, NewChannel
from sitecrawl.services.database import configured
from sitecrawl.services.groups import GroupInput, add_group, remove_group
from sitecrawl.services.permissions import permission_of
from sitecrawl.services.secret_keys import secret_box
from sitecrawl.services.sites import remove_site
from sitecrawl.store import schema as t
from sitecrawl.store.engine import open_database
from tests.monitor.seeding import Watched, rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database

NOW = datetime(2026, 3, 10, tzinfo=UTC)
URL = "https://example.com/hook"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(f"sqlite:///{tmp_path}/sitecrawl.db") as opened:
        yield opened


@pytest.fixture
def config() -> Config:
    return replace(configured(), secret_key=(new_key(),))


def test_functions_declare_their_permission_except_for_unsubscribing() -> None:
    functions = [
        function
        for name, function in inspect.getmembers(service, inspect.isfunction)
        if function.__module__ == service.__name__ and not name.startswith("_")
    ]
    needs_none = {service.unsubscribe, service.channel_to_unsubscribe}
    assert len(functions) > 10
    for function in set(functions) - needs_none:
        assert permission_of(function)


def test_nothing_of_another_workspace_can_be_seen_or_changed(
    database: Database, config: Config
) -> None:
    with database.writing() as connection:
        connection.execute(insert(t.workspaces).values(name="other", created_at=NOW))
    channel = service.add_channel(database, 1, NewChannel("webhook", URL), config).channel
    delivery = service.prepare_test(database, 1, channel.id)
    assert service.list_channels(database, 2) == []
    assert service.list_deliveries(database, 2) == []
    for call in (
        lambda: service.show_channel(database, 2, channel.id),
        lambda: service.edit_channel(database, 2, channel.id, ChannelChange(name="x"), config),
        lambda: service.rotate_secret(database, 2, channel.id, config),
        lambda: service.remove_channel(database, 2, channel.id),
        lambda: service.prepare_test(database, 2, channel.id),
        lambda: service.list_deliveries(database, 2, channel_id=channel.id),
        lambda: service.show_delivery(database, 2, delivery),
        lambda: service.replay(database, 2, delivery),
    ):
        with pytest.raises(NotFoundError):
            call()
    watched = Watched(database, NOW)
    new = NewChannel("webhook", URL, watched_site_id=watched.id)
    with pytest.raises(NotFoundError):
        service.add_channel(database, 2, new, config)


def test_an_edit_changes_what_is_given_and_nothing_else(database: Database, config: Config) -> None:
    group = add_group(database, 1, GroupInput("shops")).id
    watched = Watched(database, NOW)
    new = NewChannel("webhook", URL, name="Ops", rules=Rules(min_pages=3), group_id=group)
    channel = service.add_channel(database, 1, new, config).channel
    before = rows(database, t.channels)[0]
    change = ChannelChange(target="https://other.example/x", snoozed_until=NOW)
    edited = service.edit_channel(database, 1, channel.id, change, config)
    assert edited == replace(
        channel,
        target_label="https://other.example/…",
        snoozed_until=NOW,
        updated_at=edited.updated_at,
    )
    assert rows(database, t.channels)[0].target_hash != before.target_hash
    moved = ChannelChange(watched_site_id=watched.id, group_id=None)
    assert service.edit_channel(database, 1, channel.id, moved, config).scope == "site Example"
    both = ChannelChange(group_id=group)
    with pytest.raises(InvalidInputError):
        service.edit_channel(database, 1, channel.id, both, config)


def test_deliveries_are_paged_by_key(database: Database, config: Config) -> None:
    channel = service.add_channel(database, 1, NewChannel("webhook", URL), config).channel
    numbers = [service.prepare_test(database, 1, channel.id) for _ in range(5)]
    first = service.list_deliveries(database, 1, limit=3)
    rest = service.list_deliveries(database, 1, limit=3, before_id=first[-1].id)
    assert [each.id for each in (*first, *rest)] == numbers[::-1]
    assert first[0].request is None


@pytest.mark.parametrize("what", ["site", "group"])
def test_channels_go_with_their_site_or_group(
    database: Database, config: Config, what: str
) -> None:
    group = add_group(database, 1, GroupInput("shops")).id
    watched = Watched(database, NOW)
    new = {
        "site": NewChannel("webhook", URL, watched_site_id=watched.id),
        "group": NewChannel("webhook", URL, group_id=group),
    }[what]
    channel = service.add_channel(database, 1, new, config).channel
    service.prepare_test(database, 1, channel.id)
    kept = service.add_channel(database, 1, NewChannel("webhook", URL), config).channel
    if what == "site":
        remove_site(database, 1, watched.id)
    else:
        remove_group(database, 1, group)
    assert service.list_channels(database, 1) == [kept]
    assert rows(database, t.deliveries) == []


# --- Keys ----------------------------------------------------------------------------------------


def test_a_new_key_in_front_reads_what_the_old_one_wrote(
    database: Database, config: Config
) -> None:
    channel = service.add_channel(database, 1, NewChannel("webhook", URL), config).channel
    both = replace(config, secret_key=(new_key(), *config.secret_key))
    assert service.rotate_secret(database, 1, channel.id, both).secret
    hashes = {row.target_hash for row in rows(database, t.channels)}
    service.add_channel(database, 1, NewChannel("webhook", URL), both)
    assert {row.target_hash for row in rows(database, t.channels)} == hashes
    lost = replace(config, secret_key=(new_key(),))
    with pytest.raises(InvalidInputError, match="another key"):
        service.rotate_secret(database, 1, channel.id, lost)


def test_a_key_that_is_none_is_told_without_it(database: Database, config: Config) -> None:
    with pytest.raises(ConfigError, match="SITECRAWL_SECRET_KEY: a key is 32 bytes") as caught:
        secret_box(database, replace(config, secret_key=("hush",)))
    assert "hush" not in str(caught.value)


def test_a_key_file_that_others_can_read_is_refused(
    database: Database, config: Config, tmp_path: Path
) -> None:
    path = tmp_path / "own.key"
    plain = replace(config, secret_key=(), secret_key_file=str(path))
    token = secret_box(database, plain).encrypt("x")
    assert secret_box(database, plain).decrypt(token) == "x"
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        secret_box(database, plain)


def test_a_folder_that_cannot_hold_a_key_is_named(
    database: Database, config: Config, tmp_path: Path
) -> None:
    nowhere = replace(config, secret_key=(), secret_key_file=str(tmp_path / "no" / "key"))
    with pytest.raises(ConfigError, match="cannot be created: No such file or directory"):
        secret_box(database, nowhere)


def test_what_was_encrypted_with_another_key_cannot_be_read() -> None:
    token = SecretBox([new_key()]).encrypt("secret")
    with pytest.raises(ValueError, match="another key"):
        SecretBox([new_key()]).decrypt(token)
