"""Numbers written as words."""

import re

_UNIT_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: number for number, word in enumerate(_UNIT_WORDS.split())} | {
    word: 10 * number for number, word in enumerate(_TEN_WORDS.split(), start=2)
}
_FACTORS = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_WHOLE = {"a dozen": 12, "dozen": 12, "half a dozen": 6, "half a million": 500_000, "a couple": 2}
# Only for a whole cell: in running text "un", "une", "ein" are articles.
_FOREIGN = {
    word: number
    for words in (
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "uno due tre quattro cinque sei sette otto nove dieci undici dodici",
        "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
        "um dois três quatro cinco seis sete oito nove dez onze doze",
    )
    for number, word in enumerate(words.split(), start=1)
}

_ANY = "|".join(sorted([*_SMALL, *_FACTORS], key=len, reverse=True))
_FIRST = "|".join(sorted(_SMALL, key=len, reverse=True))
NUMBER_WORDS = re.compile(
    rf"\b(?=[a-zA-Z])(?<![\w-])(?:half a dozen|half a million|a dozen"
    rf"|(?:(?:{_FIRST})|a(?=\s(?:hundred|thousand|million|billion)))"
    rf"(?:(?:-|\s(?:and\s)?)(?:{_ANY}))*)(?![\w-])",
    re.IGNORECASE,
)


def read_number_words(text: str) -> int | None:
    """Read a number in words, English or (one to twelve) six more languages.

    `twenty-five` -> 25, `two hundred and five` -> 205, `a dozen` -> 12, `drei` -> 3
    """
    folded = " ".join(text.lower().replace("-", " ").split())
    if folded in _WHOLE:
        return _WHOLE[folded]
    if folded in _FOREIGN:
        return _FOREIGN[folded]
    words = [word for word in folded.split() if word != "and"]
    if words and words[0] == "a" and len(words) > 1 and words[1] in _FACTORS:
        words[0] = "one"
    return _sum(words)


def _sum(words: list[str]) -> int | None:
    total, group, last = 0, 0, 0
    for word in words:
        if word in _SMALL:
            number = _SMALL[word]
            if last and not ((last % 10 == 0 and number < 10) or last == 100):
                return None
            group, last = group + number, number
        elif word == "hundred":
            group, last = (group or 1) * 100, 100
        elif word in _FACTORS:
            total, group, last = total + (group or 1) * _FACTORS[word], 0, 0
        else:
            return None
    return total + group if words else None
