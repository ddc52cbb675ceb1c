"""Words that the search and the checks of answers know, by language."""

from __future__ import annotations

from typing import Final

# Nearly every passage has these words: without them the database need not rank every passage.
_STOP_WORDS: Final = {
    "en": (
        "a about an and are as at be been but by can could did do does for from had has have how i "
        "if in into is it its me my no not of on or our out so than that the their them then there "
        "these they this to up was we were what when where which who why will with would you your "
    ),
    "de": (
        "aber als am auch auf aus bei bin bis dabei damit dann darf das dass dein deine dem den "
        "denn der des dich die diese diesem diesen dieser dieses dir doch du durch ebenso ein "
        "eine einem einen einer er es euch fur für gibt habe haben hat ich ihm ihn ihr ihre ihrem "
        "ihren ihrer im in ist ja jede jeder kann kein keine können könnte man mehr mein meine "
        "meinem meinen meiner mich mir mit muss nach nicht noch nur ob oder schon sehr sein seine "
        "seinem seinen seiner sich sie sind soll sollte um und uns unser unsere vom von vor wann "
        "war warum was weil welche welchem welchen welcher welches wem wen wenn wer werden wessen "
        "wie wieso wir wird wirst wo wohin wollen wurde wurden würde zu zum zur über "
    ),
    "fr": (
        "au avec ce ces comment dans de du elle en est et il je la le les leur mais ne nous ou où "
        "par pas pour pourquoi que quel quelle qui quoi sa se ses son sont sur un une vous "
    ),
    "es": (
        "al como con cual cuál cuando del dónde donde el ella esta este las lo los o para pero por "
        "porque qué quien quién si sin su sus una y"
    ),
}
STOP_WORDS: Final = frozenset(word for words in _STOP_WORDS.values() for word in words.split())

# Words that deny.
_NEGATIONS: Final = {
    "en": "no not never none nobody nothing nowhere neither nor without cannot",
    "de": "nicht kein keine keinem keinen keiner keines nie niemals niemand nichts ohne weder",
    "fr": "ne pas jamais aucun aucune rien personne sans ni",
    "es": "no nunca ningún ninguna ninguno nada nadie sin tampoco",
    "it": "non mai nessun nessuna nessuno niente senza",
    "nl": "niet geen nooit niemand niets zonder",
    "pt": "não nunca nenhum nenhuma nada ninguém sem",
}
NEGATIONS: Final = frozenset(" ".join(_NEGATIONS.values()).split())

# Numbers as words, from two on: "one" is an article in many languages.
_NUMERALS: Final = {
    "en": "two three four five six seven eight nine ten eleven twelve",
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
NUMERALS: Final = {
    word: str(number)
    for words in _NUMERALS.values()
    for number, word in enumerate(words.split(), 2)
}
