"""A sitecrawl of the next version: this package with one more migration."""

from __future__ import annotations

import shutil
from pathlib import Path

import sitecrawl
from sitecrawl.store.migrations.upgrade import HEAD_REVISION

NEXT_REVISION = "0002_nicknames"
NICKNAMES = """
op.add_column("sites", sa.Column("nickname", sa.Text, nullable=False, server_default=""))
op.execute("UPDATE sites SET nickname = 'the ' || key")
"""
_MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"


def upgrade() -> None:
    {body}
"""


def next_version(folder: Path, migration: str = NICKNAMES) -> Path:
    """The folder that a process needs on its PYTHONPATH to be of that version."""
    package = Path(sitecrawl.__file__).parent
    root = folder / "next_version"
    _link_all(package, root / "sitecrawl", but="store")
    _link_all(package / "store", root / "sitecrawl" / "store", but="migrations")
    (root / "settings_profiles").symlink_to(package.parent / "settings_profiles")
    migrations = root / "sitecrawl" / "store" / "migrations"
    shutil.copytree(
        package / "store" / "migrations", migrations, ignore=shutil.ignore_patterns("__pycache__")
    )
    upgrade = migrations / "upgrade.py"
    upgrade.write_text(upgrade.read_text().replace(HEAD_REVISION, NEXT_REVISION))
    body = "\n    ".join(migration.split("\n"))
    script = _MIGRATION.format(revision=NEXT_REVISION, before=HEAD_REVISION, body=body)
    (migrations / "versions" / f"{NEXT_REVISION}.py").write_text(script)
    return root


def _link_all(source: Path, target: Path, *, but: str) -> None:
    target.mkdir(parents=True)
    for entry in source.iterdir():
        if entry.name != but:
            (target / entry.name).symlink_to(entry)
