"""Traces for OpenTelemetry (``SITECRAWL_TRACES_URL``, the extra ``otel``).

Nothing of OpenTelemetry is imported while traces are off. Spans are sent by a thread, in batches,
by OTLP over HTTP; if the collector cannot be reached, only the spans are lost.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from sitecrawl import __version__
from sitecrawl.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opentelemetry.sdk.trace import TracerProvider

    from sitecrawl.config import Config

_SEND_SECONDS: Final = 5
_TRACEPARENT: Final = "traceparent"


class Span:
    """A span of OpenTelemetry; does nothing while traces are off."""

    def __init__(self, span: Any = None):
        self._span = span

    @property
    def traceparent(self) -> str:
        """The parent to give to spans of another process (W3C Trace Context)."""
        if self._span is None:
            return ""
        context = self._span.get_span_context()
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"

    def set(self, **attributes: Any) -> None:
        if self._span is not None:
            self._span.set_attributes(_named(attributes))

    def add_event(self, name: str) -> None:
        if self._span is not None:
            self._span.add_event(name)

    def end(self, error: str = "") -> None:
        """End it; *error* says why it failed."""
        if self._span is None:
            return
        if error:
            from opentelemetry.trace import Status, StatusCode

            self._span.set_status(Status(StatusCode.ERROR, error))
        self._span.end()


class Tracer:
    """Makes the spans of one process; without a URL they do nothing."""

    def __init__(self, url: str):
        self._provider = _provider(url) if url else None
        self._tracer = (
            self._provider.get_tracer("sitecrawl", __version__) if self._provider else None
        )

    @classmethod
    def from_config(cls, config: Config) -> Tracer:
        return cls(config.traces_url)

    def start(self, name: str, parent: str = "", **attributes: Any) -> Span:
        """A span under *parent*, a ``traceparent``."""
        if self._tracer is None:
            return Span()
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        context = TraceContextTextMapPropagator().extract({_TRACEPARENT: parent})
        return Span(self._tracer.start_span(name, context, attributes=_named(attributes)))

    @contextmanager
    def span(self, name: str, parent: str = "", **attributes: Any) -> Iterator[Span]:
        started = self.start(name, parent, **attributes)
        try:
            yield started
        except BaseException as error:
            started.end(error=repr(error))
            raise
        started.end()

    def close(self) -> None:
        """Send the remaining spans."""
        if self._provider is not None:
            self._provider.shutdown()


def _named(attributes: dict[str, Any]) -> dict[str, Any]:
    return {f"sitecrawl.{name}": value for name, value in attributes.items() if value is not None}


def _provider(url: str) -> TracerProvider:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigError(
            f"SITECRAWL_TRACES_URL needs the package {error.name}; pip install 'sitecrawl[otel]'"
        ) from error
    resource = Resource.create({"service.name": "sitecrawl", "service.version": __version__})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=url, timeout=_SEND_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
