"""Sets of characters."""

LAST = 0x10FFFF


class Chars:
    """Ranges of code points, sorted and apart."""

    __slots__ = ("ranges",)

    def __init__(self, ranges=()):
        merged = []
        for low, high in sorted(ranges):
            if low > high:
                raise ValueError("a range goes backwards")
            if merged and low <= merged[-1][1]:
                merged[-1][1] = high
            else:
                merged.append([low, high])
        self.ranges = tuple(map(tuple, merged))

    @classmethod
    def of(cls, text):
        return cls((ord(letter), ord(letter)) for letter in text)

    def __contains__(self, letter):
        code = ord(letter)
        low, high = 0, len(self.ranges)
        while low < high:
            middle = (low + high) // 2
            first, last = self.ranges[middle]
            if code < first:
                high = middle
            elif code > last:
                low = middle + 2
            else:
                return True
        return False

    def __eq__(self, other):
        return isinstance(other, Chars) and self.ranges == other.ranges

    def __or__(self, other):
        return Chars((*self.ranges, *other.ranges))

    def __invert__(self):
        found, start = [], 0
        for low, high in self.ranges:
            if start < low:
                found.append((start, low - 1))
            start = high + 1
        return Chars(found)

    def folded(self):
        """The set with both cases of every letter; large sets only for ASCII letters and the ends of their ranges."""
        more = set()
        for low, high in self.ranges:
            for code in range(low, min(high, low + 700) + 1):
                letter = chr(code)
                more.update(one for one in (letter.lower(), letter.upper()) if len(one) == 1)
        return self | Chars.of("".join(more))

    def __repr__(self):
        return "Chars(" + ", ".join(f"{low:x}-{high:x}" for low, high in self.ranges) + ")"


DIGITS = Chars([(48, 57)])
WORD = Chars([(48, 57), (65, 90), (95, 95), (97, 122)])
SPACE = Chars.of(" \t\n\r\f\v")
ANY = Chars([(0, LAST)])
NO_LINE_END = ~Chars.of("\n")
CLASSES = {"d": DIGITS, "w": WORD, "s": SPACE, "D": ~DIGITS, "W": ~WORD, "S": ~SPACE}


def is_word(letter):
    """Whether a character is part of a word; none is not."""
    return letter != "" and letter in WORD
