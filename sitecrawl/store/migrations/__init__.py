"""Alembic's scripts, in the package so that they go wherever it goes."""
