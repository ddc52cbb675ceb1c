"""Words that deny, in the languages of many sites."""

from __future__ import annotations

from typing import Final

_BY_LANGUAGE: Final = {
    "en": "no not never none nobody nothing nowhere neither nor without cannot",
    "de": "nicht kein keine keinem keinen keiner keines nie niemals niemand nichts ohne weder",
    "fr": "ne pas jamais aucun aucune rien personne sans ni",
    "es": "no nunca ningún ninguna ninguno nada nadie sin tampoco",
    "it": "non mai nessun nessuna nessuno niente senza",
    "nl": "niet geen nooit niemand niets zonder",
    "pt": "não nunca nenhum nenhuma nada ninguém sem",
}
NEGATIONS: Final = frozenset(" ".join(_BY_LANGUAGE.values()).split())
