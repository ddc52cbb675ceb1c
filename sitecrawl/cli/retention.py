"""``sitecrawl prune`` and ``body``: what is kept, and what of it is removed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.options import DATABASE_OPTION, OUTPUT_OPTION, SCAN_OPTION
from sitecrawl.config import ConfigError

if TYPE_CHECKING:
    from sitecrawl.services.maintenance import PruneReport

_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kMGT]?)i?B?", re.IGNORECASE)
_UNITS: Final = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


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
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Remove old scans and bodies; without --yes, only say what would be removed.

    Scans that are kept give the same answers as before.

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


def body(
    url: Annotated[str, typer.Argument(help="The URL of a page that was visited.")],
    output: Annotated[Path | None, OUTPUT_OPTION] = None,
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Write a page as it came from the site, if SITECRAWL_KEEP_BODIES=pages kept it.

    \b
    sitecrawl body https://example.com/about -o about.html
    """
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.services.inventory import open_inventory

    with open_inventory(url, database or None, scan) as inventory:
        found = inventory.body(url)
        if found is None:
            raise ConfigError(
                f"{url}: no copy is kept as of scan {inventory.scan.id};"
                " SITECRAWL_KEEP_BODIES=pages keeps pages from the next scan on"
            )
        with opened_output(output) as file:
            file.write(found.content)
