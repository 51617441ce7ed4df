"""Which files the common programs change, by the words on their command line.

Each function fills the column `changes` of a row in the table of programs; some say what the program prints.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from prunus.calls.changes import Append, Delete, FileChange, Rename, Unclear, Write, patched_files
from prunus.shell.changes import (
    NOTHING,
    WILD,
    Changes,
    Incidental,
    PathChange,
    each,
    is_named_file,
    letters,
    limited,
    operands,
    value_of,
)
from prunus.shell.words import Simple, Word

_LITERAL = re.compile(r"""(['"])([^'"\n]*?[\w\])]\.[A-Za-z]\w{0,9})\1""")
_WRITES = re.compile(r"""\.write|write_text|write_bytes|writeFile|appendFile|,\s*(?:mode=)?['"](?:[wax]|r\+)b?""")
_SUSPECT = re.compile(
    r"subprocess|os\.(?:system|remove|rename|replace|unlink|popen)|shutil|exec(?:Sync|File|\()|spawn|child_process"
    r"|fileinput|unlink|rename|\.write|write_text|write_bytes|writeFile|appendFile|truncate|runpy"
    r"|\b(?:rm|cp|copyFile)(?:Sync)?\(|createWriteStream|\.to_(?:csv|json|excel|parquet)\(|\.save\w*\(\s*f?['\"]"
    r"|extractall|urlretrieve|FileUtils|file_put_contents"
)
_OPENED = re.compile(r"open\b\(?(?:[^()\n;]|\([^()\n]*\))*+")
_TO_WRITE = re.compile(r"['\"](?:[wax]|\+?>)")
_UNBOUND = re.compile(r"subprocess|os\.(?:system|popen|walk)|child_process|\bexec|spawn|glob|argv|readdir|rmtree")
"""Words of a script that may change files which its text does not name."""
_COPY_VALUED = frozenset({"-t", "--target-directory", "-m", "-o", "-g", "-S"})
_NO_FILE = re.compile(r"-|/dev/|http|(?:nul|\$null)$", re.I)
_ECHO_FLAG = re.compile(r"-[neE]+")


def _recursive(words: Sequence[Word], flags: str) -> bool:
    return not set(flags).isdisjoint(letters(words)) or any(word.text == "--recursive" for word in words)


# Programs that copy, move and remove.


def _placed(source: str, target: str, folder: bool, change: FileChange) -> tuple[PathChange, ...]:
    """The file that a copy or a move makes, and the other place where it may stand if that is in doubt."""
    name = source.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    below = f"{target.rstrip('/')}/{name}"
    if folder or target in (".", "..") or target.endswith("/"):
        return (PathChange(below, change),)
    if is_named_file(target):
        return (PathChange(target, change),)
    if "." in source and "." not in target.rsplit("/", 1)[-1]:
        return PathChange(target, Incidental()), PathChange(below, change)
    return PathChange(target, change), PathChange(below, Incidental())


def _sources(words: Sequence[Word]) -> tuple[list[Word], Word | None, bool]:
    """The sources and the target of a copy or a move, and whether the target has to be a folder."""
    files = operands(words, _COPY_VALUED)
    if (folder := value_of(words, "-t", "--target-directory")) is not None:
        return files, folder, True
    return (files[:-1], files[-1], len(files) > 2) if len(files) > 1 else (files, None, False)


def move(words: Sequence[Word], simple: Simple) -> Changes:
    sources, target, folder = _sources(words)
    if target is None:
        return NOTHING
    found = each(sources, Incidental())
    if not target.certain:
        return found._replace(wild=True)
    files = list(each([target], Incidental()).files) if found.wild else []
    for source in (file.path for file in found.files):
        files += _placed(source, target.text, folder, Rename(source))
    return Changes(tuple(files), wild=found.wild)


def copy(words: Sequence[Word], simple: Simple) -> Changes:
    sources, target, folder = _sources(words)
    if target is None or not target.certain:
        return NOTHING if target is None else WILD
    into_file = not folder and is_named_file(target.text)
    known = [word.text for word in sources if word.certain or into_file]
    files = () if len(known) == len(sources) else each([target], Incidental()).files
    files += tuple(file for source in known for file in _placed(source, target.text, folder, Unclear()))
    if len(known) == len(sources) and not _recursive(words, "rRa"):
        return Changes(files)
    # The copies stand in the target folder, or the target is a copy itself.
    here = target.text.rstrip("/") == "." and len(known) == len(sources)
    return Changes(files, wild=True, folders=limited([file.path for file in files] if here else [target.text]))


def remove(words: Sequence[Word], simple: Simple) -> Changes:
    files = operands(words)
    found = each(files, Delete())
    if found.wild or not _recursive(words, "rR") or all(is_named_file(word.text) for word in files):
        return found
    return found._replace(wild=True, folders=limited([word.text for word in files]))


def overwrite(words: Sequence[Word], simple: Simple) -> Changes:
    return each(operands(words, frozenset({"-s", "-n"})), Unclear())


# Programs that write a text.


def echoed(words: Sequence[Word], simple: Simple) -> str | None:
    """The line that `echo` or `printf` prints; None if an expansion is part of it."""
    at = next((at for at, word in enumerate(words) if not _ECHO_FLAG.fullmatch(word.text)), len(words))
    if not all(word.certain for word in words):
        return None
    return " ".join(word.text for word in words[at:]) + ("" if "n" in letters(words[:at]) else "\n")


def passed_on(words: Sequence[Word], simple: Simple) -> str | None:
    """The heredoc that `cat` prints and `tee` writes."""
    text = simple.heredoc
    return text + "\n" if text and not text.endswith("\n") else text


def written(words: Sequence[Word], simple: Simple, text: str | None) -> FileChange | Incidental:
    """What a redirection does to its file, given the text that the program prints as far as it is spelled out."""
    if simple.appends:
        return Append(text)
    if text is None and not operands(words):
        return Incidental()
    return Write(text, simple.verbatim and not words and len(simple.outputs) == 1 and not simple.conditional)


def tee(words: Sequence[Word], simple: Simple) -> Changes:
    files = [word for word in operands(words) if not word.text.startswith("/dev/")]
    text = passed_on(words, simple)
    if "a" in letters(words) or any(word.text == "--append" for word in words):
        return each(files, Append(text))
    return each(files, Incidental() if text is None else Write(text, verbatim=False))


def into_output(words: Sequence[Word], simple: Simple, letter: str = "o", long: str = "--output") -> Changes:
    """A program that writes the file behind a flag, such as `-o`."""
    short = re.compile(rf"-[fgikLqsSv#]*{letter}")
    files = [Word(word.text[len(long) + 1 :], word.certain) for word in words if word.text.startswith(f"{long}=")]
    for flag, word in pairwise(words):
        if (flag.text == long or short.fullmatch(flag.text)) and not _NO_FILE.match(word.text):
            files.append(word)
    return each(files, Incidental())


def curl(words: Sequence[Word], simple: Simple) -> Changes:
    found = into_output(words, simple)
    named = any(re.fullmatch(r"-[fgikLsSv#]*O[fgiJkLsSv]*|--remote-name", word.text) for word in words)
    return found.and_also(_named_by_address(words), wild=False) if named else found


def wget(words: Sequence[Word], simple: Simple) -> Changes:
    if "O" in letters(words) or any(word.text.startswith("--output-document") for word in words):
        return into_output(words, simple, "O", "--output-document")
    return Changes(_named_by_address(words))


def _named_by_address(words: Sequence[Word]) -> tuple[PathChange, ...]:
    """The files that a download names after its addresses."""
    addresses = (word.text for word in words if word.text.startswith("http"))
    names = (re.split(r"[?#]", text)[0].rsplit("/", 1)[-1] for text in addresses)
    return tuple(PathChange(name, Incidental()) for name in names if "." in name and "$" not in name)


def in_place(words: Sequence[Word], simple: Simple, valued: str = "") -> Changes:
    """A program such as `yq -i`, which edits the files behind its expression."""
    if any(re.fullmatch(r"-[A-Za-z]*i|--in-?place", word.text) for word in words):
        return each(operands(words, frozenset(valued.split()))[1:], Unclear())
    return NOTHING


def last_of_two(words: Sequence[Word], simple: Simple) -> Changes:
    """A program that reads its first file and writes the second one."""
    return each(operands(words, frozenset({"--indent"}))[1:2], Unclear())


# Programs that apply a patch or unpack an archive.


def apply_patch(words: Sequence[Word], simple: Simple) -> Changes:
    return Changes(patch=patched_files(simple.heredoc or "\n".join(word.text for word in words)))


def patch(words: Sequence[Word], simple: Simple) -> Changes:
    if any(word.text == "--dry-run" for word in words):
        return NOTHING
    parts = patched_files(simple.heredoc or "")
    if files := operands(words, frozenset({"-i", "-p", "-d", "--directory", "-o"})):
        only = replace(parts[0], path=files[0].text, target="") if len(parts) == 1 else None
        return Changes(patch=(only,)) if only and files[0].certain else each(files[:1], Unclear())
    folder = value_of(words, "-d", "--directory")
    return Changes(patch=parts, wild=not parts or not all(part.sound for part in parts)).below(
        folder.text if folder else ""
    )


def unpack(words: Sequence[Word], simple: Simple) -> Changes:
    return WILD


def tar(words: Sequence[Word], simple: Simple) -> Changes:
    unpacks = "x" in letters(words) or (words and re.match(r"[a-zA-Z]*x", words[0].text))
    return WILD if unpacks or any(word.text in ("--extract", "--get") for word in words) else NOTHING


# Programs that run a script.


def perl(words: Sequence[Word], simple: Simple) -> Changes:
    if any(re.match(r"-[a-zA-Z0]*i", word.text) for word in words):
        valued = frozenset(word.text for word in words if re.fullmatch(r"-[a-zA-Z0]*e", word.text))
        return each(operands(words, valued), Unclear())
    return code(words, simple)


def code(words: Sequence[Word], simple: Simple) -> Changes:
    """A script on the command line: the paths in its text, if the script writes at all."""
    for at, word in enumerate(words):
        if word.text in ("-c", "-e", "--eval") and at + 1 < len(words):
            return _unclear(written_by(words[at + 1].text))
        if not word.text.startswith("-"):
            return NOTHING
    return _unclear(written_by(simple.heredoc)) if simple.heredoc else NOTHING


def _unclear(paths: Sequence[str]) -> Changes:
    return Changes(tuple(PathChange(path, Unclear()) for path in paths))


def writes(script: str) -> bool:
    """Whether a Python or JavaScript text writes to a file or a stream."""
    return _WRITES.search(script) is not None


def written_by(script: str) -> tuple[str, ...]:
    """The files that a Python or JavaScript text names, if the text writes any file."""
    if not writes(script):
        return ()
    return tuple(dict.fromkeys(text for _, text in _LITERAL.findall(script) if " " not in text))


def script_changes(script: str) -> Changes:
    """What a script may change, by its text: nothing if no word of it writes, else the files that it names."""
    opened = (found[0] for found in _OPENED.finditer(script))
    if not _SUSPECT.search(script) and not any(map(_TO_WRITE.search, opened)):
        return NOTHING
    paths = written_by(script)
    unbound = _UNBOUND.search(script) is not None or any("{" in path or "$" in path for path in paths)
    return WILD if unbound or not paths else _unclear(paths)
