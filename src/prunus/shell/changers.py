"""Commands that change files: the ones they name, or more than they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from prunus.shell.formatters import FORMATTERS, rewrites, without_values
from prunus.shell.words import Simple, Word


class Changed(NamedTuple):
    """The files that a command changes, and whether there may be others."""

    files: tuple[Word, ...] = ()
    wild: bool = False


NOTHING = Changed()
_WILD = Changed(wild=True)
_FILE = re.compile(r"[^\s]*\.[A-Za-z]\w{0,9}")
_LITERAL = re.compile(r"""(['"])([^'"\n]*?[\w\])]\.[A-Za-z]\w{0,9})\1""")
_WRITES = re.compile(r"""\.write|write_text|write_bytes|writeFile|appendFile|,\s*(?:mode=)?['"](?:[wax]|r\+)b?""")
_SCRIPTED = frozenset({"npm", "pnpm", "yarn", "bun"})
_RUN_WORDS = frozenset({"exec", "run", "dlx", "tool", "x"})
_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun", "uv", "poetry", "pipenv", "hatch", "pdm", "bundle"})
_SCRIPTS = re.compile(r"(?:format|fmt|lint:fix|lint-fix|fix|prettier)(?::\w+)?")
_MANIFESTS = {
    "npm": "package.json", "pnpm": "package.json", "yarn": "package.json", "bun": "package.json",
    "cargo": "Cargo.toml", "uv": "pyproject.toml", "poetry": "pyproject.toml",
}  # fmt: skip


def changed(simple: Simple) -> Changed:
    """What one simple command changes, its redirections included."""
    words = bare(simple.words)
    found = NOTHING
    if words:
        name = words[0].text.replace("\\", "/").rsplit("/", 1)[-1]
        change = _CHANGERS.get(name)
        if change:
            found = change(words[1:], simple)
        elif name in FORMATTERS:
            found = _format(name, words[1:])
    outputs = simple.outputs + simple.others
    if outputs:
        named = tuple(word for word in outputs if word.certain)
        found = Changed(found.files + named, found.wild or len(named) < len(outputs))
    return found


def bare(words: Sequence[Word]) -> Sequence[Word]:
    """The command without the runners in front, such as sudo, env or npx."""
    at, size = 0, len(words)
    while at < size:
        first = words[at].text
        if first in ("sudo", "command", "nohup", "exec", "builtin", "time", "rtk", "npx", "bunx", "uvx"):
            at += 1
            while at < size and words[at].text.startswith("-"):
                at += 1
        elif first == "env":
            at += 1
            while at < size and "=" in words[at].text:
                at += 1
        elif (first == "timeout" and size - at > 2) or (
            first in ("python", "python3") and size - at > 2 and words[at + 1].text == "-m"
        ):
            at += 2
        elif first in _MANAGERS and size - at > 2 and words[at + 1].text in _RUN_WORDS:
            if words[at + 1].text == "run" and first in _SCRIPTED:
                break
            at += 2
        else:
            break
    return words[at:]


def _operands(words: Sequence[Word], valued: frozenset[str] = frozenset()) -> list[Word]:
    found: list[Word] = []
    at = 0
    while at < len(words):
        text = words[at].text
        if text in valued:
            at += 1
        elif text == "--":
            found.extend(words[at + 1 :])
            break
        elif text[:1] != "-" or text == "-":
            found.append(words[at])
        at += 1
    return found


def _flags(words: Sequence[Word]) -> str:
    """The letters of the short flags."""
    return "".join(word.text[1:] for word in words if word.text[:1] == "-" and word.text[1:2] != "-")


def _named(files: Sequence[Word], wild: bool = False) -> Changed:
    sure = tuple(word for word in files if word.certain and word.text not in (".", "..", "/", "*"))
    return Changed(sure, wild or len(sure) < len(files))


def _sed(words: Sequence[Word], simple: Simple) -> Changed:
    if not any(w.text.startswith(("-i", "--in-place", "-Ei", "-ri", "-ni")) for w in words):
        return NOTHING
    scripted = any(w.text in ("-e", "-f", "--expression") for w in words)
    files = _operands(words, frozenset({"-e", "-f", "--expression"}))
    # BSD sed takes the suffix of -i as a word of its own, mostly an empty one.
    files = [word for word in files if word.text]
    return _named(files if scripted else files[1:])


def _perl(words: Sequence[Word], simple: Simple) -> Changed:
    if any(re.match(r"-[a-zA-Z0]*i", w.text) for w in words):
        valued = frozenset(w.text for w in words if re.fullmatch(r"-[a-zA-Z0]*e", w.text))
        return _named(_operands(words, valued))
    return _code(words, simple)


def _code(words: Sequence[Word], simple: Simple) -> Changed:
    """A script given on the command line: the paths it spells out, if it writes at all."""
    for at, word in enumerate(words):
        if word.text in ("-c", "-e", "--eval") and at + 1 < len(words):
            return written_by(words[at + 1].text)
        if not word.text.startswith("-"):
            return NOTHING
    return written_by(simple.heredoc) if simple.heredoc else NOTHING


def written_by(script: str) -> Changed:
    """The files that a Python or JavaScript text names, if it writes any."""
    if not _WRITES.search(script):
        return NOTHING
    return Changed(tuple(dict.fromkeys(Word(text) for _, text in _LITERAL.findall(script) if " " not in text)))


def _move(words: Sequence[Word], simple: Simple) -> Changed:
    files = _operands(words, frozenset({"-t"}))
    return _named(files[:-1] + _targets(files))


def _copy(words: Sequence[Word], simple: Simple) -> Changed:
    letters = _flags(words)
    files = _operands(words, frozenset({"-t"}))
    wild = any(letter in letters for letter in "rRa") or "--recursive" in (w.text for w in words)
    return Changed(_named(_targets(files)).files, wild or any(not word.certain for word in files[-1:]))


def _targets(files: Sequence[Word]) -> list[Word]:
    """Where a move or a copy may put its sources: at the last name, or in a folder of that name."""
    if len(files) < 2:
        return []
    target = files[-1]
    if _FILE.fullmatch(target.text):
        return [target]
    names = (word.text.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] for word in files[:-1])
    return [target, *(Word(f"{target.text}/{name}", target.certain) for name in names)]


def _remove(words: Sequence[Word], simple: Simple) -> Changed:
    letters = _flags(words)
    files = _operands(words)
    deep = "r" in letters or "R" in letters or any(w.text == "--recursive" for w in words)
    return _named(files, wild=deep and not all(_FILE.fullmatch(word.text) for word in files))


def _tee(words: Sequence[Word], simple: Simple) -> Changed:
    return _named([word for word in _operands(words) if not word.text.startswith("/dev/")])


def _operand_files(words: Sequence[Word], simple: Simple) -> Changed:
    return _named(_operands(words, frozenset({"-s", "-m", "-o", "-g"})))


def _patch(words: Sequence[Word], simple: Simple) -> Changed:
    if any(w.text == "--dry-run" for w in words):
        return NOTHING
    files = _operands(words, frozenset({"-i", "-p", "-d", "-o"}))
    return Changed(tuple(files[:1])) if files else _WILD


def _download(words: Sequence[Word], simple: Simple) -> Changed:
    outputs = [words[at + 1] for at, w in enumerate(words[:-1]) if w.text in ("-o", "-O", "--output")]
    return _named([w for w in outputs if not w.text.startswith(("-", "/dev/", "http")) and w.text.lower() != "nul"])


def _find(words: Sequence[Word], simple: Simple) -> Changed:
    for at, word in enumerate(words):
        if word.text == "-delete":
            return _WILD
        if word.text in ("-exec", "-execdir", "-ok"):
            inner = tuple(words[at + 1 :])
            if inner and inner[0].text not in ("find", "xargs") and changed(Simple("", inner)) != NOTHING:
                return _WILD
    return NOTHING


def _xargs(words: Sequence[Word], simple: Simple) -> Changed:
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in ("-n", "-I", "-P", "-L", "-d") else 1
    name = words[at].text if at < len(words) else ""
    if name in ("find", "xargs"):
        return NOTHING
    if name in ("rm", "mv", "cp", "tee", "truncate") or (
        name in ("sed", "perl") and any(re.match(r"-[a-zA-Z]*i", w.text) for w in words[at:])
    ):
        return _WILD
    inner = changed(Simple("", tuple(words[at:]), heredoc=simple.heredoc)) if name else NOTHING
    return _WILD if inner != NOTHING else NOTHING


def _unpack(words: Sequence[Word], simple: Simple) -> Changed:
    return _WILD


def _tar(words: Sequence[Word], simple: Simple) -> Changed:
    first = words[0].text if words else ""
    return _WILD if "x" in first.split("=")[0] or any(w.text == "--extract" for w in words) else NOTHING


def _git(words: Sequence[Word], simple: Simple) -> Changed:
    at = 0
    folder = ""
    while at < len(words) and words[at].text.startswith("-"):
        if words[at].text == "-C" and at + 1 < len(words):
            folder = words[at + 1].text
        at += 2 if words[at].text in ("-C", "-c") else 1
    if at >= len(words):
        return NOTHING
    found = _git_verb(words[at].text, words[at + 1 :])
    if folder:
        return Changed(tuple(Word(f"{folder}/{word.text}") for word in found.files), found.wild)
    return found


def _git_verb(verb: str, words: Sequence[Word]) -> Changed:
    texts = [word.text for word in words]
    match verb:
        case "checkout":
            if "-b" in texts or "-B" in texts or "--orphan" in texts:
                return NOTHING
            if "--" in texts:
                return _named(words[texts.index("--") + 1 :])
            files = _operands(words)
            if files and all(_FILE.fullmatch(word.text) and word.certain for word in files):
                return Changed(tuple(files))
            # `git checkout REF path` and `git checkout branch` look alike from here.
            return Changed(tuple(word for word in files if _FILE.fullmatch(word.text)), wild=True)
        case "restore":
            if ("--staged" in texts or "-S" in texts) and not ("--worktree" in texts or "-W" in texts):
                return NOTHING
            return _named(_operands(words, frozenset({"-s", "--source"})))
        case "stash":
            return NOTHING if texts[:1] and texts[0] in ("list", "show", "drop", "clear", "create") else _WILD
        case "reset":
            return _WILD if any(t in ("--hard", "--merge", "--keep") for t in texts) else NOTHING
        case "clean":
            return NOTHING if "n" in _flags(words) or "--dry-run" in texts else _WILD
        case "apply" | "am":
            return NOTHING if {"--check", "--stat", "--numstat", "--cached"} & set(texts) else _WILD
        case "pull" | "merge" | "rebase" | "switch" | "cherry-pick" | "revert" | "bisect":
            return NOTHING if {"-c", "-C"} & set(texts) and verb == "switch" else _WILD
        case "mv":
            return _move(words, Simple("", ()))
        case "rm":
            return NOTHING if "--cached" in texts else _remove(words, Simple("", ()))
        case _:
            return NOTHING


def _manager(words: Sequence[Word], simple: Simple) -> Changed:
    manager = simple.words[0].text
    for word in simple.words:
        if word.text in _MANAGERS or word.text == "cargo":
            manager = word.text
            break
    texts = [word.text for word in words]
    if not texts:
        return NOTHING
    script = texts[1] if texts[0] in _RUN_WORDS and len(texts) > 1 else texts[0]
    if _SCRIPTS.fullmatch(script) and not {"--check", "--dry-run"} & set(texts):
        return _WILD
    adds = texts[0] in ("add", "remove", "uninstall", "rm") or (
        texts[0] in ("install", "i") and any(not t.startswith("-") for t in texts[1:])
    )
    if adds and manager in _MANIFESTS and "-g" not in texts:
        return Changed((Word(_MANIFESTS[manager]),))
    return NOTHING


def _format(name: str, words: Sequence[Word]) -> Changed:
    if not rewrites(name, words):
        return NOTHING
    commands = (*FORMATTERS[name], "check")
    files = [word for word in _operands(without_values(name, words)) if word.text not in commands]
    if files and all(word.certain and _FILE.fullmatch(word.text) for word in files):
        return Changed(tuple(files))
    return _WILD


_CHANGERS: dict[str, Callable[[Sequence[Word], Simple], Changed]] = {
    "sed": _sed, "gsed": _sed, "perl": _perl, "ruby": _perl, "mv": _move, "cp": _copy, "rm": _remove, "tee": _tee,
    "unlink": _operand_files, "truncate": _operand_files, "shred": _operand_files, "patch": _patch,
    "install": _copy, "ln": _copy, "rsync": _unpack, "unzip": _unpack, "tar": _tar, "git": _git,
    "find": _find, "xargs": _xargs, "curl": _download, "wget": _download, "python": _code, "python3": _code,
    "node": _code, "bun": _manager, "npm": _manager, "pnpm": _manager, "yarn": _manager, "uv": _manager,
    "poetry": _manager, "cargo": _manager, "make": _manager, "just": _manager, "deno": _manager,
    "del": _remove, "erase": _remove, "move": _move, "copy": _copy,
}  # fmt: skip
