"""The process that calls Apprise: reads a message from standard input, writes what came of it.

``python -m sitecrawl.monitor.senders.apprise_child``; see :mod:`sitecrawl.monitor.senders.apprise`.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from sitecrawl.safety.addresses import parse_address
from sitecrawl.safety.policy import AddressPolicy

if TYPE_CHECKING:
    from collections.abc import Sequence


class _AddressRefusedError(OSError):
    """Apprise takes it for a failed connection."""


class _Guard:
    """Refuses connections, and remembers why."""

    def __init__(self, allow: Sequence[str]):
        self._policy = AddressPolicy(allow=allow)
        self.refusal = ""

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in {"socket.connect", "socket.sendto"}:
            return
        address = arguments[1]
        if not isinstance(address, tuple):
            self._refuse("it would connect to a socket of this machine")
        host, port = str(address[0]), int(address[1])
        if not self._policy.permitted(host, port, [host]):
            try:
                parse_address(host)
            except ValueError:
                self._refuse(f"{host} is a name, not an address")
            self._refuse(self._policy.refusal(host, port, host))

    def _refuse(self, words: str) -> None:
        self.refusal = words
        raise _AddressRefusedError(None, words)


def main() -> None:
    work = json.load(sys.stdin)
    guard = _Guard(work["allow"])
    sys.addaudithook(guard)
    sys.stdout.write(json.dumps(_notify(work, guard)))


def _notify(work: dict[str, Any], guard: _Guard) -> dict[str, Any]:
    try:
        import apprise
        import requests
    except ImportError:
        words = "Apprise is not installed: pip install 'sitecrawl[apprise]'"
        return {"error": words, "is_final": True}
    # A redirect is an answer like any other then, and no success.
    requests.Session.get_redirect_target = lambda *_: None  # type: ignore[method-assign]
    sender = apprise.Apprise(asset=apprise.AppriseAsset(secure_logging=True, storage_mode="memory"))
    if not sender.add(work["url"]):
        return {"error": "Apprise cannot read the URL", "is_final": True}
    # What Apprise logs may hold parts of the URL, which is a secret.
    if sender.notify(title=work["title"], body=work["body"]):
        return {"error": None, "is_final": False}
    return {"error": guard.refusal or "the service did not take it", "is_final": False}


if __name__ == "__main__":
    main()
