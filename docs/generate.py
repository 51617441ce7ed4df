"""Write the reference pages from the code; with --check, list the pages that are out of date."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import sys
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

import prunus
from prunus import guards, strategies
from prunus.cli.main import main as cli
from prunus.proxy import balancers
from prunus.schedule.dollars import SOURCE, TARIFFS
from prunus.schedule.prices import DEFAULT, ROWS
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
        "Prunus works without settings. This page lists all of them. A file may look like this:",
        "",
        "```toml",
        "# prunus.toml",
        'level = "safe"',
        'protected_tools = ["plan"]',
        "",
        "[proxy]",
        "port = 8788",
        "",
        "[strategies.long_outputs]",
        "over = 10000",
        "```",
        "",
        "Prunus reads `prunus.toml`, `[tool.prunus]` in `pyproject.toml`, `prunus.jsonc`, `acp.jsonc` and `dcp.jsonc`, in the",
        "project and in your settings directory. The project's files override your own, and the command line (`--preset`,",
        "`--level`, `--schedule`, `--set key=value`) overrides both. `prunus config init` writes a commented file,",
        "`prunus config check` lists every problem, `prunus config show` shows the values in force and where each comes from, and",
        "`prunus config schema` prints the JSON schema for editors.",
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


def commands_page() -> str:
    context = click.Context(cli, info_name="prunus", max_content_width=100)
    lines = [
        "# Commands",
        "",
        "This page lists every command with its options. `prunus COMMAND --help` shows the same in a terminal.",
        "",
        "| command | what it does |",
        "|---|---|",
    ]
    found = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    known = {name: command for name, command in found.items() if command is not None}
    lines += [
        f"| [`prunus {name}`](#prunus-{name}) | {help_of(command)[0][0]} |" for name, command in known.items()
    ]
    for name, command in known.items():
        lines += command_lines(command, click.Context(command, parent=context, info_name=name), "##")
    return "\n".join(lines) + "\n"


def command_lines(command: click.Command, context: click.Context, level: str) -> list[str]:
    """Return the section of a command, and those of its subcommands."""
    lines = ["", f"{level} {context.command_path}", ""]
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    lines += ["```sh", usage, "```"]
    for paragraph in help_of(command):
        code = paragraph[0].startswith("  ") or paragraph[0] in ("Example:", "Examples:")
        if code:
            shown = [line[2:] for line in paragraph if line.startswith("  ")]
            lines += ["", *paragraph[: len(paragraph) - len(shown)], "", "```sh", *shown, "```"]
        else:
            lines += ["", *paragraph]
    options = [
        one for one in command.get_params(context) if isinstance(one, click.Option) and "--help" not in one.opts
    ]
    rows = [row for one in options if (row := one.get_help_record(context))]
    if rows:
        lines += ["", "| option | meaning |", "|---|---|"]
        lines += [
            f"| `{name.replace('|', chr(92) + '|')}` | {what.replace('|', chr(92) + '|')} |" for name, what in rows
        ]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            lines += command_lines(inner, click.Context(inner, parent=context, info_name=name), level + "#")
    return lines


def help_of(command: click.Command) -> list[list[str]]:
    """Return the help text of a command as paragraphs of lines."""
    text = inspect.cleandoc(command.help or "").replace("\b\n", "").replace("\f", "")
    return [paragraph.split("\n") for paragraph in text.split("\n\n") if paragraph.strip()]


def library_page() -> str:
    lines = [
        "# Library",
        "",
        "This page lists everything that `import prunus` offers. Other modules may change without notice. In an agent loop, one",
        "`Pruner` prunes every request:",
        "",
        "```python",
        "import prunus",
        "",
        'pruner = prunus.Pruner(prunus.Settings(level="safe"))',
        "outcome = pruner.prune(body)  # a request as dict, list of messages, JSON text or bytes",
        "outcome.body  # the same type, smaller; send this",
        "```",
    ]
    for name in prunus.__all__:
        what = getattr(prunus, name)
        lines += ["", f"## {name}", ""]
        if not inspect.isclass(what):
            lines += ["```python", f"prunus.{name}{signature(what)}", "```", ""]
        lines += [inspect.getdoc(what) or ""]
        members = public_members(what) if inspect.isclass(what) else []
        lines += ["", "| name | meaning |", "|---|---|", *members] if members else []
    return "\n".join(lines) + "\n"


def public_members(owner: type) -> list[str]:
    """Return the documented fields, properties and methods of a class as rows of a table."""
    docs = field_docs(owner)
    rows = {name: doc for name, doc in docs.items() if not name.startswith("_") and doc}
    if dataclasses.is_dataclass(owner):
        public = [one for one in dataclasses.fields(owner) if not one.name.startswith("_")]
        rows = {one.name: rows.get(one.name) or f"`{one.type}`" for one in public}
    rows |= attributes(owner)
    for name, member in vars(owner).items():
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if name.startswith(("_", "model_")) or not (callable(plain) or isinstance(plain, property)):
            continue
        first = (inspect.getdoc(plain) or "").partition("\n\n")[0].replace("\n", " ")
        if first:
            rows[name if isinstance(plain, property) else f"{name}()"] = first
    return [f"| `{name}` | {doc.replace('|', chr(92) + '|')} |" for name, doc in rows.items()]


def attributes(owner: type) -> dict[str, str]:
    """Return the attributes that `__init__` sets and documents, with their texts."""
    start = vars(owner).get("__init__")
    if not inspect.isfunction(start) or dataclasses.is_dataclass(owner):
        return {}
    [function] = ast.parse(textwrap.dedent(inspect.getsource(start))).body
    assert isinstance(function, ast.FunctionDef)
    found = {}
    for line, text in pairwise(function.body):
        match line, text:
            case (
                ast.Assign(targets=[ast.Attribute(attr=name)]) | ast.AnnAssign(target=ast.Attribute(attr=name)),
                ast.Expr(value=ast.Constant(value=str(words))),
            ) if not name.startswith("_"):
                found[name] = " ".join(words.split())
    return found


def signature(function: Any) -> str:
    """Return the parameters of a function, one on a line if they are many."""
    found = inspect.signature(function)
    text = str(found).replace("'", "").replace("prunus.", "")
    if len(text) < 90:
        return text
    inner = [str(one).replace("'", "") for one in found.parameters.values()]
    kinds = [one.kind for one in found.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        inner.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = str(found.return_annotation).replace("'", "")
    return "(\n" + "".join(f"    {one},\n" for one in inner) + f") -> {returned}"


def prices_page() -> str:
    lines = [
        "# Prices",
        "",
        "Prunus uses prices for two purposes: the schedule compares the cache prices of a model to decide when a cut pays, and",
        "[reports](money.md) show dollars. The first row that matches the name of a model counts; `-` stands for every dot in it.",
        "",
        "Your settings override both tables. A row names a pattern of models, and the values that differ:",
        "",
        "```toml",
        "[[prices]]",
        'model = "my-company/*"',
        "input = 2.5    # dollars of a million uncached input tokens, for reports",
        "read = 0.1     # price of a cached token, relative to an uncached one",
        "write = 1.25   # price of a token that is written to the cache",
        "ttl = 300      # seconds that an unused cache lives",
        "```",
        "",
        "## Dollars of a million tokens",
        "",
        "| model | input | cache read | cache write | for an hour | output | source |",
        "|---|---|---|---|---|---|---|",
    ]
    for pattern, tariff in TARIFFS:
        prices = (tariff.input, tariff.cache_read, tariff.cache_write, tariff.long_write, tariff.output)
        shown = [f"{price:g}" if price is not None else "" for price in prices]
        lines.append(f"| `{pattern}` | {' | '.join(shown)} | {SOURCE} |")
    lines += [
        "",
        "## Ratios of prompt caches",
        "",
        "| model | read | write | lifetime, s | shortest prefix | dearer above | source |",
        "|---|---|---|---|---|---|---|",
    ]
    for ratio in ROWS:
        price = ratio.price
        tier = f"{price.tier:,} tokens, x {price.tier_factor:g}" if price.tier is not None else ""
        names = ", ".join(f"`{name}`" for name in ratio.models)
        numbers = f"{price.read:g} | {price.write:g} | {price.ttl:g} | {price.minimum:,}"
        lines.append(f"| {names} | {numbers} | {tier} | {ratio.source} |")
    other = (
        f"| any other | {DEFAULT.read:g} | {DEFAULT.write:g} | {DEFAULT.ttl:g} | {DEFAULT.minimum:,} | | assumed |"
    )
    return "\n".join([*lines, other]) + "\n"


PAGES = {
    "strategies.md": strategies_page,
    "guards.md": guards_page,
    "settings.md": settings_page,
    "commands.md": commands_page,
    "library.md": library_page,
    "prices.md": prices_page,
}


DEPLOY = HERE.parent / "deploy"
FILES = {
    DEPLOY / "nginx" / "prunus.conf": balancers.nginx,
    DEPLOY / "haproxy" / "haproxy.cfg": balancers.haproxy,
    DEPLOY / "envoy" / "envoy.yaml": balancers.envoy,
}


def main() -> int:
    stale = []
    made = {HERE / name: MADE + page() for name, page in PAGES.items()}
    for path, text in (made | {path: file() for path, file in FILES.items()}).items():
        name = path.name
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"out of date: {', '.join(stale)}; run `make docs`")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
