"""Sends through Apprise, in a process of its own whose connections are guarded.

Apprise knows more than a hundred services, follows redirects and connects to any address. In the
child an audit hook judges every address that a socket connects to, and redirects are not followed;
an audit hook cannot be taken away again, which is why there is a child.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

from sitecrawl.monitor.senders import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sitecrawl.config import Config

TIMEOUT_SECONDS = 30.0
_CHILD = "sitecrawl.monitor.senders.apprise_child"


async def notify(url: str, request: Mapping[str, Any], config: Config) -> Answer:
    """One attempt; whatever goes wrong is in the answer, in words without secrets."""
    scheme = url.partition("://")[0].lower()
    if scheme not in config.apprise_schemes:
        return Answer(error=f"{scheme} is not in SITECRAWL_APPRISE_SCHEMES", is_final=True)
    work = {
        "url": url,
        "title": request["subject"],
        "body": request["text"],
        "allow": list(config.address_allow),
    }
    # What it needs to know comes through its standard input: others can read a command line.
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", _CHILD),
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
