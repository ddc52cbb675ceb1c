"""The server: gives agents the tools, over standard input and output."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from sitecrawl import __version__
from sitecrawl.errors import SitecrawlError
from sitecrawl.mcp.tools import NOTICE, Tools
from sitecrawl.store.queries.page_filter import PageFilter
from sitecrawl.store.vocabulary import PageStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitecrawl.store.engine import Database

_Parameters = ParamSpec("_Parameters")
_INSTRUCTIONS: Final = (
    "sitecrawl keeps inventories of web sites: every URL, why it is on the list, what changed, and"
    " what the pages say. Lists come in small pages: pass next_cursor as cursor to go on. "
    f"{NOTICE}"
)
_READS: Final = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_WRITES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, open_world_hint=False
)


def build_server(database: Database, *, may_write: bool = False) -> MCPServer:
    """A server with tools that read; *may_write* adds those that store something."""
    tools = Tools(database)
    server: MCPServer = MCPServer(
        "sitecrawl", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING"
    )

    def query_pages(  # noqa: PLR0913, PLR0917  the arguments of the tool
        site: str,
        prefix: str = "",
        contains: str = "",
        category: str = "",
        language: str = "",
        cluster: str = "",
        status: str = "",
        cursor: str = "",
        limit: int = 20,
    ) -> dict[str, Any]:
        """List pages of a site's inventory by filters.

        status: listed (default), refused or broken. prefix: how the URL begins. At most 50 rows.
        """
        wanted = PageFilter(
            prefix=prefix,
            contains=contains,
            category=category,
            language=language,
            cluster=cluster,
            status=_status(status),
        )
        return tools.pages(site, wanted, cursor, limit)

    for name, function in (
        ("list_sites", tools.sites),
        ("query_pages", query_pages),
        ("explain_url", tools.explain),
        ("list_changes", tools.changes),
        ("search_site", tools.search),
        ("similar_pages", tools.similar),
        ("list_topics", tools.topics),
        ("coverage", tools.coverage),
        ("robots_impact", tools.robots_impact),
    ):
        server.add_tool(_explained(function), name=name, annotations=_READS)
    if may_write:
        server.add_tool(_explained(tools.ask), name="ask_site", annotations=_WRITES)
    return server


def _explained(
    function: Callable[_Parameters, dict[str, Any]],
) -> Callable[_Parameters, dict[str, Any]]:
    """Give errors that a person could mend to the agent; of others it learns nothing."""

    @wraps(function)
    def call(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> dict[str, Any]:
        try:
            return function(*args, **kwargs)
        except SitecrawlError as error:
            raise ToolError(str(error)) from error

    return call


def _status(text: str) -> PageStatus | None:
    if not text or text == "listed":
        return None
    try:
        return PageStatus(text)
    except ValueError:
        known = ", ".join(PageStatus)
        raise ToolError(f"status {text!r} is none of: {known}") from None
