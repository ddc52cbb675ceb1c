"""The language of a text, by py3langid (the ``language`` extra)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.classify.languages import LANGUAGE_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

# Less than that is a guess, and so is what is less likely.
_LEAST_CHARACTERS: Final = 100
_LEAST_CONFIDENCE: Final = 0.9
_MAX_CHARACTERS: Final = 2_500


class TextDetector:
    """Tells languages apart; the model is loaded when the first text is to be told."""

    def __init__(self) -> None:
        self._identifier: Any = None

    def __call__(self, text: str) -> str:
        """The code of the language; ``""`` if it cannot be told."""
        plain = " ".join(text[:_MAX_CHARACTERS].split())
        if len(plain) < _LEAST_CHARACTERS:
            return ""
        if self._identifier is None:
            self._identifier = _load()
        code, confidence = self._identifier.classify(plain)
        return str(code) if code and confidence >= _LEAST_CONFIDENCE else ""


def text_detector() -> Callable[[str], str] | None:
    """A detector; None, if the package is not there."""
    return TextDetector() if find_spec("py3langid") is not None else None


def _load() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([code for code in LANGUAGE_NAMES if code in identifier.labels])
    return identifier
