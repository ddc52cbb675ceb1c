"""The shape of the code: which module may import which, and what none may do."""

from __future__ import annotations

import ast
import sys
from functools import cache
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from sitecrawl.config.profiles import PROFILES
from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# Imports point from the end of this list to its start. A package stands for all that is in it.
_LAYERS = (
    # pure: no network, no files, no framework
    {
        *(
            "__init__",
            "errors",
            "urls",
            "sitemaps",
            "parsing",
            "html",
            "classify",
            "changes",
        ),
        "politeness",
        *("safety", "robots", "coverage", "findings", "items"),
        *("channels", "scheduling"),
    },
    # what the settings are; needs only the pure modules
    {"settings", "config", "logs", "tracing", "demo", "render"},
    {"store"},
    # Scrapy's components and what they show
    {
        *("stages", "spiders", "pipelines", "downloadermiddlewares", "downloadhandlers"),
        *("downloader", "extensions", "exporters", "commands", "scan", "scheduler"),
        "robotstxt",
        *("console", "signals", "report"),
    },
    # what a person can ask of the system
    {"services", "library"},
    {"monitor"},
    {"dive"},
    {"web", "client", "mcp"},
    {"cli", "__main__"},
)
# Within the first layer the engines know nothing of the settings that steer them.
_ENGINES = {
    "urls",
    "safety",
    "parsing",
    "sitemaps",
    "html",
    "classify",
    "changes",
    "politeness",
    "robots",
    "coverage",
    "findings",
    "scheduling",
    "channels",
    "errors",
}
_FRAMEWORKS = {
    "scrapy",
    "twisted",
    "itemadapter",
    "sqlalchemy",
    "alembic",
    "typer",
    "click",
    "rich",
}
# The only ones that may open a connection to a database.
_DATABASES = {"sqlalchemy", "alembic", "sqlite3", "psycopg"}

_PACKAGE = ROOT / "sitecrawl"
_MODULES = sorted(_PACKAGE.rglob("*.py"))
# It names what the library has, which is imported when it is first used.
_LIBRARY = _PACKAGE / "__init__.py"
_PROFILE_MODULES = sorted((ROOT / "settings_profiles").glob("*.py"))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports(path: Path, *, for_types: bool = True) -> frozenset[str]:
    """Every module that is imported anywhere in the file, in functions as well."""
    tree = _tree(path)
    type_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if not for_types and node in type_only:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def _component(dotted: str) -> str:
    """``sitecrawl.urls.scope`` -> ``urls``; what is in ``__init__`` is ``__init__``."""
    parts = dotted.split(".")
    known = set().union(*_LAYERS)
    return parts[1] if len(parts) > 1 and parts[1] in known else "__init__"


def _own_component(path: Path) -> str:
    return path.relative_to(_PACKAGE).parts[0].removesuffix(".py")


def _layer(component: str) -> int:
    return next(number for number, layer in enumerate(_LAYERS) if component in layer)


def _own_imports(path: Path) -> set[str]:
    imports = _imports(path)
    return {_component(name) for name in imports if name.split(".")[0] == "sitecrawl"}


def test_every_module_has_its_layer() -> None:
    components = {_own_component(path) for path in _MODULES}
    assert components - set().union(*_LAYERS) == set()
    for path in _MODULES:  # the reader of imports finds something in all that have any
        assert _imports(path) or "import" not in path.read_text(encoding="utf-8"), path


def _offenders(check: Callable[[Path], object]) -> dict[str, object]:
    """What the check finds in each module, where it finds anything."""
    found = ((str(path.relative_to(ROOT)), check(path)) for path in _MODULES)
    return {name: offence for name, offence in found if offence}


def _frameworks(path: Path, *, for_types: bool = False) -> set[str]:
    return {name.split(".")[0] for name in _imports(path, for_types=for_types)}


def test_imports_point_one_way() -> None:
    def imports_from_above(path: Path) -> set[str]:
        if path == _LIBRARY:
            return set()
        own = _layer(_own_component(path))
        return {name for name in _own_imports(path) if _layer(name) > own}

    assert _offenders(imports_from_above) == {}


def test_imports_do_not_go_round() -> None:
    # Within a layer, too: a package and a module beside it count as one each.
    needs: dict[str, set[str]] = {}
    for path in set(_MODULES) - {_LIBRARY}:
        own = _own_component(path)
        needs.setdefault(own, set()).update(_own_imports(path) - {own})
    TopologicalSorter(needs).prepare()  # raises CycleError


def test_engines_do_not_know_the_settings() -> None:
    def others(path: Path) -> set[str]:
        is_engine = _own_component(path) in _ENGINES
        return _own_imports(path) - {*_ENGINES, "__init__"} if is_engine else set()

    assert _offenders(others) == {}


def test_pure_modules_run_without_a_framework() -> None:
    def frameworks(path: Path) -> set[str]:
        is_pure = _layer(_own_component(path)) == 0
        return _frameworks(path) & {*_FRAMEWORKS, *_DATABASES} if is_pure else set()

    assert _offenders(frameworks) == {}


def test_only_the_store_speaks_to_a_database() -> None:
    def databases(path: Path) -> set[str]:
        return _frameworks(path) & _DATABASES if _own_component(path) != "store" else set()

    assert _offenders(databases) == {}


def test_the_store_does_not_know_scrapy() -> None:
    def frameworks(path: Path) -> set[str]:
        is_store = _own_component(path) == "store"
        return _frameworks(path, for_types=True) & {"scrapy", "twisted"} if is_store else set()

    assert _offenders(frameworks) == {}


def test_only_the_config_reads_the_environment() -> None:
    def reads(path: Path) -> set[str]:
        # Playwright has its own variables for where its browsers are.
        if _own_component(path) == "config" or path == _PACKAGE / "render" / "browser.py":
            return set()
        names = {node.attr for node in ast.walk(_tree(path)) if isinstance(node, ast.Attribute)}
        imported = {name.removeprefix("os.") for name in _imports(path)}
        return (names | imported) & {"environ", "getenv"}

    assert _offenders(reads) == {}


def test_a_module_is_named_by_the_noun_of_its_job() -> None:
    names = {"utils", "util", "helpers", "helper", "misc", "common"}
    assert _offenders(lambda path: path.stem in names) == {}


def test_nothing_is_printed_past_the_front() -> None:
    def printing(path: Path) -> list[int]:
        return [
            node.lineno
            for node in ast.walk(_tree(path))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"print", "breakpoint", "input"}
        ]

    assert _offenders(printing) == {}


def _undocumented() -> Iterator[Path]:
    for path in (*_MODULES, *_PROFILE_MODULES):
        if not ast.get_docstring(_tree(path)):
            yield path


def test_every_module_says_what_it_is() -> None:
    empty = {path for path in _undocumented() if not _tree(path).body}
    assert {path.name for path in empty} <= {"__init__.py"}
    assert sorted(set(_undocumented()) - empty) == []


def test_profiles_import_the_defaults_and_nothing_else() -> None:
    for module in set(PROFILES.values()) - {"sitecrawl.settings"}:
        path = ROOT / f"{module.replace('.', '/')}.py"
        assert _imports(path) == {"sitecrawl.settings.*"}


def test_the_layers_name_only_what_there_is() -> None:
    components = {_own_component(path) for path in _MODULES}
    assert set().union(*_LAYERS) <= components
    assert not _FRAMEWORKS & sys.stdlib_module_names
