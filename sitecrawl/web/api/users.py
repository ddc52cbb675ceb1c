"""``/api/users``: the users of the workspace."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field

from sitecrawl.services import users
from sitecrawl.services.callers import Caller
from sitecrawl.services.permissions import Role
from sitecrawl.web.api.models import Body, Model, Moment, problems
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import Id
from sitecrawl.web.links import password_url

router = APIRouter(prefix="/users", tags=["users"])


class UserRequest(Body):
    email: str = Field(max_length=254, examples=["grace@example.com"])
    role: Role = Role.MEMBER
    name: str = Field(default="", max_length=200)


class UserChange(Body):
    role: Role | None = None
    name: str | None = Field(default=None, max_length=200)
    disabled: bool | None = None


class User(Model):
    id: int
    email: str
    name: str
    role: Role
    created_at: Moment
    last_login_at: Moment | None
    disabled_at: Moment | None


class PasswordLink(Model):
    url: str = Field(
        description="By which the user can choose a password, once, within three days."
    )


class NewUser(User):
    password_link: str | None = Field(
        description="By which the user can choose a password, once, within three days; none for"
        " somebody who has one from another workspace."
    )


class UserList(Model):
    users: list[User]


@router.get("", operation_id="listUsers")
def list_users(web: CurrentWeb, caller: Annotated[Caller, allowed(users.list_users)]) -> UserList:
    """By email."""
    found = users.list_users(web.database, caller.workspace_id)
    return UserList(users=[User.model_validate(each) for each in found])


@router.post("", operation_id="createUser", status_code=201, responses=problems("conflict"))
def create_user(
    request: Request,
    given: UserRequest,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(users.create_user, by_session=True)],
) -> NewUser:
    """Add a user to the workspace."""
    made = users.create_user(
        web.database, caller.workspace_id, given.email, given.role, name=given.name
    )
    link = None
    if len(users.own_workspaces(web.database, made.id)) == 1:
        secret = users.password_link(web.database, caller.workspace_id, made.id)
        link = password_url(web.config, request, secret)
    return NewUser(**User.model_validate(made).model_dump(), password_link=link)


@router.get("/{user_id}", operation_id="getUser")
def get_user(
    user_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(users.get_user)]
) -> User:
    return User.model_validate(users.get_user(web.database, caller.workspace_id, user_id))


@router.patch("/{user_id}", operation_id="updateUser", responses=problems("conflict"))
def update_user(
    user_id: Id,
    given: UserChange,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(users.change_user, by_session=True)],
) -> User:
    """Give another role or name, disable or enable; the last owner stays one."""
    changed = users.change_user(
        web.database,
        caller.workspace_id,
        user_id,
        role=given.role,
        name=given.name,
        disabled=given.disabled,
    )
    return User.model_validate(changed)


@router.delete(
    "/{user_id}", operation_id="removeUser", status_code=204, responses=problems("conflict")
)
def remove_user(
    user_id: Id,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(users.remove_user, by_session=True)],
) -> None:
    """Take the user out of this workspace."""
    users.remove_user(web.database, caller.workspace_id, user_id)


@router.post(
    "/{user_id}/password-link",
    operation_id="createPasswordLink",
    status_code=201,
    responses=problems("conflict"),
)
def create_password_link(
    request: Request,
    user_id: Id,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(users.password_link, by_session=True)],
) -> PasswordLink:
    """A new link; those from before no longer work."""
    secret = users.password_link(web.database, caller.workspace_id, user_id)
    return PasswordLink(url=password_url(web.config, request, secret))
