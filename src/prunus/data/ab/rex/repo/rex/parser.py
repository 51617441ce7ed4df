"""Trees of patterns, as tuples: (kind, ...)."""

from rex.chars import ANY, CLASSES, NO_LINE_END, Chars

MOST = 1000
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}


class PatternError(ValueError):
    """A pattern that cannot be understood; `at` says where."""

    def __init__(self, message, at):
        super().__init__(f"{message} at {at}")
        self.at = at


class Parser:
    """Reads a pattern. Groups are counted from 1 in the order of their brackets."""

    def __init__(self, source, flags):
        self.source, self.flags = source, flags
        self.at = 0
        self.groups = 0
        self.names = {}

    def parse(self):
        tree = self.either()
        if self.at < len(self.source):
            raise PatternError("a bracket is closed that was not opened", self.at)
        return tree

    def peek(self):
        return self.source[self.at : self.at + 1]

    def take(self, text):
        if self.source.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def either(self):
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else ("either", branches)

    def sequence(self):
        parts = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.repeated())
        return parts[0] if len(parts) == 1 else ("sequence", parts)

    def repeated(self):
        start = self.at
        atom = self.atom()
        while True:
            counts = self.counts()
            if counts is None:
                return atom
            if atom[0] == "assert":
                raise PatternError("nothing to repeat", start)
            if atom[0] == "repeat" and self.source[start] != "(":
                raise PatternError("two quantifiers", self.at - 1)
            lazy = self.take("?")
            atom = ("repeat", atom, *counts, lazy)

    def counts(self):
        """The least and the most times of a quantifier, or None if there is none."""
        for sign, counts in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.take(sign):
                return counts
        if self.peek() != "{":
            return None
        end = self.source.find("}", self.at)
        inner = self.source[self.at + 1 : end] if end > 0 else ""
        low, comma, high = inner.partition(",")
        if not low.isdigit() or (high and not high.isdigit()):
            return None  # a bracket that is just a character
        least = int(low)
        most = int(high) if high else None
        if most is not None and most < least or max(least, most or 0) > MOST:
            raise PatternError("bad counts", self.at)
        self.at = end + 1
        return least, most

    def atom(self):
        letter = self.peek()
        if letter in "*+?":
            raise PatternError("nothing to repeat", self.at)
        self.at += 1
        if letter == ".":
            return ("chars", ANY if self.flags.dots else NO_LINE_END)
        if letter == "(":
            return self.group()
        if letter == "[":
            return ("chars", self.cased(self.chars()))
        if letter == "^":
            return ("assert", "line start" if self.flags.lines else "start")
        if letter == "$":
            return ("assert", "line end" if self.flags.lines else "end")
        if letter == "\\":
            return self.escaped()
        return ("chars", self.cased(Chars.of(letter)))

    def cased(self, chars):
        return chars.folded() if self.flags.fold else chars

    def group(self):
        start = self.at - 1
        number = None
        if self.take("?:"):
            pass
        elif self.take("?P<"):
            end = self.source.find(">", self.at)
            name = self.source[self.at : end]
            if end < 0 or not name.isidentifier() or name in self.names:
                raise PatternError("bad name of a group", self.at)
            self.at = end + 1
            self.groups += 1
            number = self.names[name] = self.groups
        elif self.peek() == "?":
            raise PatternError("unknown group", self.at)
        else:
            self.groups += 1
            number = self.groups
        inner = self.either()
        if not self.take(")"):
            raise PatternError("a bracket is not closed", self.at)
        return inner if number is None and inner[0] != "repeat" else ("group", number, inner)

    def escaped(self):
        letter = self.peek()
        if letter == "":
            raise PatternError("a backslash at the end", self.at - 1)
        self.at += 1
        if letter in CLASSES:
            return ("chars", CLASSES[letter])
        if letter in "bB":
            return ("assert", "border" if letter == "b" else "no border")
        return ("chars", self.cased(Chars.of(self.escape(letter))))

    def escape(self, letter):
        if letter == "x":
            digits = self.source[self.at : self.at + 2]
            try:
                self.at += 2
                return chr(int(digits, 16))
            except ValueError:
                raise PatternError("two hex digits are needed", self.at - 2) from None
        if letter in ESCAPES:
            return ESCAPES[letter]
        if letter.isalnum():
            raise PatternError(f"unknown escape \\{letter}", self.at - 2)
        return letter

    def chars(self):
        """The inside of a class; a bracket at its start is a character."""
        start = self.at - 1
        negative = self.take("^")
        found = Chars()
        first = True
        while self.peek() != "]":
            if self.peek() == "":
                raise PatternError("a class is not closed", start)
            first = False
            low = self.one()
            if isinstance(low, str) and self.peek() == "-" and self.source[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self.one()
                if not isinstance(high, str) or ord(high) < ord(low):
                    raise PatternError("bad range", self.at)
                found |= Chars([(ord(low), ord(high))])
            else:
                found |= Chars.of(low) if isinstance(low, str) else low
        self.at += 1
        # Cases count before the set is turned around: [^a] without case excludes both.
        return ~found if negative else found

    def one(self):
        """A character, or the set of an escape."""
        letter = self.peek()
        self.at += 1
        if letter != "\\":
            return letter
        letter = self.peek()
        self.at += 1
        if letter in CLASSES and letter:
            return CLASSES[letter]
        return "\b" if letter == "b" else self.escape(letter)
