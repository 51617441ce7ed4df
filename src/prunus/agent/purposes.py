"""The `intent` of edits, put back into the calls of earlier turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from prunus.agent.calls import Site
from prunus.agent.steps import Saying
from prunus.agent.withheld import Withheld, put_back
from prunus.splice import Path, splice
from prunus.surrogates import decode

__all__ = ["with_purposes"]


def with_purposes(saying: Saying, sites: Sequence[tuple[str, Site]], found: Mapping[str, bytes]) -> Saying:
    """A message of the model with the intent of each call that is remembered, by its key."""
    changes: dict[Path, bytes] = {}
    for key, site in sites:
        raw = found.get(key)
        withheld = None if raw is None else Withheld.load(raw)
        text = site.text
        whole = text if withheld is None else put_back(text, withheld)
        if whole is not text:
            changes[site.path] = site.written(whole)
    if not changes:
        return saying
    raw = splice(saying.raw, changes)
    return replace(saying, raw=raw, value=decode(raw))
