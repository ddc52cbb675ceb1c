"""Finds every URL of a site, politely, and says for each one why it is on the list."""

__version__ = "0.1.0"
