"""The files of a generated application: its page, and modules that load one another."""

from __future__ import annotations

from dataclasses import dataclass

from tests.render.apps.generated.markup import Markup, Workshop, fill, quoted, shown

_SHELL = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%title%</title>
<script src="/report.js"></script><style>%styles%</style></head>
<body><div id="%root%"></div><script type="module" src="%main%"></script></body></html>
"""
_COMMON_STYLE = (
    "body { font: 16px sans-serif } .tall { height: 140px } .pointing { cursor: pointer } "
    ".floating { position: fixed; top: 60px; right: 20px; background: #fff; padding: 20px }"
)
_PAGE = """
import { go, where } from %moves%;
%module%
export const title = %title%;
export const html = %html%;
export async function mount(scope) {
  %before%
  scope.innerHTML = %inner%;
  %script%
}
"""
_ACTIONS = """
import { go, where } from %moves%;
const ACTIONS = {
%actions%
};
const act = (key, event) => ACTIONS[key](event);
window.act = act;
const listen = (listener, type, attribute) => listener.addEventListener(type, (event) => {
  const element = event.target.closest?.(`[${attribute}]`);
  if (element) act(element.getAttribute(attribute), event);
});
export function startActions(root) {
  listen(root, "click", %root%);
  listen(document, "click", %document%);
  listen(window, "pointerup", %window%);
}
"""
_MAIN = """
import { go, here, startRouter, where } from %moves%;
import { startActions } from %actions%;
%imports%
%module%
const PAGES = {
%pages%
};
const missing = { title: "Nowhere", html: "<h1>There is nothing here</h1><div></div>", mount() {} };
const root = document.getElementById(%root%);
root.innerHTML = %frame%;
startActions(root);
{ const scope = root; %script% }
let visit = 0;
startRouter(async () => {
  const mine = ++visit;
  const page = (await PAGES[here()]?.()) ?? missing;
  if (mine !== visit) return; // the visitor went on while the page was loading
  document.title = page.title;
  const place = root.querySelector(%place%);
  place.innerHTML = page.html;
  page.mount(place.lastElementChild);
});
"""


@dataclass(frozen=True, slots=True)
class PageModule:
    path: str
    title: str
    inner: Markup
    before: str = ""
    """A statement that the rest of the page waits for."""
    is_lazy: bool = True


@dataclass(frozen=True, slots=True)
class AppFiles:
    shell: str
    scripts: dict[str, str]


def app_files(
    make: Workshop,
    title: str,
    router_module: str,
    dispatchers: dict[str, str],
    frame: Markup,
    pages: list[PageModule],
) -> AppFiles:
    folder, root = f"/{make.name()}", make.name()
    moves, actions, main = (f"{folder}/{make.name()}.js" for _ in range(3))
    addresses = {page.path: f"{folder}/{make.name()}.js" for page in pages}
    scripts = {addresses[page.path]: _page_script(make, page, moves) for page in pages}
    scripts[moves] = router_module
    # After the pages: only now are all actions and styles known.
    scripts[actions] = fill(
        _ACTIONS,
        moves=quoted(moves),
        actions="\n".join(f"{key}: (event) => {{ {do} }}," for key, do in make.actions.items()),
        **{name: quoted(attribute) for name, attribute in dispatchers.items()},
    )
    eager = {page.path: f"page{n}" for n, page in enumerate(pages) if not page.is_lazy}
    place = make.name()
    scripts[main] = fill(
        _MAIN,
        moves=quoted(moves),
        actions=quoted(actions),
        imports="\n".join(
            f"import * as {name} from {quoted(addresses[path])};" for path, name in eager.items()
        ),
        module=frame.module,
        pages="\n".join(
            f"{quoted(path)}: async () => {eager.get(path, f'import({quoted(address)})')},"
            for path, address in addresses.items()
        ),
        root=quoted(root),
        frame=quoted(_frame_html(make, title, frame.html, place)),
        script=frame.script,
        place=quoted(f".{place}"),
    )
    styles = "\n".join([_COMMON_STYLE, *make.styles])
    shell = fill(_SHELL, title=shown(title), styles=styles, root=root, main=main)
    return AppFiles(shell, scripts)


def _page_script(make: Workshop, page: PageModule, moves: str) -> str:
    return fill(
        _PAGE,
        moves=quoted(moves),
        module=page.inner.module,
        title=quoted(page.title),
        html=quoted(f"<h1>{shown(page.title)}</h1><p>{make.text()}</p><div></div>"),
        before=page.before,
        inner=quoted(page.inner.html),
        script=page.inner.script,
    )


def _frame_html(make: Workshop, title: str, inner: str, place: str) -> str:
    layout = make.pick(
        (
            '<header><b>%title%</b>%inner%</header><main class="%place%"></main>',
            '<div role="banner">%title% %inner%</div><div class="%place%"></div>',
            '<main class="%place%"></main><footer>%inner%</footer>',
            '<aside>%inner%</aside><section class="%place%"></section><footer>%title%</footer>',
        )
    )
    return fill(layout, title=shown(title), inner=inner, place=place)
