"""``sitecrawl backup``, ``restore``, ``migrate`` and ``partition``: the database as a whole."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.options import DatabaseOption
from sitecrawl.config import ConfigError
from sitecrawl.errors import ExitCode

if TYPE_CHECKING:
    from sitecrawl.services.maintenance import Copied, PruneReport

_PROGRAMS_OPTION = typer.Option(
    "--pg-bin",
    help="For PostgreSQL: the folder of pg_dump and pg_restore. Default: they are on the PATH.",
)
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kMGT]?)i?B?", re.IGNORECASE)
_UNITS: Final = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def backup(
    file: Annotated[Path, typer.Argument(help="A new file.")],
    pg_bin: Annotated[Path | None, _PROGRAMS_OPTION] = None,
    database: DatabaseOption = "",
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
    database: DatabaseOption = "",
) -> None:
    """Put a copy of a database back.

    Stop the server and the workers first.

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
    database: DatabaseOption = "",
) -> None:
    """Create the tables, or bring them to the newest version.

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
    database: DatabaseOption = "",
) -> None:
    """Split the tables of a PostgreSQL database by site.

    These are the tables of pages and mentions. For a new database, or for one with a billion rows;
    see docs/scale.md. Stop the server, the monitor and the workers first: rows are copied, and
    there must be room for them twice.

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


def prune(
    domain: Annotated[str, typer.Argument(help="Only this site. Default: all.")] = "",
    scans: Annotated[
        int | None,
        typer.Option(min=1, help="Keep so many scans of each site. Default: SITECRAWL_KEEP_SCANS."),
    ] = None,
    body_scans: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Keep bodies of so many scans of each site. Default: SITECRAWL_KEEP_BODIES_SCANS.",
        ),
    ] = None,
    body_bytes: Annotated[
        str,
        typer.Option(
            help="Keep so many bytes of bodies in all, such as 500M or 2G."
            " Default: SITECRAWL_KEEP_BODIES_TOTAL_BYTES."
        ),
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Remove it, not only say what.")] = False,
    vacuum: Annotated[
        bool, typer.Option("--vacuum", help="With --yes: give the space back to the disk.")
    ] = False,
    database: DatabaseOption = "",
) -> None:
    """Remove old scans and bodies.

    Without --yes, it only says what would be removed. Scans that are kept give the same answers as
    before.

    \b
    sitecrawl prune --scans 30
    sitecrawl prune example.com --scans 10 --yes
    sitecrawl prune --body-scans 3 --body-bytes 2G --yes --vacuum
    """
    from sitecrawl.services import maintenance as service
    from sitecrawl.services.database import configured_url
    from sitecrawl.store.engine import open_database

    if vacuum and not yes:
        raise ConfigError("--vacuum needs --yes")
    wanted = service.configured_retention()
    if scans is not None:
        wanted = replace(wanted, scans=scans)
    if body_scans is not None:
        wanted = replace(wanted, body_scans=body_scans)
    if body_bytes:
        wanted = replace(wanted, body_bytes=_parse_bytes(body_bytes))
    with open_database(database or configured_url(), create=False) as store:
        _print(service.prune(store, wanted, domain, dry_run=not yes))
        if vacuum:
            service.vacuum(store)


def _print(report: PruneReport) -> None:
    from sitecrawl.politeness.ledger import byte_words

    verb = "removed" if report.is_done else "would remove"
    kept = f"{_scans(report.kept_scans)} {'is' if report.kept_scans == 1 else 'are'} kept"
    if not report.scans and not report.removals:
        typer.echo(f"nothing to remove; {kept}")
        return
    typer.echo(f"{verb} {_scans(report.scans)}; {kept}")
    for removal in report.removals:
        typer.echo(
            f"  {removal.table:<16} {removal.rows:>12,} rows  {byte_words(removal.bytes):>10}"
        )
    hint = "" if report.is_done else "; --yes removes it"
    typer.echo(f"about {byte_words(report.bytes)} without indexes{hint}")


def _scans(number: int) -> str:
    return f"{number:,} scan{'' if number == 1 else 's'}"


def _parse_bytes(text: str) -> int:
    match = _SIZE.fullmatch(text.strip())
    if match is None or not float(match[1]):
        raise ConfigError(f"--body-bytes {text}: expected a size such as 500M or 2G")
    return int(float(match[1]) * _UNITS[match[2].lower()])
