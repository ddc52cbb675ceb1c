from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.cli.maintenance import _parse_bytes
from sitecrawl.config import ConfigError
from tests.site.build import page, robots, sitemap

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, ProcessResult


@pytest.mark.parametrize(
    ("text", "size"), [("500", 500), ("2k", 2048), ("1.5M", 1_572_864), ("1 GiB", 1 << 30)]
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert _parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1", "many", "1X"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected a size such as 500M"):
        _parse_bytes(text)


def test_a_dry_run_says_what_a_removal_then_removes(
    site: SiteServer,
    crawl: Callable[..., CrawlResult],
    run_cli: Callable[..., ProcessResult],
) -> None:
    site.routes.update(
        {"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a"), "/": page("Home")}
    )
    keep = {"SITECRAWL_KEEP_BODIES": "pages", "SITECRAWL_CRAWL": "always"}
    for _ in range(4):
        crawl(site.url, settings=keep).succeeded()

    nothing = run_cli("prune")
    assert nothing.returncode == 2
    assert "nothing says what to keep" in nothing.stderr
    planned = run_cli("prune", "--scans", "1").succeeded().stdout
    assert planned.startswith("would remove 2 scans; 2 scans are kept")
    assert "--yes removes it" in planned
    done = run_cli("prune", site.url, "--scans", "1", "--yes", "--vacuum").succeeded().stdout
    assert done.startswith("removed 2 scans; 2 scans are kept")
    assert planned.splitlines()[1:-1] == done.splitlines()[1:-1]
    again = run_cli("prune", environment={"SITECRAWL_KEEP_SCANS": "1"}).succeeded()
    assert again.stdout == "nothing to remove; 2 scans are kept\n"
    assert len(run_cli("scans").succeeded().stdout.splitlines()) == 2
    pruned = run_cli("urls", site.url, "--scan", "1")
    assert "scan 1 has been pruned" in pruned.stderr

    body = run_cli("body", site.url).succeeded()
    assert body.stdout.encode() == page("Home")
    missing = run_cli("body", site.at("/nowhere"))
    assert missing.returncode == 2
    assert "no copy is kept as of scan 4" in missing.stderr
