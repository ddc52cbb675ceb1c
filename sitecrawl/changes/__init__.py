"""Decides what changed on a site between two scans, and how it is told. No database."""
