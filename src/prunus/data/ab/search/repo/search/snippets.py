"""Short parts of texts that show why a document was found."""

from search.stems import stem
from search.tokens import tokens


def hits(text, stems):
    """The words of a text whose stems are wanted."""
    return [token for token in tokens(text) if stem(token.text) in stems]


def snippet(text, stems, width=80, marks=("[", "]")):
    """The part of at most `width` characters with the most different hits; the earliest of equal ones."""
    words = tokens(text)
    if not words:
        return ""
    best = None
    for index, first in enumerate(words):
        last = index
        while last + 1 < len(words) and words[last + 1].end - first.start <= width:
            last += 1
        found = [stem(token.text) for token in words[index : last + 1] if stem(token.text) in stems]
        key = (len(found), len(set(found)))
        if best is None or key > best[0]:
            best = (key, index, last)
    _, index, last = best
    shown = _marked(text, words[index : last + 1], stems, marks)
    return ("… " if index else "") + shown + (" …" if last + 1 < len(words) else "")


def _marked(text, words, stems, marks):
    out = []
    at = words[0].start
    for token in words:
        out.append(text[at : token.start])
        word = text[token.start : token.end]
        out.append(f"{marks[0]}{word}{marks[1]}" if stem(token.text) in stems else word)
        at = token.end
    return " ".join("".join(out).split())
