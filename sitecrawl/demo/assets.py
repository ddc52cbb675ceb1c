"""What the demo site's pages embed or offer for download."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sitecrawl.demo.layout import template

if TYPE_CHECKING:
    from sitecrawl.demo.content import Variety

_COLOURS = {
    "tomatoes": "#b8402f",
    "beans": "#5d7f3b",
    "salads": "#87a84b",
    "roots": "#c9772b",
    "squash": "#d9a036",
    "flowers": "#6a5a9c",
}


def stylesheet() -> str:
    return template("site.css").template


def packet_image(variety: Variety) -> str:
    colour = _COLOURS[variety.group.slug]
    return template("packet.svg").substitute(name=escape(variety.name), colour=colour)


def pdf(line: str) -> bytes:
    """A PDF of one page with one line of ASCII text."""
    text = f"BT /F1 24 Tf 72 720 Td ({line}) Tj ET".encode("ascii")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources 6 0 R>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(text), text),
        b"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>",
        b"<</Font<</F1 5 0 R>>>>",
    ]
    body = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(objects) + 1
    return (
        body
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table)
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, len(body))
    )
