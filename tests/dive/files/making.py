"""Makes small files: real ones by the libraries that people use, and broken ones by hand."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

_PDF_HEAD = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"


@dataclass(frozen=True)
class Text:
    """A line of text on a page of a PDF."""

    words: str
    y: int
    size: float = 11
    x: int = 72


def pdf(*pages: list[Text], info: str = "", language: str = "", outline: str = "") -> bytes:
    """A PDF file; *info* and *outline* are objects as PDF writes them."""
    objects = {1: "", 2: "", 3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
    kids = []
    for lines in pages:
        number = len(objects) + 1
        kids.append(f"{number} 0 R")
        objects[number] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents"
            f" {number + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        drawn = "\n".join(
            f"BT /F1 {line.size} Tf 1 0 0 1 {line.x} {line.y} Tm ({_escaped(line.words)}) Tj ET"
            for line in lines
        )
        packed = zlib.compress(drawn.encode("latin-1"))
        objects[number + 1] = (
            f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n"
            + packed.decode("latin-1")
            + "\nendstream"
        )
    root = "<< /Type /Catalog /Pages 2 0 R"
    root += f" /Lang ({language})" if language else ""
    if outline:
        number = len(objects) + 1
        objects[number] = f"<< /First {number + 1} 0 R /Last {number + 1} 0 R /Count 1 >>"
        objects[number + 1] = outline.replace("PARENT", f"{number} 0 R")
        root += f" /Outlines {number} 0 R"
    objects[1] = f"{root} >>"
    objects[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    if info:
        objects[len(objects) + 1] = f"<< {info} >>"
    return _assembled(objects, f"/Info {len(objects)} 0 R" if info else "")


def _escaped(words: str) -> str:
    return words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _assembled(objects: dict[int, str], trailer: str) -> bytes:
    body, places = _PDF_HEAD, []
    for number in sorted(objects):
        places.append(len(body))
        body += f"{number} 0 obj\n{objects[number]}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    return body + (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode("latin-1")


def encrypted(body: bytes, password: str) -> bytes:
    """The PDF with a password to open it; an empty one: only for changing it."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(body)))
    writer.encrypt(password, owner_password="owner", algorithm="AES-256")
    found = BytesIO()
    writer.write(found)
    return found.getvalue()


def archive(**parts: bytes | str) -> bytes:
    """A zip file; ``__`` in the name of a part is ``/``, and a single ``_`` is a dot."""
    names = {name.replace("__", "/").replace("_", "."): part for name, part in parts.items()}
    return packed(names)


def packed(parts: dict[str, bytes | str]) -> bytes:
    found = BytesIO()
    with ZipFile(found, "w", ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return found.getvalue()


_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"'
    for name, space in (
        *(("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing")),
        *(("presentation", "presentation"), ("meta", "meta"), ("manifest", "manifest")),
    )
)


def opendocument(kind: str, body: str, *, manifest: str = "") -> bytes:
    """An OpenDocument file; *kind*: text, presentation or spreadsheet."""
    meta = (
        f'<office:document-meta {_NAMES} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>'
        "<dc:title>Price list</dc:title><dc:creator>Ida Berg</dc:creator>"
        "<dc:language>en</dc:language><meta:creation-date>2026-02-03T10:00:00</meta:creation-date>"
        "</office:meta></office:document-meta>"
    )
    content = (
        f"<office:document-content {_NAMES}><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>"
    )
    return packed(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": content,
            "meta.xml": meta,
            "META-INF/manifest.xml": f"<manifest:manifest {_NAMES}>{manifest}</manifest:manifest>",
        }
    )


def word() -> bytes:
    """As python-docx writes it, with headings, a list, a table and hidden text."""
    from docx import Document

    document = Document()
    document.core_properties.title = "Rules of the house"
    document.core_properties.author = "Ida Berg"
    document.add_heading("Visiting", 1)
    document.add_paragraph("Please come through the gate in the garden.")
    document.add_paragraph("Dogs stay outside.", style="List Bullet")
    document.add_heading("Prices", 2)
    table = document.add_table(rows=0, cols=2)
    for cells in (("Adults", "9 euros"), ("Children", "nothing")):
        row = table.add_row()
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    paragraph = document.add_paragraph("Shown. ")
    paragraph.add_run("Hidden.").font.hidden = True
    found = BytesIO()
    document.save(found)
    return found.getvalue()


def slides() -> bytes:
    """As python-pptx writes it: two slides, the second one with a table."""
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    deck.core_properties.title = "The new wing"
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Why we build"
    first.placeholders[1].text = "The old hall is too small."
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "What it costs"
    table = second.shapes.add_table(1, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    table.cell(0, 0).text = "Roof"
    table.cell(0, 1).text = "90,000"
    found = BytesIO()
    deck.save(found)
    return found.getvalue()


def sheets() -> bytes:
    """As openpyxl writes it: numbers, dates, a hidden sheet."""
    from datetime import date

    from openpyxl import Workbook

    book = Workbook()
    book.properties.title = "Opening days"
    sheet = book.active
    sheet.title = "Summer"
    sheet.append(["Day", "Guests", "Share", "Open"])
    sheet.append([date(2026, 7, 1), 120, 0.1 + 0.2, True])
    hidden = book.create_sheet("Salaries")
    hidden.append(["Ida Berg", 5000])
    hidden.sheet_state = "hidden"
    found = BytesIO()
    book.save(found)
    return found.getvalue()


def epub() -> bytes:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<metadata><dc:title>The garden</dc:title><dc:creator>Ida Berg</dc:creator>"
        "<dc:language>en</dc:language><dc:date>2025-05-01</dc:date></metadata><manifest>"
        '<item id="b" href="two.xhtml"/><item id="a" href="one.xhtml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    chapter = "<html><body><h1>{}</h1><p>{}</p></body></html>"
    return packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OEBPS/book.opf": package,
            "OEBPS/one.xhtml": chapter.format(
                "Soil", "Good soil is dark and crumbles in the hand."
            ),
            "OEBPS/two.xhtml": chapter.format("Seeds", "Seeds are kept dry, cool and in the dark."),
        }
    )
