"""What holds for every command: help, completion, exit codes, pipes, a quick start."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
import typer
from typer.testing import CliRunner

from sitecrawl import __version__
from sitecrawl.cli import app
from tests.cli.conftest import MANY
from tests.cli.inprocess import run_inside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.cli.conftest import Inventory
    from tests.site.project import ProcessResult, Project

_COMMANDS = (
    *("discover", "resume", "scans", "urls", "why", "tree", "graph", "orphans", "unlisted"),
    *("profiles", "settings", "doctor"),
)
# As the console script runs it.
_AS_SCRIPT = "import sys; sys.argv[0] = 'sitecrawl'; from sitecrawl.cli import main; main()"


def test_help(run_cli: Callable[..., ProcessResult]) -> None:
    text = run_cli("--help").succeeded().stdout
    assert all(f"\n  {command} " in text for command in _COMMANDS)
    assert "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done in part" in text
    assert "Usage: sitecrawl " in text


def test_the_version(cli: Callable[..., ProcessResult]) -> None:
    assert cli("--version").succeeded().stdout == f"sitecrawl {__version__}\n"


def test_a_file_that_cannot_be_used_is_one_line(cli: Callable[..., ProcessResult]) -> None:
    for command in (("backup",), ("sql", "SELECT 1", "--folder")):
        done = cli(*command, "x" * 300)
        assert done.returncode == 1
        assert done.stderr.startswith("sitecrawl: xxx")
        assert done.stderr.endswith(": File name too long\n")


def test_without_a_command_the_help_is_shown(run_cli: Callable[..., ProcessResult]) -> None:
    done = run_cli()
    assert done.returncode == 2
    assert "\nScan a site:\n" in done.output


def _leaves(command: Any, *path: str) -> Iterator[tuple[str, Any]]:
    """Every command that does something, by its words."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from _leaves(inner, *path, name)
    if not hasattr(command, "commands"):
        yield " ".join(path), command


@pytest.mark.parametrize("group", [(), ("site",), ("channel",), ("export",), ("user",)])
def test_the_help_has_every_command_on_a_line(group: tuple[str, ...]) -> None:
    command: Any = typer.main.get_command(app)
    for name in group:
        command = command.commands[name]
    help_ = CliRunner().invoke(app, [*group, "--help"], env={"COLUMNS": "80"}).stdout
    lines = help_.splitlines()[1:]
    assert {line.split()[0] for line in lines if line.startswith("  ")} >= command.commands.keys()
    assert not [line for line in lines if line.endswith("...")]


def test_every_command_of_sitecrawl_stands_under_a_heading() -> None:
    command: Any = typer.main.get_command(app)
    assert not [name for name, each in command.commands.items() if not each.rich_help_panel]


def test_every_command_has_an_example() -> None:
    found = dict(_leaves(typer.main.get_command(app)))
    assert len(found) > 60
    assert not [name for name, each in found.items() if f"sitecrawl {name}" not in each.help]


@pytest.mark.parametrize("command", _COMMANDS)
def test_the_help_of_a_command_has_examples(
    cli: Callable[..., ProcessResult], command: str
) -> None:
    text = cli(command, "--help").succeeded().stdout
    assert f"\n  sitecrawl {command}" in text.partition("Options:")[0]


@pytest.mark.parametrize(
    "args",
    [
        ("nonsense",),
        ("discover", "--nonsense"),
        ("why",),
        ("urls",),
        ("scans", "--limit", "0"),
        ("urls", "example.com", "--format", "docx"),
        ("tree",),
        ("graph", "example.com", "--format", "png"),
    ],
)
def test_wrong_usage_is_2(cli: Callable[..., ProcessResult], args: tuple[str, ...]) -> None:
    done = cli(*args)
    assert done.returncode == 2
    assert "Traceback" not in done.output
    assert done.stderr


# --- completion ---------------------------------------------------------------------------------


def completions(project: Project, *words: str) -> list[str]:
    variables = {
        "_SITECRAWL_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    return project.run(sys.executable, "-c", _AS_SCRIPT, environment=variables).stdout.split()


def test_completion_can_be_installed_in_bash(project: Project) -> None:
    # Otherwise it asks which shell has started it, and that is pytest.
    variables = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = project.run(
        sys.executable, "-c", _AS_SCRIPT, "--show-completion", "bash", environment=variables
    )
    assert "complete -o default -F _sitecrawl_completion sitecrawl" in shown.succeeded().stdout


def test_completion(project: Project) -> None:
    assert completions(project, "sitecrawl", "dis") == ["discover"]
    assert completions(project, "sitecrawl", "discover", "--pro") == ["--profile"]
    formats = completions(project, "sitecrawl", "urls", "x", "--format", "")
    assert formats == ["text", "jsonl", "json", "csv", "xlsx", "parquet"]


def test_completion_knows_the_profiles(project: Project) -> None:
    assert completions(project, "sitecrawl", "discover", "--profile", "a") == ["audit"]
    combined = completions(project, "sitecrawl", "discover", "--profile", "docs,f")
    assert combined == ["docs,fast"]


def test_an_error_quotes_text_safely(project: Project) -> None:
    done = run_inside(project, "urls", "example.com", "-o", "urls.\u202excod\x1b[31m")
    assert done.returncode == 2
    assert done.stderr.startswith("sitecrawl: -o urls.\\u202excod\\x1b[31m: expected ")


# --- a quick start ------------------------------------------------------------------------------


def modules_after(project: Project, code: str) -> set[str]:
    script = f"""
import json, sys
try:
    {code}
except SystemExit:
    pass
json.dump(sorted({{name.split(".")[0] for name in sys.modules}}), sys.stderr)
"""
    done = project.run(sys.executable, "-c", script, "--help").succeeded()
    return set(json.loads(done.stderr))


def test_help_imports_nothing_heavy(project: Project) -> None:
    loaded = modules_after(project, "from sitecrawl.cli import main; main()")
    assert "typer" in loaded
    assert not loaded & {"scrapy", "twisted", "sqlalchemy", "alembic", "rich", "numpy", "pyarrow"}


def test_the_settings_import_nothing_heavy(project: Project) -> None:
    loaded = modules_after(project, "import sitecrawl.settings, settings_profiles.audit")
    assert not loaded & {"scrapy", "twisted", "sqlalchemy", "alembic", "rich", "numpy", "typer"}


def test_a_crawl_does_not_import_what_it_does_not_use(project: Project) -> None:
    loaded = modules_after(project, "import sitecrawl.spiders.discover")
    assert not loaded & {"sqlalchemy", "alembic", "rich", "pyarrow", "xlsxwriter", "typer"}


# --- pipes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", ["text", "csv", "json"])
def test_a_reader_may_leave_early(inventory: Inventory, format_: str) -> None:
    command = f"'{sys.executable}' -m sitecrawl urls {inventory.wiki.url} -f {format_} | head -n 1"
    done = inventory.project.run("bash", "-c", command)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def test_a_reader_may_leave_before_the_answer(inventory: Inventory) -> None:
    for command in (f"urls {inventory.wiki.url}", "settings"):
        done = inventory.project.run("bash", "-c", f"'{sys.executable}' -m sitecrawl {command} | :")
        assert (done.stdout, done.stderr) == ("", "")


def test_the_text_for_a_pipe_is_only_urls(inventory: Inventory) -> None:
    done = inventory.process("urls", inventory.wiki.url).succeeded()
    lines = done.stdout.splitlines()
    assert len(lines) == MANY
    assert lines[0] == inventory.wiki.at("/articles/0000")
    assert done.stderr == ""
