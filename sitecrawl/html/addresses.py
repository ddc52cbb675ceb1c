"""Addresses as they are written in attributes and event handlers: found, cleaned, and checked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sitecrawl.html.links import LinkSource

_MAX_HANDLER_CHARACTERS = 4_096
_MAX_HANDLER_TARGETS = 20
_MAX_ADDRESS_CHARACTERS = 8_192
_BREAK = re.compile(r"[\t\r\n]+[ \t]*")
_NOWHERE_STARTS = frozenset({"#", "j", "J"})
_NOWHERE = re.compile(r"#|javascript:(?:void\(?0?\)?|returnfalse|//|\{\})?;?", re.IGNORECASE)
_MAX_NOWHERE_CHARACTERS = 40
_ADDRESS = re.compile(
    r"""(?:https?://|//?|\.\.?/|\?)[^\s<>"'{}|\\^`]*"""
    r"""|[\w%~-][\w%~./-]*\.(?:html?|php\d?|aspx?|jsp|cfm)(?:[?#][^\s<>"{}|\\^`]*)?""",
    re.IGNORECASE,
)
# Placeholders in routes: `/blog/:slug`, `/blog/[slug]`, `/*`.
_PLACEHOLDER = re.compile(r"/:|[\[\]*]")
_HANDLER = re.compile(
    r"""(?:\blocation(?:\.href)?\s{0,9}=\s{0,9}"""
    r"""|\blocation\.(?:assign|replace)\(\s{0,9}"""
    r"""|\bwindow\.open\(\s{0,9}"""
    r"""|\brouter\.(?:push|replace|navigate|visit)\(\s{0,9}\[?\s{0,9}"""
    r"""|\b(?:navigate|navigateTo|navigateByUrl|goTo|visit)\(\s{0,9}\[?\s{0,9}"""
    r"""|\b(?:pushState|replaceState)\([^()]{0,99}?,\s{0,9})"""
    r"""(["'`])([^"'`\s<>{}|\\^]{1,2000})\1"""
)
# Names of windows: the second argument of `open`, which comes first in broken calls.
_WINDOW_NAMES = frozenset({"_blank", "_self", "_parent", "_top"})
_REFRESH = re.compile(r"\s*[\d.]*\s*(?:[;,]\s*)?(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)


def cleaned(address: str | None) -> str:
    """Strip an address and join its lines; the empty string if it leads nowhere.

    >>> cleaned("  /a/\\n   b "), cleaned("#"), cleaned("javascript: void(0);"), cleaned("#top")
    ('/a/b', '', '', '#top')
    """
    if not address:
        return ""
    address = address.strip()
    if "\n" in address:
        address = _BREAK.sub("", address)
    if address[:1] in _NOWHERE_STARTS and _leads_nowhere(address):
        return ""
    return address


def looks_like_address(text: str) -> bool:
    """Whether any text is the address of a page or a path.

    >>> [looks_like_address(text) for text in ("/a?b=1", "about.html", "btn-42", "/blog/:slug")]
    [True, True, False, False]
    """
    return (
        len(text) <= _MAX_ADDRESS_CHARACTERS
        and _ADDRESS.fullmatch(text) is not None
        and _PLACEHOLDER.search(text) is None
    )


def handler_targets(script: str) -> list[str]:
    """The addresses that an event handler navigates to; the handler is not run.

    >>> handler_targets("event.preventDefault(); window.location.href = '/cart'")
    ['/cart']
    """
    found = _HANDLER.findall(script[:_MAX_HANDLER_CHARACTERS])[:_MAX_HANDLER_TARGETS]
    targets = [cleaned(quoted) for _, quoted in found]
    return [target for target in targets if target and target not in _WINDOW_NAMES]


def refresh_target(content: str) -> str:
    """The address in the value of a `Refresh` header or a meta refresh.

    >>> refresh_target("5; URL='/next'"), refresh_target("30")
    ('/next', '')
    """
    match = _REFRESH.match(content[:_MAX_ADDRESS_CHARACTERS])
    target = match[1] if match else ""
    if target[:1] in {"'", '"'}:
        target = target[1:].partition(target[0])[0]
    return cleaned(target)


def _leads_nowhere(address: str) -> bool:
    is_short = len(address) <= _MAX_NOWHERE_CHARACTERS
    return is_short and _NOWHERE.fullmatch("".join(address.split())) is not None


Attributes = dict[str, str | None]
Targets = Sequence[tuple[LinkSource, str]]

# Attributes that may hold anything: only values that look like addresses count.
_ADDRESS_ATTRIBUTES = {
    "data-href": LinkSource.DATA_ATTRIBUTE,
    "data-url": LinkSource.DATA_ATTRIBUTE,
    "data-link": LinkSource.DATA_ATTRIBUTE,
    "data-navigate": LinkSource.BUTTON,
    "routerlink": LinkSource.ROUTER_LINK,
    "data-router-link": LinkSource.ROUTER_LINK,
    "data-next-link": LinkSource.ROUTER_LINK,
    "ng-href": LinkSource.ROUTER_LINK,
    "ui-sref": LinkSource.ROUTER_LINK,
    "to": LinkSource.ROUTER_LINK,
    "hx-get": LinkSource.ROUTER_LINK,
    "hx-push-url": LinkSource.ROUTER_LINK,
}
_HANDLERS = frozenset({"onclick", "x-on:click", "@click", "v-on:click", "ng-click"})
_ACTING = frozenset({*_ADDRESS_ATTRIBUTES, *_HANDLERS, "role"})
_OWN_ADDRESS = {
    "a": ("href", LinkSource.LINK),
    "area": ("href", LinkSource.AREA),
    "iframe": ("src", LinkSource.IFRAME),
    "frame": ("src", LinkSource.IFRAME),
    "form": ("action", LinkSource.FORM),
}
_SCRIPT_ADDRESS = "javascript:"
_EMPTY_FRAME = "about:blank"


def element_targets(tag: str, attributes: Attributes) -> Targets:
    """Every address that an element of the body leads to, with the construct that names it."""
    targets = _own_targets(tag, attributes) if tag in _OWN_ADDRESS else ()
    if not _ACTING.isdisjoint(attributes):
        targets = (*targets, *_acting_targets(attributes, has_link=bool(targets)))
    return targets


def _own_targets(tag: str, attributes: Attributes) -> Targets:
    name, source = _OWN_ADDRESS[tag]
    value = attributes.get(name) or attributes.get("xlink:href")
    if not value or (tag == "form" and not _is_get(attributes)):
        return ()
    target = cleaned(value)
    if not target or target == _EMPTY_FRAME:
        return ()
    if target[:11].lower() != _SCRIPT_ADDRESS:
        return ((source, target),)
    # A `javascript:` link may navigate as well.
    inner_targets = [(LinkSource.ONCLICK, inner) for inner in handler_targets(target)]
    return ((source, target), *inner_targets)


def _is_get(attributes: Attributes) -> bool:
    return (attributes.get("method") or "get").strip().lower() == "get"


def _acting_targets(attributes: Attributes, *, has_link: bool) -> Targets:
    targets: list[tuple[LinkSource, str]] = []
    is_role_link = not has_link and (attributes.get("role") or "").strip().lower() == "link"
    for name, value in attributes.items():
        if not value:
            continue
        if name in _ADDRESS_ATTRIBUTES or (name == "href" and is_role_link):
            address = cleaned(value)
            if looks_like_address(address):
                source = LinkSource.ROLE_LINK if is_role_link else _ADDRESS_ATTRIBUTES[name]
                targets.append((source, address))
        elif name in _HANDLERS:
            source = LinkSource.ROLE_LINK if is_role_link else LinkSource.ONCLICK
            targets += [(source, address) for address in handler_targets(value)]
    return targets
