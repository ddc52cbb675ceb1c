"""What a caller must be allowed to do before a service does it.

Every public function of a service declares its permission with :func:`requires`. The command runs
as the owner of the database and does not ask; the web asks for the permission that is declared.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Parameters = ParamSpec("_Parameters")
_Answer = TypeVar("_Answer")

_ATTRIBUTE = "required_permission"


class Permission(StrEnum):
    """What can be allowed to a person or a token."""

    READ = "read"
    """Look at sites, inventories, scans, changes and reports."""
    SCAN = "scan"
    """Start, stop and retry scans and dives."""
    EDIT = "edit"
    """Add, change and remove sites, groups and saved views; deal with changes and incidents."""
    NOTIFY = "notify"
    """Add, change, test and remove channels, and send deliveries again."""
    MANAGE = "manage"
    """Users, tokens of others, retention, settings of the workspace, the audit log."""


class Role(StrEnum):
    """What a user is in a workspace."""

    OWNER = "owner"
    MEMBER = "member"
    VIEWER = "viewer"

    @property
    def permissions(self) -> frozenset[Permission]:
        return _PERMISSIONS[self]


_PERMISSIONS: Final = {
    Role.OWNER: frozenset(Permission),
    Role.MEMBER: frozenset(Permission) - {Permission.MANAGE},
    Role.VIEWER: frozenset({Permission.READ}),
}


def requires(
    permission: Permission,
) -> Callable[[Callable[_Parameters, _Answer]], Callable[_Parameters, _Answer]]:
    """Declare the permission that a function of a service needs."""

    def declare(function: Callable[_Parameters, _Answer]) -> Callable[_Parameters, _Answer]:
        setattr(function, _ATTRIBUTE, permission)
        return function

    return declare


def permission_of(function: Callable[..., Any]) -> Permission:
    """The declared permission; ``TypeError`` for a function that declares none."""
    permission = getattr(function, _ATTRIBUTE, None)
    if not isinstance(permission, Permission):
        raise TypeError(
            f"{function.__qualname__} declares no permission; see services/permissions.py"
        )
    return permission
