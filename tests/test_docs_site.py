"""The documentation as a site: it builds without a broken link, and sitecrawl finds its pages."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.site import Reply
from tests.site.project import ROOT, Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.reply import Request

_TYPES = {".html": "text/html; charset=utf-8", ".xml": "application/xml"}


def test_the_docs_build_strictly_and_their_sitemap_is_discovered(
    site: SiteServer, tmp_path: Path
) -> None:
    built = tmp_path / "docs"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(built)],
        cwd=ROOT,
        env={**os.environ, "DOCS_URL": f"{site.url}/", "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (built / "search" / "search_index.json").stat().st_size > 100_000

    def answer(request: Request) -> Reply:
        path = built / request.path.strip("/")
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            return Reply(b"<h1>Not found</h1>", status=404, content_type="text/html")
        kind = _TYPES.get(path.suffix, "application/octet-stream")
        return Reply(path.read_bytes(), content_type=kind)

    site.routes["/*"] = answer
    # By default /api/ is skipped.
    every = {"SITECRAWL_SKIP_PATHS": ""}
    found = Project.in_folder(tmp_path).crawl(site.url, settings=every).succeeded()
    pages = ["CHANGELOG", *(page.stem for page in (ROOT / "docs").glob("*.md"))]
    expected = {site.at("/"), *(site.at(f"/{page}/") for page in pages)}
    listed = {row["url"] for row in found.rows if "sitemap" in row["sources"]}
    assert listed == expected
