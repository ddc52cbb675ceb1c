"""Messages as email: text and HTML for phones, light and dark; links that unsubscribe.

The token in such a link names the channel and proves the right to stop its messages.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from html import escape
from typing import TYPE_CHECKING

from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sitecrawl.channels.messages import EventNews, Message, SiteNews

UNSUBSCRIBE_PATH = "/unsubscribe/"
_PROOF_BYTES = 16
_ID_BYTES = 8
# Links in headers stay in one line.
_POLICY = SMTP.clone(max_line_length=300)
_MAX_SUBJECT = 150
_SHOWN_EXAMPLES = 3
# Replaced when it is sent: the link to unsubscribe is a secret of the recipient.
_FOOTER = "<!--footer-->"
_SEVERITY_WORDS = {
    "critical": "Critical",
    "high": "High",
    "medium": "Medium",
    "low": "Low",
    "info": "Info",
}

# Clients that drop <style> still show the light colours, which are in style attributes too where
# it matters: background and text of the whole, and the labels.
_STYLE = """
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 0; }
a { color: #0b57d0; }
.label { display: inline-block; padding: 2px 8px; border-radius: 10px; font-size: 12px;
  font-weight: 600; line-height: 16px; }
.critical { background: #b3261e; color: #ffffff; }
.high { background: #f9dedc; color: #8c1d18; }
.medium { background: #fdecc8; color: #6b4200; }
.low { background: #d8e7fd; color: #0a3d82; }
.info { background: #e6e9ec; color: #3c4650; }
.over { background: #d3efdb; color: #0d5025; }
@media (prefers-color-scheme: dark) {
  .page, .page-cell { background: #121417 !important; }
  .card { background: #1d2125 !important; border-color: #33393f !important; }
  .text, .site { color: #e8eaed !important; }
  .dim { color: #a3abb3 !important; }
  a { color: #8ab4f8 !important; }
  .rule { border-color: #33393f !important; }
  .high { background: #5c1b18 !important; color: #ffdad6 !important; }
  .medium { background: #4d3800 !important; color: #ffdf9e !important; }
  .low { background: #12345f !important; color: #d3e3fd !important; }
  .info { background: #353c43 !important; color: #dde2e7 !important; }
  .over { background: #11402a !important; color: #c5efd2 !important; }
}
@media (max-width: 480px) {
  .page-cell { padding: 12px 8px !important; }
  .card-cell { padding: 16px !important; }
}
"""
_FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"


@dataclass(frozen=True, slots=True)
class EmailText:
    """The content of an email, the same for all recipients."""

    subject: str
    text: str
    html: str


def email_text(message: Message) -> EmailText:
    subject = printable(message.title)
    if len(subject) > _MAX_SUBJECT:
        subject = subject[: _MAX_SUBJECT - 1] + "…"
    return EmailText(subject, "\n".join(_text_lines(message)), _html(message))


def compose(
    content: EmailText,
    *,
    sender: str,
    recipient: str,
    message_id: str,
    moment: datetime,
    unsubscribe_url: str,
    unsubscribe_words: str,
) -> EmailMessage:
    """The email for one recipient; its ``Message-ID`` is the same at every attempt."""
    email = EmailMessage(policy=_POLICY)
    email["Subject"] = content.subject
    email["From"] = sender
    email["To"] = Address(addr_spec=recipient)
    email["Date"] = moment
    domain = email["From"].addresses[0].domain or "sitecrawl.invalid"
    email["Message-ID"] = f"<{message_id}@{domain}>"
    email["Auto-Submitted"] = "auto-generated"
    email["X-Auto-Response-Suppress"] = "All"
    if unsubscribe_url:
        email["List-Unsubscribe"] = f"<{unsubscribe_url}>"
        email["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    # Every mail server takes this encoding, also one that knows ASCII only.
    encoding = "quoted-printable"
    footer = unsubscribe_words + (f": {unsubscribe_url}" if unsubscribe_url else "")
    email.set_content(f"{content.text}\n\n-- \n{footer}\n", cte=encoding)
    words = escape(unsubscribe_words)
    if unsubscribe_url:
        words = f'<a href="{escape(unsubscribe_url)}">{words}</a>'
    email.add_alternative(content.html.replace(_FOOTER, words), subtype="html", cte=encoding)
    return email


# --- Text ------------------------------------------------------------------------------------
def _text_lines(message: Message) -> Iterator[str]:
    yield printable(message.title)
    if message.text:
        yield ""
        yield from map(printable, message.text.splitlines())
    for site in message.sites:
        yield ""
        yield f"{printable(site.name)} ({printable(site.root_url)})"
        yield site.figures
        for event in site.events:
            yield ""
            yield f"* {_SEVERITY_WORDS.get(event.severity, 'High')}: {printable(_headline(event))}"
            yield from (f"  {printable(url)}" for url in event.examples[:_SHOWN_EXAMPLES])
        if site.link:
            yield ""
            yield f"Details: {site.link}"
    if message.omitted_events:
        yield ""
        yield f"{message.omitted_events:,} more changes are not shown."


def _headline(event: EventNews) -> str:
    return f"{event.phase_words}: {event.title}" if event.phase_words else event.title


# --- HTML ------------------------------------------------------------------------------------
def _html(message: Message) -> str:
    parts = "".join(_html_parts(message))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="supported-color-schemes" content="light dark">'
        f"<title>{escape(message.title)}</title><style>{_STYLE}</style></head>"
        f'<body class="page" style="background:#f3f5f7;{_FONT}">'
        '<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0"'
        ' style="background:#f3f5f7"><tr><td class="page-cell" align="center"'
        ' style="padding:24px 12px">'
        '<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0"'
        ' style="max-width:600px;background:#ffffff;border:1px solid #dfe3e8;border-radius:12px">'
        f'<tr><td class="card-cell" style="padding:24px">{parts}</td></tr></table>'
        '<p class="dim" style="max-width:600px;margin:16px auto;font-size:13px;line-height:20px;'
        f'color:#5f6a75">{_FOOTER}</p>'
        "</td></tr></table></body></html>"
    )


def _html_parts(message: Message) -> Iterator[str]:
    yield (
        '<h1 class="text" style="margin:0 0 8px;font-size:20px;line-height:28px;color:#1b1f23;'
        f'overflow-wrap:anywhere">{escape(message.title)}</h1>'
    )
    yield _dim(f"{message.moment:%Y-%m-%d %H:%M} UTC")
    for line in message.text.splitlines():
        yield _paragraph(escape(line))
    for site in message.sites:
        yield from _site_parts(site)
    if message.omitted_events:
        yield _dim(f"{message.omitted_events:,} more changes are not shown.")


def _site_parts(site: SiteNews) -> Iterator[str]:
    yield '<hr class="rule" style="border:0;border-top:1px solid #dfe3e8;margin:20px 0">'
    name = _link(site.link or site.root_url, site.name)
    yield (
        '<h2 class="site" style="margin:0;font-size:17px;line-height:24px;color:#1b1f23;'
        f'overflow-wrap:anywhere">{name}</h2>'
    )
    yield _dim(site.figures)
    for event in site.events:
        yield _paragraph(f"{_label(event)} {escape(event.title)}")
        yield from (_example(url) for url in event.examples[:_SHOWN_EXAMPLES])


def _label(event: EventNews) -> str:
    words = _SEVERITY_WORDS.get(event.severity, "High")
    style = event.severity if event.severity in _SEVERITY_WORDS else "high"
    if event.phase_words == "Over":
        style = "over"
    if event.phase_words:
        words = "Over" if style == "over" else f"{words} · {event.phase_words}"
    return f'<span class="label {style}">{words}</span>'


def _paragraph(inner: str) -> str:
    return (
        '<p class="text" style="margin:14px 0 4px;font-size:15px;line-height:22px;color:#1b1f23;'
        f'overflow-wrap:anywhere">{inner}</p>'
    )


def _dim(text: str) -> str:
    return (
        '<p class="dim" style="margin:4px 0;font-size:13px;line-height:20px;color:#5f6a75">'
        f"{escape(text)}</p>"
    )


def _example(url: str) -> str:
    return (
        '<p class="dim" style="margin:2px 0;font-size:13px;line-height:19px;color:#5f6a75;'
        f'overflow-wrap:anywhere">{_link(url, url)}</p>'
    )


def _link(url: str, words: str) -> str:
    # URLs come from the watched site: one with another scheme is shown, and not linked.
    if not url.startswith(("https://", "http://")):
        return escape(words)
    return f'<a href="{escape(url)}">{escape(words)}</a>'


# --- Unsubscribing ---------------------------------------------------------------------------
def unsubscribe_token(channel_id: int, key: bytes) -> str:
    return (
        base64.urlsafe_b64encode(_proof(channel_id, key) + channel_id.to_bytes(_ID_BYTES, "big"))
        .decode()
        .rstrip("=")
    )


def channel_of_token(token: str, key: bytes) -> int | None:
    """The channel that the token names; None: the token is not ours.

    >>> channel_of_token(unsubscribe_token(7, b"key"), b"key")
    7
    >>> channel_of_token(unsubscribe_token(7, b"key"), b"other") is None
    True
    """
    try:
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except (binascii.Error, ValueError):
        return None
    proof, number = raw[:_PROOF_BYTES], raw[_PROOF_BYTES:]
    if len(number) != _ID_BYTES:
        return None
    channel_id = int.from_bytes(number, "big")
    return channel_id if hmac.compare_digest(proof, _proof(channel_id, key)) else None


def _proof(channel_id: int, key: bytes) -> bytes:
    return hmac.new(key, f"unsubscribe:{channel_id}".encode(), hashlib.sha256).digest()[
        :_PROOF_BYTES
    ]
