from __future__ import annotations

import hashlib
import hmac
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from standardwebhooks import Webhook

from sitecrawl.channels.rules import Cadence, Rules
from sitecrawl.monitor.announcements import announce
from sitecrawl.monitor.deliveries import LEASE, MAX_ATTEMPTS, deliver, due_deliveries, prepare_due
from sitecrawl.services import channels as service
from sitecrawl.services.channels import NewChannel
from sitecrawl.store import schema as t
from sitecrawl.store.vocabulary import DeliveryStatus
from sitecrawl.store.writers.channels import claim_delivery
from tests.monitor.receivers import HttpReceiver
from tests.monitor.seeding import Watched, rows

if TYPE_CHECKING:
    from sitecrawl.config import Config
    from sitecrawl.services.channels import ChannelWithSecret, Delivery
    from sitecrawl.store.engine import Database

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moment of the test: the module may have been imported long before."""
    monkeypatch.setattr(sys.modules[__name__], "NOW", datetime.now(UTC).replace(microsecond=0))


def add(database: Database, config: Config, target: str, **values: Any) -> ChannelWithSecret:
    new = NewChannel(kind=values.pop("kind", "webhook"), target=target, **values)
    return service.add_channel(database, 1, new, config)


def told(database: Database, config: Config, watched: Watched, **event: Any) -> int:
    """Let a scan find something; the number of the delivery that tells it."""
    scan_id = watched.scan(added=5, removed=2, updated=3)
    watched.event(scan_id, **event)
    announce(database, scan_id, NOW)
    (number,) = prepare_due(database, NOW, config)
    return number


def shown(database: Database, number: int) -> Delivery:
    return service.show_delivery(database, 1, number)


def test_a_webhook_carries_the_seed_fields_and_both_signatures(
    database: Database, config: Config
) -> None:
    watched = Watched(database, NOW)
    with HttpReceiver() as receiver:
        secret = add(database, config, receiver.url).secret
        number = told(database, config, watched)
        result = deliver(database, number, NOW, config)
    assert result.status is DeliveryStatus.SENT
    (received,) = receiver.received
    body = Webhook(secret).verify(received.body, received.headers)
    assert {name: body[name] for name in ("type", "siteId", "siteSlug", "scanId")} == {
        "type": "sitemap.change",
        "siteId": watched.id,
        "siteSlug": "https://example.com/",
        "scanId": rows(database, t.scans)[0].id,
    }
    assert (body["added"], body["removed"], body["updated"]) == (5, 2, 3)
    assert body["ts"] == int(NOW.timestamp())
    (event,) = body["events"]
    assert event["title"] == "/blog: 2 new articles"
    assert event["examples"] == ["https://example.com/blog/a", "https://example.com/b&<c>"]
    plain = hmac.new(secret.encode(), received.body, hashlib.sha256).hexdigest()
    assert received.headers["X-Sitemap-Signature"] == plain
    delivery = shown(database, number)
    assert (delivery.status, delivery.attempts, delivery.log[0].code) == ("sent", 1, 200)
    assert delivery.log[0].answer == "ok"
    assert delivery.request == {"body": received.body.decode()}


def test_what_was_told_is_not_told_again(database: Database, config: Config) -> None:
    watched = Watched(database, NOW)
    with HttpReceiver() as receiver:
        add(database, config, receiver.url)
        number = told(database, config, watched)
        assert deliver(database, number, NOW, config).status is DeliveryStatus.SENT
        scan_id = rows(database, t.scans)[0].id
        assert announce(database, scan_id, NOW) == 0
        assert prepare_due(database, NOW, config) == []
        assert deliver(database, number, NOW + timedelta(days=1), config).answer is None
    assert len(receiver.received) == 1


def test_a_rotated_secret_signs_together_with_the_old_one_for_a_day(
    database: Database, config: Config
) -> None:
    watched = Watched(database, NOW)
    with HttpReceiver() as receiver:
        added = add(database, config, receiver.url)
        new = service.rotate_secret(database, 1, added.channel.id, config).secret
        assert deliver(database, told(database, config, watched), NOW, config).answer
        late = datetime.now(UTC) + timedelta(hours=25)
        scan_id = watched.scan()
        watched.event(scan_id)
        announce(database, scan_id, late)
        (number,) = prepare_due(database, late, config)
        deliver(database, number, late, config)
    first, second = receiver.received
    for secret in (added.secret, new):
        assert Webhook(secret).verify(first.body, first.headers)
    assert len(first.headers["webhook-signature"].split(" ")) == 2
    assert len(second.headers["webhook-signature"].split(" ")) == 1


def test_a_process_that_dies_during_an_attempt_loses_nothing(
    database: Database, config: Config
) -> None:
    watched = Watched(database, NOW)
    with HttpReceiver() as receiver:
        add(database, config, receiver.url)
        number = told(database, config, watched)
        with database.writing() as connection:  # as far as a process came that was killed
            assert claim_delivery(connection, number, NOW, NOW + LEASE)
        assert due_deliveries(database, NOW) == []
        assert deliver(database, number, NOW, config).answer is None
        assert due_deliveries(database, NOW + LEASE) == [number]
        assert deliver(database, number, NOW + LEASE, config).status is DeliveryStatus.SENT
    assert [each.headers["webhook-id"] for each in receiver.received] == [
        shown(database, number).message_id
    ]
    assert [each.number for each in shown(database, number).log] == [2]


def test_a_key_that_cannot_be_used_is_told_and_tried_again(
    database: Database, config: Config
) -> None:
    with HttpReceiver() as receiver:
        add(database, config, receiver.url)
        number = told(database, config, Watched(database, NOW))
        result = deliver(database, number, NOW, replace(config, secret_key=("no key",)))
        assert result.answer
        assert "SITECRAWL_SECRET_KEY" in (result.answer.error or "")
        assert result.next_attempt_at is not None
        assert deliver(database, number, NOW + LEASE, config).status is DeliveryStatus.SENT
    assert [each.error is None for each in shown(database, number).log] == [False, True]


def test_what_nobody_has_foreseen_is_a_failed_attempt(
    database: Database, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the secret is hush-hush")

    add(database, config, "https://hooks.example.com/")
    number = told(database, config, Watched(database, NOW))
    monkeypatch.setattr("sitecrawl.monitor.deliveries.send", broken)
    result = deliver(database, number, NOW, config)
    assert (result.status, result.next_attempt_at is None) == (DeliveryStatus.PENDING, False)
    [attempt] = shown(database, number).log
    assert attempt.error == "internal error: RuntimeError; see the log"


def test_of_many_workers_one_sends(database: Database, config: Config) -> None:
    watched = Watched(database, NOW)
    with HttpReceiver() as receiver:
        add(database, config, receiver.url)
        number = told(database, config, watched)
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda _: deliver(database, number, NOW, config), range(8)))
    assert len(receiver.received) == 1
    assert [result.status for result in results].count(DeliveryStatus.SENT) == 1


@pytest.mark.parametrize(
    ("receiver", "words"),
    [
        (HttpReceiver(status=500), "it answered 500 Internal Server Error"),
        (HttpReceiver(resets=True), "before it had answered"),
        (
            HttpReceiver(status=302, answer_headers={"Location": "http://127.0.0.1:1/"}),
            "redirects are not followed",
        ),
    ],
    ids=["error", "reset", "redirect"],
)
def test_a_failed_attempt_is_repeated_with_the_same_id_over_three_days(
    database: Database, config: Config, receiver: HttpReceiver, words: str
) -> None:
    watched = Watched(database, NOW)
    with receiver:
        channel = add(database, config, receiver.url).channel
        add(database, config, "owner@example.com", kind="email", rules=Rules(kinds=("site_moved",)))
        number = told(database, config, watched)
        moment: datetime | None = NOW
        last = NOW
        while moment is not None:
            last = moment
            result = deliver(database, number, moment, config)
            assert result.answer
            assert words in str(result.answer.error)
            moment = result.next_attempt_at
            assert moment is None or due_deliveries(database, moment - timedelta(seconds=1)) == []
    assert len(receiver.received) == MAX_ATTEMPTS
    assert len({each.headers["webhook-id"] for each in receiver.received}) == 1
    assert timedelta(days=2.5) < last - NOW < timedelta(days=3)
    assert shown(database, number).status is DeliveryStatus.FAILED
    disabled = service.show_channel(database, 1, channel.id)
    assert not disabled.enabled
    assert "it took nothing for 3 days" in str(disabled.disabled_reason)
    alert = service.list_deliveries(database, 1)[0]
    assert (alert.purpose, alert.channel_kind) == ("alert", "email")
    assert alert.title == f"Channel {channel.id} is disabled: {channel.target_label}"


def test_gone_disables_at_once_and_tells_the_owner_elsewhere(
    database: Database, config: Config
) -> None:
    watched = Watched(database, NOW)
    with HttpReceiver(status=410) as gone, HttpReceiver() as other:
        channel = add(database, config, gone.url).channel
        add(database, config, other.url, kind="slack", rules=Rules(kinds=("site_moved",)))
        number = told(database, config, watched)
        assert deliver(database, number, NOW, config).status is DeliveryStatus.FAILED
        assert not service.show_channel(database, 1, channel.id).enabled
        later = datetime.now(UTC) + timedelta(minutes=1)
        (alert,) = prepare_due(database, later, config)
        assert deliver(database, alert, later, config).status is DeliveryStatus.SENT
        scan_id = watched.scan()
        watched.event(scan_id)
        assert announce(database, scan_id, later) == 0
    assert "410 Gone" in other.received[0].body.decode()
    assert len(gone.received) == 1


def test_retry_after_is_heeded(database: Database, config: Config) -> None:
    watched = Watched(database, NOW)
    with HttpReceiver(status=429, answer_headers={"Retry-After": "120"}) as receiver:
        add(database, config, receiver.url)
        result = deliver(database, told(database, config, watched), NOW, config)
    assert result.next_attempt_at
    assert result.next_attempt_at - NOW >= timedelta(seconds=120)


def test_a_retry_after_of_no_calendar_is_ignored(database: Database, config: Config) -> None:
    watched = Watched(database, NOW)
    odd = {"Retry-After": "Mon, 01 Jan 99999 00:00:00 GMT"}
    with HttpReceiver(status=503, answer_headers=odd) as receiver:
        add(database, config, receiver.url)
        result = deliver(database, told(database, config, watched), NOW, config)
    assert result.next_attempt_at


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://localhost:9/", "http://[::1]:9/"])
def test_internal_addresses_are_not_connected_to(
    database: Database, config: Config, url: str
) -> None:
    watched = Watched(database, NOW)
    add(database, config, url)
    closed = replace(config, address_allow=())
    result = deliver(database, told(database, config, watched), NOW, closed)
    assert result.answer
    assert "a loopback address; not allowed without SITECRAWL_ADDRESS_ALLOW" in str(
        result.answer.error
    )


def test_a_redirect_to_an_internal_address_is_not_followed(
    database: Database, config: Config
) -> None:
    watched = Watched(database, NOW)
    with HttpReceiver(address="127.0.0.2") as internal:
        location = {"Location": internal.url}
        with HttpReceiver(status=307, answer_headers=location) as receiver:
            add(database, config, receiver.url)
            result = deliver(database, told(database, config, watched), NOW, config)
    assert result.answer
    assert result.answer.code == 307
    assert internal.received == []


def test_a_slow_receiver_is_given_up_and_delays_nobody(
    database: Database, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sitecrawl.monitor.senders.http.TIMEOUT_SECONDS", 5.0
    )  # the quick one needs less
    watched = Watched(database, NOW)
    with HttpReceiver(release=threading.Event()) as slow, HttpReceiver() as quick:
        for url in (slow.url, quick.url):
            add(database, config, url)
        scan_id = watched.scan()
        watched.event(scan_id)
        announce(database, scan_id, NOW)
        numbers = prepare_due(database, NOW, config)
        with ThreadPoolExecutor(2) as pool:
            waiting = pool.submit(deliver, database, numbers[0], NOW, config)
            result = pool.submit(deliver, database, numbers[1], NOW, config).result()
            assert result.status is DeliveryStatus.SENT
            assert not waiting.done()
            answer = waiting.result().answer
    assert answer
    assert answer.error == "no answer within 5 seconds"


def test_recipients_of_several_channels_get_one_message(database: Database, config: Config) -> None:
    first, second = Watched(database, NOW), Watched(database, NOW, "Shop", "shop.example")
    digest = Rules(cadence=Cadence.DAILY)
    with HttpReceiver() as receiver:
        add(database, config, receiver.url, rules=digest, watched_site_id=first.id)
        add(database, config, receiver.url, rules=digest)
        for watched in (first, second):
            scan_id = watched.scan(added=1)
            watched.event(scan_id)
            announce(database, scan_id, NOW)
        assert prepare_due(database, NOW, config) == []
        later = NOW + timedelta(days=1)
        (number,) = prepare_due(database, later, config)
        deliver(database, number, later, config)
    body = receiver.received[0].json
    assert body["type"] == "sitemap.digest"
    assert [site["siteName"] for site in body["sites"]] == ["Example", "Shop"]
    assert [len(site["events"]) for site in body["sites"]] == [1, 1]


def test_a_replay_has_an_id_of_its_own(database: Database, config: Config) -> None:
    watched = Watched(database, NOW)
    with HttpReceiver() as receiver:
        add(database, config, receiver.url)
        number = told(database, config, watched)
        deliver(database, number, NOW, config)
        later = datetime.now(UTC) + timedelta(seconds=1)
        again = service.replay(database, 1, number)
        assert deliver(database, again, later, config).status is DeliveryStatus.SENT
    first, second = receiver.received
    assert first.body == second.body
    assert second.headers["X-Sitemap-Replay-Of"] == first.headers["webhook-id"]
    assert second.headers["webhook-id"] != first.headers["webhook-id"]


def test_a_test_is_tried_once_and_counts_for_nothing(database: Database, config: Config) -> None:
    with HttpReceiver(status=500) as receiver:
        channel = add(database, config, receiver.url).channel
        later = datetime.now(UTC) + timedelta(seconds=1)
        number = service.prepare_test(database, 1, channel.id)
        assert deliver(database, number, later, config).status is DeliveryStatus.FAILED
    assert receiver.received[0].json["type"] == "sitemap.test"
    assert service.show_channel(database, 1, channel.id).failures == 0


def test_no_secret_is_stored_or_shown_in_clear(
    database: Database, config: Config, caplog: pytest.LogCaptureFixture
) -> None:
    watched = Watched(database, NOW)
    with HttpReceiver(status=500) as receiver:
        added = add(database, config, receiver.url)
        number = told(database, config, watched)
        result = deliver(database, number, NOW, config)
    seen = [
        *(str(rows(database, table)) for table in (t.channels, t.deliveries)),
        *(repr(each) for each in (added, result, shown(database, number), config)),
        caplog.text,
    ]
    assert "500 Internal" in caplog.text
    for secret in ("s3cret-path", added.secret, config.secret_key[0]):
        assert [text for text in seen if secret in text] == []


def test_the_key_file_is_created_once_for_its_owner_alone(
    sqlite_database: Database, config: Config
) -> None:
    database = sqlite_database
    plain = replace(config, secret_key=())
    with HttpReceiver() as receiver:
        add(database, plain, receiver.url)
        path = Path(str(database.engine.url.database)).with_suffix(".key")
        key = path.read_text(encoding="ascii")
        channel = add(database, plain, receiver.url).channel
        later = datetime.now(UTC) + timedelta(seconds=1)
        number = service.prepare_test(database, 1, channel.id)
        assert deliver(database, number, later, plain).status is DeliveryStatus.SENT
    assert path.read_text(encoding="ascii") == key
    assert path.stat().st_mode & 0o777 == 0o600
