"""``sitecrawl channel test``, ``deliveries``, ``delivery``, ``replay``: what is sent."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.options import DatabaseOption
from sitecrawl.cli.tables import JsonOption, ago, print_json, print_table
from sitecrawl.errors import InvalidInputError
from sitecrawl.safety.text import printable
from sitecrawl.store.vocabulary import FIRST_WORKSPACE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.config import Config
    from sitecrawl.services.channels import Delivery
    from sitecrawl.store.engine import Database

_MAX_ANSWER: Final = 60


def send_test(
    number: Annotated[int, typer.Argument(help="The number of the channel.")],
    database: DatabaseOption = "",
) -> None:
    """Send a real message through a channel.

    \b
    sitecrawl channel test 1
    """
    from sitecrawl.services import channels as service
    from sitecrawl.services.database import configured, writing

    config = configured()
    with writing(database) as store:
        _send(store, service.prepare_test(store, FIRST_WORKSPACE, number), config)


def deliveries(
    number: Annotated[int | None, typer.Argument(help="Only of this channel.")] = None,
    status: Annotated[str, typer.Option(help="Only pending, sent, failed or cancelled ones.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many to show.")] = 20,
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """List what was sent, or is still to be sent, newest first.

    \b
    sitecrawl channel deliveries
    sitecrawl channel deliveries 1 --status failed
    """
    from sitecrawl.services import channels as service
    from sitecrawl.services.database import reading
    from sitecrawl.store.vocabulary import DeliveryStatus

    if status and status not in {*DeliveryStatus}:
        raise InvalidInputError("--status", f"expected one of {', '.join(DeliveryStatus)}")
    wanted = DeliveryStatus(status) if status else None
    with reading(database) as store:
        found = service.list_deliveries(
            store, FIRST_WORKSPACE, channel_id=number, status=wanted, limit=limit
        )
    if as_json:
        print_json(found)
    elif found:
        print_deliveries(found)
    else:
        typer.echo("Nothing has been sent.")


def delivery(
    number: Annotated[int, typer.Argument(help="The number of the delivery.")],
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Show a delivery and its attempts.

    That is what was sent, without secrets, and what came back at each attempt.

    \b
    sitecrawl channel delivery 12
    """
    from sitecrawl.services import channels as service
    from sitecrawl.services.database import reading

    with reading(database) as store:
        found = service.show_delivery(store, FIRST_WORKSPACE, number)
    if as_json:
        print_json(found)
        return
    for line in _delivery_lines(found):
        typer.echo(printable(line))


def replay(
    number: Annotated[int, typer.Argument(help="The number of the delivery.")],
    database: DatabaseOption = "",
) -> None:
    """Send a delivery again, as a message with an id of its own.

    \b
    sitecrawl channel replay 12
    """
    from sitecrawl.services import channels as service
    from sitecrawl.services.database import configured, writing

    config = configured()
    with writing(database) as store:
        _send(store, service.replay(store, FIRST_WORKSPACE, number), config)


def _send(store: Database, delivery_id: int, config: Config) -> None:
    from sitecrawl.monitor.deliveries import deliver
    from sitecrawl.monitor.deliveries import logger as delivery_logger

    delivery_logger.addHandler(logging.NullHandler())  # a failure is told below
    result = deliver(store, delivery_id, datetime.now(UTC), config)
    answer = result.answer
    assert answer is not None  # it was made a moment ago
    if answer.error is None:
        code = f" ({answer.code})" if answer.code else ""
        typer.echo(f"Sent as delivery {delivery_id}{code}.")
        return
    typer.echo(printable(f"Delivery {delivery_id} failed: {answer.error}"), err=True)
    if answer.text:
        typer.echo(printable(f"The receiver said: {answer.text}"), err=True)
    if result.next_attempt_at:
        typer.echo("The monitor tries it again.", err=True)
    raise typer.Exit(1)


def print_deliveries(found: list[Delivery]) -> None:
    now = datetime.now(UTC)
    print_table(
        ("id", "channel", "made", "status", "attempts", "last answer", "what"),
        [
            (
                str(each.id),
                f"{each.channel_id} ({each.channel_kind})",
                ago(each.created_at, now),
                each.status,
                str(each.attempts),
                _last_answer(each),
                each.title,
            )
            for each in found
        ],
    )


def _last_answer(found: Delivery) -> str:
    if not found.log:
        return ""
    last = found.log[-1]
    words = last.error or (str(last.code) if last.code else "taken")
    return words if len(words) <= _MAX_ANSWER else words[: _MAX_ANSWER - 1] + "…"


def _delivery_lines(found: Delivery) -> Iterator[str]:
    yield f"Delivery {found.id}: {found.title}"
    yield f"to {found.target_label} by channel {found.channel_id} ({found.channel_name})"
    yield f"message id {found.message_id}" + (
        f", repeats delivery {found.replay_of}" if found.replay_of else ""
    )
    due = found.next_attempt_at
    yield found.status + (f", next attempt {due:%Y-%m-%d %H:%M:%S} UTC" if due else "")
    for attempt in found.log:
        result = attempt.error or "taken"
        code = f" {attempt.code}" if attempt.code else ""
        yield (
            f"  {attempt.number}. {attempt.started_at:%Y-%m-%d %H:%M:%S} UTC,"
            f" {attempt.elapsed_ms} ms:{code} {result}"
        )
        if attempt.answer:
            yield f"     {attempt.answer}"
    for name, value in (found.request or {}).items():
        yield f"{name}:"
        yield from (f"  {line}" for line in str(value).splitlines())
