"""Prune every recorded session and check what comes out.

    python bench/corpus.py [folder of sessions]

The last request of each session is pruned with every preset. Each tenth request is pruned by one pruner that sees
the session grow and by one that sees only it. Every result has to be valid for its provider, to equal the edits
carried out, to stay as it is when pruned again, and to be no longer than what came in, a reminder aside.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
from checked import Checked, check_all
from usage import show_help

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from prunus import Outcome, Pruner, Report, Settings, providers  # noqa: E402
from prunus.apply import apply  # noqa: E402
from prunus.clients.sessions import Session, load  # noqa: E402
from prunus.edits import Added, Proposal  # noqa: E402
from prunus.reuse.asked_again import AskedAgain  # noqa: E402
from prunus.settings.presets import PRESETS  # noqa: E402
from tests.validity import new_problems, problems  # noqa: E402

NAMES = tuple(name for name in PRESETS if name != "off")
STEP = 10
"""One request in so many is looked at while a session grows."""


def check_file(path: Path) -> list[Checked]:
    """All sessions of one file."""
    try:
        return [check_session(session) for session in load(path)]
    except Exception as error:
        return [Checked(path.parent.name, problems=[f"{path.name}: not read: {type(error).__name__}: {error}"])]


def numbers(outcome: Outcome[bytes]) -> Report:
    """The report but for what was asked for again: a fresh pruner had cut nothing that could be asked for."""
    return replace(outcome.report, asked_again=AskedAgain())


def check_session(session: Session) -> Checked:
    """The last request with each preset, and each tenth request as the session grows."""
    found = Checked(session.agent, sessions=1)
    body = msgspec.json.encode(session.body())
    found.counts["invalid"] += bool(problems(body, session.format))
    for name in NAMES:
        out = fresh(body, name)
        found.requests += 1
        found.counts["before"] += out.report.tokens_before if name == NAMES[0] else 0
        found.counts[name] += out.report.tokens_after
        for problem in wrong(body, out, session.format, name):
            found.problems.append(f"{session.name} [{name}] last request: {problem}")
    for name in NAMES:
        pruner = Pruner(Settings(preset=name, schedule="eager"))
        for request in range(0, len(session.requests), STEP):
            body = msgspec.json.encode(session.body(request))
            seen, alone = pruner.prune(body), fresh(body, name)
            found.requests += 1
            if seen.error or seen.body != alone.body or numbers(seen) != numbers(alone):
                found.problems.append(f"{session.name} [{name}] request {request}: differs from a fresh pruner's")
    return found


def fresh(body: bytes, name: str) -> Outcome:
    """What a pruner that knows nothing makes of a request."""
    return Pruner(Settings(preset=name, schedule="eager")).prune(body)


def wrong(body: bytes, out: Outcome, format: str, name: str) -> Iterator[str]:
    """What is wrong with one result."""
    if out.error:
        yield out.error
        return
    if out.report.format != format:
        yield f"read as {out.report.format}, not {format}"
        return
    yield from (f"invalid: {problem}" for problem in new_problems(body, out.body, format))
    before, after = providers.read(body), providers.read(out.body)
    if after.messages != apply(before, out.edits).messages:
        yield "what was written is not what the edits say"
    touched = {edit.target.message for edit in out.edits}
    kept = [message.raw for i, message in enumerate(before.messages) if i not in touched]
    left = iter([message.raw for message in after.messages])
    if not all(raw in left for raw in kept):
        yield "a message without edits changed its bytes"
    again = fresh(out.body, name)
    if again.body != out.body:
        yield f"pruned again it changes: {[edit.strategy for edit in again.edits][:5]}"
    # A reminder is added on purpose; everything else only ever goes.
    added = [edit for edit in out.edits if isinstance(edit.replacement, Added)]
    words = sum(len(msgspec.json.encode(edit.replacement.text)) for edit in added)
    tokens = -sum(edit.saved for edit in added)
    if len(out.body) - words > len(body) or out.report.tokens_after - tokens > out.report.tokens_before:
        yield "it grew"
    if {edit.target for edit in out.edits} & {edit.points_to for edit in out.edits if isinstance(edit, Proposal)}:
        yield "a pointer shows what was cut"


def cells(one: Checked) -> list[str]:
    """What each preset leaves of the tokens of the last requests."""
    before = one.counts["before"]
    after = (f"{one.counts[name] / before:.1%}" if before else "" for name in NAMES)
    return [f"{before:,}", *after, str(one.counts["invalid"]), str(len(one.problems))]


if __name__ == "__main__":
    show_help()
    sys.exit(check_all(check_file, ["tokens before", *NAMES, "invalid as recorded", "problems"], cells))
