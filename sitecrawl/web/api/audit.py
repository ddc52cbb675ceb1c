"""``/api/audit``: who did what."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter

from sitecrawl.services import audit
from sitecrawl.services.callers import Caller
from sitecrawl.web.api.models import BeforeId, Limit, Model, Moment
from sitecrawl.web.auth import CurrentWeb, allowed

router = APIRouter(prefix="/audit", tags=["audit"])


class AuditEntry(Model):
    id: int
    user_id: int | None
    actor: str
    action: str
    detail: dict[str, Any]
    address: str
    occurred_at: Moment


class AuditList(Model):
    entries: list[AuditEntry]
    next_before: int | None


@router.get("", operation_id="listAuditEntries")
def list_audit_entries(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(audit.list_audit_entries)],
    before: BeforeId = None,
    limit: Limit = 100,
) -> AuditList:
    """The newest first."""
    found = audit.list_audit_entries(
        web.database, caller.workspace_id, before_id=before, limit=limit
    )
    entries = [AuditEntry.model_validate(each) for each in found]
    return AuditList(entries=entries, next_before=entries[-1].id if len(entries) == limit else None)
