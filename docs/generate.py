"""Write the reference pages from the code; with --check, list the pages that are out of date."""

from __future__ import annotations

import dataclasses
import inspect
import json
import sys
from pathlib import Path
from typing import Any

from prunus import guards, strategies
from prunus.schedule.priorities import PRIORITIES
from prunus.settings.describe import field_docs, keys
from prunus.settings.presets import LEVELS, PRESETS, strategies_of

HERE = Path(__file__).parent
MADE = "<!-- Made by docs/generate.py from the code; change the code and run `make docs`. -->\n"


def value(of: Any) -> str:
    """Return a default as a settings file would write it."""
    return json.dumps(list(of) if isinstance(of, tuple) else of, ensure_ascii=False)


def fields(owner: type) -> list[str]:
    """Return the settings of a strategy or guard as the lines of a table."""
    docs = field_docs(owner)
    rows = [
        f"| `{field.name}` | `{value(field.default)}` | {docs.get(field.name, '')} |"
        for field in dataclasses.fields(owner)  # type: ignore[arg-type]
    ]
    return ["", "| setting | default | meaning |", "|---|---|---|", *rows] if rows else []


def strategies_page() -> str:
    presets = [name for name in PRESETS if name != "off"]
    lines = [
        "# Strategies",
        "",
        "A strategy finds content to prune and proposes edits; [guards](guards.md) may refuse them. If two strategies want the",
        "same part, the first one in this list gets it. `tests/strategies/` shows each strategy at work on small histories.",
        "",
        f"| strategy | ACP key or rule | {' | '.join(presets)} |",
        f"|---|---|{'---|' * len(presets)}",
    ]
    for strategy in strategies.ALL:
        on = " | ".join("on" if strategy.name in strategies_of(preset, "balanced") else "" for preset in presets)
        lines.append(f"| [{strategy.name}](#{strategy.name}) | {strategy.seed} | {on} |")
    for strategy in strategies.ALL:
        lines += ["", f"## {strategy.name}", "", inspect.getdoc(strategy) or ""]
        lines += fields(strategy)
        set_by = [
            f"`{preset}` sets {', '.join(f'`{key} = {value(v)}`' for key, v in PRESETS[preset][strategy.name].items())}."
            for preset in presets
            if PRESETS[preset].get(strategy.name)
        ]
        set_by += [
            f"Level `{level}` of `auto` sets {', '.join(f'`{key} = {value(v)}`' for key, v in chosen[strategy.name].items())}."
            for level, chosen in LEVELS.items()
            if chosen.get(strategy.name)
        ]
        lines += ["", *set_by] if set_by else []
    return "\n".join(lines) + "\n"


def guards_page() -> str:
    lines = [
        "# Guards",
        "",
        "A guard protects content that must stay. Prunus asks every guard about every proposed edit, and records each refusal",
        "with the guard's name; `prunus explain` shows it.",
    ]
    for guard in guards.ALL:
        lines += ["", f"## {guard.name}", "", inspect.getdoc(guard) or "", *fields(guard)]
    lines += ["", "## Retention priorities", "", "`prunus explain` shows the priority of every part.", ""]
    lines += ["| priority | what |", "|---|---|", *(f"| {name} | {what} |" for name, what in PRIORITIES.items())]
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Prunus reads settings from `prunus.toml`, `[tool.prunus]` in `pyproject.toml`, `prunus.jsonc`, `acp.jsonc` and `dcp.jsonc`.",
        "The project's files override the user's, and the command line (`--preset`, `--level`, `--schedule`, `--set key=value`) overrides both.",
        "`prunus config init` writes a commented file,",
        "`prunus config check` lists every problem, `prunus config schema` prints the JSON schema for editors.",
        "",
        "| key | default (preset auto) | meaning |",
        "|---|---|---|",
    ]
    for key in keys():
        lines.append(f"| `{key.name}` | `{value(key.default).replace('|', chr(92) + '|')}` | {key.doc} |")
    lines += [
        "",
        "Every settings file may use the camelCase keys of the ACP plugin (`strategies.aggressivePruning.pruneToolInputs`,",
        "`protectedTools`, `turnProtection`, …); a file called `acp.jsonc` or `dcp.jsonc` starts from the preset `acp`. Prunus refuses an",
        "ACP key that it cannot follow (`autoUpdate`, `compress`, toasts, prompts of your own) and says why, unless the value confirms",
        "how Prunus works.",
    ]
    return "\n".join(lines) + "\n"


PAGES = {"strategies.md": strategies_page, "guards.md": guards_page, "settings.md": settings_page}


def main() -> int:
    stale = []
    for name, page in PAGES.items():
        text = MADE + page()
        path = HERE / name
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"out of date: {', '.join(stale)}; run `make docs`")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
