"""Which files the common programs change, by the words on their command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from prunus.shell.words import Simple, Word


class Changed(NamedTuple):
    """The files that a command changes."""

    files: tuple[Word, ...] = ()
    wild: bool = False
    """The command may change files that it does not name."""


NOTHING = Changed()
WILD = Changed(wild=True)
FILE = re.compile(r"[^\s]*\.[A-Za-z]\w{0,9}")
"""A word that looks like a file rather than a folder or a branch."""
MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun", "uv", "poetry", "pipenv", "hatch", "pdm", "bundle"})
RUN_WORDS = frozenset({"exec", "run", "dlx", "tool", "x"})
_LITERAL = re.compile(r"""(['"])([^'"\n]*?[\w\])]\.[A-Za-z]\w{0,9})\1""")
_WRITES = re.compile(r"""\.write|write_text|write_bytes|writeFile|appendFile|,\s*(?:mode=)?['"](?:[wax]|r\+)b?""")
_SUSPECT = re.compile(
    r"subprocess|os\.(?:system|remove|rename|replace|unlink|popen)|shutil|exec(?:Sync|File|\()|spawn|child_process"
    r"|fileinput|unlink|rename|\.write|write_text|write_bytes|writeFile|appendFile|truncate"
)
_OPENED = re.compile(r"open\([^)\n]*+")
_TO_WRITE = re.compile(r"['\"][wax]")
_UNBOUND = re.compile(r"subprocess|os\.(?:system|popen|walk)|child_process|\bexec|spawn|glob|argv|readdir|rmtree")
"""Words of a script that may change files which its text does not name."""
_FORMATTING_TASK = re.compile(r"(?:format|fmt|lint:fix|lint-fix|fix|prettier)(?::\w+)?")
_MANIFESTS = {
    "npm": "package.json", "pnpm": "package.json", "yarn": "package.json", "bun": "package.json",
    "cargo": "Cargo.toml", "uv": "pyproject.toml", "poetry": "pyproject.toml",
}  # fmt: skip


def operands(words: Sequence[Word], valued: frozenset[str] = frozenset()) -> list[Word]:
    """The words that are neither flags nor values of the flags in `valued`."""
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


def letters(words: Sequence[Word]) -> str:
    """The letters of the short flags."""
    return "".join(word.text[1:] for word in words if word.text[:1] == "-" and word.text[1:2] != "-")


def named(files: Sequence[Word], wild: bool = False) -> Changed:
    """A change of these files; wild if one of them is a pattern or a whole folder."""
    sure = tuple(word for word in files if word.certain and word.text not in (".", "..", "/", "*"))
    return Changed(sure, wild or len(sure) < len(files))


def perl(words: Sequence[Word], simple: Simple) -> Changed:
    if any(re.match(r"-[a-zA-Z0]*i", word.text) for word in words):
        valued = frozenset(word.text for word in words if re.fullmatch(r"-[a-zA-Z0]*e", word.text))
        return named(operands(words, valued))
    return code(words, simple)


def code(words: Sequence[Word], simple: Simple) -> Changed:
    """A script on the command line: the paths in its text, if the script writes at all."""
    for at, word in enumerate(words):
        if word.text in ("-c", "-e", "--eval") and at + 1 < len(words):
            return written_by(words[at + 1].text)
        if not word.text.startswith("-"):
            return NOTHING
    return written_by(simple.heredoc) if simple.heredoc else NOTHING


def writes(script: str) -> bool:
    """Whether a Python or JavaScript text writes to a file or a stream."""
    return _WRITES.search(script) is not None


def written_by(script: str) -> Changed:
    """The files that a Python or JavaScript text names, if the text writes any file."""
    if not writes(script):
        return NOTHING
    return Changed(tuple(dict.fromkeys(Word(text) for _, text in _LITERAL.findall(script) if " " not in text)))


def script_changes(script: str) -> Changed:
    """What a script may change, by its text: nothing if no word of it writes, else the files that it names."""
    opened = (found[0] for found in _OPENED.finditer(script))
    if not _SUSPECT.search(script) and not any(map(_TO_WRITE.search, opened)):
        return NOTHING
    found = written_by(script)
    return WILD if not found.files or _UNBOUND.search(script) else found


def move(words: Sequence[Word], simple: Simple) -> Changed:
    files = operands(words, frozenset({"-t"}))
    return named(files[:-1] + _targets(files))


def copy(words: Sequence[Word], simple: Simple) -> Changed:
    files = operands(words, frozenset({"-t"}))
    wild = not set("rRa").isdisjoint(letters(words)) or any(word.text == "--recursive" for word in words)
    return Changed(named(_targets(files)).files, wild or any(not word.certain for word in files[-1:]))


def _targets(files: Sequence[Word]) -> list[Word]:
    """Where a move or a copy may put its sources: at the last name, or in a folder of that name."""
    if len(files) < 2:
        return []
    target = files[-1]
    if FILE.fullmatch(target.text):
        return [target]
    names = (word.text.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] for word in files[:-1])
    return [target, *(Word(f"{target.text}/{name}", target.certain) for name in names)]


def remove(words: Sequence[Word], simple: Simple) -> Changed:
    files = operands(words)
    deep = not set("rR").isdisjoint(letters(words)) or any(word.text == "--recursive" for word in words)
    return named(files, wild=deep and not all(FILE.fullmatch(word.text) for word in files))


def tee(words: Sequence[Word], simple: Simple) -> Changed:
    return named([word for word in operands(words) if not word.text.startswith("/dev/")])


def all_operands(words: Sequence[Word], simple: Simple) -> Changed:
    return named(operands(words, frozenset({"-s", "-m", "-o", "-g"})))


def patch(words: Sequence[Word], simple: Simple) -> Changed:
    if any(word.text == "--dry-run" for word in words):
        return NOTHING
    files = operands(words, frozenset({"-i", "-p", "-d", "-o"}))
    return Changed(tuple(files[:1])) if files else WILD


def download(words: Sequence[Word], simple: Simple) -> Changed:
    outputs = [words[at + 1] for at, word in enumerate(words[:-1]) if word.text in ("-o", "-O", "--output")]
    return named([w for w in outputs if not w.text.startswith(("-", "/dev/", "http")) and w.text.lower() != "nul"])


def unpack(words: Sequence[Word], simple: Simple) -> Changed:
    return WILD


def tar(words: Sequence[Word], simple: Simple) -> Changed:
    first = words[0].text if words else ""
    return WILD if "x" in first.split("=")[0] or any(w.text == "--extract" for w in words) else NOTHING


def manager(words: Sequence[Word], simple: Simple) -> Changed:
    """A package manager: it formats by a task of that name, and adding a package changes its manifest."""
    texts = [word.text for word in words]
    if not texts:
        return NOTHING
    known = (word.text for word in simple.words if word.text in MANAGERS or word.text == "cargo")
    name = next(known, simple.words[0].text)
    task = texts[1] if texts[0] in RUN_WORDS and len(texts) > 1 else texts[0]
    if _FORMATTING_TASK.fullmatch(task) and not {"--check", "--dry-run"} & set(texts):
        return WILD
    adds = texts[0] in ("add", "remove", "uninstall", "rm") or (
        texts[0] in ("install", "i") and any(not text.startswith("-") for text in texts[1:])
    )
    if adds and name in _MANIFESTS and "-g" not in texts:
        return Changed((Word(_MANIFESTS[name]),))
    return NOTHING
