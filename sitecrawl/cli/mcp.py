"""``sitecrawl mcp``: a server for agents."""

from __future__ import annotations

from typing import Annotated

import typer

from sitecrawl.cli.options import DATABASE_OPTION
from sitecrawl.errors import ExtraMissingError


def mcp(
    write: Annotated[
        bool, typer.Option("--write", help="Also give tools that store something, such as ask.")
    ] = False,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Serve agents over standard input and output, by the Model Context Protocol.

    \b
    sitecrawl mcp
    sitecrawl mcp --write --database sqlite:////srv/sitecrawl.db
    """
    from sitecrawl.services.database import configured_url
    from sitecrawl.store.engine import open_database

    try:
        from sitecrawl.mcp.server import build_server
    except ImportError as error:
        raise ExtraMissingError(
            f"sitecrawl mcp needs the package {error.name}; pip install 'sitecrawl[mcp]'"
        ) from error
    url = database or configured_url()
    with open_database(url, create=False, to_write=write) as store:
        build_server(store, may_write=write).run("stdio")
