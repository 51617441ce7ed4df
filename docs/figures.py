"""Writes the tables of measured figures from bench/results, or with --check says which pages are out of date.

A table stands between `<!-- figures: NAME -->` and `<!-- /figures -->`; the words around it are written by hand.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from bill_picture import bill_picture

from prunus.lab.picture import panel
from prunus.lab.summary import Summary

HERE = Path(__file__).parent
RESULTS = HERE.parent / "bench" / "results"
PAGES = (HERE.parent / "README.md", *sorted(HERE.rglob("*.md")))
ROWS = ("0.1/1.25", "0.025/1.25", "0.5/1.0", "0.02/1.0")
PLACE = re.compile(r"(<!-- figures: ([\w-]+) -->\n).*?(<!-- /figures -->)", re.DOTALL)

POLICIES = {
    "safe": "Prunus, level `safe`",
    "auto": "**Prunus, level `balanced`**, the default",
    "lean": "Prunus, level `lean`",
    "eager": "the same edits at once",
    "acp": "the ACP plugin's rules, at once",
    "acp@cache": "the ACP plugin's rules, when they pay",
    "smart": "smart tool history, at once",
    "mask:10": "all but the newest 10 results masked, every turn",
    "mask:10:30000": "all but the newest 10 results masked, in batches of 30k tokens",
    "clear:100000:3": "past 100k tokens all but 3 cleared (Anthropic's rule)",
    "langchain": "langchain ClearToolUsesEdit(100k, 3)",
    "openai-agents": "openai-agents ToolOutputTrimmer",
    "clairvoyant": "*clairvoyant: auto's edits, best moments*",
    "oracle": "*oracle: results dropped after their last use*",
}
PRESETS = {
    "auto": (
        "`auto`",
        "removes what is superseded, finished or unlikely to be needed later, when that pays; the default",
    ),
    "acp": (
        "`acp`",
        "follows the rules of the ACP plugin at once; gives the agent guidance, reminders and `context_prune`",
    ),
    "acp@cache": (
        "`acp` with `--schedule cache`",
        "follows the same rules, but only when that pays: the better choice",
    ),
    "smart": (
        "`smart`",
        "at once: keeps first, last and sampled reads, truncates shell output, summarises old runs of edits",
    ),
    "none": ("`off`", "removes nothing"),
}
HARMS = {
    "replica_killed": "a replica, with kill -9",
    "two_replicas_killed": "two replicas at the same moment, with kill -9",
    "server_killed": "Postgres, with kill -9",
    "server_and_replica_killed": "Postgres, then a replica that went on without it",
    "server_restarted": "Postgres restarts",
    "server_frozen": "Postgres answers nothing (SIGSTOP)",
    "server_locked": "another program locks the tables",
    "server_full": "Postgres refuses to write, as on a full disk",
    "server_slow": "each answer of Postgres is 0.1 s late",
    "server_unreachable": "the network to Postgres is cut",
}
RIVALS = ("mask:10", "mask:10:30000", "clear:100000:3", "langchain", "openai-agents")
OURS = ("safe", "auto", "lean")
NOT_FIRST_SIGHT = ("eager", "acp", "acp@cache", "smart", "mask:10", "clairvoyant", "oracle")
SCHEDULE = {
    "auto": "**auto**",
    "as many again": "as many requests again as there have been",
    "the true number": "the true number of requests to come",
    "gain of 4 times the break": "a gain of 4 times the break",
    "break-even (patience 0)": "break-even",
}
FOLDS = {
    "without folds": "without folds",
    "folds": "**folds**",
    "folds that last, rest as it is": "folds that never shrink",
    "reads and inputs kept": "reads and inputs kept, no folds",
    "folds alone, lasting": "folds that never shrink, all else kept",
    "reads dropped after edits": "reads dropped after edits",
    "one file, one view": "one file, one view",
}
LEARNING = {
    "balanced": "`balanced`",
    "balanced, learning": "`balanced`, learning",
    "lean": "`lean`",
    "lean, learning": "`lean`, learning",
}
LIVES = {
    "as sent": "five minutes, as sent",
    "1h": '`lifetime = "1h"`',
    "auto": '`lifetime = "auto"`',
    "keep_alive 1": "`keep_alive = 1`",
    "keep_alive 2": "`keep_alive = 2`",
    "keep_alive 3": "`keep_alive = 3`",
    "auto, keep_alive 3": '`lifetime = "auto"`, `keep_alive = 3`',
    "1h, keep_alive 3": '`lifetime = "1h"`, `keep_alive = 3`',
    "always 1": "*one keep-alive request in every pause*",
    "always 2": "*two in every pause*",
    "always 3": "*three in every pause*",
    "always 12": "*twelve in every pause*",
}


def results(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def table(head: str, rows: Iterator[tuple[str, ...]]) -> str:
    columns = head.count("|") + 1
    lines = [f"| {head} |", "|" + "---|" * columns, *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


def short(figure: float, digits: int = 3) -> str:
    """A share without the zero before the point."""
    return f"{figure:.{digits}f}".removeprefix("0")


def span(figures: list[float], digits: int) -> str:
    low, high = (f"{end:.{digits}f}" for end in (min(figures), max(figures)))
    return low if low == high else f"{low}-{high}"


def policies() -> str:
    measured = results("lab")["policies"]
    known = {one["policy"] for one in measured}

    def row(name: str, words: str) -> tuple[str, ...]:
        found = {one["prices"]: one for one in measured if one["policy"] == name}
        ours = name in OURS
        costs = (f"{found[price]['cost']:.{3 if ours else 2}f}" for price in ROWS)
        worst = f"{max(one['worst'] for one in found.values()):.2f}"
        first = found[ROWS[0]]
        lost = "{value:.1f} ({low:.1f}-{high:.1f})".format(**first["lost"])
        kept = (span([found[price][key] for price in ROWS], 3 if ours else 2) for key in ("hard", "in_place"))
        effective = f"{first['effective']:.{3 if ours else 2}f}"
        return words, *(f"**{cost}**" if name == "auto" else cost for cost in costs), worst, effective, lost, *kept

    head = (
        "policy | 0.1 / 1.25 | 0.025 / 1.25 | 0.5 / 1.0 | 0.02 / 1.0 | worst session | effective | "
        "lost per 1,000 | hard | soft"
    )
    return table(head, (row(name, words) for name, words in POLICIES.items() if name in known))


def first_sight() -> str:
    """The policies with columns that need no explanation."""
    measured = results("lab")["policies"]

    def row(name: str, words: str) -> tuple[str, ...]:
        found = {one["prices"]: one for one in measured if one["policy"] == name}
        first = found[ROWS[0]]
        costs = span([found[price]["cost"] for price in ROWS], 2)
        worst = f"{max(one['worst'] for one in found.values()):.2f}"
        kept = (percent(first[key]) for key in ("hard", "in_place"))
        cost = f"**{first['cost']:.2f}**" if name == "auto" else f"{first['cost']:.2f}"
        return words, cost, costs, worst, f"{first['effective']:.2f}", f"{first['lost']['value']:.1f}", *kept

    head = (
        "policy | cost of input | at other cache prices | worst session | cost with re-reads | "
        "requests per 1,000 that lack lines | lines edited later, still in the request | "
        "names used later, still in the request"
    )
    names = [name for name in POLICIES if name not in NOT_FIRST_SIGHT]
    return table(head, (row(name, POLICIES[name]) for name in names))


def counted() -> str:
    """The cost with what providers counted before the messages, in sentences."""
    found = results("counted")
    whole, claude = found["all"], found["agents"]["claude-code"]
    low, high = (f"{tokens:,}" for tokens in found["claude-code"]["tokens before the messages"])
    return (
        f"With them, the {whole['sessions']} conversations that `prunus analyze` finds in the same files cost "
        f"{whole['cost']:.2f} of what they cost without pruning (`bench/counted.py`; the provider's counts are "
        f"known for {whole['counted']} of them). "
        f"Sessions of Claude Code, most of them short, cost {claude['cost']:.2f}: half of them send {low} to "
        f"{high} tokens of system text and tools with each request.\n"
    )


def counted_bill() -> str:
    """What `analyze` finds beside what was charged, in a sentence."""
    found = results("counted")["claude-code"]
    return (
        f"In the recorded sessions of Claude Code it then finds ${found['with counts']:.2f} of input; the recorded "
        f"usage fields say ${found['usage fields']:.2f}, and without the counts it would be "
        f"${found['without']:.2f} (`bench/counted.py`).\n"
    )


def levels() -> str:
    measured = results("frontier")["left out"]

    def row(level: str, of_rows: Mapping[str, Mapping[str, float]]) -> tuple[str, ...]:
        return f"`{level}`", *(f"{short(one['effective'])} / {one['lost']:.1f}" for one in of_rows.values())

    head = " | ".join(("level", *(price.replace("/", " / ") for price in measured["safe"])))
    return table(head, (row(level, of_rows) for level, of_rows in measured.items()))


def rivals() -> str:
    """By which level each rival is beaten in effective cost and in lost events, at each price."""
    measured = results("lab")["policies"]
    prices = tuple(dict.fromkeys(one["prices"] for one in measured))
    of = {(one["policy"], one["prices"]): one for one in measured}

    def pair(one: Mapping[str, Any]) -> tuple[float, float]:
        return one["effective"], one["lost"]["value"]

    def better(rival: str, price: str) -> str:
        cost, lost = pair(of[rival, price])
        ours = {"balanced" if level == "auto" else level: pair(of[level, price]) for level in OURS}
        beaten = [level for level, own in ours.items() if own[0] <= cost and own[1] <= lost]
        return f"{short(cost)} / {lost:.1f}: {', '.join(beaten) or '-'}"

    def row(name: str) -> tuple[str, ...]:
        return POLICIES[name], *(better(name, price) for price in prices)

    head = " | ".join(("rival", *(price.replace("/", " / ") for price in prices)))
    return table(head, (row(name) for name in RIVALS if (name, prices[0]) in of))


def frontier() -> str:
    """What each policy costs and loses, as an SVG file."""
    rows = msgspec.convert(results("lab")["policies"], tuple[Summary, ...])
    shown = ("safe", "auto", "lean", *(name for name in RIVALS if name != "mask:10"))
    names = {"auto": "balanced", "mask:10:30000": "masking", "clear:100000:3": "Anthropic's rule"}
    chosen = [replace(one, policy=names.get(one.policy, one.policy)) for one in rows if one.policy in shown]
    return panel(chosen, ROWS[0]) + "\n"


def presets() -> str:
    measured = results("lab")["policies"]

    def row(name: str, preset: str, words: str) -> tuple[str, ...]:
        every = [one for one in measured if one["policy"] == name]
        found = [one for one in every if one["prices"] in ROWS]
        cost, hard = (span([one[key] for one in found], 2) for key in ("cost", "hard"))
        return preset, words, cost, f"{max(one['worst'] for one in every):.2f}", hard

    head = "preset | what it does | cost | worst session | hard"
    return table(head, (row(name, *words) for name, words in PRESETS.items()))


def regret() -> str:
    measured = results("lab")["regret"]["auto"]
    head = " | ".join(("", *(price.replace("/", " / ") for price in measured))).strip()
    return table(f" {head}", iter([("`auto` over the clairvoyant", *(f"{one:.3f}" for one in measured.values()))]))


def schedule() -> str:
    measured: Mapping[str, Any] = results("schedule")["costs"]

    def row(name: str) -> tuple[str, ...]:
        found = [measured[price][name] for price in ROWS]
        shown = (f"{short(one['cost'])} / {short(one['hard'])} / {one['breaks']:.1f}" for one in found)
        return SCHEDULE.get(name, name), *shown, f"{max(one['worst'] for one in found):.2f}"

    head = " | 0.1 / 1.25 | 0.025 / 1.25 | 0.5 / 1.0 | 0.02 / 1.0 | worst session"
    return table(head, (row(name) for name in measured[ROWS[0]]))


def variants() -> str:
    digits = {"cost": 3, "worst": 2, "hard": 3, "soft": 3, "breaks": 1}

    def row(name: str, one: Mapping[str, float]) -> tuple[str, ...]:
        shown = (f"{one[key]:.{places}f}" for key, places in digits.items())
        return f"**{name}**" if name == "auto" else name, *shown

    head = " | cost | worst session | hard | soft | breaks per 100"
    return table(head, (row(name, one) for name, one in results("variants").items()))


def folds() -> str:
    measured = results("folds")

    def row(name: str, words: str) -> tuple[str, ...]:
        found = (measured[price][name] for price in ROWS)
        return words, *(f"{short(one['cost'])} / {short(one['hard'])}" for one in found)

    head = " | 0.1 / 1.25 | 0.025 / 1.25 | 0.5 / 1.0 | 0.02 / 1.0"
    return table(head, (row(name, words) for name, words in FOLDS.items()))


def timeline() -> str:
    def row(agent: str, one: Mapping[str, int]) -> tuple[str, ...]:
        lines, seen, claimed, right = (one[key] for key in ("lines", "seen", "claimed", "right"))
        counts = (f"{lines:,}", f"{seen:,}", f"{claimed / lines:.0%}", f"{claimed / seen:.0%}")
        return agent, *(count.replace("%", " %") for count in counts), f"{right / claimed:.2%}".replace("%", " %")

    head = "agent | lines read again | seen | claimed, of all | of those seen | right"
    return table(head, (row(agent, one) for agent, one in results("timeline").items() if one["claimed"]))


def outlines() -> str:
    digits = {"cost": 3, "effective": 3, "lost": 1, "hard": 4, "files": 4, "in_place": 4, "tokens": 3}

    def row(name: str, one: Mapping[str, float]) -> tuple[str, ...]:
        return f"**{name}**" if name == "outlines" else name, *(f"{one[key]:.{n}f}" for key, n in digits.items())

    head = "way | cost | effective | lost per 1,000 | hard | files | soft in place | tokens sent"
    return table(head, (row(name, one) for name, one in results("outlines")["ways"].items()))


def lifetime() -> str:
    measured = results("lifetime")
    agents = list(measured["unpruned"]["as sent"]["agents"])

    def row(plan: str, words: str) -> tuple[str, ...]:
        alone, pruned = (measured[which][plan] for which in ("unpruned", "pruned"))
        own = (f"{alone['agents'][agent]:.2f}" for agent in agents)
        costs = (
            f"{alone['cost']:.3f}",
            f"{alone['worst']:.2f}",
            *own,
            f"{pruned['cost']:.3f}",
            f"{pruned['worst']:.2f}",
        )
        sent = f"{alone['keep_alives']:.0f} / {pruned['keep_alives']:.0f}"
        return words, *costs, sent

    head = (
        f" | all | worst session | {' | '.join(agents)} | pruned | worst session | keep-alives per 1,000 requests"
    )
    return table(head, (row(plan, words) for plan, words in LIVES.items()))


def waiting() -> str:
    measured = results("waiting")

    def row(name: str, one: Mapping[str, float]) -> tuple[str, ...]:
        small, health = (
            f"{one[f'{what}_alone']:.3f} / {one[f'{what}_during']:.3f}" for what in ("small", "health")
        )
        return f"{name}, {one['MB']:.0f} MB", f"{one['large']:.1f}", small, health

    rest = measured["restart"]
    head = "large body | its own time | small request, alone / beside it | `/healthz`, alone / beside it"
    beside = table(head, (row(name, one) for name, one in measured.items() if name != "restart"))
    after = table(
        "5,000 calls, MB | first request ever | others | first after a restart",
        iter([(f"{rest['MB']:.0f}", *(f"{rest[key]:.2f}" for key in ("first_look", "others", "after_restart")))]),
    )
    return f"{beside}\n{after}"


STORES = {"sqlite": "SQLite", "postgres": "Postgres", "redis": "Redis"}


def setup_name(one: Mapping[str, Any]) -> str:
    return f"{one['setup']} ({STORES[one['store']]})"


def scale() -> str:
    def row(one: Mapping[str, Any]) -> tuple[str, ...]:
        return (
            setup_name(one),
            f"{one['requests_s']:.0f} / {one['looked_s']:.0f}",
            f"{one['busy']:.1f}",
            f"{one['cpu_ms']:.1f} / {one['bare_cpu_ms']:.1f}",
            f"{one['added_p50_ms']:.1f} / {one['added_p99_ms']:.1f}",
            f"{one['kb_a_conversation']:.0f}",
            f"{one['store_kb_early']:.1f} / {one['store_kb']:.1f}",
        )

    head = (
        "set-up | requests/s, all / looked at in time | busy cores of two | CPU ms a request, Prunus / bare | "
        "added at half load, median / p99 ms | "
        "KB of memory a conversation | KB written to the store a request, short / all conversations"
    )
    return table(head, map(row, results("scale")["setups"]))


def scale_aim() -> str:
    """Which set-ups add less than 15 ms to 99 of 100 requests."""
    setups = results("scale")["setups"]
    met = {
        kept: "; ".join(setup_name(one) for one in setups if (one["added_p99_ms"] < 15) is kept)
        for kept in (True, False)
    }
    return f"- Below 15 ms: {met[True] or 'none'}.\n- Above: {met[False] or 'none'}.\n"


def scale_hosts() -> str:
    """What larger hosts would serve, from the CPU time of a request."""
    setups = results("scale")["setups"]

    def took(store: str) -> str:
        spent = sorted({f"{one['cpu_ms']:.1f}" for one in setups if one["store"] == store})
        return f"{spent[0]} to {spent[-1]} ms" if len(spent) > 1 else f"{spent[0]} ms"

    costs = ", ".join(f"{took(store)} with {name}" for store, name in STORES.items())
    core = int(0.7 * 1_000 / max(one["cpu_ms"] for one in setups) / 10) * 10
    host = 14 * core
    return (
        f"- In these runs, a request took this much CPU: {costs}.\n"
        f"- At 70 % of the CPU and the highest of these figures, a core serves {core} requests a second.\n"
        f"- On a host of 16 cores, 14 workers serve {host:,}; two cores are left for the store and the balancer.\n"
        "- If an agent sends a request every ten seconds, which is an assumption, that is enough for "
        f"{10 * host:,} agents.\n"
    )


def beside() -> str:
    def row(name: str, one: Mapping[str, Any], which: str) -> tuple[str, ...]:
        own = one[which]
        added = f"{own['added_p50_ms']:.1f} / {own['added_p99_ms']:.1f}"
        return name, f"{own['revision']} ({which})", f"{one['rate']:.0f}", f"{own['cpu_ms']:.1f}", added

    rows = (row(name, one, which) for name, one in results("beside").items() for which in ("before", "now"))
    return table("set-up | version | requests/s | CPU ms a request | added, median / p99 ms", rows)


def endured() -> str:
    one = results("scale")["endured"]
    memory, files = (", ".join(map(str, one[key])) for key in ("memory_mb", "open_files"))
    sent = f"{one['requests']:,} requests of {one['conversations']:,} conversations, {one['faults']} failed"
    return f"{sent}. After each tenth:\n{memory} MB of memory, {files} open files.\n"


def dashboard() -> str:
    measured = results("dashboard")
    head = f"{measured['conversations']:,} conversations, {measured['megabytes']} MB | median | longest of ten"
    pages = measured["pages"].items()
    return table(head, ((name, f"{one['median']:.0f}", f"{one['longest']:.0f}") for name, one in pages))


def learning() -> str:
    measured = results("learning")["all"]

    def row(name: str, one: Mapping[str, float]) -> tuple[str, ...]:
        lost = f"{one['lost']:.1f} ({one['lost_low']:.1f}-{one['lost_high']:.1f})"
        return LEARNING[name], f"{one['cost']:.3f}", f"{one['effective']:.3f}", lost

    return table("level | cost | effective | lost per 1,000", (row(name, measured[name]) for name in LEARNING))


def asked_by_chance() -> str:
    measured = results("learning")
    cut, view = measured["chance"]["kinds"], measured["in view"]

    def row(kind: str) -> tuple[str, ...]:
        behind, before = cut.get(kind, {"cut": 0, "asked": 0}), view.get(kind, {"parts": 0, "asked": 0})
        return kind, f"{behind['asked']} of {behind['cut']:,}", f"{before['asked']} of {before['parts']:,}"

    return table(
        "kind | asked for again behind a cut | asked for again in view",
        (row(kind) for kind in sorted({*cut, *view} - {"edit", "edited read"})),
    )


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"


PRUNUS = "**Prunus, preset `auto`**"


def published_waste() -> str:
    ours = results("published")["waste"]
    stale = (
        f"{percent(ours['stale_turns'])} (4 user turns old), {percent(ours['stale_requests'])} (20 requests old)"
    )
    rows = (
        ("definitions of tools that are never called", "11.0 %", "not recorded"),
        ("duplicates", "2.2 %", percent(ours["duplicates"])),
        ("stale results", "8.7 %", stale),
    )
    return table("share of all input tokens | theirs | ours", iter(rows))


def published_evictions() -> str:
    def row(age: str, one: Mapping[str, float]) -> tuple[str, ...]:
        again = f"{one['faults']:,} of {one['evictions']:,} ({percent(one['rate'])})"
        hidden = f"{percent(one['rate_hidden'], 2)} of {one['hidden']:,}"
        return (
            f"ours, after {age}", again, f"{one['unchanged']:,}", hidden,
            f"{one['lost']:.1f}", f"{one['tokens']:.2f}", f"{one['cost']:.2f}",
        )  # fmt: skip

    theirs = ("theirs", "", "", "0.0254 % of 1.4 million", "", "", "")
    head = (
        "evicted | asked for again | file unchanged | counted at every request | lost per 1,000 | tokens | "
        "cost at 0.1 / 1.25"
    )
    ours = (row(age, one) for age, one in results("published")["evictions"].items())
    return table(head, iter((theirs, *ours)))


def published_caching() -> str:
    ours = results("published")["costs"]["all"]

    def row(price: str) -> tuple[str, ...]:
        alone, answers, pruned = (1 - ours[policy][price] for policy in ("none", "with answers", "auto"))
        return price.replace("/", " / "), percent(alone, 0), percent(answers, 0), percent(pruned, 0)

    head = "read / write | caching alone saves | the same, answers counted | caching and `auto` save"
    rows = (row(price) for price in ours["none"] if price != "no cache")
    return table(head, iter((("theirs, three providers", "", "45-80 %", ""), *rows)))


def _hop(one: Mapping[str, float]) -> tuple[str, ...]:
    """Bytes that a break frees and tokens that are written again, as medians with their quartiles."""
    kinds = ("freed", "rewritten")
    return tuple(f"{one[f'{what}_50']:,} ({one[f'{what}_25']:,}-{one[f'{what}_75']:,})" for what in kinds)


def langchain_hops() -> str:
    hops, costs = results("published")["hops"], results("published")["costs"]["all"]
    price = "0.1/1.25"

    def row(words: str, policy: str) -> tuple[str, ...]:
        one = hops[policy]
        share = costs[policy][price] / costs["none"][price]
        return words, f"{one['per_100']:.1f}", *_hop(one), f"{one['rewritten_per_freed']:.2f}", f"{share:.2f}"

    head = (
        " | breaks per 100 requests | bytes cleared in a break | tokens written again | "
        "tokens written again per byte cleared | cost at 0.1 / 1.25"
    )
    rows = (row("`ContextEditingMiddleware()`", "langchain"), row("**`PrunusMiddleware()`**", "auto"))
    return table(head, iter(rows))


def published_hops() -> str:
    def row(name: str, one: Mapping[str, float]) -> tuple[str, ...]:
        freed, rewritten = _hop(one)
        return (
            PRUNUS if name == "auto" else POLICIES[name],
            f"{one['per_100']:.1f}", f"{one['results']:.0f}", freed, rewritten,
            percent(one["place"], 0), f"{one['rewritten_per_freed']:.2f}",
        )  # fmt: skip

    theirs = ("theirs: langchain ClearToolUsesEdit", "", "1", "700-2,100", "50,000-300,000", "70-89 %", "")
    head = (
        " | breaks per 100 requests | results changed | bytes freed | tokens written again | first change at | "
        "tokens written again per byte freed"
    )
    return table(head, iter((theirs, *(row(name, one) for name, one in results("published")["hops"].items()))))


def published_masking() -> str:
    costs = results("published")["costs"]
    prices = ("no cache", "0.5/1.0", "0.1/1.25", "0.025/1.25")

    def row(words: str, group: str, policy: str) -> tuple[str, ...]:
        ours = costs[group]
        return words, *(f"{ours[policy][price] / ours['none'][price]:.2f}" for price in prices)

    rows = (
        ("theirs: masking, five models", "about 0.5", "", "", ""),
        ("theirs: a fork with another model", "0.61", "", "", ""),
        row("ours: all but the newest 10 masked, every turn", "all", "mask:10"),
        row("the same, mini-swe-agent only", "mini-swe-agent", "mask:10"),
        row("ours: in batches of 30k tokens", "all", "mask:10:30000"),
        row(PRUNUS, "all", "auto"),
    )
    return table(" | no cache | 0.5 / 1.0 | 0.1 / 1.25 | 0.025 / 1.25", iter(rows))


def kills() -> str:
    """What the provider saw while replicas and their server broke."""
    names = ("requests", "answered", "declared", "as_it_came", "undeclared", "unrecorded")

    def row(one: Mapping[str, Any]) -> tuple[str, ...]:
        harm = "all" if one["harm"] == "all" else HARMS[one["harm"]]
        return (harm, *(f"{one[name]:,}" for name in names), f"{one['longest_s']:.1f} s")

    head = (
        "what breaks | requests | answered | declared breaks | sent as they came | undeclared breaks | not counted"
    )
    return table(f"{head} | longest", (row(one) for one in results("kills")["rows"]))


def million() -> str:
    found = results("million")
    laws = ("pairs", "shrink", "prefix", "idempotence", "one-shot")
    counts = (f"{count:,}" for count in (found["sessions"], found["requests"], found["flushes"]))
    broken = (f"{found['broken'].get(law, 0):,}" for law in laws)
    head = "sessions | requests | declared flushes | " + " | ".join(f"broke {law}" for law in laws)
    return table(head, iter([(*counts, *broken)]))


def fleet() -> str:
    found = results("fleet")
    runs = [*found.get("growth", ()), found["run"]]
    head = (
        "sessions | workers | seconds | CPU seconds | sessions per second | per CPU second | load of the machine | "
        "MB of the command, by quarters of the run | MB of the largest worker"
    )
    return table(
        head,
        (
            (
                f"{one['sessions']:,}"
                + (f" of {planned:,}" if (planned := one.get("planned", 0)) > one["sessions"] else ""),
                str(one["workers"]),
                f"{one['seconds']:,.0f}",
                f"{one['cpu_seconds']:,.0f}",
                f"{one['sessions_per_second']:.2f}",
                f"{one['sessions_per_cpu_second']:.2f}",
                "-".join(f"{load:.0f}" for load in one["load"]),
                ", ".join(f"{size:.0f}" for size in one["command_mb"]),
                ", ".join(f"{size:.0f}" for size in one["worker_mb"]),
            )
            for one in runs
        ),
    )


TABLES: dict[str, Callable[[], str]] = {
    "million": million,
    "fleet": fleet,
    "kills": kills,
    "learning": learning,
    "asked-by-chance": asked_by_chance,
    "published-waste": published_waste,
    "published-evictions": published_evictions,
    "published-caching": published_caching,
    "published-hops": published_hops,
    "langchain-hops": langchain_hops,
    "published-masking": published_masking,
    "waiting": waiting,
    "scale": scale,
    "scale-aim": scale_aim,
    "scale-hosts": scale_hosts,
    "beside": beside,
    "endured": endured,
    "dashboard": dashboard,
    "lifetime": lifetime,
    "policies": policies,
    "policies-at-first-sight": first_sight,
    "counted": counted,
    "counted-bill": counted_bill,
    "levels": levels,
    "rivals": rivals,
    "presets": presets,
    "regret": regret,
    "schedule": schedule,
    "variants": variants,
    "folds": folds,
    "timeline": timeline,
    "outlines": outlines,
}


PICTURES: dict[str, Callable[[], str]] = {
    "frontier.svg": frontier,
    "bill.svg": lambda: bill_picture(results("session_bill")),
}


def main() -> int:
    stale = []
    for name, draw in PICTURES.items():
        picture, drawn = HERE / name, draw()
        if not picture.exists() or picture.read_text(encoding="utf-8") != drawn:
            stale.append(picture.name)
            if "--check" not in sys.argv:
                picture.write_text(drawn, encoding="utf-8")
    for path in PAGES:
        before = path.read_text(encoding="utf-8")
        after = PLACE.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], before)
        if after != before:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(after, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"figures out of date: {', '.join(stale)}; run `make docs`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
