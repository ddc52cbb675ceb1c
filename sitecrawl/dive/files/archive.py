"""Reads the parts of office files and e-books, which are zip files, with limits.

- At most 5,000 members, 50 MB of parts in all, and 100 times the size of the file (5 MB are always
  allowed): a small file that unpacks to gigabytes is rejected early.
- XML with a document type declaration is refused, so there are no entities.
"""

from __future__ import annotations

import posixpath
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final
from zipfile import BadZipFile, ZipFile

from lxml import etree

from sitecrawl.dive.files.formats import FileProblem, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_MEMBERS: Final = 5_000
MAX_UNPACKED_BYTES: Final = 50_000_000
_MAX_RATIO: Final = 100
_ALWAYS_ALLOWED_BYTES: Final = 5_000_000
_MAX_DIGITS: Final = 9
_ENCRYPTED_FLAG: Final = 0x1


class Archive:
    """A zip file whose parts are read one by one."""

    def __init__(self, body: bytes):
        try:
            self._zip = ZipFile(BytesIO(body))
        except (BadZipFile, ValueError, OSError) as error:
            raise UnreadableFileError(FileProblem.DAMAGED, f"no zip file: {error}") from error
        if len(self._zip.infolist()) > MAX_MEMBERS:
            raise UnreadableFileError(FileProblem.TOO_LARGE, f"more than {MAX_MEMBERS:,} members")
        self.names = frozenset(self._zip.namelist())
        allowed = max(_ALWAYS_ALLOWED_BYTES, _MAX_RATIO * len(body))
        self._left = min(MAX_UNPACKED_BYTES, allowed)

    def read(self, name: str) -> bytes:
        """The part of this name; empty: there is none."""
        if name not in self.names:
            return b""
        info = self._zip.getinfo(name)
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise UnreadableFileError(FileProblem.ENCRYPTED, f"{name} needs a password")
        try:
            with self._zip.open(info) as member:
                part = member.read(self._left + 1)
        except (BadZipFile, NotImplementedError, EOFError, OSError, zlib.error) as error:
            raise UnreadableFileError(FileProblem.DAMAGED, f"{name}: {error}") from error
        if len(part) > self._left:
            raise UnreadableFileError(FileProblem.TOO_LARGE, f"{name} unpacks to too much")
        self._left -= len(part)
        return part

    def tree(self, name: str) -> Any:
        """The root of the XML of this name; an empty element: there is none."""
        part = self.read(name)
        return parse_xml(part, name) if part else etree.Element("none")

    def relations(self, name: str) -> dict[str, str]:
        """The parts that a part of an Office Open XML file names, by the ids that it uses."""
        folder, file = posixpath.split(name)
        tree = self.tree(f"{folder}/_rels/{file}.rels")
        return {
            each.get("Id", ""): posixpath.normpath(
                posixpath.join("/", folder, each.get("Target", ""))
            ).lstrip("/")
            for each in tree.iter("{*}Relationship")
            if each.get("TargetMode") != "External"
        }


def parse_xml(part: bytes, name: str) -> Any:
    """The root of the XML."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root: Any = etree.fromstring(part, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableFileError(FileProblem.DAMAGED, f"{name}: {error}") from error
    if root.getroottree().docinfo.doctype:
        message = f"{name}: a document type declaration, which such files do not have"
        raise UnreadableFileError(FileProblem.DAMAGED, message)
    return root


def local_name(element: Any) -> str:
    """The name without its namespace, which differs between editions of the formats."""
    return str(element.tag).rpartition("}")[2]


def attribute(element: Any, name: str) -> str:
    """The attribute of this name, in whatever namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return ""


def first_text(tree: Any, *names: str) -> str:
    """The text of the first element that has one of these names and a text."""
    for name in names:
        for element in tree.iter(f"{{*}}{name}"):
            if text := "".join(element.itertext()).strip():
                return text
    return ""


def children(element: Any, name: str) -> Iterator[Any]:
    yield from element.iterchildren(f"{{*}}{name}")


def whole_number(text: str) -> int:
    """The number in the text; -1: there is none, or it has too many digits.

    >>> whole_number("12"), whole_number("-3"), whole_number("9" * 5000)
    (12, -1, -1)
    """
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else -1
