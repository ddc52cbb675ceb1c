"""The public library: its surface, and the examples of its documentation."""

from __future__ import annotations

import hashlib
import inspect
import re
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import pytest

import sitecrawl
from tests.site.build import page, robots, sitemap
from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.site import SiteServer


def _surface() -> Iterator[str]:
    for name in sorted(sitecrawl.__all__):
        thing: Any = getattr(sitecrawl, name)
        if inspect.isfunction(thing):
            yield f"{name}{inspect.signature(thing)}"
        elif inspect.isclass(thing):
            yield f"class {name}({', '.join(each.__name__ for each in thing.__bases__)})"
            if is_dataclass(thing):
                yield from (f"  {name}.{each.name}: {each.type}" for each in fields(thing))
            yield from (
                f"  {name}.{method}{inspect.signature(function)}"
                for method, function in sorted(vars(thing).items())
                if inspect.isfunction(function) and not method.startswith("_")
            )


def test_a_change_of_the_surface_is_in_the_changelog() -> None:
    surface = "\n".join(_surface())
    number = hashlib.sha256(surface.encode()).hexdigest()[:8]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"library surface {number}" in changelog, (
        "what the library offers has changed: describe it in CHANGELOG.md, with the words"
        f" (library surface {number})\n{surface}"
    )


def test_every_name_is_documented_and_can_be_imported() -> None:
    text = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    inner = {"Inventory", "Pages", "ScanProgress", "__version__"}  # what others give
    for name in sitecrawl.__all__:
        assert hasattr(sitecrawl, name)
        assert name in inner or f"{name}" in text, f"docs/library.md does not name {name}"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sitecrawl.nothing


def test_the_examples_of_the_documentation_run(
    site: SiteServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    site.routes |= {
        "/robots.txt": robots(site.at("/sitemap.xml")),
        "/sitemap.xml": sitemap(site.at("/blog/a"), site.at("/docs/b")),
        **{path: page(path) for path in ("/", "/docs/", "/blog/a", "/docs/b")},
    }
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SITECRAWL_CRAWL", "never")
    text = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, Any] = {}
    for block in blocks:
        own = block.replace("https://example.com", site.url).replace("example.com", site.url)
        exec(compile(own, "docs/library.md", "exec"), names)
    assert names["frame"].height == 2
    assert names["page"].url == site.at("/blog/a")
    assert names["why"].page.url == site.at("/blog/a")
