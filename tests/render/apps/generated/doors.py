"""The doors of generated pages: any element, with a handler that is bound in any way."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.render.apps.generated.markup import (
    Door,
    Markup,
    Target,
    Way,
    Workshop,
    fill,
    quoted,
    shown,
)
from tests.render.apps.truth import Need, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs="
_ICON = '<svg viewBox="0 0 24 24" width="22" height="22"><path d="M4 12h16M14 6l6 6-6 6"/></svg>'

ELEMENTS: Mapping[str, str] = {
    "card": "<div %attrs%><h3>%label%</h3><p>%text%</p></div>",
    "article": "<article %attrs%><h4>%label%</h4><p>%text%</p></article>",
    "figure": "<figure %attrs%><div>%text%</div><figcaption>%label%</figcaption></figure>",
    "li": "<ul><li>%text%</li><li %attrs%>%label%</li></ul>",
    "dt": "<dl><dt %attrs%>%label%</dt><dd>%text%</dd></dl>",
    "table row": "<table><tbody><tr %attrs%><td>1</td><td>%label%</td></tr></tbody></table>",
    "table cell": "<table><tr><td>%text%</td><td %attrs%>%label%</td></tr></table>",
    "span": "<p>%text% <span %attrs%>%label%</span></p>",
    "role=link span": '<p>%text% <span role="link" tabindex="0" %attrs%>%label%</span></p>',
    "role=button div": '<div role="button" tabindex="0" %attrs%>%label%</div>',
    "role=option": '<div role="listbox"><div role="option" %attrs%>%label%</div></div>',
    "role=treeitem": '<div role="tree"><div role="treeitem" %attrs%>%label%</div></div>',
    "role=row": '<div role="grid"><div role="row" %attrs%><i>%label%</i></div></div>',
    "button": '<button type="button" %attrs%>%label%</button>',
    "button with an icon": f'<button type="button" %attrs%>{_ICON} %label%</button>',
    "titled icon": f'<button type="button" title="%label%" %attrs%>{_ICON}</button>',
    "nameless icon": f"<span %attrs%>{_ICON}</span>",
    "input type=button": '<input type="button" value="%label%" %attrs%>',
    "a without href": "<a %attrs%>%label%</a>",
    "a to nowhere": '<a href="javascript:void(0)" %attrs%>%label%</a>',
    "a to #": '<a href="#" %attrs%>%label%</a>',
    "svg node": (
        '<svg width="180" height="44"><g %attrs%><rect width="170" height="40" fill="#dde"/>'
        '<text x="8" y="25">%label%</text></g></svg>'
    ),
    "picture": f'<img alt="%label%" src="{_DOT}" width="60" height="40" %attrs%>',
    "unknown element": "<x-%class% %attrs%>%label%</x-%class%>",
}


@dataclass(frozen=True, slots=True)
class Binding:
    """How a handler comes to its element. ``dispatcher`` names the root that listens for it."""

    how: str
    script: str = ""
    dispatcher: str = ""
    is_click: bool = True
    steps: tuple[str, ...] = ("click",)
    ready: str = ""
    """Selects the element only once the handler is there."""


_LATE = 'element.addEventListener("click", handle); element.classList.add("is-ready");'
BINDINGS = (
    Binding("listener", 'element.addEventListener("click", handle);'),
    Binding("onclick property", "element.onclick = handle;"),
    Binding("handler object", 'element.addEventListener("click", { handleEvent: handle });'),
    Binding("pointerup", 'element.addEventListener("pointerup", handle);', is_click=False),
    Binding("mousedown", 'element.addEventListener("mousedown", handle);', is_click=False),
    Binding(
        "capture on the parent",
        'element.parentNode.addEventListener("click", (event) => {\n'
        "  if (element.contains(event.target)) handle(event); }, true);",
    ),
    Binding("late, by a timer", f"setTimeout(() => {{ {_LATE} }}, %ms%);", ready=".is-ready"),
    Binding(
        "late, when first seen",
        "new IntersectionObserver(([entry], observer) => {\n"
        "  if (!entry.isIntersecting) return;\n"
        f"  observer.disconnect(); {_LATE} }}).observe(element);",
        steps=("scroll-to", "click"),
        ready=".is-ready",
    ),
    Binding("inline attribute", dispatcher="onclick"),
    Binding("delegated to the root", dispatcher="root"),
    Binding("delegated to document", dispatcher="document"),
    Binding("pointerup delegated to window", dispatcher="window", is_click=False),
)
DIRECT_BINDINGS = tuple(each for each in BINDINGS if not each.dispatcher)
_HANDLER = "const element = scope.querySelector(%selector%); const handle = (event) => { %do% };\n"
_CLICK_ONLY = frozenset({"a to #"})


def clickable(
    make: Workshop, to: Target, element: str, binding: Binding, dispatchers: Mapping[str, str]
) -> Door:
    """Whatever is made to be clicked; ``dispatchers`` gives the attribute that each looks for."""
    name = make.name()
    do = f"event.preventDefault(); {to.move}" if element in _CLICK_ONLY else to.move
    attrs, script = f'class="{name}"', ""
    if binding.dispatcher == "onclick":
        attrs += f" onclick=\"act('{make.action(do)}', event)\""
    elif binding.dispatcher:
        attrs += f' {dispatchers[binding.dispatcher]}="{make.action(do)}"'
    else:
        bind = fill(binding.script, ms=str(make.random.randrange(50, 350)))
        script = fill(_HANDLER, selector=quoted(f".{name}"), do=do) + bind
    if make.random.random() < 0.7:
        make.style(".%name% { cursor: pointer }", name=name)
    html = fill(
        ELEMENTS[element],
        attrs=attrs,
        label=shown(to.label),
        text=make.text(),
        **{"class": name},
    )
    *before, last = binding.steps
    steps = (*(Step(each, f".{name}") for each in before), Step(last, f".{name}{binding.ready}"))
    how = f"{element}, {binding.how}, {to.how}"
    return Door(Markup(html, script), Way(steps, to.needs | {Need.CLICK}, how))


def fits(element: str, binding: Binding) -> bool:
    """A link to # goes there, unless a click handler prevents it."""
    return binding.is_click or element not in _CLICK_ONLY


def link(make: Workshop, to: Target, page: str) -> Door:
    """``page`` is the path that relative links are for; empty where that is any."""
    name = make.name()
    href = to.path
    is_plain = not ({"?", "#"} & set(href + page))
    if page and is_plain and make.random.random() < 0.4:
        href = posixpath.relpath(href, posixpath.dirname(page))
    template = make.pick(
        (
            '<p><a class="%name%" href="%href%">%label%</a></p>',
            '<nav><ul><li><a class="%name%" href="%href%"><b>%label%</b></a></li></ul></nav>',
            (
                '<svg width="180" height="40"><a class="%name%" href="%href%">'
                '<text x="8" y="25">%label%</text></a></svg>'
            ),
        )
    )
    html = fill(template, name=name, href=shown(href), label=shown(to.label))
    way = Way((Step("click", f".{name}"),), _linked(to), "link")
    return Door(Markup(html), way)


def frame_link(make: Workshop, to: Target) -> Door:
    name, path = make.name(), f"/embed/{make.name()}.html"
    make.embeds[path] = (
        f'<!doctype html><meta charset="utf-8"><title>{make.text()}</title>'
        f'<p><a target="_top" href="{shown(to.path)}">{shown(to.label)}</a></p>'
    )
    html = f'<iframe class="{name}" src="{path}" width="300" height="90"></iframe>'
    way = Way(
        (Step("click-in", "a", f".{name}"),), _linked(to) | {Need.IFRAME}, "link in an iframe"
    )
    return Door(Markup(html), way)


def keyboard_only(make: Workshop, to: Target) -> Door:
    name = make.name()
    role = make.pick(("link", "button", "menuitem", "option"))
    html = f'<div class="{name}" role="{role}" tabindex="0">{shown(to.label)}</div>'
    script = fill(_HANDLER, selector=quoted(f".{name}"), do=to.move)
    script += (
        'element.addEventListener("keydown", (event) => {\n'
        '  if (event.key === "Enter") handle(event); });'
    )
    way = Way((Step("enter", f".{name}"),), to.needs | {Need.KEYBOARD}, f"role={role}, Enter only")
    return Door(Markup(html, script), way)


def own_element(make: Workshop, to: Target) -> Door:
    """A custom element that listens to itself, without a shadow root."""
    tag = f"{make.name()}-{make.name()}"
    event = make.pick(("click", "pointerup"))
    html = f"<{tag}>{shown(to.label)}</{tag}>"
    module = (
        f'customElements.define("{tag}", class extends HTMLElement {{ connectedCallback() {{\n'
        f'  this.addEventListener("{event}", () => {{ {to.move} }}); }} }});'
    )
    way = Way(
        (Step("click", tag),), to.needs | {Need.CLICK}, f"custom element, own {event}, {to.how}"
    )
    return Door(Markup(html, module=module), way)


def closed_shadow(make: Workshop, to: Target) -> Door:
    tag = f"{make.name()}-{make.name()}"
    inside = (
        "<style>:host, button, div { display: block; width: 240px }</style>"
        f"<{'button' if make.random.random() < 0.5 else 'div tabindex=0'}>{shown(to.label)}"
    )
    module = (
        f'customElements.define("{tag}", class extends HTMLElement {{ connectedCallback() {{\n'
        f'  const inside = this.attachShadow({{ mode: "closed" }});\n'
        f"  inside.innerHTML = {quoted(inside)};\n"
        f'  inside.lastChild.addEventListener("click", () => {{ {to.move} }}); }} }});'
    )
    needs = to.needs | {Need.CLICK, Need.CLOSED_SHADOW}
    way = Way((Step("click-at", tag),), needs, f"in a closed shadow root, {to.how}")
    return Door(Markup(f"<{tag}></{tag}>", module=module), way)


SPECIAL_DOORS: tuple[Callable[[Workshop, Target], Door], ...] = (
    frame_link,
    keyboard_only,
    own_element,
    closed_shadow,
)


def _linked(to: Target) -> frozenset[Need]:
    """A link is read and not clicked: how a handler would go there does not matter."""
    return (to.needs & {Need.HASH}) | {Need.LINK}
