"""The script that runs in every page before the page's own."""

from __future__ import annotations

from importlib.resources import files

# In this order: each uses what those before it define.
_PARTS = ("builtins", "guard", "work", "elements", "descriptions", "styles", "routers", "explorer")

KEY = "__sitecrawl"
"""The property of the window through which the driver calls."""


def _assembled() -> str:
    folder = files("sitecrawl.render") / "inpage"
    parts = [(folder / f"{part}.js").read_text(encoding="utf-8") for part in _PARTS]
    # Once per window: a document that is written anew keeps its own.
    head = f'(() => {{\n"use strict";\nconst KEY = "{KEY}";\nif (KEY in window) return;'
    return "\n".join((head, *parts, "})();"))


INIT_SCRIPT = _assembled()
