from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.services.permissions import Permission, permission_of, requires
from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# What services are made of: nobody outside asks for it, or it finds out who is asking.
_WITHOUT_CALLER = {
    *("__init__", "permissions", "formats", "database", "scan_child", "text_input"),
    *("audit", "callers", "idempotency", "login_throttle", "passwords", "secret_keys"),
    "sessions",
}
# Who has the link in a message proves by it who they are; checks of values do nothing; parts of
# services that take a connection are called by services.
_OPEN = {
    *("channels.channel_to_unsubscribe", "channels.unsubscribe"),
    *("sites.check_address", "sites.checked_site", "sites.checked_tags", "sites.store_site"),
    *("users.link_purpose", "users.use_setup_link", "users.use_password_link"),
    *("users.checked_email", "sites.check_group", "sites.next_due", "jobs.queue_scan"),
}


def _public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for path in sorted((ROOT / "sitecrawl" / "services").rglob("*.py")):
        if path.stem in _WITHOUT_CALLER:
            continue
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = import_module(".".join(parts))
        for name, function in vars(module).items():
            is_own = getattr(function, "__module__", None) == module.__name__
            if inspect.isfunction(function) and is_own and not name.startswith("_"):
                yield f"{path.stem}.{name}", function


def test_every_public_function_declares_its_permission() -> None:
    functions = dict(_public_functions())
    assert len(functions) > 40
    undeclared = {
        name for name, function in functions.items() if not hasattr(function, "required_permission")
    }
    assert undeclared - _OPEN == set(), "declare the permission with @requires"
    assert _OPEN - undeclared == set(), "these are no exceptions any more"


def test_what_changes_something_needs_more_than_reading() -> None:
    functions = dict(_public_functions())
    assert permission_of(functions["inventory.open_inventory"]) is Permission.READ
    assert permission_of(functions["scans.stop_scan"]) is Permission.SCAN
    assert permission_of(functions["maintenance.prune"]) is Permission.MANAGE


def test_a_function_without_a_permission_cannot_be_asked_for_it() -> None:
    @requires(Permission.READ)
    def declared() -> None: ...

    def undeclared() -> None: ...

    assert permission_of(declared) is Permission.READ
    with pytest.raises(TypeError, match="undeclared declares no permission"):
        permission_of(undeclared)
