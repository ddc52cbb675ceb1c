"""The receivers of docs/notifications.md are started, and take what is signed and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from sitecrawl.channels.signing import new_secret, signature_headers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PAGE = Path(__file__).parents[2] / "docs" / "notifications.md"
_BODY = b'{"type":"sitemap.change","title":"gr\xc3\xb6\xc3\x9fer"}'


def example(name: str) -> str:
    text = _PAGE.read_text(encoding="utf-8")
    match = re.search(rf"<!-- {name} -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert match
    return match[1]


Receiver = tuple[str, str, "subprocess.Popen[str]"]


@pytest.fixture(params=["receiver.py", "receiver.mjs"])
def receiver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Receiver]:
    """Its URL, its secret and its process."""
    name: str = request.param
    program = sys.executable if name.endswith(".py") else shutil.which("node")
    if program is None:
        pytest.skip("there is no node")
    script = tmp_path / name
    script.write_text(example(name), encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    secret = new_secret()
    environment = {**os.environ, "WEBHOOK_SECRET": secret, "PORT": str(port)}
    with subprocess.Popen(
        [program, str(script)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}/", secret, process
        process.kill()


def _wait_for(port: int) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
    raise AssertionError("the example does not listen")


def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    try:
        with urlopen(Request(url, body, dict(headers), method="POST"), timeout=60) as answer:
            return int(answer.status)
    except HTTPError as error:
        with error:
            return error.code


def test_the_examples_verify_signatures_and_take_each_message_once(receiver: Receiver) -> None:
    url, secret, process = receiver
    now = datetime.now(UTC)

    def signed(number: str, *secrets: str, moment: datetime = now) -> dict[str, str]:
        return signature_headers(number, moment, _BODY, secrets)

    assert post(url, _BODY, signed("msg_1", secret)) == 204
    assert post(url, _BODY, signed("msg_1", secret)) == 204
    assert post(url, _BODY, signed("msg_2", new_secret(), secret)) == 204
    for body, headers in (
        (_BODY + b" ", signed("msg_3", secret)),
        (_BODY, signed("msg_4", new_secret())),
        (_BODY, signed("msg_5", secret) | {"webhook-id": "msg_6"}),
        (_BODY, signed("msg_7", secret, moment=datetime(2026, 1, 1, tzinfo=UTC))),
        (_BODY, {}),
    ):
        assert post(url, body, headers) == 401
    assert post(url, _BODY, signed("msg_8", secret)) == 204
    process.kill()
    assert process.stdout
    assert process.stdout.read() == "sitemap.change größer\n" * 3
