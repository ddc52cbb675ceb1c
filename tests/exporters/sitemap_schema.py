"""What the protocol of sitemaps.org (0.9) allows in a file, as an XML schema."""

from __future__ import annotations

import gzip
from functools import cache
from typing import TYPE_CHECKING, Any

from lxml import etree

from tests.site.build import NAMESPACE

if TYPE_CHECKING:
    from pathlib import Path

XHTML = "http://www.w3.org/1999/xhtml"
_TYPES = """
  <simpleType name="address">
    <restriction base="anyURI"><minLength value="12"/><maxLength value="2048"/></restriction>
  </simpleType>
  <simpleType name="moment"><union memberTypes="date dateTime"/></simpleType>
"""
_FACTS = """
  <element name="loc" type="map:address"/>
  <element name="lastmod" type="map:moment" minOccurs="0"/>
"""
_MORE_FACTS = """
  <element name="changefreq" type="string" minOccurs="0"/>
  <element name="priority" type="decimal" minOccurs="0"/>
  <any namespace="##other" minOccurs="0" maxOccurs="unbounded" processContents="lax"/>
"""


@cache
def _schema(root: str, entry: str, more: str) -> Any:
    text = f"""
<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:map="{NAMESPACE}"
    targetNamespace="{NAMESPACE}" elementFormDefault="qualified">
  {_TYPES}
  <element name="{root}"><complexType><sequence>
    <element name="{entry}" minOccurs="1" maxOccurs="50000">
      <complexType><sequence>{_FACTS}{more}</sequence></complexType>
    </element>
  </sequence></complexType></element>
</schema>"""
    return etree.XMLSchema(etree.fromstring(text))


def valid_urlset(path: Path) -> Any:
    """The root of a file that keeps to the protocol."""
    return _valid(path, _schema("urlset", "url", _MORE_FACTS))


def valid_index(path: Path) -> Any:
    return _valid(path, _schema("sitemapindex", "sitemap", ""))


def locs(root: Any) -> list[str]:
    return [loc.text for loc in root.iter(f"{{{NAMESPACE}}}loc")]


def _valid(path: Path, schema: Any) -> Any:
    body = path.read_bytes()
    body = gzip.decompress(body) if path.suffix == ".gz" else body
    assert len(body) <= 52_428_800
    root = etree.fromstring(body, etree.XMLParser(resolve_entities=False))
    schema.assertValid(root)
    for link in root.iter(f"{{{XHTML}}}link"):
        assert set(link.attrib) == {"rel", "hreflang", "href"}
    return root
