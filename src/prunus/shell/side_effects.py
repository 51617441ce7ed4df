"""How far a shell command may have reached: which files it may have changed beyond those it names.

Commands are known by name. A command that only reads changes nothing. One that works (tests, builds, installs)
leaves sources alone and may rewrite what is made by machines. Formatters change files of their language. Whatever
is not known may have changed anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from prunus.paths import join
from prunus.shell import powershell
from prunus.shell.changers import bare, changed, written_by
from prunus.shell.formatter_runs import TIDYING, Tidied, looked_over, rewritten, tidied
from prunus.shell.git import hooks_kept_files, named_by_git
from prunus.shell.loops import loops, unrolled
from prunus.shell.names import Names
from prunus.shell.programs import READERS, REWRITERS, WEB, WORKERS
from prunus.shell.reached import ANYTHING, NOTHING, WORK, Reach, merged
from prunus.shell.scripts import Known, Scripts
from prunus.shell.words import Simple, Word, simples

__all__ = ["reach"]

_TASKS: Final = re.compile(
    r"(?:pre|post)?(?:test|tests|build|dev|start|serve|preview|typecheck|type-check|types|tsc|e2e|coverage|bench|watch"
    r"|install|ci|i|audit|outdated|ls|list|view|run|exec|why|init|config|root|bin|prefix|cache|ping|version|info|pack"
    r"|check|vet|mod|doc|env|get|clippy|metadata|tree|search|update|up|down|ps|logs|compose|images|inspect|stop|rm"
    r"|html|dirhtml|linkcheck|docs|sync|pip|venv|lock|show|freeze|uninstall|add|remove|clean|--version|-v|-V|--help|-h)(?:[:-][\w:.-]*)?"
)
_RUNS_TESTS: Final = re.compile(
    r"(?:^|/)(?:run_?tests?|runtests|tests?|conftest|manage|setup|check\w*)\.(?:py|sh|js|ts)$"
)
_SHEBANG: Final = re.compile(r"#!.*\b(?:ba|z|da)?sh\b")
_SHELLS: Final = frozenset({"bash", "sh", "zsh"})
_INTERPRETERS: Final = _SHELLS | {"python", "python3", "node", "deno", "ruby", "perl", "tsx", "ts-node", "php"}
_MANAGERS: Final = frozenset({"npm", "pnpm", "yarn", "bun"})
_CHECKED: Final = re.compile(r"No fixes applied\.(?!.*Fixed \d)|fixable with the `--fix` option", re.S)
"""Said by linters that were not told to fix anything, or found nothing to fix."""
_MUTE: Final = frozenset({"-q", "-qq", "--quiet", "-s", "--silent"})
_SUBSTITUTION: Final = re.compile(r"\$\(|`")
_SUSPECT: Final = re.compile(
    r"subprocess|os\.(?:system|remove|rename|replace|unlink|popen)|shutil|exec(?:Sync|File|\()|spawn|child_process"
    r"|fileinput|unlink|rename|\.write|write_text|write_bytes|writeFile|appendFile|truncate"
)
_OPENED: Final = re.compile(r"open\([^)\n]*+")
_TO_WRITE: Final = re.compile(r"['\"][wax]")
_VALUED: Final = frozenset(
    {"-w", "--workspace", "--filter", "-F", "--prefix", "-C", "--dir", "--cwd", "-p", "--package"}
)
_ECHOED: Final = re.compile(r"^(?:> |\$ )(?![\w@/.-]+@[\w.-]+ )(\S.*)$", re.M)
"""Package managers print the command of a task before they run it."""
_MOST_ECHOED: Final = 50
"""Commands that one task runs; each is read beside the whole output."""
_MUCH: Final = 20_000_000
"""Commands times characters of output. Where each of many commands would be looked for in a long output, what they
say there is not read, and they may have changed anything."""
_CMDLET: Final = re.compile(r"[A-Z][A-Za-z]+-[A-Z][A-Za-z]+")
_QUOTED: Final = re.compile(r"(?<!\S)(?P<comment>#)[^\n]*|'[^']*'|\"(?:[^\"`]|`.)*+(?:\"|(?P<open>`?\Z))", re.S)
_HERE: Final = re.compile(r"@(['\"])\r?\n")
_CONTROL: Final = re.compile(
    r"[$({@'\"\[}#%&]|(?:if|else|elseif|foreach|for|while|try|catch|finally|function|param)\b"
)

_UNBOUND: Final = re.compile(
    r"subprocess|os\.(?:system|popen|walk)|child_process|\bexec|spawn|glob|argv|readdir|rmtree"
)
"""Words of a script that writes: what it changes may stand nowhere in its text."""


def reach(command: str, output: str, known: Known) -> Reach:
    """How far a command may have reached, given what it printed and what the scripts it runs hold."""
    return _reach(command, output, Scripts(known), 0)


def _reach(command: str, output: str, known: Scripts, depth: int) -> Reach:
    if depth > 3:
        return ANYTHING
    if powershell.looks_like(command):
        return _powershell(command, known)
    script = simples(command)
    if script is None or len(script) * len(output) > _MUCH:
        return ANYTHING
    total: list[Reach] = []
    folder = ""
    staged = _staged(script)
    values = loops(command) if "for " in command else {}
    for at, simple in enumerate(script):
        if len(simple.words) == 2 and simple.words[0].text == "cd":
            folder = join(folder, simple.words[1].text)
        cut = at + 1 < len(script) and script[at + 1].joint == "|"
        scene = Scene(output, known, folder, depth, staged, cut)
        turns = unrolled(simple, values) if values else None
        before = len(total)
        for each in turns or (simple,):
            total.append(_of(each, scene))
            if styled := _styled(each):
                total.append(Reach(styled=styled))
            if depth or turns:
                # Of other commands `tools` knows which files they name.
                total.append(Reach(names=tuple(join(folder, word.text) for word in changed(each).files)))
        for word in simple.words:
            if not word.certain and _SUBSTITUTION.search(word.text):
                total.append(_substituted(word.text, known, depth))
        if any(one.anything for one in total[before:]):
            break
    return merged(total)


def _styled(simple: Simple) -> tuple[str, ...]:
    words = bare(simple.words)
    return looked_over(words[0].text.rsplit("/", 1)[-1], words) if words else ()


@dataclass(frozen=True, slots=True)
class Scene:
    """Where one simple command stands."""

    output: str
    known: Scripts
    folder: str = ""
    depth: int = 0
    staged: tuple[str, ...] | None = None
    cut: bool = False
    """Its output went through another command."""


def _substituted(text: str, known: Scripts, depth: int) -> Reach:
    return merged(_reach(inner, "", known, depth + 1) for inner in _inner(text))


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


def _of(simple: Simple, scene: Scene) -> Reach:
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
    if name in _MANAGERS:
        return _package(name, words[1:], scene)
    if found.wild or found.files:
        mute = bool(simple.outputs) or not _MUTE.isdisjoint(word.text for word in words)
        said = None if mute else rewritten(name, words, scene.output, scene.cut)
        if said is not None:
            given = (join(scene.folder, word.text) for word in found.files)
            rewrote = Names(said)
            spared = (path for path in given if not rewrote.mean(path))
            return Reach(made=True, names=said, spared=tuple(spared))
        if (one := tidied(name, words, scene.folder, scene.output)) is not None:
            return Reach(made=True, tidied=(one,))
    if found.wild:
        return _wild(name, words, scene)
    if name in _INTERPRETERS:
        return _interpreter(name, words[1:], simple, scene)
    if name == "xargs":
        at = 1
        while at < len(words) and words[at].text.startswith("-"):
            at += 2 if words[at].text in ("-n", "-I", "-P", "-L", "-d") else 1
        inner = words[at:]
        return _of(Simple("", tuple(inner)), scene) if inner else NOTHING
    if name == "git":
        return _git(words, scene)
    if name in READERS:
        return NOTHING
    if name in WORKERS:
        return _work(name, words[1:])
    path = words[0].text
    if " " in path and len(words) == 1:
        # The quotes of `cmd /c`.
        return _reach(path, scene.output, scene.known, scene.depth + 1)
    if "/" in path or "." in path:
        return _script(path, scene)
    if name == "pre-commit" and "Passed" in scene.output and "Failed" not in scene.output and not scene.cut:
        return NOTHING
    if name in REWRITERS or not words[0].certain:
        return ANYTHING
    named = (word.text for word in words[1:] if not word.text.startswith("-") and len(word.text) > 2)
    return Reach(made=True, names=tuple(join(scene.folder, text) for text in named))


def _task(tasks: Sequence[str]) -> str:
    """What a package manager is told to run."""
    return tasks[1] if tasks[:1] == ["run"] and len(tasks) > 1 else tasks[0] if tasks else ""


def _wild(name: str, words: Sequence[Word], scene: Scene) -> Reach:
    """A command that names no single files: the folders it removes or fills, or what git says it changed."""
    texts = [word.text for word in words]
    if name == "git" and texts[1:2] != ["rm"]:
        named = named_by_git(texts[1:], scene.output)
        return ANYTHING if named is None or scene.cut else Reach(names=named)
    if not all(word.certain or word.text == "{}" for word in words):
        return ANYTHING
    operands = [text for text in texts[2 if name == "git" else 1 :] if not text.startswith("-")]
    if name in ("rm", "git"):
        gone = operands
    elif name == "cp" and "-t" not in texts and len(operands) > 1:
        # What is copied stands in the target folder, or is the target.
        gone = operands[-1:]
        if gone[0].rstrip("/") in (".", "./"):
            gone = [text.rstrip("/").rsplit("/", 1)[-1] for text in operands[:-1]]
    elif name == "find" and texts.count("-name") == 1 and not {"-o", "-or", "!", "-not"} & set(texts):
        gone = [texts[texts.index("-name") + 1]]
    else:
        return ANYTHING
    if gone and all(text not in ("", ".", "..", "/", "*", "~") and "*" not in text for text in gone):
        return Reach(folders=tuple(join(scene.folder, text) for text in gone))
    return ANYTHING


def _git(words: Sequence[Word], scene: Scene) -> Reach:
    texts = [word.text for word in words]
    if "commit" not in texts or "--no-verify" in texts:
        return NOTHING
    if not scene.cut and hooks_kept_files(_ECHOED.sub(lambda told: _if_writing(told, scene), scene.output)):
        return NOTHING
    return ANYTHING if scene.staged is None else Reach(tidied=(Tidied("commit", (), scene.staged, True),))


def _if_writing(told: re.Match[str], scene: Scene) -> str:
    """A command that a hook has echoed, if it may change sources."""
    found = _reach(told[1], "", scene.known, scene.depth + 1)
    return told[0] if found.anything or found.tidied or found.names else ""


def _package(name: str, words: Sequence[Word], scene: Scene) -> Reach:
    """A package manager: what the task does that it is told to run."""
    tasks = _tasks(words)
    task = _task(tasks)
    said = [line for line in _ECHOED.findall(scene.output) if line != task]
    if not said and (told := _told(task, words, scene)) is not None:
        said = [told]
    if len(said) > _MOST_ECHOED:
        return ANYTHING
    if said and task not in ("install", "i", "ci", "add"):
        output = "" if scene.cut else _ECHOED.sub("", scene.output)
        return merged((WORK, *(_reach(line, output, scene.known, max(scene.depth, 1) + 1) for line in said)))
    if TIDYING.fullmatch(task):
        tidied_by = () if _CHECKED.search(scene.output) else (Tidied(task),)
        return Reach(made=True, tidied=tidied_by, styled=WEB["biome"])
    return WORK if not task or _TASKS.fullmatch(task) else ANYTHING


def _told(task: str, words: Sequence[Word], scene: Scene) -> str | None:
    """The command of a task, as package.json spells it; None if that is not known."""
    text = scene.known.text(join(scene.folder, "package.json"))
    if text is None or any(word.text in _VALUED for word in words):
        return None
    try:
        scripts = json.loads(text).get("scripts", {})
        steps = [scripts[name] for name in (f"pre{task}", task, f"post{task}") if name in scripts]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None
    if task not in scripts or not all(isinstance(step, str) for step in steps):
        return None
    more = [word.text for word in words]
    rest = " ".join(more[more.index(task) + 1 :]) if task in more else ""
    return " && ".join(steps) + (f" {rest}" if rest and f"post{task}" not in scripts else "")


def _work(name: str, words: Sequence[Word]) -> Reach:
    tasks = _tasks(words)
    if name in ("make", "just"):
        return WORK if tasks and all(_TASKS.fullmatch(task) for task in tasks) else ANYTHING
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


def _interpreter(name: str, words: Sequence[Word], simple: Simple, scene: Scene) -> Reach:
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        if text in ("-c", "-lc", "-e", "--eval", "-p") and at + 1 < len(texts):
            if name in _SHELLS:
                return _reach(texts[at + 1], "", scene.known, scene.depth + 1)
            return _by_text(texts[at + 1])
        if not text.startswith("-"):
            return _script(text, scene)
        if text in ("--version", "-V", "-v", "--help", "-h", "--check") or (text == "-n" and name in _SHELLS):
            return NOTHING
    if simple.heredoc is not None:
        if name in _SHELLS:
            return _reach(simple.heredoc, "", scene.known, scene.depth + 1)
        return _by_text(simple.heredoc)
    return NOTHING if name in ("python", "python3", "node") and not texts else ANYTHING


def _script(path: str, scene: Scene) -> Reach:
    """A script in a file: what it may do shows where its text is known."""
    full = join(scene.folder, path)
    text = scene.known.text(full)
    if text is None:
        return WORK if _RUNS_TESTS.search(path) else ANYTHING

    def find() -> Reach:
        if path.endswith((".sh", ".bash", ".zsh")) or _SHEBANG.match(text):
            return _reach(text, scene.output, scene.known, scene.depth + 1)
        return _by_text(text)

    return scene.known.reached(full, scene.depth, bool(scene.output), find)


def _by_text(text: str) -> Reach:
    """A script by its text: harmless if no word of it writes, else what it spells out, else anything."""
    opened = (found[0] for found in _OPENED.finditer(text))
    if not _SUSPECT.search(text) and not any(map(_TO_WRITE.search, opened)):
        return NOTHING
    files = written_by(text).files
    if not files or _UNBOUND.search(text):
        return ANYTHING
    return Reach(names=tuple(join("", word.text) for word in files))


def _powershell(command: str, known: Scripts) -> Reach:
    """PowerShell: `tools` names what its cmdlets change; programs that it starts are known by name."""
    total: list[Reach] = []
    for piece in re.split(r"[;|\n{}]|&&|\|\|", _without_strings(command)):
        words = [Word(word) for word in piece.split()]
        if not words or _CMDLET.fullmatch(words[0].text) or _CONTROL.match(words[0].text):
            continue
        total.append(_of(Simple("", tuple(words)), Scene("", known, depth=1)))
    return merged(total)


def _without_strings(command: str) -> str:
    """A PowerShell command with every string made empty, and without comments."""
    pieces: list[str] = []
    unclosed: set[str] = set()
    at = 0
    for here in _HERE.finditer(command):
        if here.start() < at or here[1] in unclosed:
            continue
        end = command.find(f"\n{here[1]}@", here.end())
        if end < 0:
            unclosed.add(here[1])
        else:
            pieces += (command[at : here.start()], "''")
            at = end + 3
    pieces.append(command[at:])
    return _QUOTED.sub(_emptied, "".join(pieces))


def _emptied(found: re.Match[str]) -> str:
    if found["open"] is not None:
        # A string that does not end hides nothing of what follows.
        return found[0]
    return "" if found["comment"] else "''"
