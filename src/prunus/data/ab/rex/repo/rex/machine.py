"""Runs a program."""

from rex.chars import is_word


def run(program, text, start, *, anchored=False, whole=False):
    """The places of the groups of the best match from a place on, or None.

    Threads are in order of priority. A thread that matches ends those behind it; those before it go on.
    """
    code, slots = program.code, 2 * (program.groups + 1)
    threads, best = [], None
    at = start
    while True:
        if best is None and (at == start or not anchored):
            _add(code, text, threads, {thread[0] for thread in threads}, 0, at, (None,) * slots)
        following, seen = [], set()
        letter = text[at : at + 1]
        for place, saved in threads:
            instruction = code[place]
            if instruction[0] == "match":
                best = saved
                continue
            if letter and letter in instruction[1]:
                _add(code, text, following, seen, place + 1, at + 1, saved)
        threads = following
        if not letter or (not threads and (best is not None or anchored)):
            return best
        at += 1


def _add(code, text, threads, seen, place, at, saved):
    """Follow instructions that take no character, the first way first."""
    waiting = [(place, saved)]
    while waiting:
        place, saved = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        name, *given = code[place]
        if name == "jump":
            waiting.append((given[0], saved))
        elif name == "split":
            waiting.append((given[1], saved))
            waiting.append((given[0], saved))
        elif name == "save":
            waiting.append((place + 1, (*saved[: given[0]], at, *saved[given[0] + 1 :])))
        elif name == "assert":
            if holds(given[0], text, at):
                waiting.append((place + 1, saved))
        else:
            threads.append((place, saved))


def holds(kind, text, at):
    """Whether an assertion holds at a place."""
    before, after = text[at - 1 : at] if at else "", text[at : at + 1]
    if kind == "start":
        return at == 0
    if kind == "end":
        return at == len(text)
    if kind == "line start":
        return at == 0 or before == "\n"
    if kind == "line end":
        return at == len(text) or after == "\n"
    border = is_word(before) and not is_word(after)
    return border if kind == "border" else not border
