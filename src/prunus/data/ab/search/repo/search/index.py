"""Documents and where their words are."""

import bisect

from search.stems import is_stop, stem
from search.tokens import tokens


class Index:
    """Postings of all fields: field -> stem -> document -> places."""

    def __init__(self):
        self.documents = {}
        self._postings = {}
        self._lengths = {}
        self._words = {}
        self._sorted = {}

    def add(self, id, **fields):
        """Add a document, in place of an older one with the same id."""
        self.documents[id] = dict(fields)
        for field, text in fields.items():
            words = tokens(text)
            self._lengths.setdefault(field, {})[id] = sum(not is_stop(word.text) for word in words)
            for word in words:
                if is_stop(word.text):
                    continue
                places = self._postings.setdefault(field, {}).setdefault(stem(word.text), {})
                places.setdefault(id, []).append(word.place)
                self._words.setdefault(word.text, set()).add(stem(word.text))

    def remove(self, id):
        """Remove a document. Raises KeyError if it is not there."""
        for field in self.documents.pop(id):
            for word in list(self._postings.get(field, {})):
                found = self._postings[field][word]
                found.pop(id, None)
                if not found:
                    del self._postings[field][word]
        self._sorted.clear()

    def fields(self):
        """The names of all fields that some document has."""
        return sorted(field for field, lengths in self._lengths.items() if lengths)

    def places(self, field, word):
        """The documents with a stem in a field, with its places."""
        return self._postings.get(field, {}).get(word, {})

    def length(self, field, id):
        """The number of indexed words in a field of a document."""
        return self._lengths.get(field, {}).get(id, 0)

    def average(self, field):
        """The mean length of a field over the documents that have it."""
        lengths = self._lengths.get(field, {})
        return sum(lengths.values()) / len(lengths) if lengths else 0.0

    def count(self, field):
        """The number of documents that have a field."""
        return len(self._lengths.get(field, {}))

    def beginning(self, field, prefix):
        """The stems in a field that begin with a prefix."""
        if field not in self._sorted:
            self._sorted[field] = sorted(self._postings.get(field, {}))
        words = self._sorted[field]
        first = bisect.bisect_left(words, prefix)
        last = bisect.bisect_left(words, prefix + "\uffff")
        return words[first:last]
