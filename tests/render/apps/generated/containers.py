"""What doors are hidden in: menus, dialogs, folds, tabs, lists, and shadow roots."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.render.apps.generated import vocabulary
from tests.render.apps.generated.markup import Markup, Way, Workshop, fill, quoted, shown
from tests.render.apps.truth import Need, Step

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Container:
    markup: Markup
    way: Way
    """To what is inside."""
    is_in_page: bool = False
    """What is inside is in the page before anybody opens it."""


_TOGGLES = (
    '<button type="button" class="%name%" aria-expanded="false">%label%</button>',
    '<div class="%name%" role="button" tabindex="0" aria-haspopup="true">%label%</div>',
    '<span class="%name% pointing">%label%</span>',
)
_MAKE = """
const toggle = scope.querySelector(%toggle%);
let inside = null;
toggle.addEventListener("click", () => {
  if (inside?.isConnected) { inside.remove(); return; }
  inside = document.createElement(%tag%);
  inside.className = %name%;
  %setup%
  inside.innerHTML = %inner%;
  toggle.after(inside);
  const scope = inside;
  { %script% }
});
"""


def made_menu(make: Workshop, inner: Markup) -> Container:
    setup = 'inside.setAttribute("role", "menu");'
    return _made(make, inner, Need.OPEN_MENU, "div", setup, "menu that exists while open")


def made_modal(make: Workshop, inner: Markup) -> Container:
    setup = 'inside.setAttribute("role", "dialog"); inside.classList.add("floating");'
    return _made(make, inner, Need.OPEN_MODAL, "section", setup, "dialog that exists while open")


def made_fold(make: Workshop, inner: Markup) -> Container:
    return _made(make, inner, Need.OPEN_FOLD, "div", "", "fold that is made when opened")


def menu_in_menu(make: Workshop, inner: Markup) -> Container:
    deep = made_menu(make, inner)
    outer = made_menu(make, deep.markup)
    steps = outer.way.steps + deep.way.steps
    return Container(outer.markup, Way(steps, outer.way.needs, "menu in a menu"))


def drawer(make: Workshop, inner: Markup) -> Container:
    toggle, name = make.name(), make.name()
    make.style(
        ".%name% { position: fixed; left: 0; top: 40px; width: 260px; background: #fff; "
        "visibility: hidden; transform: translateX(-270px) } "
        ".%name%.is-out { visibility: visible; transform: none; z-index: 5 }",
        name=name,
    )
    script = fill(
        "scope.querySelector(%toggle%).addEventListener('click', () => "
        "scope.querySelector(%name%).classList.toggle('is-out'));",
        toggle=quoted(f".{toggle}"),
        name=quoted(f".{name}"),
    )
    html = f'{_toggle(make, toggle)}<aside class="{name}">{inner.html}</aside>'
    return _in_page(html, _and(script, inner), toggle, Need.OPEN_MENU, "drawer")


def popover(make: Workshop, inner: Markup) -> Container:
    toggle, name = make.name(), make.name()
    html = (
        f'<button type="button" class="{toggle}" popovertarget="{name}">{_opener(make)}</button>'
        f'<div popover id="{name}">{inner.html}</div>'
    )
    return _in_page(html, inner, toggle, Need.OPEN_MENU, "popover")


def modal_element(make: Workshop, inner: Markup) -> Container:
    toggle, name = make.name(), make.name()
    script = fill(
        "scope.querySelector(%toggle%).onclick = () => scope.querySelector(%name%).showModal();",
        toggle=quoted(f".{toggle}"),
        name=quoted(f".{name}"),
    )
    html = f'{_toggle(make, toggle)}<dialog class="{name}">{inner.html}</dialog>'
    return _in_page(html, _and(script, inner), toggle, Need.OPEN_MODAL, "dialog element")


def details(make: Workshop, inner: Markup) -> Container:
    toggle = make.name()
    html = f'<details><summary class="{toggle}">{_opener(make)}</summary>{inner.html}</details>'
    return _in_page(html, inner, toggle, Need.OPEN_FOLD, "details")


def hover_menu(make: Workshop, inner: Markup) -> Container:
    """CSS alone shows it; what is inside is in the page all the time."""
    name = make.name()
    make.style(".%name% > div { display: none } .%name%:hover > div { display: block }", name=name)
    html = f'<div class="{name}"><b>{_opener(make)}</b><div>{inner.html}</div></div>'
    way = Way((Step("hover", f".{name}"),), frozenset({Need.OPEN_MENU}), "menu shown on :hover")
    return Container(_and("", inner, html), way, is_in_page=True)


def checkbox_menu(make: Workshop, inner: Markup) -> Container:
    name, box = make.name(), make.name()
    make.style("#%box% ~ div { display: none } #%box%:checked ~ div { display: block }", box=box)
    html = (
        f'<div><input type="checkbox" id="{box}" hidden>'
        f'<label for="{box}" class="{name}">{_opener(make)}</label><div>{inner.html}</div></div>'
    )
    return _in_page(html, inner, name, Need.OPEN_MENU, "menu shown by a checkbox")


def tabs(make: Workshop, inner: Markup) -> Container:
    name, tab, panel = make.name(), make.name(), make.name()
    html = (
        f'<div class="{name}"><div role="tablist"><button type="button" role="tab">'
        f'{make.text()}</button><button type="button" role="tab" class="{tab}">{_opener(make)}'
        f'</button></div><div role="tabpanel" class="{panel}">{make.text()}</div></div>'
    )
    script = fill(
        "const panel = scope.querySelector(%panel%); const text = panel.innerHTML;\n"
        "const [first, second] = scope.querySelectorAll(%tabs%);\n"
        "first.addEventListener('click', () => { panel.innerHTML = text; });\n"
        "second.addEventListener('click', () => {\n"
        "  panel.innerHTML = %inner%; const scope = panel; { %script% } });",
        panel=quoted(f".{panel}"),
        tabs=quoted(f".{name} [role=tab]"),
        inner=quoted(inner.html),
        script=inner.script,
    )
    way = Way((Step("click", f".{tab}"),), frozenset({Need.OPEN_TAB}), "tab")
    return Container(Markup(html, script, inner.module), way)


def wizard(make: Workshop, inner: Markup) -> Container:
    name, following = make.name(), make.name()
    label = make.pick(vocabulary.NEXT_STEPS)
    html = (
        f'<div class="{name}"><p>1/3 {make.text()}</p></div>'
        f'<button type="button" class="{following}">{label}</button>'
    )
    script = fill(
        "let step = 1; const panel = scope.querySelector(%panel%);\n"
        "const following = scope.querySelector(%following%);\n"
        "following.addEventListener('click', () => {\n"
        "  step += 1; panel.dataset.step = step;\n"
        "  if (step < 3) { panel.innerHTML = `<p>${step}/3 </p>` + %text%; return; }\n"
        "  following.remove(); panel.innerHTML = %inner%; const scope = panel; { %script% } });",
        panel=quoted(f".{name}"),
        following=quoted(f".{following}"),
        text=quoted(make.text()),
        inner=quoted(inner.html),
        script=inner.script,
    )
    steps = (Step("click", f".{following}"), Step("click", f".{name}[data-step='2'] + *"))
    way = Way(steps, frozenset({Need.OPEN_TAB}), "last step of a wizard")
    return Container(Markup(html, script, inner.module), way)


_LOAD = (
    "const list = scope.querySelector(%list%); const more = scope.querySelector(%more%);\n"
    "const load = async () => {\n"
    "  const { items } = await (await fetch(%data%)).json(); more.remove();\n"
    "  list.append(...items.map((text) => Object.assign(document.createElement('li'), "
    "{ textContent: text })));\n"
    "  list.insertAdjacentHTML('beforeend', %inner%); const scope = list; { %script% } };\n"
)


def load_more(make: Workshop, inner: Markup) -> Container:
    more = make.name()
    label = make.pick(vocabulary.MORE)
    button = f'<button type="button" class="{more}">{label}</button>'
    start = "more.addEventListener('click', load, { once: true });"
    steps = (Step("click", f".{more}"),)
    return _list(make, inner, more, button, start, Way(steps, frozenset({Need.OPEN_FOLD}), label))


def endless_list(make: Workshop, inner: Markup) -> Container:
    more = make.name()
    filler = "".join(f'<p class="tall">{make.text()}</p>' for _ in range(12))
    start = (
        "new IntersectionObserver(([entry], observer) => {\n"
        "  if (entry.isIntersecting) { observer.disconnect(); load(); } }).observe(more);"
    )
    way = Way((Step("scroll-to", f".{more}"),), frozenset({Need.SCROLL}), "list that loads on")
    return _list(make, inner, more, f'{filler}<div class="{more}">…</div>', start, way)


def scrolled_box(make: Workshop, inner: Markup) -> Container:
    """A box with a scroll bar of its own; the window has nothing to do with it."""
    more, box = make.name(), make.name()
    make.style(".%box% { height: 160px; overflow: auto }", box=box)
    filler = "".join(f'<p class="tall">{make.text()}</p>' for _ in range(4))
    start = fill(
        "const box = scope.querySelector(%box%);\n"
        "const look = () => {\n"
        "  if (box.scrollTop + box.clientHeight < box.scrollHeight - 40) return;\n"
        "  box.removeEventListener('scroll', look); load(); };\n"
        "box.addEventListener('scroll', look);",
        box=quoted(f".{box}"),
    )
    way = Way((Step("scroll-to", f".{more}"),), frozenset({Need.SCROLL}), "box that loads on")
    loaded = _list(make, inner, more, f'{filler}<div class="{more}">…</div>', start, way)
    boxed = f'<div class="{box}">{loaded.markup.html}</div>'
    return replace(loaded, markup=replace(loaded.markup, html=boxed))


def open_shadow(make: Workshop, inner: Markup) -> Container:
    tag = f"{make.name()}-{make.name()}"
    module = (
        f'customElements.define("{tag}", class extends HTMLElement {{ connectedCallback() {{\n'
        '  const scope = this.attachShadow({ mode: "open" });\n'
        f"  scope.innerHTML = {quoted(inner.html)}; {inner.script} }} }});"
    )
    way = Way((), frozenset({Need.OPEN_SHADOW}), "open shadow root")
    return Container(Markup(f"<{tag}></{tag}>", module=f"{inner.module}\n{module}"), way)


def shadow_in_shadow(make: Workshop, inner: Markup) -> Container:
    deep = open_shadow(make, inner)
    outer = open_shadow(make, deep.markup)
    return Container(outer.markup, Way((), deep.way.needs, "shadow root in a shadow root"))


CONTAINERS: tuple[Callable[[Workshop, Markup], Container], ...] = (
    made_menu,
    made_modal,
    made_fold,
    menu_in_menu,
    drawer,
    popover,
    modal_element,
    details,
    hover_menu,
    checkbox_menu,
    tabs,
    wizard,
    load_more,
    endless_list,
    scrolled_box,
    open_shadow,
    shadow_in_shadow,
)
# A listener outside a shadow root is told of the host and not of what is inside.
SHADOWS = frozenset({open_shadow, shadow_in_shadow})


def _opener(make: Workshop) -> str:
    return shown(make.pick(vocabulary.OPENERS))


def _toggle(make: Workshop, name: str) -> str:
    return fill(make.pick(_TOGGLES), name=name, label=_opener(make))


def _and(script: str, inner: Markup, html: str = "") -> Markup:
    return Markup(html, f"{{ {script} }} {inner.script}" if script else inner.script, inner.module)


def _in_page(html: str, inner: Markup, toggle: str, need: Need, how: str) -> Container:
    way = Way((Step("click", f".{toggle}"),), frozenset({need}), how)
    return Container(Markup(html, inner.script, inner.module), way, is_in_page=True)


def _made(make: Workshop, inner: Markup, need: Need, tag: str, setup: str, how: str) -> Container:
    toggle = make.name()
    script = fill(
        _MAKE,
        toggle=quoted(f".{toggle}"),
        tag=quoted(tag),
        name=quoted(make.name()),
        setup=setup,
        inner=quoted(inner.html),
        script=inner.script,
    )
    way = Way((Step("click", f".{toggle}"),), frozenset({need}), how)
    return Container(Markup(f"<div>{_toggle(make, toggle)}</div>", script, inner.module), way)


def _list(make: Workshop, inner: Markup, more: str, last: str, start: str, way: Way) -> Container:
    name = make.name()
    script = fill(
        _LOAD,
        list=quoted(f".{name}"),
        more=quoted(f".{more}"),
        data=quoted(make.answer({"items": [make.text(), make.text()]})),
        inner=quoted(inner.html),
        script=inner.script,
    )
    html = f'<ul class="{name}"><li>{make.text()}</li></ul>{last}'
    return Container(Markup(html, script + start, inner.module), way)
