"""The routers of generated applications, and the ways in which a handler moves to a page."""

from __future__ import annotations

from dataclasses import dataclass

from tests.render.apps.generated.markup import Target, Workshop, fill, quoted
from tests.render.apps.generated.vocabulary import QUESTIONS
from tests.render.apps.truth import Need

_MODULE = """
const WHERE = %where%;
const KEYS = Object.fromEntries(Object.entries(WHERE).map(([key, path]) => [path, key]));
let show = () => {};
export const where = (key) => WHERE[key];
export const here = () => %here%;
export const go = (key) => { %go% };
export const startRouter = (render) => { show = render; %listen% show(); };
"""
_BY_PATH = "location.pathname + location.search"
_BY_HASH = 'location.hash.length > 3 ? "/" + location.hash : "/"'
_ON_POPSTATE = """
window.addEventListener("popstate", () => show());
document.addEventListener("click", (event) => {
  const link = event.composedPath()
    .find((each) => each.matches?.("a[href]:not([href^='#'], [target])"));
  if (!link || event.defaultPrevented) return;
  const { pathname, search } = new URL(link.getAttribute("href"), document.baseURI);
  const key = KEYS[pathname + search];
  if (!key) return;
  event.preventDefault();
  go(key);
});
"""
_ON_NAVIGATE = """
navigation.addEventListener("navigate", (event) => {
  const { pathname, search } = new URL(event.destination.url);
  const isOther = event.hashChange || event.formData || event.navigationType === "reload";
  if (!event.canIntercept || isOther || !KEYS[pathname + search]) return;
  event.intercept({ handler: async () => show() });
});
"""


@dataclass(frozen=True, slots=True)
class Router:
    name: str
    prefix: str
    """Of every address but the start."""
    here: str
    go: str
    listen: str
    loads_documents: bool = False
    """Whether a navigation that the router did not begin loads a document."""

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({Need.HASH} if "#" in self.prefix else ())

    def module(self, where: dict[str, str]) -> str:
        return fill(_MODULE, where=quoted(where), here=self.here, go=self.go, listen=self.listen)


ROUTERS = (
    Router(
        "history.pushState",
        "/",
        _BY_PATH,
        'history.pushState({ key }, "", WHERE[key]); show();',
        _ON_POPSTATE,
        loads_documents=True,
    ),
    Router(
        "hash after #/",
        "/#/",
        _BY_HASH,
        "location.hash = WHERE[key].slice(1);",
        'window.addEventListener("hashchange", () => show());',
    ),
    Router("navigation.navigate", "/", _BY_PATH, "navigation.navigate(WHERE[key]);", _ON_NAVIGATE),
    Router(
        "history.replaceState",
        "/",
        _BY_PATH,
        'history.replaceState({ key }, "", WHERE[key]); show();',
        _ON_POPSTATE,
        loads_documents=True,
    ),
    Router(
        "hash after #!",
        "/#!/",
        _BY_HASH,
        'history.pushState(null, "", WHERE[key]); show();',
        'window.addEventListener("popstate", () => show());',
    ),
)


@dataclass(frozen=True, slots=True)
class Move:
    """How a handler goes to a page."""

    how: str
    statement: str
    needs: frozenset[Need] = frozenset()
    is_plain_navigation: bool = False
    """Begun by the browser and not by the router."""


_WAIT = frozenset({Need.WAIT})
_DIALOG = frozenset({Need.DIALOG})
_WINDOW = frozenset({Need.WINDOW_OPEN})
_GO = Move("the router", "go(%key%);")
MOVES = (
    _GO,
    _GO,
    _GO,
    _GO,
    Move("the router, in a promise", "Promise.resolve().then(() => go(%key%));"),
    Move("the router, after a timer", "setTimeout(() => go(%key%), %ms%);", _WAIT),
    Move(
        "the router, after a fetch",
        "fetch(%data%).then((answer) => answer.json()).then(({ key }) => go(key));",
        _WAIT,
    ),
    Move("location.assign", "location.assign(where(%key%));", is_plain_navigation=True),
    Move("location.href", "location.href = where(%key%);", is_plain_navigation=True),
    Move("navigation.navigate", "navigation.navigate(where(%key%));", is_plain_navigation=True),
    Move(
        "a link that is never in the page",
        'Object.assign(document.createElement("a"), { href: where(%key%) }).click();',
        is_plain_navigation=True,
    ),
    Move("window.open", "window.open(where(%key%));", _WINDOW),
    Move("window.open", 'window.open(where(%key%), "_blank", "noopener");', _WINDOW),
    Move("confirm", "if (confirm(%question%)) go(%key%);", _DIALOG),
    Move("alert", "alert(%question%); go(%key%);", _DIALOG),
)


def target(make: Workshop, router: Router, move: Move, path: str, label: str, key: str) -> Target:
    # Only a move that asks the server makes data for it.
    asks = "%data%" in move.statement
    statement = fill(
        move.statement,
        key=quoted(key),
        ms=str(make.random.randrange(60, 400)),
        question=quoted(make.pick(QUESTIONS)),
        data=quoted(make.answer({"key": key}) if asks else ""),
    )
    leaves = move.is_plain_navigation and router.loads_documents
    document = {Need.DOCUMENT} if leaves else set[Need]()
    return Target(path, label, statement, move.needs | router.needs | document, move.how)
