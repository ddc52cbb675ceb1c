"""Scrapy's own commands, as this project wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from scrapy.commands import ScrapyCommand

    _Command = ScrapyCommand
else:
    _Command = object


class NamedAddressMixin(_Command):
    """Lets a command fetch the URL that the user names, wherever it is.

    The guard on addresses holds for everything else, such as redirects of that URL.
    """

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        from sitecrawl.safety.policy import endpoint_of

        for url in args[:1]:
            try:
                host, port = endpoint_of(url if "://" in url else f"http://{url}")
            except ValueError:
                continue  # Scrapy says what is wrong with it
            shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
            assert self.settings is not None
            allowed = [*self.settings.getlist("SITECRAWL_ADDRESS_ALLOW"), shown]
            self.settings.set("SITECRAWL_ADDRESS_ALLOW", allowed, "cmdline")
