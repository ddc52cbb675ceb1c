"""The audit log: who did what, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries import users as queries
from sitecrawl.store.writers import users as writers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sitecrawl.services.callers import Caller
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.users import AuditEntry

COMMAND_LINE: Final = "command line"


@requires(Permission.MANAGE)
def list_audit_entries(
    database: Database, workspace_id: int, *, before_id: int | None = None, limit: int = 100
) -> list[AuditEntry]:
    """The newest first; *before_id* goes on after the last one of the page before."""
    with database.reading() as connection:
        return queries.audit_entries(connection, workspace_id, before_id, limit)


def record(
    database: Database,
    action: str,
    *,
    caller: Caller | None = None,
    actor: str = "",
    address: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Remember that this has been done; nothing secret belongs into *detail*."""
    with database.writing() as connection:
        writers.add_audit_entry(
            connection,
            workspace_id=caller.workspace_id if caller else None,
            user_id=caller.user_id if caller else None,
            actor=caller.actor if caller else actor,
            action=action,
            detail=dict(detail or {}),
            address=address,
            occurred_at=datetime.now(UTC),
        )
