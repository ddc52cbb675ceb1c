"""``sitecrawl site``, ``group`` and ``job`` as a person uses them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site.project import ProcessResult, Project


def test_sites_are_added_listed_changed_and_removed(cli: Callable[..., ProcessResult]) -> None:
    cli("group", "add", "Shops", "--colour", "#0EA5E9").succeeded()
    added = cli(
        *("site", "add", "example.com", "--tag", "prod", "--group", "shops"),
        *("--cron", "0 6 * * MON", "--timezone", "Europe/Berlin", "-s", "RETRY_TIMES=1"),
    ).succeeded()
    assert "Site 1: https://example.com/ is watched 0 6 * * MON (Europe/Berlin)." in added.stdout
    assert "sitecrawl monitor run" in added.stdout
    listed = cli("site", "list").succeeded().stdout
    assert "example.com" in listed
    assert "queued" in listed
    assert "Shops" in listed
    (site,) = json.loads(cli("site", "list", "--tag", "prod", "--json").succeeded().stdout)["sites"]
    assert (site["settings"], site["group_name"]) == ({"RETRY_TIMES": "1"}, "Shops")
    cli("site", "edit", "example.com", "--interval", "60", "--no-group").succeeded()
    cli("site", "edit", "1", "-w", "EU", "-s", "SITECRAWL_RENDER=always").succeeded()
    assert "with browser, eu" in cli("site", "show", "1").succeeded().stdout
    cli("site", "edit", "1", "--no-worker-tags", "--no-settings").succeeded()
    shown = cli("site", "show", "1").succeeded().stdout
    assert "every hour" in shown
    assert "Shops" not in shown
    cli("site", "disable", "1").succeeded()
    assert "off" in cli("site", "list").stdout
    cli("site", "remove", "1", "--yes").succeeded()
    assert "No site is watched" in cli("site", "list").stdout


def test_mistakes_are_told_in_one_line(cli: Callable[..., ProcessResult]) -> None:
    cli("site", "add", "example.com").succeeded()
    for words, arguments in {
        "is watched already: site 1": ("site", "add", "www.example.com"),
        "interval_minutes: 3 is not from 5": ("site", "add", "b.example", "--interval", "3"),
        "'nowhere' is not watched": ("site", "show", "nowhere"),
        "there is no group 'x'": ("site", "add", "b.example", "--group", "x"),
        "nothing to change": ("site", "edit", "1"),
        "'a+b' is not a tag of workers": ("site", "edit", "1", "-w", "a+b"),
        "there is no job 9": ("job", "cancel", "9"),
    }.items():
        result = cli(*arguments)
        assert result.returncode == 2
        assert words in result.stderr
        assert result.stderr.count("\n") == 1


def test_files_are_imported_and_exported(
    cli: Callable[..., ProcessResult], project: Project
) -> None:
    (project.folder / "urls.txt").write_text("a.example\n\nnot a url\nb.example\na.example\n")
    result = cli("site", "import", "urls.txt")
    assert result.returncode == 3
    assert "line 3: root_url" in result.stderr
    assert "4 rows: 2 imported, 1 duplicate, 1 invalid" in result.stdout
    cli("site", "export", "-o", "sites.json").succeeded()
    sites = json.loads((project.folder / "sites.json").read_text())
    assert [site["root_url"] for site in sites] == ["https://a.example/", "https://b.example/"]
    assert cli("site", "export", "--short").stdout.startswith('"id","rootUrl"')


def test_jobs_are_cancelled_and_tried_again(cli: Callable[..., ProcessResult]) -> None:
    cli("site", "add", "example.com").succeeded()
    assert "is cancelled." in cli("job", "cancel", "1").succeeded().stdout
    assert "Job 2 tries" in cli("job", "retry", "1").succeeded().stdout
    assert "retry of job 1" in cli("job", "show", "2").succeeded().stdout
    assert cli("site", "scan", "1").returncode == 1
    listed = cli("job", "list", "--status", "cancelled").succeeded().stdout
    assert "cancelled before it started" in listed
    status = cli("monitor", "status").succeeded().stdout
    assert "1 cancelled, 1 queued" in status
    assert "No worker runs" in status


def test_whoever_names_a_private_address_here_allows_it(
    cli: Callable[..., ProcessResult], project: Project
) -> None:
    added = cli("site", "add", "http://127.0.0.1:8737").succeeded().stdout
    assert "may connect to it at a private address" in added
    refused = cli("site", "add", "http://wiki.internal", "--no-allow-private")
    assert refused.returncode == 2
    assert "SITECRAWL_ADDRESS_ALLOW=wiki.internal:80" in refused.stderr
    cli("site", "add", "intranet.example.com", "--allow-private").succeeded()
    cli("site", "edit", "intranet.example.com", "--url", "https://public.example.com").succeeded()
    (project.folder / "urls.txt").write_text("http://localhost:8000\npublic.example.org\n")
    cli("site", "import", "urls.txt").succeeded()
    sites = json.loads(cli("site", "list", "--json").succeeded().stdout)["sites"]
    assert {site["root_url"]: site["allow_private"] for site in sites} == {
        "http://127.0.0.1:8737/": True,
        "https://public.example.com/": False,
        "http://localhost:8000/": True,
        "https://public.example.org/": False,
    }
