"""Query strings and percent-encoding."""

SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def decode(text, plus=False):
    """Text without percent-encoding; sequences that are not two hex digits stay as they are."""
    out = bytearray()
    raw = text.encode()
    at = 0
    while at < len(raw):
        byte = raw[at]
        if byte == 0x25 and _is_hex(raw[at + 1 : at + 3]):
            out.append(int(raw[at + 1 : at + 3], 16))
            at += 3
            continue
        out.append(0x20 if byte == 0x2B else byte)
        at += 1
    return out.decode(errors="replace")


def _is_hex(pair):
    return all(chr(byte) in "0123456789abcdefABCDEF" for byte in pair)


def encode(text, safe=""):
    """Text with percent-encoding of all but unreserved characters."""
    keep = SAFE | frozenset(safe.encode())
    return "".join(chr(byte) if byte in keep else f"%{byte:02X}" for byte in text.encode())


def parse_query(text):
    """The pairs of a query string, in order."""
    pairs = []
    for part in text.removeprefix("?").split("&"):
        if not part:
            continue
        key, _, value = part.partition("=")
        pairs.append((decode(key, plus=True), decode(value, plus=True)))
    return pairs


def write_query(pairs):
    """A query string that reads as these pairs."""
    return "&".join(f"{encode(str(key))}={encode(str(value))}" for key, value in pairs)


class Query:
    """The values of a query string."""

    def __init__(self, text=""):
        self.pairs = parse_query(text)

    def get(self, key, default=None):
        """The last value of a key."""
        found = self.all(key)
        return found[0] if found else default

    def all(self, key):
        """All values of a key."""
        return [value for known, value in self.pairs if known == key]

    def integer(self, key, default=None, least=None, most=None):
        """A value as a number within bounds; the default if there is none. Raises ValueError if it is no number."""
        text = self.get(key)
        if text is None or text == "":
            return default
        number = int(text)
        if least is not None:
            number = max(number, least)
        if most is not None:
            number = min(number, most)
        return number

    def replaced(self, key, value):
        """A query string with one value for a key, at the end of the others."""
        rest = [pair for pair in self.pairs if pair[0] != key]
        return write_query([*rest, (key, value)])
