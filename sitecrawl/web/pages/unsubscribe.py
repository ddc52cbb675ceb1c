"""Stopping the messages of a channel by the link in an email: it proves the right to."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from sitecrawl.channels.email import UNSUBSCRIBE_PATH
from sitecrawl.services import channels
from sitecrawl.web.auth import count_by_address
from sitecrawl.web.state import web_of
from sitecrawl.web.templating import render

router = APIRouter(prefix=UNSUBSCRIBE_PATH.rstrip("/"), dependencies=[Depends(count_by_address)])


@router.get("/{token}")
def unsubscribe_page(request: Request, token: str) -> Response:
    """Ask first: scanners of mail open links."""
    web = web_of(request)
    channel = channels.channel_to_unsubscribe(web.database, token, web.config)
    return render(request, "unsubscribe.html", {"channel": channel, "is_done": False})


@router.post("/{token}")
def unsubscribe(request: Request, token: str) -> Response:
    """Also what a mail program sends by itself (RFC 8058)."""
    web = web_of(request)
    channel = channels.unsubscribe(web.database, token, web.config)
    return render(request, "unsubscribe.html", {"channel": channel, "is_done": True})
