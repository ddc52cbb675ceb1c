"""Network namespaces that stand for machines: each has host name and addresses of its own.

Needs root and the commands ``ip`` and ``unshare``. Everything stays on this computer: the only
routes of a namespace lead to it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where the sites are, for all machines alike.
SITES_ADDRESS = "10.201.0.1"
_FIRST_ADDRESS = 2


@dataclass(slots=True)
class Machine:
    """One of them; processes that are started on it by :meth:`command` keep their number."""

    number: int
    _addresses: Iterator[int] = field(default_factory=lambda: count(_FIRST_ADDRESS))

    @property
    def name(self) -> str:
        return f"sitecrawl-{os.getpid()}-{self.number}"

    @property
    def _outside(self) -> str:
        return f"sc{self.number}-{os.getpid()}"

    def command(self, arguments: list[str]) -> list[str]:
        """As it is run on this machine; its requests come from an address that none had before."""
        address = f"10.201.{self.number}.{next(self._addresses)}"
        _ip("-n", self.name, "address", "add", f"{address}/24", "dev", "inside")
        gateway = ("via", f"10.201.{self.number}.1", "src", address)
        _ip("-n", self.name, "route", "replace", "default", *gateway)
        rename = ("unshare", "--uts", "sh", "-c", f'hostname {self.name}; exec "$@"', "sh")
        return ["ip", "netns", "exec", self.name, *rename, *arguments]

    def open(self) -> None:
        inside = ("type", "veth", "peer", "name", "inside", "netns", self.name)
        _ip("netns", "add", self.name)
        _ip("link", "add", self._outside, *inside)
        _ip("address", "add", f"10.201.{self.number}.1/24", "dev", self._outside)
        _ip("link", "set", self._outside, "up")
        _ip("-n", self.name, "link", "set", "inside", "up")
        _ip("-n", self.name, "link", "set", "lo", "up")

    def close(self) -> None:
        """The pair of interfaces goes with the namespace."""
        _ip("netns", "delete", self.name)


@contextlib.contextmanager
def machines(number: int) -> Iterator[list[Machine]]:
    """So many machines, which all reach :data:`SITES_ADDRESS`."""
    with contextlib.ExitStack() as stack:
        _ip("address", "add", f"{SITES_ADDRESS}/32", "dev", "lo")
        stack.callback(_ip, "address", "delete", f"{SITES_ADDRESS}/32", "dev", "lo")
        found = [Machine(each) for each in range(1, number + 1)]
        for machine in found:
            machine.open()
            stack.callback(machine.close)
        yield found


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
