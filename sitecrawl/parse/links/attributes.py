"""The addresses in one element's attributes: links, and what acts like one."""

from __future__ import annotations

from collections.abc import Sequence

from sitecrawl.parse.links.targets import cleaned, handler_targets, looks_like_address
from sitecrawl.parse.links.vocabulary import LinkSource

Attributes = dict[str, str | None]
Targets = Sequence[tuple[LinkSource, str]]

# Attributes that may hold anything: only what looks like an address counts.
_ADDRESSES = {
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
_ACTING = frozenset({*_ADDRESSES, *_HANDLERS, "role"})
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
    """Give every address that an element of the body leads to."""
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
    # A link that is a script may still lead somewhere.
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
        if name in _ADDRESSES or (name == "href" and is_role_link):
            address = cleaned(value)
            if looks_like_address(address):
                source = LinkSource.ROLE_LINK if is_role_link else _ADDRESSES[name]
                targets.append((source, address))
        elif name in _HANDLERS:
            source = LinkSource.ROLE_LINK if is_role_link else LinkSource.ONCLICK
            targets += [(source, address) for address in handler_targets(value)]
    return targets
