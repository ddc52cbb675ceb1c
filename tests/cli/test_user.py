"""``sitecrawl user``: people by the command line."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

from sitecrawl.services import sessions, users
from sitecrawl.services.callers import SessionRules
from sitecrawl.services.sessions import Client
from sitecrawl.store.engine import open_database

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site.project import ProcessResult, Project


def test_a_user_is_added_listed_and_disabled(
    run_cli: Callable[..., ProcessResult], project: Project
) -> None:
    made = run_cli("user", "create", "Ada@Example.com", "--role", "owner").succeeded()
    assert "ada@example.com is a user now (owner)." in made.stdout
    [secret] = re.findall(r"http://127\.0\.0\.1:8400/password/(\S+)", made.stdout)
    url = f"sqlite:///{project.database}"
    with open_database(url) as database:
        assert users.use_password_link(database, secret, "a long password") == "ada@example.com"
        signed_in = sessions.sign_in(
            database, "ada@example.com", "a long password", Client("192.0.2.1"), SessionRules()
        )
    assert signed_in.workspace_id == 1
    run_cli("user", "create", "bob@example.com", "--workspace", "other").succeeded()
    listed = run_cli("user", "list").succeeded().stdout
    assert re.search(r"ada@example\.com +owner +default", listed)
    assert re.search(r"bob@example\.com +member +other", listed)
    last = run_cli("user", "disable", "ada@example.com")
    assert last.returncode == 2
    assert "needs an owner" in last.stderr
    run_cli("user", "create", "eve@example.com", "--role", "owner").succeeded()
    run_cli("user", "disable", "ada@example.com").succeeded()
    assert "disabled" in run_cli("user", "list").stdout
    again = run_cli("user", "create", "ada@example.com")
    assert again.returncode == 2
    assert "already" in again.stderr


def test_a_password_is_read_from_standard_input(project: Project) -> None:
    command = [sys.executable, "-m", "sitecrawl", "user", "create", "ada@example.com"]
    for password, code in (("short", 2), ("a long password", 0)):
        done = subprocess.run(
            [*command, "--password"],
            input=f"{password}\n",
            capture_output=True,
            text=True,
            check=False,
            cwd=project.folder,
            env=dict(project.environment),
        )
        assert done.returncode == code, done.stderr
    assert "link" not in done.stdout


def test_a_user_that_is_not_there_is_named(run_cli: Callable[..., ProcessResult]) -> None:
    answer = run_cli("user", "reset-password", "nobody@example.com")
    assert answer.returncode == 2
    assert "there is no user nobody@example.com; see: sitecrawl user list" in answer.stderr
