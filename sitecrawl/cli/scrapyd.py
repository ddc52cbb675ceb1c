"""``sitecrawl scrapyd``: a Scrapyd whose projects are the profiles."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import typer

from sitecrawl.errors import ExtraMissingError


def scrapyd() -> None:
    """Run Scrapyd in this folder, with each profile as a project.

    Writes scrapyd.conf, with a new password, and scrapy.cfg, unless they are there. Scrapyd keeps
    its queue, logs and feeds in this folder, and its jobs the inventory, unless
    SITECRAWL_DATABASE_URL says otherwise.

    \b
    mkdir node && cd node && sitecrawl scrapyd
    curl -u sitecrawl:PASSWORD localhost:6800/schedule.json \\
      -d project=audit -d spider=discover -d domain=example.com
    """
    from sitecrawl.config.scrapyd_node import CONFIGURATION, prepare_node, setuptools_problem

    if find_spec("scrapyd") is None:
        raise ExtraMissingError("Scrapyd is not installed; pip install 'sitecrawl[scrapyd]'")
    if problem := setuptools_problem():
        raise ExtraMissingError(problem)
    written = prepare_node(Path.cwd())
    if written:
        typer.echo(f"wrote {' and '.join(written)}")
    if CONFIGURATION in written:
        typer.echo(f"the user is sitecrawl; the password is in {CONFIGURATION}")
    sys.stdout.flush()
    # A file with the number of the process would keep a restarted container from starting.
    command = (sys.executable, "-m", "scrapyd", "--pidfile=")
    os.execv(sys.executable, command)  # noqa: S606  no shell is wanted
