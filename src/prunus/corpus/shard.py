"""One part of a corpus, chosen by the names of its recordings, so that many machines can share the work."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b

from prunus.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` of `count` parts, counted from 1."""

    number: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def holds(self, name: str) -> bool:
        """Return whether a recording belongs to this part: a question of its name alone, on any machine."""
        return stable_hash(name) % self.count == self.number - 1


def shard_named(text: str) -> Shard:
    """Return the shard of `K/N`. Raises SettingsError."""
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise SettingsError(f"no shard {text!r}; give K/N with K from 1 to N, such as 3/16")
    return Shard(int(found[1]), int(found[2]))


def stable_hash(name: str) -> int:
    """Return a number of 64 bits that is the same for a name in every process."""
    return int.from_bytes(blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest(), "big")
