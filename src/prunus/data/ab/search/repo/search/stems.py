"""Stems of English words."""

STOP = frozenset("a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with".split())

_DOUBLE = set("bdfgmnprt")
VOWELS = set("aeiouy")


def is_stop(word):
    """Whether a word is too common to be indexed."""
    return word in STOP


def _has_vowel(word):
    return any(letter in VOWELS for letter in word)


def _undouble(word):
    if len(word) > 2 and word[-1] == word[-2] and word[-1] in _DOUBLE:
        return word[:-1]
    return word


def stem(word):
    """The stem of a word in lower case; short words and numbers stay as they are."""
    if len(word) < 4 or any(letter.isdigit() for letter in word):
        return word
    word = _plural(word)
    for ending in ("ingly", "edly", "ing", "ed"):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if len(rest) >= 2:
                word = _undouble(rest)
            break
    if word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    if word.endswith("e") and len(word) > 4:
        word = word[:-1]
    if word.endswith("y") and len(word) > 3 and word[-2] not in VOWELS:
        word = word[:-1] + "i"
    return word


def _plural(word):
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3]
    if word.endswith(("xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word
