"""Jobs as people see them: asked for, cancelled, tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from sitecrawl.errors import ConflictError, NotFoundError
from sitecrawl.services.jobs import (
    cancel_job,
    get_job,
    list_jobs,
    monitor_status,
    retry_job,
    scan_site,
)
from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store import schema as t
from sitecrawl.store.queries.jobs import JobFilter
from sitecrawl.store.vocabulary import JobStatus

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


def set_status(database: Database, status: JobStatus) -> None:
    with database.writing() as connection:
        connection.execute(update(t.jobs).values(status=status))


def test_a_site_has_one_job_at_a_time(database: Database) -> None:
    site = add_site(database, 1, NewSite("example.com"))
    with pytest.raises(ConflictError, match="job 1 is queued already"):
        scan_site(database, 1, site.id)
    set_status(database, JobStatus.SUCCESS)
    job = scan_site(database, 1, site.id)
    assert (job.kind, job.trigger, job.status) == ("discover", "person", "queued")
    with pytest.raises(NotFoundError):
        scan_site(database, 2, site.id)


def test_a_job_that_waits_is_cancelled_at_once_and_one_that_runs_is_asked(
    database: Database,
) -> None:
    add_site(database, 1, NewSite("example.com"))
    assert cancel_job(database, 1, 1).status == "cancelled"
    with pytest.raises(ConflictError, match="has ended: cancelled"):
        cancel_job(database, 1, 1)
    again = retry_job(database, 1, 1)
    assert (again.retry_of, again.attempt, again.trigger) == (1, 2, "retry")
    with database.writing() as connection:
        connection.execute(
            update(t.jobs).where(t.jobs.c.id == again.id).values(status=JobStatus.RUNNING)
        )
    asked = cancel_job(database, 1, again.id)
    assert asked.status == "running"
    assert asked.cancel_requested_at is not None


@pytest.mark.parametrize("status", [JobStatus.SUCCESS, JobStatus.QUEUED, JobStatus.RUNNING])
def test_what_went_well_or_is_under_way_is_not_tried_again(
    sqlite_database: Database, status: JobStatus
) -> None:
    add_site(sqlite_database, 1, NewSite("example.com"))
    set_status(sqlite_database, status)
    with pytest.raises(ConflictError, match=f"it is {status}"):
        retry_job(sqlite_database, 1, 1)


def test_jobs_are_listed_newest_first_by_page(database: Database) -> None:
    for number in range(5):
        add_site(database, 1, NewSite(f"s{number}.example"))
    first = list_jobs(database, 1, limit=3)
    second = list_jobs(database, 1, cursor=first.next_cursor, limit=3)
    assert [job.id for job in (*first.rows, *second.rows)] == [5, 4, 3, 2, 1]
    assert second.next_cursor is None
    assert [job.id for job in list_jobs(database, 1, JobFilter(watched_site_id=2)).rows] == [2]
    assert list_jobs(database, 1, JobFilter(statuses=(JobStatus.FAILED,))).rows == ()
    assert list_jobs(database, 2).rows == ()
    assert get_job(database, 1, 3).site_name == "s2.example"
    status = monitor_status(database, 1)
    assert (status.jobs, status.workers, status.is_scheduling) == ({"queued": 5}, [], False)
