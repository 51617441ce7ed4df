"""The fit behind `reuse/likelihood.py`: how likely a part is to be used again.

    python bench/likelihood.py

Looks at every part of at least 150 tokens in every third request of the dev sessions, and asks whether a later
edit replaces a line that this part was the last to show and that its outline would not keep (for an input: that it
was the last to show). Fits a logistic model by Newton's method and prints its coefficients beside those in the
code, how well predicted and observed shares agree by decile, and how well a model that never saw an agent ranks
the parts of that agent. Writes bench/results/likelihood.json.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import exp, log2, nan
from pathlib import Path
from typing import NamedTuple, cast

import msgspec
from usage import show_help

from prunus.calls.toolbox import Toolbox
from prunus.cli.table import plain
from prunus.clients.sessions import Session, load
from prunus.history import Message, Ref
from prunus.lab.conversations import conversations
from prunus.lab.pool import spread
from prunus.lab.replay import PartForm, Reader
from prunus.lab.retention import Need, Needs
from prunus.outlines.outline import outline
from prunus.providers import provider_named
from prunus.reuse import likelihood as reuse
from prunus.reuse.likelihood import KINDS, PartKind, is_document
from prunus.tokens import Counter
from prunus.view.uses import Use
from prunus.view.view import View

HERE = Path(__file__).resolve().parent
SESSIONS = HERE.parent / "../shared/corpus/dev"
RESULTS = HERE / "results"
AGENTS = ("claude-code", "codex", "opencode", "pi", "chat-export", "mini-swe-agent")
SHORTEST = 15
"""Requests of a conversation that is looked at."""
EVERY = 3
"""Requests from one look to the next."""
LEAST = 150
"""Tokens of a part that is looked at."""
LONGEST_IDLE, MOST_TASKS = 60, 8
SHARE = 0.15
RIDGE = 1.0
RESULT_KINDS: Mapping[str, PartKind] = {"shell": "shell", "search": "search", "list": "search"}
IN_CODE: Mapping[str, float] = {
    **{
        f"{kind}{end}": value
        for kind, pair in KINDS.items()
        for end, value in zip(("", ", idle"), pair, strict=True)
    },
    "twice as large": reuse.SIZE,
    "past task": reuse.PAST_TASK,
    "past tasks": reuse.PAST_TASKS,
    "past read": reuse.PAST_READ,
    "late read": reuse.LATE_READ,
    "document": reuse.DOCUMENT,
    "range": reuse.RANGE,
    "past input": reuse.PAST_INPUT,
    "read again": reuse.READ_AGAIN,
    "failed": reuse.FAILED,
}
NAMES = tuple(IN_CODE)
Row = tuple[tuple[int, float], ...]
"""The facts of a part that are not 0, by their place in NAMES."""


class Look(NamedTuple):
    """One part at one request, and whether it was used later."""

    agent: str
    facts: Row
    used: bool


def main() -> None:
    paths = [path for agent in AGENTS for path in sorted((SESSIONS / agent).rglob("*.gz"))]
    looks = [look for found in spread(looks_at, paths) for look in found]
    fitted = fit(looks)
    rows = [(name, f"{fitted[i]:+.3f}", f"{IN_CODE[name]:+.3f}") for i, name in enumerate(NAMES)]
    used = sum(look.used for look in looks)
    print(f"{len(looks):,} looks at parts of {len(paths)} files, {used / len(looks):.2%} of them used later\n")
    print(plain(("", "fitted", "in the code"), rows, right=(1, 2)), "\n")
    deciles = list(calibration(looks, [reuse_probability(look.facts, fitted) for look in looks]))
    print(
        plain(("decile", "predicted", "observed"), [(str(n), *map(share, d)) for n, d in deciles], right=(1, 2)),
        "\n",
    )
    tasks = {when: _of_reads(looks, over) for when, over in (("its task goes on", False), ("it is over", True))}
    print(*(f"a read that led to no edit, {when}: used in {share(rate)}" for when, rate in tasks.items()), sep="\n")
    agents = {agent: left_out(agent, looks, fitted) for agent in AGENTS}
    table = []
    for name, one in agents.items():
        ranks = (f"{one['unseen']:.3f}", f"{one['seen']:.3f}")
        table.append((name, f"{one['looks']:,.0f}", share(one["observed"]), share(one["predicted"]), *ranks))
    headings = ("agent", "looks", "used", "predicted unseen", "AUC unseen", "AUC seen")
    print(plain(headings, table, right=range(1, 6)))
    found = {
        "looks": len(looks),
        "used": used,
        "coefficients": {name: round(value, 3) for name, value in zip(NAMES, fitted, strict=True)},
        "deciles": [{"predicted": predicted, "observed": observed} for _, (predicted, observed) in deciles],
        "unedited reads used": tasks,
        "agents": agents,
    }
    raw = msgspec.json.format(msgspec.json.encode(found), indent=2)
    (RESULTS / "likelihood.json").write_bytes(raw + b"\n")


def _of_reads(looks: Sequence[Look], over: bool) -> float:
    """How often a read that led to no edit is used later, while its task goes on or once it is over."""
    read, past = NAMES.index("read"), NAMES.index("past task")
    own = [look.used for look in looks if read in dict(look.facts) and (past in dict(look.facts)) is over]
    return sum(own) / len(own)


def looks_at(path: Path) -> list[Look]:
    """Every look at the parts of a file's conversations."""
    whole = (one for session in load(path) for one in conversations(session))
    return [look for one in whole if len(one.requests) >= SHORTEST for look in _looks(path.parent.name, one)]


def _looks(agent: str, session: Session) -> Iterator[Look]:
    format = provider_named(session.format)
    reader = Reader(format)
    needs = Needs(session, reader)
    starts = [0]
    for message in session.messages:
        starts.append(starts[-1] + len(reader.sheet(message).forms))
    later: dict[int, list[Need]] = defaultdict(list)
    for need in needs.uses:
        if need.kind == "line":
            later[need.shown[-1]].append(need)
    outlines: dict[int, str] = {}

    def used(place: int, form: PartForm, request: int, result: bool) -> bool:
        coming = [need.word for need in later.get(place, ()) if need.request >= request]
        if coming and result and place not in outlines:
            outlines[place] = outline(getattr(form.part, "text", ""), SHARE)
        return any(not result or word not in outlines[place] for word in coming)

    messages = [format.parse(dict(message), msgspec.json.encode(message)) for message in session.messages]
    for request, view in _views(messages, session.requests):
        touched: dict[str, list[tuple[int, str, int]]] = defaultdict(list)
        for use in view.uses:
            for touch in use.touches if use.ok else ():
                touched[touch.path].append((use.index, touch.kind, use.turn))
        for use in view.uses:
            since = [one for touch in use.touches for one in touched[touch.path] if one[0] > use.index]
            for ref, kind in _parts(use, any(kind != "read" for _, kind, _ in since)):
                place = starts[ref.message] + ref.part
                form = needs.forms[place]
                if form.tokens >= LEAST:
                    facts = _facts(kind, form.tokens, use, since, view)
                    yield Look(agent, facts, used(place, form, request, ref == use.result))


def _views(messages: Sequence[Message], requests: Sequence[int]) -> Iterator[tuple[int, View]]:
    """The view of every third request."""
    view = View(Toolbox(), Counter())
    view.look_at(messages.__getitem__)
    for request, end in enumerate(requests):
        for message in messages[len(view.turns) : end]:
            for event in view.extend(message):
                if isinstance(event, Use):
                    view.admit(event)
        if request % EVERY == 0:
            yield request, view


def _parts(use: Use, edited: bool) -> Iterator[tuple[Ref, PartKind]]:
    """The result of a call, and its input where that was written to a file."""
    kind = use.meaning.kind
    changes = any(touch.kind != "read" for touch in use.touches)
    reads = kind == "read" or (kind == "shell" and use.touches and not changes)
    of_result: PartKind = RESULT_KINDS.get(kind, "other")
    yield use.result, ("edited read" if edited else "read") if reads else of_result
    if kind in ("write", "edit"):
        yield use.call, cast(PartKind, kind)


def _facts(kind: PartKind, tokens: int, use: Use, since: Sequence[tuple[int, str, int]], view: View) -> Row:
    idle = view.turn - max((use.turn, *(turn for _, _, turn in since)))
    tasks = view.loop - view.loops[use.call.message]
    first = use.touches[0] if use.touches else None
    facts = {
        kind: 1.0,
        f"{kind}, idle": log2(1 + min(idle, LONGEST_IDLE)),
        "twice as large": log2(tokens / 500),
        "past task": float(tasks > 0),
        "past tasks": log2(1 + min(tasks, MOST_TASKS)),
        "past read": float(tasks > 0 and kind == "read"),
        "late read": float(tasks == 0 and kind == "read" and view.after_change(use)),
        "document": float(first is not None and is_document(first.path)),
        "range": float(first is not None and first.span.end is not None),
        "past input": float(tasks > 0 and kind in ("write", "edit")),
        "read again": log2(1 + sum(how == "read" for _, how, _ in since)),
        "failed": float(not use.ok),
    }
    return tuple((NAMES.index(name), value) for name, value in facts.items() if value)


def reuse_probability(facts: Row, weights: Sequence[float]) -> float:
    """What a model says of a part."""
    return 1 / (1 + exp(-sum(weights[i] * value for i, value in facts)))


def fit(looks: Sequence[Look]) -> list[float]:
    """The weights that make what was seen likeliest, by Newton's method; a small ridge keeps them finite."""
    weights = [0.0] * len(NAMES)
    for _ in range(30):
        slope = [-RIDGE * weight for weight in weights]
        bend = [[RIDGE * (i == j) for j in range(len(NAMES))] for i in range(len(NAMES))]
        for look in looks:
            likely = reuse_probability(look.facts, weights)
            spread_ = likely * (1 - likely)
            for i, value in look.facts:
                slope[i] += (look.used - likely) * value
                row, scaled = bend[i], spread_ * value
                for j, other in look.facts:
                    row[j] += scaled * other
        step = solve(bend, slope)
        weights = [weight + change for weight, change in zip(weights, step, strict=True)]
        if max(map(abs, step)) < 1e-4:
            break
    return weights


def solve(matrix: list[list[float]], wanted: list[float]) -> list[float]:
    """Gauss: the x with matrix * x = wanted."""
    rows = [[*row, value] for row, value in zip(matrix, wanted, strict=True)]
    for i in range(len(rows)):
        best = max(range(i, len(rows)), key=lambda n: abs(rows[n][i]))
        rows[i], rows[best] = rows[best], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for n in range(len(rows)):
            if n != i and rows[n][i]:
                factor = rows[n][i]
                rows[n] = [value - factor * other for value, other in zip(rows[n], rows[i], strict=True)]
    return [row[-1] for row in rows]


def calibration(looks: Sequence[Look], chances: Sequence[float]) -> Iterator[tuple[int, tuple[float, float]]]:
    """Predicted and observed share of used parts, a tenth of the looks at a time."""
    order = sorted(range(len(looks)), key=lambda n: chances[n])
    for tenth in range(10):
        members = order[len(order) * tenth // 10 : len(order) * (tenth + 1) // 10]
        predicted = sum(chances[n] for n in members) / len(members)
        yield tenth + 1, (predicted, sum(looks[n].used for n in members) / len(members))


def left_out(agent: str, looks: Sequence[Look], fitted: Sequence[float]) -> dict[str, float]:
    """How a model that never saw an agent does on it, beside the one that did."""
    own = [look for look in looks if look.agent == agent]
    blind = fit([look for look in looks if look.agent != agent])
    guesses = [reuse_probability(look.facts, blind) for look in own]
    return {
        "looks": len(own),
        "observed": sum(look.used for look in own) / len(own),
        "predicted": sum(guesses) / len(own),
        "unseen": ranking(own, guesses),
        "seen": ranking(own, [reuse_probability(look.facts, fitted) for look in own]),
    }


def ranking(looks: Sequence[Look], chances: Sequence[float]) -> float:
    """The area under the curve: how often a used part is given a higher chance than one that is not, if any was."""
    order = sorted(range(len(looks)), key=lambda n: chances[n])
    below = won = used = 0.0
    for _, tied in groupby(order, key=lambda n: chances[n]):
        members = list(tied)
        hits = sum(looks[n].used for n in members)
        won += hits * (below + (len(members) - hits) / 2)
        below += len(members) - hits
        used += hits
    return won / (used * below) if used and below else nan


def share(value: float) -> str:
    return f"{value:.2%}"


if __name__ == "__main__":
    show_help()
    main()
