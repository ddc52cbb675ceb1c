"""Writes: everything that changes the database, within the transaction of a scan."""
