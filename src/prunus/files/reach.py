"""How far a shell command may have reached: which files it may have changed beyond those it names.

Commands are known by name. A command that only reads changes nothing. One that works (tests, builds, installs)
leaves sources alone and may rewrite what is made by machines. Formatters change files of their language. Whatever
is not known may have changed anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.files.programs import LANGUAGES, READERS, REWRITERS, WORKERS
from prunus.tools import powershell
from prunus.tools.changers import bare, changed, written_by
from prunus.tools.paths import join
from prunus.tools.words import Simple, Word, simples

__all__ = ["ANYTHING", "NOTHING", "WORK", "Reach", "reach"]


def _same(path: str, name: str) -> bool:
    """Whether two spellings may mean one file."""
    return path == name or path.endswith("/" + name) or name.endswith("/" + path)


@dataclass(frozen=True, slots=True)
class Tidied:
    """A formatter that ran. What it went over before, and nobody changed since, it leaves as it is."""

    name: str
    suffixes: tuple[str, ...] = ()
    """Files of its language; empty is any."""
    names: tuple[str, ...] = ()
    """The files it was given; empty is all."""
    edited: bool = False
    """Of the others only those that were changed: hooks of a commit rewrite what is staged."""

    def covers(self, path: str, edits: int) -> bool:
        """Whether it went over a file."""
        if self.suffixes and not path.endswith(self.suffixes):
            return False
        if any(_same(path, name) or f"/{name}/" in f"/{path}" for name in self.names):
            return True
        return (edits > 0) if self.edited else not self.names


@dataclass(frozen=True, slots=True)
class Reach:
    """The files that may have changed."""

    anything: bool = False
    made: bool = False
    """What machines make: build output, logs, lock files."""
    tidied: tuple[Tidied, ...] = ()
    """What formatters have gone over."""
    folders: tuple[str, ...] = ()
    """Files below these."""
    names: tuple[str, ...] = ()
    """Files that a script spells out."""

    def __or__(self, other: Reach) -> Reach:
        return Reach(
            self.anything or other.anything,
            self.made or other.made,
            self.tidied + other.tidied,
            self.folders + other.folders,
            self.names + other.names,
        )

    def covers(self, path: str) -> bool:
        """Whether a file may have changed."""
        if self.anything or (self.made and _MADE.search(path)):
            return True
        if any(_same(path, name) for name in (*self.names, *self.folders)):
            return True
        return any(path.startswith(folder + "/") or f"/{folder}/" in f"/{path}" for folder in self.folders)


NOTHING: Final = Reach()
WORK: Final = Reach(made=True)
ANYTHING: Final = Reach(anything=True)

_MADE: Final = re.compile(
    r"(?:^|/)(?:dist|build|_build|out|target|coverage|node_modules|__pycache__|\.next|\.nuxt|\.cache|\.turbo"
    r"|generated|__snapshots__|artifacts|logs?|site-packages|vendor|docs_build)/|/(?:proc|sys)/"
    r"|\.(?:log|lock|lockb|snap|map|pid|out|tmp|sqlite3?|db|pyc|min\.\w+)$|(?:^|/)(?:package-lock\.json|go\.sum"
    r"|pnpm-lock\.yaml|npm-shrinkwrap\.json|nohup\.out|tsconfig\.tsbuildinfo|next-env\.d\.ts)$",
    re.I,
)
_TASKS: Final = re.compile(
    r"(?:pre|post)?(?:test|tests|build|dev|start|serve|preview|typecheck|type-check|types|tsc|e2e|coverage|bench|watch"
    r"|install|ci|i|audit|outdated|ls|list|view|run|exec|why|init|config|root|bin|prefix|cache|ping|version|info|pack"
    r"|check|vet|mod|doc|env|get|clippy|metadata|tree|search|update|up|down|ps|logs|compose|images|inspect|stop|rm"
    r"|sync|pip|venv|lock|show|freeze|uninstall|add|remove|clean|--version|-v|-V|--help|-h)(?:[:-][\w:.-]*)?"
)
_RUNS_TESTS: Final = re.compile(
    r"(?:^|/)(?:run_?tests?|runtests|tests?|conftest|manage|setup|check\w*)\.(?:py|sh|js|ts)$"
)
_SUBSTITUTION: Final = re.compile(r"\$\(|`")
_SUSPECT: Final = re.compile(
    r"subprocess|os\.(?:system|remove|rename|replace|unlink|popen)|shutil|exec(?:Sync|File|\()|spawn|child_process"
    r"|fileinput|unlink|rename|open\([^)\n]*['\"][wax]|\.write|write_text|write_bytes|writeFile|appendFile|truncate"
)
_TIDYING: Final = re.compile(r"(?:format|fmt|lint|prettier|fix|style)(?:[:-][\w:.-]*)?")
"""Tasks that may rewrite sources in one style."""
_VALUED: Final = frozenset(
    {"-w", "--workspace", "--filter", "-F", "--prefix", "-C", "--dir", "--cwd", "-p", "--package"}
)
_ECHOED: Final = re.compile(r"^(?:> |\$ )(?![\w@/.-]+@[\w.-]+ )(\S.*)$", re.M)
"""Package managers print the command of a task before they run it."""
_COMMITTED: Final = re.compile(r"^\[[^\]\n]+ [0-9a-f]{6,}\] ", re.M)
_HOOKS: Final = re.compile(
    r"lint-staged|husky|pre-commit|lefthook|prettier|eslint|biome|\bformat|\.{6,}(?:Passed|Failed|Skipped)", re.I
)
_CMDLET: Final = re.compile(r"[A-Z][A-Za-z]+-[A-Z][A-Za-z]+")
_CONTROL: Final = re.compile(
    r"[$({@'\"\[}#%&]|(?:if|else|elseif|foreach|for|while|try|catch|finally|function|param)\b"
)

_UNBOUND: Final = re.compile(
    r"subprocess|os\.(?:system|popen|walk)|child_process|\bexec|spawn|glob|argv|readdir|rmtree"
)
"""Words of a script that writes: what it changes may stand nowhere in its text."""

Known = Callable[[str], str | None]
"""The text of a file, if all of it is known."""


def reach(command: str, output: str, known: Known, depth: int = 0) -> Reach:
    """How far a command may have reached, given what it printed and what the scripts it runs hold."""
    if depth > 3:
        return ANYTHING
    if powershell.looks_like(command):
        return _powershell(command, known)
    script = simples(command)
    if script is None:
        return ANYTHING
    total = NOTHING
    folder = ""
    staged = _staged(script)
    for simple in script:
        if len(simple.words) == 2 and simple.words[0].text == "cd":
            folder = join(folder, simple.words[1].text)
        total |= _of(simple, output, known, folder, depth, staged)
        for word in simple.words:
            if not word.certain and _SUBSTITUTION.search(word.text):
                total |= _substituted(word.text, known, depth)
        if total.anything:
            return ANYTHING
    return total


def _substituted(text: str, known: Known, depth: int) -> Reach:
    total = NOTHING
    for inner in _inner(text):
        total |= reach(inner, "", known, depth + 1)
    return total


def _inner(text: str) -> Iterable[str]:
    """The commands inside `$( )` and backticks, the outermost ones."""
    at = 0
    while (found := _SUBSTITUTION.search(text, at)) is not None:
        if found[0] == "`":
            end = text.find("`", found.end())
        else:
            end = _closing(text, found.end())
        if end < 0:
            end = len(text)
        if not text.startswith("$((", found.start()):
            yield text[found.end() : end]
        at = end + 1


def _closing(text: str, at: int) -> int:
    depth = 1
    while at < len(text):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return at
        at += 1
    return -1


def _staged(script: Sequence[Simple]) -> tuple[str, ...] | None:
    """What a script stages for a commit, by path; None if that is not spelled out."""
    found: list[str] = []
    for simple in script:
        words = bare(simple.words)
        texts = [word.text for word in words]
        if texts[:2] == ["git", "add"]:
            if not all(word.certain for word in words) or {".", "-A", "-u", "--all", "--update"} & set(texts):
                return None
            found += (text for text in texts[2:] if not text.startswith("-"))
        elif texts[:2] == ["git", "commit"] and any(re.match(r"-\w*a|--all", text) for text in texts[2:3]):
            return None
    return tuple(join("", text) for text in found)


def _of(
    simple: Simple,
    output: str,
    known: Known,
    folder: str,
    depth: int,
    staged: tuple[str, ...] | None = None,
) -> Reach:
    words = bare(simple.words)
    if simple.words and simple.words[0].text == "sudo" and simple.words[1:2] == (Word("-u"),):
        words = bare(simple.words[3:])
    if not words:
        return NOTHING
    name = words[0].text.replace("\\", "/").rsplit("/", 1)[-1]
    name = name.removesuffix(".cmd").removesuffix(".exe")
    found = changed(simple)
    if len(words) > 1 and words[-1].text in ("--help", "--version", "-h", "-V"):
        return NOTHING
    if (found.wild or found.files) and (tidied := _tidied(name, words, found.files, folder)) is not None:
        return Reach(made=True, tidied=(tidied,))
    if found.wild:
        return _wild(name, words, folder)
    if name in ("python", "python3", "node", "bash", "sh", "zsh", "deno", "ruby", "perl", "tsx", "ts-node", "php"):
        return _interpreter(name, words[1:], simple, known, folder, depth)
    if name == "xargs":
        at = 1
        while at < len(words) and words[at].text.startswith("-"):
            at += 2 if words[at].text in ("-n", "-I", "-P", "-L", "-d") else 1
        inner = words[at:]
        return _of(Simple("", tuple(inner)), output, known, folder, depth) if inner else NOTHING
    if name == "git":
        return _git(words, output, staged)
    if name in READERS:
        return NOTHING
    if name in WORKERS:
        return _work(name, words[1:], output)
    path = words[0].text
    if "/" in path or "." in path:
        return _script(path, known, folder)
    if name in REWRITERS or not words[0].certain:
        return ANYTHING
    named = (word.text for word in words[1:] if not word.text.startswith("-") and len(word.text) > 2)
    return Reach(made=True, names=tuple(join(folder, text) for text in named))


def _tidied(name: str, words: Sequence[Word], files: Sequence[Word], folder: str) -> Tidied | None:
    """The formatter that a command runs, if it is one that rewrites files."""
    names = tuple(join(folder, word.text) for word in files)
    texts = [word.text for word in words]
    if name in LANGUAGES:
        return Tidied(name, LANGUAGES[name], names)
    if name in ("prettier", "eslint", "biome", "stylelint", "standard", "oxlint"):
        return Tidied(name, (), names)
    if name in ("npm", "pnpm", "yarn", "bun") and (task := _task(_tasks(words[1:]))) and not files:
        return Tidied(task) if _TIDYING.fullmatch(task) else None
    return Tidied("make") if name in ("make", "just") and any(map(_TIDYING.fullmatch, texts[1:])) else None


def _task(tasks: Sequence[str]) -> str:
    """What a package manager is told to run."""
    return tasks[1] if tasks[:1] == ["run"] and len(tasks) > 1 else tasks[0] if tasks else ""


def _wild(name: str, words: Sequence[Word], folder: str) -> Reach:
    """A command that names no single files: the folder it removes, or the language it formats."""
    if name in ("rm", "git") and all(word.certain for word in words):
        verb = [word.text for word in words[:2]]
        rest = words[2:] if verb == ["git", "rm"] else words[1:] if name == "rm" else []
        gone = [word.text for word in rest if not word.text.startswith("-")]
        if gone and all(text not in (".", "..", "/", "*", "~") and "*" not in text for text in gone):
            return Reach(folders=tuple(join(folder, text) for text in gone))
        return ANYTHING
    return ANYTHING


def _git(words: Sequence[Word], output: str, staged: tuple[str, ...] | None) -> Reach:
    texts = [word.text for word in words]
    if "commit" not in texts or "--no-verify" in texts:
        return NOTHING
    made = _COMMITTED.search(output)
    if made is not None and not _HOOKS.search(output) and not output[: made.start()].strip():
        return NOTHING
    return ANYTHING if staged is None else Reach(tidied=(Tidied("commit", (), staged, True),))


def _work(name: str, words: Sequence[Word], output: str) -> Reach:
    tasks = _tasks(words)
    if name in ("make", "just"):
        return WORK if tasks and all(_TASKS.fullmatch(task) for task in tasks) else ANYTHING
    if name in ("npm", "pnpm", "yarn", "bun"):
        task = _task(tasks)
        said = [line for line in _ECHOED.findall(output) if line != task]
        if said and task not in ("install", "i", "ci", "add"):
            total = WORK
            for line in said:
                total |= reach(line, "", lambda path: None, 2)
            return total
        if _TIDYING.fullmatch(task):
            return Reach(made=True, tidied=(Tidied(task),))
        return WORK if not task or _TASKS.fullmatch(task) else ANYTHING
    if name == "go" and tasks[:1] in (["mod"], ["get"], ["work"]):
        return Reach(made=True, names=("go.mod", "go.sum", "go.work"))
    if name in ("cargo", "go", "deno"):
        return WORK if not tasks or _TASKS.fullmatch(tasks[0]) else ANYTHING
    if name == "prisma":
        return ANYTHING if tasks[:1] == ["format"] else WORK
    if name in ("opencode", "claude", "codex", "gemini"):
        return NOTHING if tasks[:1] in (["export"], ["session"], ["stats"], ["models"], ["mcp"]) else ANYTHING
    return WORK


def _tasks(words: Sequence[Word]) -> list[str]:
    """The words that are no flags and no values of the flags that name a workspace."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip or word.text.startswith("-"):
            skip = not skip and word.text in _VALUED
            continue
        found.append(word.text)
    return found


def _interpreter(name: str, words: Sequence[Word], simple: Simple, known: Known, folder: str, depth: int) -> Reach:
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        if text in ("-c", "-lc", "-e", "--eval", "-p") and at + 1 < len(texts):
            if name in ("bash", "sh", "zsh"):
                return reach(texts[at + 1], "", known, depth + 1)
            return _by_text(texts[at + 1])
        if not text.startswith("-"):
            return _script(text, known, folder)
        if text in ("--version", "-V", "-v", "--help", "-h", "--check"):
            return NOTHING
    if simple.heredoc is not None:
        if name in ("bash", "sh", "zsh"):
            return reach(simple.heredoc, "", known, depth + 1)
        return _by_text(simple.heredoc)
    return NOTHING if name in ("python", "python3", "node") and not texts else ANYTHING


def _script(path: str, known: Known, folder: str) -> Reach:
    """A script in a file: what it may do shows where its text is known."""
    text = known(join(folder, path))
    if text is not None:
        return _by_text(text)
    return WORK if _RUNS_TESTS.search(path) else ANYTHING


def _by_text(text: str) -> Reach:
    """A script by its text: harmless if no word of it writes, else what it spells out, else anything."""
    if not _SUSPECT.search(text):
        return NOTHING
    files = written_by(text).files
    if not files or _UNBOUND.search(text):
        return ANYTHING
    return Reach(names=tuple(join("", word.text) for word in files))


def _powershell(command: str, known: Known) -> Reach:
    """PowerShell: `tools` names what its cmdlets change; programs that it starts are known by name."""
    total = NOTHING
    text = re.sub(r"@(['\"])\r?\n.*?\n\1@", "''", command, flags=re.S)
    text = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", "''", text)
    for piece in re.split(r"[;|\n{}]|&&|\|\|", text):
        words = [Word(word) for word in piece.split()]
        if not words or _CMDLET.fullmatch(words[0].text) or _CONTROL.match(words[0].text):
            continue
        total |= _of(Simple("", tuple(words)), "", known, "", 1)
    return total
