"""Choosing what a client accepts."""


class Range:
    """One entry of an Accept header."""

    def __init__(self, text):
        kind, *parameters = [part.strip() for part in text.split(";")]
        self.type, _, self.subtype = kind.lower().partition("/")
        self.subtype = self.subtype or "*"
        self.quality = 1.0
        self.parameters = {}
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            key, value = key.strip().lower(), value.strip().strip('"')
            if key == "q":
                self.quality = _quality(value)
            elif key:
                self.parameters[key] = value.lower()

    @property
    def exactness(self):
        """How exact the range is: parameters, then the subtype, then the type."""
        return (len(self.parameters), self.type != "*")

    def covers(self, offered):
        """Whether an offered type lies in this range."""
        if self.type not in ("*", offered.type) or self.subtype not in ("*", offered.subtype):
            return False
        return all(offered.parameters.get(key) == value for key, value in self.parameters.items())


def _quality(text):
    try:
        return min(1.0, max(0.0, float(text)))
    except ValueError:
        return 0.0


def ranges(header):
    """The ranges of an Accept header; an empty header accepts everything."""
    parts = [part for part in header.split(",") if part.strip()]
    return [Range(part) for part in parts] or [Range("*/*")]


def choose(header, offers):
    """The best of the offered types, or None if none is accepted.

    For each offer its most exact range counts. The highest quality wins, then the more exact range, then the earlier
    offer.
    """
    best, best_key = None, None
    accepted = ranges(header)
    for place, offer in enumerate(offers):
        fitting = [one for one in accepted if one.covers(Range(offer))]
        if not fitting:
            continue
        exact = max(fitting, key=lambda one: one.exactness)
        key = (exact.quality, exact.exactness, -place)
        if best_key is None or key > best_key:
            best, best_key = offer, key
    return best
