"""The names of what can be written; commands need them before they need a service."""

from __future__ import annotations

from enum import StrEnum


class ListFormat(StrEnum):
    """A list of compared pages."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"


class GraphFormat(StrEnum):
    """The links of a site."""

    GRAPHML = "graphml"
    CSV = "csv"


class ReportFormat(StrEnum):
    """A report."""

    HTML = "html"
    JSON = "json"
    MD = "md"
    CSV = "csv"
    """A zip file of tables."""
    XLSX = "xlsx"
