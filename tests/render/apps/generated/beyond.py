"""Doors that nobody is expected to find: they need hands, words, or a guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.render.apps.generated.markup import Markup, Target, Workshop, fill, quoted, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FIND = "const element = scope.querySelector(%selector%);\n"


def _dragged(to: Target) -> tuple[str, str]:
    return (
        f'<div class="%name%" draggable="true">{shown(to.label)}</div>',
        f"element.addEventListener('dragend', () => {{ {to.move} }});",
    )


def _typed(to: Target) -> tuple[str, str]:
    return (
        '<input class="%name%" aria-label="Code">',
        (
            "element.addEventListener('input', () => {\n"
            f"  if (element.value === {quoted(to.label)}) {{ {to.move} }} }});"
        ),
    )


def _hovered(to: Target) -> tuple[str, str]:
    return (
        '<div class="%name%"><i>…</i></div>',
        (
            "element.addEventListener('mousemove', (event) => {\n"
            "  if (!event.isTrusted || element.children.length > 1) return;\n"
            "  const item = document.createElement('b'); element.append(item);\n"
            f"  item.textContent = {quoted(to.label)};\n"
            f"  item.addEventListener('click', () => {{ {to.move} }}); }});"
        ),
    )


def _chosen(to: Target) -> tuple[str, str]:
    return (
        f'<select class="%name%"><option>…</option><option>{shown(to.label)}</option></select>',
        (
            "element.addEventListener('change', () => {\n"
            f"  if (element.selectedIndex === 1) {{ {to.move} }} }});"
        ),
    )


def _clicked_twice(to: Target) -> tuple[str, str]:
    return (
        f'<div class="%name%">{shown(to.label)}</div>',
        f"element.addEventListener('dblclick', () => {{ {to.move} }});",
    )


def _unlinked(_to: Target) -> tuple[str, str]:
    return "", ""


WAYS: Mapping[str, Callable[[Target], tuple[str, str]]] = {
    "something dragged": _dragged,
    "the right word typed": _typed,
    "a real mouse over what makes the item only then": _hovered,
    "a choice in a select": _chosen,
    "a double click": _clicked_twice,
    "a guess: nothing leads there, and the router is nobody's": _unlinked,
}


def beyond(make: Workshop, to: Target, way: str) -> Markup:
    name = make.name()
    html, script = WAYS[way](to)
    if not html:
        return Markup("")
    return Markup(fill(html, name=name), fill(_FIND, selector=quoted(f".{name}")) + script)
