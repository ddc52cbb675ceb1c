"""Alembic's entry: runs the migrations on the connection that the store hands over.

A new revision is written by hand beside the others: ``0002_<topic>.py``, whose ``revision`` is the
name of the file, as is ``HEAD_REVISION``. tests/store/migrations/test_upgrade.py fails until the
migrations give the same schema as ``sitecrawl.store.schema``.
"""

from __future__ import annotations

from alembic import context

from sitecrawl.store.schema import metadata

# The name under which Alembic loads this file; whoever else imports it wants to read it only.
if __name__ == "env_py":
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        # SQLite can: the store begins its transactions itself. A failed migration leaves nothing.
        transactional_ddl=True,
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()
