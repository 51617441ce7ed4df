"""Queries against an index."""

from search.queries import And, BadQuery, Not, Or, Phrase, Word, parse
from search.ranking import rank
from search.stems import is_stop, stem
from search.tokens import fold, tokens


class Engine:
    """Answers queries; fields have weights."""

    def __init__(self, index, weights=None):
        self.index = index
        self.weights = weights or {}

    def search(self, text, limit=10, offset=0):
        """Pairs of id and score, the best first."""
        tree = parse(text)
        ids = self._find(tree)
        wanted = sorted(set(self._wanted(tree)))
        return rank(self.index, ids, wanted, self.weights)[offset : offset + limit]

    def _fields(self, part):
        return [part.field] if part.field else self.index.fields()

    def _find(self, part):
        """The ids that fit."""
        if isinstance(part, Word):
            return self._word(part)
        if isinstance(part, Phrase):
            return self._phrase(part)
        if isinstance(part, Not):
            return self._find(part.part) - set(self.index.documents)
        if isinstance(part, Or):
            return set().union(*map(self._find, part.parts))
        if isinstance(part, And):
            # A stop word in a query asks for nothing.
            asked = [one for one in part.parts if not (isinstance(one, Word) and is_stop(fold(one.text)))]
            found = [self._find(one) for one in asked or part.parts]
            return set.intersection(*found)
        raise BadQuery(repr(part))

    def _stems(self, part, field):
        word = "".join(token.text for token in tokens(part.text))
        return self.index.beginning(field, word) if part.prefix else [stem(word)]

    def _word(self, part):
        found = set()
        for field in self._fields(part):
            for word in self._stems(part, field):
                found.update(self.index.places(field, word))
        return found

    def _phrase(self, part):
        words = [(token.place, stem(token.text)) for token in tokens(part.text) if not is_stop(token.text)]
        if not words:
            return set()
        found = set()
        first, word = words[0]
        for field in self._fields(part):
            for id, places in self.index.places(field, word).items():
                for place in places:
                    rest = ((place + shift, other) for shift, other in words[1:])
                    if all(at in self.index.places(field, other).get(id, ()) for at, other in rest):
                        found.add(id)
                        break
        return found

    def _wanted(self, part):
        """Pairs of field and stem that count for the score; what is excluded does not."""
        if isinstance(part, (And, Or)):
            for one in part.parts:
                yield from self._wanted(one)
        elif isinstance(part, Word):
            for field in self._fields(part):
                for word in self._stems(part, field):
                    yield field, word
        elif isinstance(part, Phrase):
            for field in self._fields(part):
                for token in tokens(part.text):
                    if not is_stop(token.text):
                        yield field, stem(token.text)
