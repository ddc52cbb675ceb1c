"""Saved views: filters of a list under a name, for oneself or for the whole workspace."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.text_input import checked_name
from sitecrawl.store.queries import users as queries
from sitecrawl.store.writers import users as writers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from sitecrawl.services.callers import Caller
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.users import SavedView

_MAX_NAME: Final = 100
_MAX_QUERY_BYTES: Final = 8_000
_MAX_VIEWS: Final = 200


class ViewKind(StrEnum):
    """Which list a view is of."""

    PAGES = "pages"
    SITES = "sites"
    CHANGES = "changes"
    EVENTS = "events"
    JOBS = "jobs"


@requires(Permission.READ)
def list_views(database: Database, caller: Caller, kind: ViewKind | None = None) -> list[SavedView]:
    """The caller's own and those that others share, by name."""
    with database.reading() as connection:
        return queries.saved_views(connection, caller.workspace_id, caller.user_id, kind or "")


@requires(Permission.EDIT)
def create_view(
    database: Database,
    caller: Caller,
    kind: ViewKind,
    name: str,
    query: Mapping[str, Any],
    *,
    is_shared: bool = False,
) -> SavedView:
    now = datetime.now(UTC)
    values = {
        "name": checked_name(name, _MAX_NAME),
        "query": _checked_query(query),
        "is_shared": is_shared,
    }
    with database.writing() as connection:
        own = _own(connection, caller)
        if len(own) >= _MAX_VIEWS:
            raise ConflictError(f"there are {_MAX_VIEWS} saved views already; delete one first")
        _refuse_same_name(own, kind, values["name"])
        view_id = writers.add_view(
            connection,
            workspace_id=caller.workspace_id,
            user_id=caller.user_id,
            kind=kind,
            created_at=now,
            updated_at=now,
            **values,
        )
        return _view(connection, caller, view_id)


@requires(Permission.EDIT)
def change_view(
    database: Database,
    caller: Caller,
    view_id: int,
    *,
    name: str | None = None,
    query: Mapping[str, Any] | None = None,
    is_shared: bool | None = None,
) -> SavedView:
    """One of the caller's own."""
    given = {
        "name": None if name is None else checked_name(name, _MAX_NAME),
        "query": None if query is None else _checked_query(query),
        "is_shared": is_shared,
    }
    values = {key: value for key, value in given.items() if value is not None}
    with database.writing() as connection:
        view = _own_view(connection, caller, view_id)
        if "name" in values and values["name"] != view.name:
            _refuse_same_name(_own(connection, caller), view.kind, values["name"])
        writers.update_view(connection, view_id, values | {"updated_at": datetime.now(UTC)})
        return _view(connection, caller, view_id)


@requires(Permission.EDIT)
def delete_view(database: Database, caller: Caller, view_id: int) -> None:
    """One of the caller's own."""
    with database.writing() as connection:
        _own_view(connection, caller, view_id)
        writers.delete_view(connection, view_id)


def _own(connection: Connection, caller: Caller) -> list[SavedView]:
    visible = queries.saved_views(connection, caller.workspace_id, caller.user_id)
    return [view for view in visible if view.user_id == caller.user_id]


def _own_view(connection: Connection, caller: Caller, view_id: int) -> SavedView:
    view = _view(connection, caller, view_id)
    if view.user_id != caller.user_id:
        raise NotFoundError(f"there is no saved view {view_id} of yours")
    return view


def _view(connection: Connection, caller: Caller, view_id: int) -> SavedView:
    view = queries.saved_view(connection, caller.workspace_id, view_id)
    if view is None:
        raise NotFoundError(f"there is no saved view {view_id}")
    return view


def _refuse_same_name(own: list[SavedView], kind: str, name: object) -> None:
    if any(view.kind == kind and view.name == name for view in own):
        raise ConflictError(f"you have a saved view {name!r} of {kind} already")


def _checked_query(query: Mapping[str, Any]) -> dict[str, Any]:
    if len(json.dumps(dict(query))) > _MAX_QUERY_BYTES:
        raise InvalidInputError("query", f"expected at most {_MAX_QUERY_BYTES:,} bytes of JSON")
    return dict(query)
