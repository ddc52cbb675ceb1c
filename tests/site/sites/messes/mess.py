"""A messy page, and what a browser still finds in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.site.reply import Reply
from tests.site.sites.prose import paragraphs

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Find:
    """What a link of a page leads to."""

    page: str
    source: str = "link"
    region: str = "content-link"
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Mess:
    path: str
    reply: Reply
    finds: tuple[Find, ...]
    never: tuple[str, ...] = ()
    """What only looks like a link."""


def messy_page(
    name: str,
    html: str,
    *finds: Find,
    never: tuple[str, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> Mess:
    """A page of a little text, so that no two of them look the same, and then the mess."""
    path = f"/old/{name}"
    body = html if html.startswith("<html>") else paragraphs(path, 1) + html
    content_type = "text/html; charset=utf-8"
    return Mess(path, Reply(body, headers=headers or {}, content_type=content_type), finds, never)
