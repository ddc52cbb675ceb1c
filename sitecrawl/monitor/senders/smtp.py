"""Sends email through the mail server of the settings, over TLS."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

from sitecrawl.monitor.senders import MAX_ANSWER_BYTES, Answer
from sitecrawl.safety.policy import AddressPolicy, Endpoint

if TYPE_CHECKING:
    from email.message import EmailMessage

    from sitecrawl.config import Config

TIMEOUT_SECONDS = 30.0
_IMPLICIT_TLS_PORT = 465
_PERMANENT = 500
_CLOSING_SECONDS = 1.0
_CLOSING_TURNS = 100


async def send_email(email: EmailMessage, config: Config) -> Answer:
    """Make one attempt; errors are in the answer, without secrets."""
    import aiosmtplib

    if not config.email_smtp_host:
        return Answer(error="no mail server is set: EMAIL_SMTP_HOST", is_final=True)
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await _send(email, config)
    except TimeoutError:
        return Answer(error=f"the mail server did not answer within {TIMEOUT_SECONDS:g} seconds")
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        return _failure(error)


async def _send(email: EmailMessage, config: Config) -> Answer:
    import aiosmtplib

    is_implicit, is_starttls = _tls(config)
    connection = await _connect(config)
    client = aiosmtplib.SMTP(
        hostname=config.email_smtp_host,
        sock=connection,
        username=config.email_smtp_user or None,
        password=config.email_smtp_pass or None,
        use_tls=is_implicit,
        start_tls=is_starttls,
        validate_certs=config.verify_certificates,
        timeout=TIMEOUT_SECONDS,
    )
    sender, recipient = (email[name].addresses[0].addr_spec for name in ("From", "To"))
    try:
        async with client:
            _, words = await client.sendmail(sender, [recipient], email.as_bytes())
    finally:
        client.close()
        await _until_closed(connection)
    return Answer(250, words[:MAX_ANSWER_BYTES])


async def _until_closed(connection: socket.socket) -> None:
    """Wait until TLS has closed the connection: the event loop may end right after the delivery."""
    for _ in range(_CLOSING_TURNS):
        if connection.fileno() == -1:
            return
        await asyncio.sleep(_CLOSING_SECONDS / _CLOSING_TURNS)


def _tls(config: Config) -> tuple[bool, bool]:
    """Whether TLS is spoken from the start, and whether STARTTLS is required."""
    choice = config.email_smtp_tls
    if choice == "auto":
        choice = "implicit" if config.email_smtp_port == _IMPLICIT_TLS_PORT else "starttls"
    return choice == "implicit", choice == "starttls"


async def _connect(config: Config) -> socket.socket:
    """Connect to the first address of the mail server that is allowed and answers.

    The server is named in the settings, so it may be in a private network.
    """
    host, port = config.email_smtp_host, config.email_smtp_port
    policy = AddressPolicy(named=[Endpoint(host.lower(), port)], allow=config.address_allow)
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(info[4][0]) for info in found]
    permitted = policy.permitted(host, port, addresses)
    if not permitted:
        raise OSError(None, policy.refusal(host, port, addresses[0]))
    failure: OSError | None = None
    for family, kind, protocol, _, address in found:
        if str(address[0]) not in permitted:
            continue
        connection = socket.socket(family, kind, protocol)
        connection.setblocking(False)
        try:
            await loop.sock_connect(connection, address)
        except OSError as error:
            connection.close()
            failure = error
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    assert failure is not None
    raise failure


def _failure(error: Exception) -> Answer:
    import aiosmtplib

    words = "the mail server refused the message"
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        words, error = "the mail server refused the recipient", error.recipients[0]
    if isinstance(error, aiosmtplib.SMTPAuthenticationError):
        # The answer may repeat the password.
        return Answer(error.code, error="the mail server refused EMAIL_SMTP_USER or its password")
    if isinstance(error, aiosmtplib.SMTPResponseException):
        answer = str(error.message)[:MAX_ANSWER_BYTES]
        # 4xx asks to try again later; 5xx says that it will never be taken.
        return Answer(error.code, answer, words, is_final=error.code >= _PERMANENT)
    cause = error.strerror if isinstance(error, OSError) else ""
    return Answer(error=f"the mail server cannot be used: {cause or str(error)[:200]}")
