"""The column types that both databases share, and the metadata that all tables belong to."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, BigInteger, DateTime, Integer, MetaData, String, Text
from sqlalchemy.types import TypeDecorator

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect
    from sqlalchemy.types import TypeEngine

# Only "INTEGER PRIMARY KEY" is SQLite's own row number; a BIGINT would be a second index.
RowNumber = BigInteger().with_variant(Integer, "sqlite")
# Sorted by its characters, as SQLite does, whatever order the server has.
PlainText = Text().with_variant(Text(collation="C"), "postgresql")


class Json(TypeDecorator[Any]):
    """JSON; on PostgreSQL in its binary form."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            from sqlalchemy.dialects.postgresql import JSONB  # a twentieth of the whole start

            return dialect.type_descriptor(JSONB())
        return dialect.type_descriptor(JSON())


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime in UTC; on SQLite ISO 8601 text, which sorts and reads well."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(String())
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return value
        return iso_text(value, "milliseconds")

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if isinstance(value, str):
            return datetime.fromisoformat(value)
        return value.astimezone(UTC) if isinstance(value, datetime) else None


def iso_text(moment: datetime, timespec: str = "seconds") -> str:
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; the store takes aware datetimes only")
    return moment.astimezone(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
