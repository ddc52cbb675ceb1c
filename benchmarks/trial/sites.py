"""The sites of the trial: which package holds each, what is served, and its truth."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.trial import truth
from benchmarks.trial.packages import TRIAL_DIR, debian_package, npm_build, npm_package
from benchmarks.trial.truth import FileTruth, MarkdownTruth, RouterTruth

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.trial.truth import Truth

# The documentation of Fastify, as its package has it: real Markdown files that link each other.
_FASTIFY = ("fastify", "5.12.8")
_DOCSIFY = ("docsify", "5.0.0")
_SAKAI = ("sakai-vue", "3.10.0")
_VITEPRESS = "1.6.4"
_DOCUSAURUS = "3.10.2"
_PARTS = ("pages", "files", "broken")


@dataclass(frozen=True, slots=True)
class ServedSite:
    """A site that is ready to be served."""

    name: str
    root: Path
    truth: Truth
    has_history_routes: bool = False
    """Every path is answered with the first page."""


def _debian_docs(name: str, folder: str) -> Callable[[], ServedSite]:
    def prepare() -> ServedSite:
        root = debian_package(name) / "usr/share/doc" / folder
        return ServedSite(name, root, _file_truth(name, root))

    return prepare


def _file_truth(name: str, root: Path) -> FileTruth:
    """Walk the files once: ten thousand pages take the better part of a minute."""
    stored = TRIAL_DIR / "truth" / f"{name}.json"
    walk = hashlib.sha256(Path(truth.__file__).read_bytes()).hexdigest()
    if stored.is_file() and (kept := json.loads(stored.read_text()))["walk"] == walk:
        return FileTruth(root, **{part: frozenset(kept[part]) for part in _PARTS})
    found = FileTruth.of(root)
    stored.parent.mkdir(parents=True, exist_ok=True)
    parts = {part: sorted(getattr(found, part)) for part in _PARTS}
    stored.write_text(json.dumps({"walk": walk, **parts}))
    return found


def _docusaurus() -> ServedSite:
    templates = npm_package("create-docusaurus", _DOCUSAURUS) / "templates"

    def copy_template(folder: Path) -> None:
        for part in ("shared", "classic"):
            shutil.copytree(templates / part, folder, dirs_exist_ok=True)
        package = json.loads((folder / "package.json").read_text())
        # The native bundler is optional; the newest search box needs an unpublished version.
        del package["dependencies"]["@docusaurus/faster"]
        package["overrides"] = {"@docsearch/react": "4.7.0", "@docsearch/core": "4.7.0"}
        (folder / "package.json").write_text(json.dumps(package))
        settings = folder / "docusaurus.config.js"
        settings.write_text(settings.read_text().replace("v4: true", "v4: false"))

    root = npm_build(f"docusaurus-site-{_DOCUSAURUS}", copy_template, ["docusaurus", "build"])
    return ServedSite("docusaurus", root / "build", _file_truth("docusaurus", root / "build"))


def _vitepress() -> ServedSite:
    docs = npm_package(*_FASTIFY) / "docs"

    def write_project(folder: Path) -> None:
        shutil.copytree(docs, folder / "docs")
        package = {"private": True, "devDependencies": {"vitepress": _VITEPRESS}}
        (folder / "package.json").write_text(json.dumps(package))
        settings = folder / "docs" / ".vitepress" / "config.mjs"
        settings.parent.mkdir()
        settings.write_text('export default { title: "Fastify", ignoreDeadLinks: true }\n')

    command = ["vitepress", "build", "docs"]
    built = npm_build(f"vitepress-site-{_VITEPRESS}", write_project, command)
    root = built / "docs/.vitepress/dist"
    return ServedSite("vitepress", root, _file_truth("vitepress", root))


def _sakai() -> ServedSite:
    package = npm_package(*_SAKAI)  # published with its build
    routes = RouterTruth.of(package / "src/router/index.js")
    return ServedSite("sakai-vue", package / "dist", routes, has_history_routes=True)


_DOCSIFY_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="UTF-8"><title>Fastify</title></head>
<body>
<div id="app"></div>
<script>window.$docsify = { name: "Fastify", homepage: "index.md", relativePath: true }</script>
<script src="docsify.min.js"></script>
</body>
</html>
"""


def _docsify() -> ServedSite:
    root = TRIAL_DIR / "docsify-site"
    script = npm_package(*_DOCSIFY) / "dist/docsify.min.js"
    shutil.copytree(npm_package(*_FASTIFY) / "docs", root, dirs_exist_ok=True)
    shutil.copy(script, root)
    (root / "index.html").write_text(_DOCSIFY_PAGE)
    return ServedSite("docsify", root, MarkdownTruth.of(root, "index.md"))


SITES: dict[str, Callable[[], ServedSite]] = {
    "python3.11-doc": _debian_docs("python3.11-doc", "python3.11/html"),
    "postgresql-doc-15": _debian_docs("postgresql-doc-15", "postgresql-doc-15/html"),
    "python-django-doc": _debian_docs("python-django-doc", "python-django-doc/html"),
    "openjdk-17-doc": _debian_docs("openjdk-17-doc", "openjdk-17-jre-headless"),
    "debian-handbook": _debian_docs("debian-handbook", "debian-handbook/html/en-US"),
    "docusaurus": _docusaurus,
    "vitepress": _vitepress,
    "sakai-vue": _sakai,
    "docsify": _docsify,
}
