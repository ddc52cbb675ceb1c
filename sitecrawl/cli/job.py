"""``sitecrawl job``: scans of watched sites that wait, run or have ended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from sitecrawl.cli.options import DatabaseOption, command_group
from sitecrawl.cli.tables import JsonOption, ago, print_json, print_table
from sitecrawl.safety.text import printable
from sitecrawl.store.vocabulary import FIRST_WORKSPACE, JobStatus

_JOB = typer.Argument(help="Number of a job.")

app = command_group("job", "Scans of watched sites that wait, run or have ended.")


@app.command("list")
def list_(
    site: Annotated[str, typer.Argument(help="Only of this watched site.")] = "",
    status: Annotated[
        list[JobStatus] | None, typer.Option(help="Only in this state; may be repeated.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many to show.")] = 30,
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """List jobs, the newest first.

    \b
    sitecrawl job list
    sitecrawl job list example.com --status failed
    """
    from sitecrawl.services.database import reading
    from sitecrawl.services.jobs import list_jobs
    from sitecrawl.services.sites import site_named
    from sitecrawl.store.queries.jobs import JobFilter

    with reading(database) as store:
        number = site_named(store, FIRST_WORKSPACE, site).id if site else None
        wanted = JobFilter(watched_site_id=number, statuses=tuple(status or ()))
        jobs = list_jobs(store, FIRST_WORKSPACE, wanted, limit=limit).rows
    if as_json:
        print_json(jobs)
    elif not jobs:
        typer.echo("There is no such job.")
    else:
        now = datetime.now(UTC)
        print_table(
            ("job", "site", "kind", "why", "status", "queued", "scan", "reason"),
            [
                (
                    str(each.id),
                    each.site_name,
                    each.kind,
                    each.trigger,
                    each.status,
                    ago(each.queued_at, now),
                    str(each.scan_id or ""),
                    each.reason or "",
                )
                for each in jobs
            ],
        )


@app.command()
def show(
    job: Annotated[int, _JOB],
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Show a job with the end of its log.

    \b
    sitecrawl job show 12
    """
    from sitecrawl.services.database import reading
    from sitecrawl.services.jobs import get_job

    with reading(database) as store:
        found = get_job(store, FIRST_WORKSPACE, job)
    if as_json:
        print_json(found)
        return
    facts = {
        "job": f"{found.id}: {found.kind} of {found.root_url}",
        "status": found.status + (f": {found.reason}" if found.reason else ""),
        "why": found.trigger + (f" of job {found.retry_of}" if found.retry_of else ""),
        "scan": found.scan_id,
        "queued": found.queued_at,
        "not before": found.not_before,
        "started": found.started_at,
        "finished": found.finished_at,
        "worker": found.worker,
        "restarts": found.restarts or None,
        "exit code": found.exit_code,
    }
    for label, value in facts.items():
        if value is not None:
            typer.echo(f"{label:<10} {printable(str(value))}")
    for line in (found.log_tail or "").splitlines()[-40:]:
        typer.echo(f"  | {printable(line)}")


@app.command()
def cancel(
    job: Annotated[int, _JOB],
    database: DatabaseOption = "",
) -> None:
    """Cancel a job.

    A scan that runs ends within seconds, and what it has found is kept.

    \b
    sitecrawl job cancel 12
    """
    from sitecrawl.services.database import writing
    from sitecrawl.services.jobs import cancel_job

    with writing(database) as store:
        found = cancel_job(store, FIRST_WORKSPACE, job)
    words = "cancelled" if found.status == "cancelled" else "being cancelled"
    typer.echo(f"Job {found.id} ({printable(found.root_url)}) is {words}.")


@app.command()
def retry(
    job: Annotated[int, _JOB],
    database: DatabaseOption = "",
) -> None:
    """Queue a job again that failed, was cancelled or was skipped.

    \b
    sitecrawl job retry 12
    """
    from sitecrawl.services.database import writing
    from sitecrawl.services.jobs import retry_job

    with writing(database) as store:
        again = retry_job(store, FIRST_WORKSPACE, job)
    typer.echo(f"Job {again.id} tries {printable(again.root_url)} again.")
