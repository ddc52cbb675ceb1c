"""An inventory belongs to one workspace.

One that several workspaces have used stays with the first that watched it. The others get an
inventory of their own with their next scan.
"""

# ruff: noqa: S608  the statements have no other parts than those of this file
from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime

revision = "workspaces_1"
down_revision = "dives_1"
branch_labels = None
depends_on = None

_OWNER = """COALESCE((
    SELECT watched_sites.workspace_id FROM site_inventories
    JOIN watched_sites ON watched_sites.id = site_inventories.watched_site_id
    WHERE site_inventories.site_id = sites.id ORDER BY site_inventories.since, watched_sites.id
    LIMIT 1
), 1)"""
_OWN_SITES = "SELECT id FROM sites WHERE sites.workspace_id = watched_sites.workspace_id"


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _copy_sites()
    else:
        op.add_column("sites", sa.Column("workspace_id", RowNumber))
        op.execute(f"UPDATE sites SET workspace_id = {_OWNER}")
        op.alter_column("sites", "workspace_id", nullable=False)
        op.create_foreign_key(
            "fk_sites_workspace_id_workspaces", "sites", "workspaces", ["workspace_id"], ["id"]
        )
        op.drop_constraint("uq_sites_key", "sites")
        op.create_unique_constraint("uq_sites_workspace_id_key", "sites", ["workspace_id", "key"])
    _separate()


def _copy_sites() -> None:
    """SQLite cannot change the constraints of a table.

    What refers to a dropped row is counted as an error until the row is there again, so the new
    table is filled under its own name.
    """
    op.execute("PRAGMA defer_foreign_keys = ON")
    op.execute(f"CREATE TEMP TABLE old_sites AS SELECT *, {_OWNER} AS workspace_id FROM sites")
    last = op.get_bind().scalar(sa.text("SELECT seq FROM sqlite_sequence WHERE name = 'sites'"))
    op.drop_table("sites")
    op.create_table(
        "sites",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("workspace_id", RowNumber, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("root_url", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("key_rules", Json(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_sites_workspace_id_workspaces"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sites"),
        sa.UniqueConstraint("workspace_id", "key", name="uq_sites_workspace_id_key"),
        sqlite_autoincrement=True,
    )
    columns = "id, workspace_id, key, root_url, seed, key_rules, created_at"
    op.execute(f"INSERT INTO sites ({columns}) SELECT {columns} FROM old_sites ORDER BY id")
    if last is not None:
        # Numbers of removed sites are not given again.
        op.execute(f"UPDATE sqlite_sequence SET seq = {int(last)} WHERE name = 'sites'")
    op.execute("DROP TABLE old_sites")


def _separate() -> None:
    """Take what belongs to another workspace from watched sites and their jobs."""
    op.execute(
        "UPDATE watched_sites SET site_id = NULL, last_scan_id = NULL, last_scan_at = NULL"
        f" WHERE site_id NOT IN ({_OWN_SITES})"
    )
    op.execute(
        "DELETE FROM site_inventories WHERE site_id NOT IN (SELECT sites.id FROM sites"
        " JOIN watched_sites ON watched_sites.workspace_id = sites.workspace_id"
        " WHERE watched_sites.id = site_inventories.watched_site_id)"
    )
    op.execute(
        "UPDATE jobs SET scan_id = NULL WHERE scan_id NOT IN (SELECT scans.id FROM scans"
        " JOIN site_inventories ON site_inventories.site_id = scans.site_id"
        " WHERE site_inventories.watched_site_id = jobs.watched_site_id)"
    )
