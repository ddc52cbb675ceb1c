"""``sitecrawl user``: who may sign in."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.options import DatabaseOption, command_group
from sitecrawl.safety.text import printable
from sitecrawl.services.permissions import Role
from sitecrawl.store.vocabulary import FIRST_WORKSPACE

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

app = command_group("user", "Add, list and disable the users of the dashboard and the API.")
_EMAIL_ARGUMENT = typer.Argument(help="The user's email.")
_PASSWORD_OPTION = typer.Option(
    "--password",
    help="Ask for the password, or read it from standard input; else a link is printed.",
)


@app.command()
def create(
    email: Annotated[str, _EMAIL_ARGUMENT],
    role: Annotated[Role, typer.Option(help="What the user may do.")] = Role.MEMBER,
    name: Annotated[str, typer.Option(help="As others see it.")] = "",
    workspace: Annotated[
        str, typer.Option(help="Its name; made if there is none. Default: the first one.")
    ] = "",
    password: Annotated[bool, _PASSWORD_OPTION] = False,
    database: DatabaseOption = "",
) -> None:
    """Add a user, and print a link to choose a password.

    \b
    sitecrawl user create ada@example.com --role owner
    echo "$PASSWORD" | sitecrawl user create ada@example.com --password
    """
    from sitecrawl.services import users
    from sitecrawl.services.database import writing

    with writing(database) as store:
        workspace_id = users.workspace_named(store, workspace) if workspace else FIRST_WORKSPACE
        given = _asked_password() if password else None
        made = users.create_user(store, workspace_id, email, role, name=name, password=given)
        _record(store, "createUser", email=made.email, role=made.role)
        typer.echo(f"{made.email} is a user now ({made.role}).")
        if not password and len(users.own_workspaces(store, made.id)) == 1:
            _tell_link(users.reset_link(store, made.id))


@app.command("list")
def list_(database: DatabaseOption = "") -> None:
    """List the users, with their role in each workspace.

    \b
    sitecrawl user list
    """
    from sitecrawl.services import users
    from sitecrawl.services.database import reading

    with reading(database) as store:
        for workspace, user in users.all_users(store):
            seen = f"{user.last_login_at:%Y-%m-%d}" if user.last_login_at else "never"
            state = "  disabled" if user.disabled_at else ""
            typer.echo(
                f"{printable(user.email):<32} {user.role:<7} {printable(workspace):<16}"
                f" signed in: {seen}{state}"
            )


@app.command("reset-password")
def reset_password(
    email: Annotated[str, _EMAIL_ARGUMENT],
    password: Annotated[bool, _PASSWORD_OPTION] = False,
    database: DatabaseOption = "",
) -> None:
    """Print a link to choose another password, or set it now.

    \b
    sitecrawl user reset-password ada@example.com
    """
    from sitecrawl.services import users
    from sitecrawl.services.database import writing

    with writing(database) as store:
        user = users.find_user(store, email)
        if password:
            users.set_password(store, user.id, user.email, _asked_password())
            typer.echo(f"The password of {user.email} is set; its sessions have ended.")
        else:
            _tell_link(users.reset_link(store, user.id))
        _record(store, "resetPassword", email=user.email)


@app.command()
def disable(
    email: Annotated[str, _EMAIL_ARGUMENT],
    undo: Annotated[bool, typer.Option("--undo", help="Let the user sign in again.")] = False,
    database: DatabaseOption = "",
) -> None:
    """Keep a user from signing in; its sessions and tokens end.

    \b
    sitecrawl user disable ada@example.com
    sitecrawl user disable ada@example.com --undo
    """
    from sitecrawl.services import users
    from sitecrawl.services.database import writing

    with writing(database) as store:
        user = users.disable_everywhere(store, email, disabled=not undo)
        _record(store, "enableUser" if undo else "disableUser", email=user.email)
        typer.echo(f"{user.email} {'can sign in again' if undo else 'is disabled'}.")


def _record(store: Database, action: str, **detail: str) -> None:
    from sitecrawl.services import audit

    audit.record(store, action, actor=audit.COMMAND_LINE, detail=detail)


def _asked_password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))


def _tell_link(secret: str) -> None:
    from sitecrawl.services.database import configured
    from sitecrawl.web.links import password_path, server_url

    typer.echo(
        "Password to be chosen here, once, within three days (while sitecrawl serve runs):\n"
        f"  {server_url(configured())}{password_path(secret)}"
    )
