"""Sends through Apprise, in a child process whose connections are guarded.

Apprise knows more than a hundred services, follows redirects and connects to any address. In the
child an audit hook checks every address that a socket connects to, and redirects are not followed.
There is a child because an audit hook cannot be removed again.

``python -m sitecrawl.monitor.senders.apprise`` is the child: it reads one message from standard
input and writes the result to standard output, both as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

from sitecrawl.monitor.senders import Answer
from sitecrawl.safety.addresses import parse_address
from sitecrawl.safety.policy import AddressPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.config import Config

TIMEOUT_SECONDS = 30.0


async def notify(url: str, request: Mapping[str, Any], config: Config) -> Answer:
    """Make one attempt; errors are in the answer, without secrets."""
    scheme = url.partition("://")[0].lower()
    if scheme not in config.apprise_schemes:
        return Answer(error=f"{scheme} is not in SITECRAWL_APPRISE_SCHEMES", is_final=True)
    work = {
        "url": url,
        "title": request["subject"],
        "body": request["text"],
        "allow": list(config.address_allow),
    }
    # The message goes through standard input: other users can read command lines.
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sitecrawl.monitor.senders.apprise"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            output, _ = await child.communicate(json.dumps(work).encode())
    except TimeoutError:
        return Answer(error=f"no answer within {TIMEOUT_SECONDS:g} seconds")
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    try:
        answer = json.loads(output[-10_000:])
    except ValueError:
        return Answer(error="Apprise ended without an answer")
    return Answer(error=answer["error"], is_final=answer["is_final"])


# --- The child -------------------------------------------------------------------------------
class _AddressRefusedError(OSError):
    """For Apprise this is a failed connection."""


class _Guard:
    """An audit hook that refuses connections, and remembers why."""

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
    sys.stdout.write(json.dumps(_send(work, guard)))


def _send(work: dict[str, Any], guard: _Guard) -> dict[str, Any]:
    try:
        import apprise
        import requests
    except ImportError:
        words = "Apprise is not installed: pip install 'sitecrawl[apprise]'"
        return {"error": words, "is_final": True}
    # So a redirect is not followed, and counts as a failure.
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
