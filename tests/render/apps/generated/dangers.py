"""What does harm on generated pages, by a label, an icon or a type that tells it, or by none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.render.apps.generated import vocabulary
from tests.render.apps.generated.markup import Markup, Workshop, fill, quoted, shown
from tests.render.apps.truth import Step

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Trap:
    """A danger before it has its page."""

    name: str
    markup: Markup
    steps: tuple[Step, ...]
    request: str
    is_disguised: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    method: str
    path: str
    statement: str


_BIN = '<path d="M4 6h16M9 6V4h6v2M6 6l1 14h10l1-14"/>'
_ICONS = (
    (
        f'<button type="button" class="%name%"><svg class="icon icon-trash" viewBox="0 0 24 24" '
        f'width="20" height="20">{_BIN}</svg></button>'
    ),
    (
        f'<button type="button" class="%name%" aria-label="Delete"><svg viewBox="0 0 24 24" '
        f'width="20" height="20">{_BIN}</svg></button>'
    ),
    '<span class="%name%" role="button" tabindex="0">🗑</span>',
    '<button type="button" class="%name%"><i class="fa fa-trash-o">&nbsp;&nbsp;</i></button>',
    '<span class="%name% pointing" title="Remove">✕</span>',
    '<button type="button" class="%name%"><span class="material-icons">delete</span></button>',
)
_BUTTONS = (
    '<button type="button" class="%name%">%label%</button>',
    '<div class="%name% pointing">%label%</div>',
    '<div role="button" tabindex="0" class="%name%">%label%</div>',
    '<span class="%name% pointing"><b>%label%</b></span>',
    '<input type="button" class="%name%" value="%label%">',
    '<ul><li class="%name%" role="menuitem" tabindex="-1">%label%</li></ul>',
    '<a class="%name% pointing">%label%</a>',
    '<a href="#" class="%name%">%label%</a>',
)
_HANDLER = """
scope.querySelector(%selector%).addEventListener(%event%, (event) => {
  event.preventDefault(); event.stopPropagation(); reportDanger(%danger%); %effect% });
"""


def labelled(make: Workshop) -> Trap:
    """In any of the languages."""
    language = make.pick(tuple(vocabulary.DANGEROUS_LABELS))
    return _trap(make, make.pick(_BUTTONS), make.pick(vocabulary.DANGEROUS_LABELS[language]))


def english(make: Workshop) -> Trap:
    return _trap(make, make.pick(_BUTTONS), make.pick(vocabulary.DANGEROUS_LABELS["en"]))


def icon(make: Workshop) -> Trap:
    return _trap(make, make.pick(_ICONS), "")


def disguised(make: Workshop) -> Trap:
    label = make.pick(vocabulary.HARMLESS_LOOKS)
    return _trap(make, make.pick(_BUTTONS), label, is_disguised=True)


def form(make: Workshop) -> Trap:
    name, path = make.name(), f"/{make.name()}"
    submit = make.pick(
        (
            f'<button class="{name}">%label%</button>',
            f'<input type="submit" class="{name}" value="%label%">',
            (
                f'<button type="submit" class="{name}" formmethod="post" formaction="{path}">'
                "%label%</button>"
            ),
        )
    )
    method = (
        'method="get" action="/"' if "formmethod" in submit else f'method="post" action="{path}"'
    )
    label = make.pick(("Join", "Absenden", "Envoyer", "OK", "送信"))
    html = f'<form {method}><input name="q" value="a">{fill(submit, label=label)}</form>'
    script = fill(
        "scope.querySelector(%selector%).form.addEventListener('submit', () => "
        "reportDanger(%danger%));",
        selector=quoted(f".{name}"),
        danger=quoted(name),
    )
    return Trap(name, Markup(html, script), (Step("click", f".{name}"),), f"POST {path}")


def log_out(make: Workshop) -> Trap:
    name = make.name()
    html = f'<a class="{name}" href="/logout">{shown(make.pick(vocabulary.LOG_OUTS))}</a>'
    script = fill(
        "scope.querySelector(%selector%).addEventListener('click', () => reportDanger(%danger%));",
        selector=quoted(f".{name}"),
        danger=quoted(name),
    )
    return Trap(name, Markup(html, script), (Step("click", f".{name}"),), "GET /logout")


TRAPS: tuple[Callable[[Workshop], Trap], ...] = (
    english,
    english,
    labelled,
    labelled,
    labelled,
    icon,
    icon,
    disguised,
    disguised,
    disguised,
    form,
)


def _trap(make: Workshop, template: str, label: str, *, is_disguised: bool = False) -> Trap:
    name = make.name()
    effect = _effect(make)
    script = fill(
        _HANDLER,
        selector=quoted(f".{name}"),
        event=quoted(make.pick(("click", "click", "click", "pointerup", "mousedown"))),
        danger=quoted(name),
        effect=effect.statement,
    )
    html = fill(template, name=name, label=shown(label))
    steps = (Step("click", f".{name}"),)
    request = f"{effect.method} {effect.path}"
    return Trap(name, Markup(html, script), steps, request, is_disguised)


def _effect(make: Workshop) -> Effect:
    data, page = f"/api/{make.name()}", f"/{make.name()}"
    return make.pick(
        (
            Effect("DELETE", data, f'fetch("{data}", {{ method: "DELETE" }});'),
            Effect("POST", data, f'fetch("{data}", {{ method: "POST", body: "{{}}" }});'),
            Effect("PUT", data, f'fetch(new Request("{data}", {{ method: "PUT", body: "1" }}));'),
            Effect("POST", data, f'navigator.sendBeacon("{data}", "1");'),
            Effect(
                "POST",
                data,
                f'const ask = new XMLHttpRequest(); ask.open("POST", "{data}"); ask.send("1");',
            ),
            Effect(
                "POST",
                data,
                f'fetch("{data}", {{ method: "POST", keepalive: true, '
                'body: JSON.stringify({ query: "mutation { end }" }) });',
            ),
            Effect(
                "POST",
                page,
                'const form = document.createElement("form"); form.method = "post";\n'
                f'form.action = "{page}"; document.body.append(form); form.submit();',
            ),
        )
    )
