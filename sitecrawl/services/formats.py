"""The names of what can be written; commands need them before they need a service."""

from __future__ import annotations

from enum import StrEnum


class ExportFormat(StrEnum):
    """The pages of an inventory."""

    TEXT = "text"
    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    PARQUET = "parquet"


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


class ChangeFormat(StrEnum):
    """Changes between scans."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    MD = "md"
