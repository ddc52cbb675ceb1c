"""Wrong declarations of encodings, and unexpected sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from tests.site.reply import Reply
from tests.site.sites.messes.mess import Find, Mess, messy_page
from tests.site.sites.prose import paragraphs, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

_NESTED_DIVS = 5_000
_HUGE_PARAGRAPHS = 6_000


def encoding_messes() -> Iterator[Mess]:
    yield from _encodings()
    yield from _sizes()


def _encodings() -> Iterator[Mess]:
    yield _encoded("latin1-said-utf8", "/machines/furnace", "latin-1", said="utf-8")
    yield _encoded("utf16", "/machines/winch", "utf-16")
    yield _encoded("utf16-by-header", "/machines/hoist", "utf-16-be", said="utf-16be")
    yield _encoded("meta-lies", "/machines/crane", "utf-8", head="<meta charset=utf-16>")
    koi8 = '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'
    yield _encoded("header-wins", "/machines/größe", "utf-8", said="utf-8", head=koi8)
    yield _encoded("latin1", "/machines/säge", "latin-1", said="iso-8859-1")
    yield _encoded("by-meta", "/machines/fräse", "cp1252", head="<meta charset=windows-1252>")
    yield _encoded("no-such-charset", "/machines/mixer", "utf-8", said="x-none")
    yield _encoded("byte-order-mark", "/machines/rührer", "utf-8-sig", said="iso-8859-1")


def _encoded(name: str, link: str, encoding: str, *, said: str = "", head: str = "") -> Mess:
    """A page in one encoding, said to be in another by its headers or itself."""
    path = f"/old/{name}"
    html = (
        f"<html><head>{head}<title>Größe</title></head><body>{paragraphs(path, 1)}"
        f'<p>Straße: <a href="{link}">weiter</a>'
    )
    content_type = f"text/html; charset={said}" if said else "text/html"
    # A path is sent in UTF-8, whatever the page is in.
    return Mess(path, Reply(html.encode(encoding), content_type=content_type), (Find(quote(link)),))


def _sizes() -> Iterator[Mess]:
    yield Mess("/old/empty", Reply(b"", content_type="text/html"), ())
    yield messy_page(
        "deep",
        "<div>" * _NESTED_DIVS + '<a href="/machines/bottom">Down here</a>',
        Find("/machines/bottom"),
    )
    text = f"<p>{sentences('huge', 5)}</p>\n" * _HUGE_PARAGRAPHS
    yield messy_page(
        "huge", f'{text}<a href="/machines/at-the-end">End', Find("/machines/at-the-end")
    )
