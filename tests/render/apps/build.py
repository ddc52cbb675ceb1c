"""Rebuilds the bundles of the test applications: ``python -m tests.render.apps.build [name ...]``.

Needs npm. Everything is installed and built in a temporary folder; only ``dist/`` comes back.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
FRAMEWORKS = ("plain", "react", "vue", "angular")
DIGEST_FILE = "sources.sha256"
# Read by the server and the tests: a change to them does not change the bundle.
_NOT_BUNDLED = {"dist", "truth.json", "api.json"}


def sources_of(name: str) -> list[Path]:
    """What the bundle is made of, in a fixed order."""
    app = FOLDER / name
    files = (path for path in app.rglob("*") if path.is_file())
    return sorted(path for path in files if path.relative_to(app).parts[0] not in _NOT_BUNDLED)


def digest_of(name: str) -> str:
    """Changes with every change of a source, of its name or of its place."""
    digest = hashlib.sha256()
    for path in sources_of(name):
        content = path.read_bytes()
        place = path.relative_to(FOLDER / name).as_posix()
        digest.update(f"{place}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def built_digest_of(name: str) -> str:
    """The digest of the sources that the committed bundle was built from."""
    return (FOLDER / name / "dist" / DIGEST_FILE).read_text().strip()


def build(name: str) -> None:
    app = FOLDER / name
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not on the PATH; it comes with Node.js")
    with tempfile.TemporaryDirectory() as temporary:
        workshop = Path(temporary)
        for source in sources_of(name):
            place = workshop / source.relative_to(app)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place)
        for command in (
            ["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"],
            ["run", "build"],
        ):
            subprocess.run([npm, *command], cwd=workshop, check=True)
        shutil.rmtree(app / "dist", ignore_errors=True)
        shutil.copytree(workshop / "dist", app / "dist")
    (app / "dist" / DIGEST_FILE).write_text(digest_of(name) + "\n")


if __name__ == "__main__":
    for each in sys.argv[1:] or FRAMEWORKS:
        build(each)
