"""Scores of documents."""

import math

K1 = 1.2
B = 0.75


def inverse_frequency(total, containing):
    """How rare a word is; never negative."""
    return math.log(1 + (total - containing + 0.5) / (containing + 0.5))


def score_word(index, field, word, id):
    """What one word adds to the score of a document in one field."""
    found = index.places(field, word)
    if id not in found:
        return 0.0
    count = len(found[id])
    average = index.average(field) or 1.0
    norm = 1 - B + B * average / max(1, index.length(field, id))
    return inverse_frequency(index.count(field), len(found)) * count * (K1 + 1) / (count + K1 * norm)


def rank(index, ids, wanted, weights):
    """The documents by score, the best first; `wanted` are pairs of field and word."""
    scored = []
    for id in ids:
        score = sum(weights.get(field, 1.0) * score_word(index, field, word, id) for field, word in wanted)
        scored.append((id, score))
    return sorted(scored, key=lambda pair: -pair[1])
