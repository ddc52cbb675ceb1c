"""Builds a real site for tests: the pages that pydoc makes of the standard library.

    python pydoc_site.py FOLDER

More than 100 pages of odd markup, with links to the modules they use. Many of those have no page
here, so there are broken links, too.
"""

from __future__ import annotations

import os
import pkgutil
import pydoc
import sys
from pathlib import Path

PACKAGES = ("email", "http", "importlib", "json", "logging", "unittest", "urllib", "wsgiref", "xml")


def write_site(folder: Path) -> None:
    os.chdir(folder)  # pydoc writes into the working folder
    names = [name for package in PACKAGES for name in _modules(package)]
    for name in names:
        pydoc.writedoc(name)
    document = pydoc.HTMLDoc()
    contents = document.multicolumn(names, lambda name: f'<a href="{name}.html">{name}</a>')
    index = document.page("Index of Modules", document.bigsection("Index", "index", contents))
    Path("index.html").write_text(index, encoding="utf-8")


def _modules(package: str) -> list[str]:
    path = __import__(package).__path__
    inner = [module.name for module in pkgutil.walk_packages(path, f"{package}.")]
    return [package, *(name for name in inner if not name.endswith("__main__"))]


if __name__ == "__main__":
    write_site(Path(sys.argv[1]))
