"""Words of a text."""

import unicodedata


class Token:
    """A word: its form, its place among the words, and where it stands in the text."""

    __slots__ = ("end", "place", "start", "text")

    def __init__(self, text, place, start, end):
        self.text = text
        self.place = place
        self.start = start
        self.end = end

    def __repr__(self):
        return f"Token({self.text!r}, {self.place}, {self.start}, {self.end})"


APOSTROPHES = "'\u2019"


def fold(text):
    """Lower case without accents."""
    split = unicodedata.normalize("NFKC", text.lower())
    return "".join(letter for letter in split if not unicodedata.combining(letter))


def tokens(text):
    """All words of a text, in order."""
    found = []
    at = 0
    while at < len(text):
        if not text[at].isalnum():
            at += 1
            continue
        start = at
        while at < len(text) and (_in_word(text, at)):
            at += 1
        word = "".join(letter for letter in text[start:at] if letter not in APOSTROPHES)
        found.append(Token(fold(word), start, start, at))
    return found


def _in_word(text, at):
    letter = text[at]
    if letter.isalnum() or unicodedata.combining(letter):
        return True
    if letter in APOSTROPHES:
        return True
    return False
