"""``sitecrawl backup``, ``restore``, ``migrate`` and ``partition``: the database as a whole."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.options import DATABASE_OPTION
from sitecrawl.errors import ExitCode

if TYPE_CHECKING:
    from sitecrawl.services.maintenance import Copied

_PROGRAMS_OPTION = typer.Option(
    "--pg-bin",
    help="For PostgreSQL: the folder of pg_dump and pg_restore. Default: they are on the PATH.",
)


def backup(
    file: Annotated[Path, typer.Argument(help="A new file.")],
    pg_bin: Annotated[Path | None, _PROGRAMS_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Copy the database to a file, also while scans run.

    The key of the secrets is not in it: keep SITECRAWL_SECRET_KEY, or the key file, elsewhere.

    \b
    sitecrawl backup sitecrawl-2026-11-18.backup
    sitecrawl backup /backups/monday --database postgresql://user@host/name
    """
    from sitecrawl.services.database import configured_url
    from sitecrawl.services.maintenance import back_up

    done = back_up(database or configured_url(), file, pg_bin)
    typer.echo(f"copied {done.database} to {file}: {_size_words(done)}")


def restore(
    file: Annotated[Path, typer.Argument(help="A file that sitecrawl backup has written.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Also in the place of a database that has tables.")
    ] = False,
    pg_bin: Annotated[Path | None, _PROGRAMS_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Put a copy of a database back; stop the server and the workers first.

    \b
    sitecrawl restore sitecrawl-2026-11-18.backup --database sqlite:///restored.db
    sitecrawl restore /backups/monday --replace
    """
    from sitecrawl.services import maintenance
    from sitecrawl.services.database import configured_url

    done = maintenance.restore(database or configured_url(), file, pg_bin, replace=replace)
    typer.echo(f"restored {done.database} from {file}: {_size_words(done)}")


def migrate(
    check: Annotated[
        bool, typer.Option("--check", help="Only look; exit code 1 if a migration is needed.")
    ] = False,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Create the tables, or bring them to the version of this sitecrawl.

    Every command does that when it opens the database: this one is for large databases, and for
    several machines that start at once.

    \b
    sitecrawl migrate --check
    sitecrawl migrate --database postgresql://user@host/name
    """
    from sitecrawl.services import maintenance
    from sitecrawl.services.database import configured_url

    url = database or configured_url()
    found = maintenance.pending_migration(url) if check else maintenance.migrate(url)
    before = found.before or "no tables"
    if not found.is_needed:
        typer.echo(f"{found.database} is at the newest version, {found.after}")
    elif check:
        typer.echo(f"{found.database} needs a migration: {before} -> {found.after}")
        raise typer.Exit(ExitCode.FAILED)
    else:
        typer.echo(f"migrated {found.database}: {before} -> {found.after}")


def partition(
    partitions: Annotated[
        int, typer.Option(min=2, max=1_024, help="So many for each table; 16 is enough for most.")
    ] = 16,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Split the pages and mentions of a PostgreSQL database into partitions by site.

    For a new database, or for one with a billion rows; see docs/scale.md. Stop the server, the
    monitor and the workers first: rows are copied, and there must be room for them twice.

    \b
    sitecrawl partition --database postgresql://user@host/name
    """
    from sitecrawl.services import maintenance
    from sitecrawl.services.database import configured_url

    done = maintenance.partition(database or configured_url(), partitions)
    words = f"{done.rows:,} rows in {done.seconds:.1f} s"
    typer.echo(f"split {done.database} into {partitions} partitions: {words}")


def _size_words(done: Copied) -> str:
    from sitecrawl.politeness.ledger import byte_words

    return f"{byte_words(done.bytes)} in {done.seconds:.1f} s"
