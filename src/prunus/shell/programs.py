"""The table of programs: what each one prints, says, changes, and does to files that it is not given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from prunus.calls.changes import patched_files
from prunus.shell import changing, printing, seeking, tasks
from prunus.shell.changes import NOTHING, WILD, Changes, Incidental, PathChange, limited
from prunus.shell.formatters import FORMATTERS, Formatter, formatter_changes
from prunus.shell.git import git_changes
from prunus.shell.printing import Printed
from prunus.shell.tasks import ProgramKind, without_runners
from prunus.shell.words import Simple, Word


@dataclass(frozen=True, slots=True)
class Program:
    """One row of the table. Its functions are given the words behind the name of the program."""

    kind: ProgramKind
    prints: Callable[[Sequence[Word]], Printed | None] | None = None
    """The lines of files that the program prints."""
    output: Literal["", "nothing", "words", "result"] = ""
    """What else a program prints that succeeds: nothing, words of its own, its result alone, or anything."""
    idle: bool = False
    """The program does nothing but print words or set up the shell."""
    says: Callable[[Sequence[Word], Simple], str | None] | None = None
    """The text that the program prints, as far as the command spells it out."""
    changes: Callable[[Sequence[Word], Simple], Changes] | None = None
    """What the program changes; redirections are not included."""
    seeks: Callable[[Sequence[Word], Simple], Iterator[str]] | None = None
    """The texts that the program looks for in the files that it edits."""
    kind_of: Callable[[Sequence[str]], ProgramKind] | None = None
    """The kind by the tasks that the program is given, where it depends on them."""
    script: Literal["", "shell", "other"] = ""
    """Whether the program runs a script, and in which language."""
    formatter: Formatter | None = None


def program_of(words: Sequence[Word]) -> tuple[str, Program]:
    """The name of the program that a command without runners runs, without its folder, and its row."""
    name = words[0].text if words else ""
    if not name.isalnum():
        name = name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".cmd").removesuffix(".exe")
    return name, PROGRAMS.get(name, UNKNOWN)


def changes_of(program: Program, words: Sequence[Word], simple: Simple) -> Changes:
    """What a program and its redirections change, given the words behind its name."""
    found = program.changes(words, simple) if program.changes else NOTHING
    if simple.heredoc or simple.outputs or simple.others:
        found = _with_redirections(found, words, simple, program)
    return found


def _run_by(words: Sequence[Word], simple: Simple) -> Changes:
    """What the command changes that another program runs."""
    inner = without_runners(words)
    name, program = program_of(inner)
    return NOTHING if name in ("", "find", "xargs") else changes_of(program, inner[1:], simple)


def _with_redirections(found: Changes, words: Sequence[Word], simple: Simple, program: Program) -> Changes:
    """The changes of a program together with those of its redirections and of a patch in its heredoc."""
    said = changing.written(words, simple, program.says(words, simple)) if program.says else Incidental()
    sure = [word.text for word in simple.outputs if word.certain]
    files = [PathChange(text, Incidental() if text.startswith("/dev/") else said) for text in sure]
    files += [PathChange(word.text, Incidental()) for word in simple.others if word.certain]
    if not found.patch and simple.heredoc and "*** Begin Patch" in simple.heredoc:
        # Whatever program reads the patch may apply it.
        parts = patched_files(simple.heredoc)
        paths = (path for part in parts for path in (part.path, part.target) if path)
        files += [PathChange(path, Incidental()) for path in paths]
    return found.and_also(files, wild=not all(word.certain for word in simple.outputs + simple.others))


def run_by_xargs(words: Sequence[Word]) -> Sequence[Word]:
    """The command that `xargs` runs, from the words behind `xargs`."""
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in ("-n", "-I", "-P", "-L", "-d") else 1
    return words[at:]


def _find(words: Sequence[Word], simple: Simple) -> Changes:
    texts = [word.text for word in words]
    at = next((at for at, text in enumerate(texts) if text in ("-delete", "-exec", "-execdir", "-ok")), None)
    if at is None or (texts[at] != "-delete" and _run_by(words[at + 1 :], Simple("", ())) == NOTHING):
        return NOTHING
    sure = all(word.certain or word.text == "{}" for word in words)
    if sure and texts.count("-name") == 1 and {"-o", "-or", "!", "-not"}.isdisjoint(texts):
        return WILD._replace(folders=limited(texts[texts.index("-name") + 1 :][:1]))
    return WILD


def _xargs(words: Sequence[Word], simple: Simple) -> Changes:
    given = Word("{}", certain=False)
    inner = (*run_by_xargs(words), given)
    return NOTHING if _run_by(inner, Simple("", (), heredoc=simple.heredoc)) == NOTHING else WILD


_NODE: Final = Program("works", changes=partial(tasks.manager_changes, manifest="package.json"))
_PYTHON: Final = Program("works", changes=partial(tasks.manager_changes, manifest="pyproject.toml"))
_ROWS: Final[dict[str, Program]] = {
    "cat": Program("reads", printing.cat, says=changing.passed_on),
    "head": Program("reads", printing.head),
    "tail": Program("reads", printing.tail),
    "nl": Program("reads", printing.nl),
    "bat batcat": Program("reads", printing.bat),
    "less more": Program("reads", printing.pager),
    "type": Program("reads", printing.type_),
    "echo printf": Program("reads", output="words", idle=True, says=changing.echoed),
    "clear": Program("reads", output="words", idle=True),
    "date pwd": Program("reads", output="result", idle=True),
    "file grep ls rg stat tree wc": Program("reads", output="result"),
    "true false : set export": Program("reads", output="nothing", idle=True),
    "cd mkdir sleep": Program("reads", output="nothing"),
    "sed gsed": Program("reads", printing.sed_prints, changes=printing.sed_changes, seeks=seeking.by_sed),
    "mv move": Program("reads", changes=changing.move),
    "cp copy ln install": Program("reads", changes=changing.copy),
    "rm del erase unlink": Program("reads", changes=changing.remove),
    "truncate shred": Program("reads", changes=changing.overwrite),
    "tee": Program("reads", changes=changing.tee),
    "curl wget": Program("reads", changes=changing.download),
    "apply_patch applypatch": Program("reads", changes=changing.apply_patch),
    "patch": Program("rewrites", changes=changing.patch),
    "rsync unzip": Program("rewrites", changes=changing.unpack),
    "tar": Program("unknown", changes=changing.tar),
    "git": Program("reads", output="result", changes=git_changes),
    "find": Program("reads", output="result", changes=_find),
    "xargs": Program("reads", changes=_xargs),
    "bash sh zsh": Program("unknown", script="shell"),
    "perl": Program("reads", changes=changing.perl, seeks=seeking.by_perl, script="other"),
    "ruby": Program("reads", changes=changing.perl, script="other"),
    "python python3": Program("reads", changes=changing.code, seeks=seeking.by_python, script="other"),
    "node": Program("reads", changes=changing.code, script="other"),
    "deno": Program("works", changes=tasks.manager_changes, script="other"),
    "php ts-node tsx": Program("works", script="other"),
    "npm pnpm yarn bun": _NODE,
    "uv poetry": _PYTHON,
    "make just": Program("works", changes=tasks.maker_changes, kind_of=tasks.kind_of_all),
    "prisma": Program("works", kind_of=tasks.kind_of_prisma),
    "opencode claude codex gemini": Program("works", kind_of=tasks.kind_of_agent),
    "go": Program("works", changes=tasks.go_changes, kind_of=tasks.kind_of_first, formatter=FORMATTERS["go"]),
    "cargo": Program(
        "works",
        changes=partial(tasks.manager_changes, manifest="Cargo.toml"),
        kind_of=tasks.kind_of_first,
        formatter=FORMATTERS["cargo"],
    ),
}
"""Programs of which more is known than their kind, formatters aside."""
_READS: Final = """
    . [ [[ ack ag alias awk base64 basename bc bg break cal chmod choco chown cksum cls cmp column comm command
    continue cut declare defaults df diff dig dir dirname diskutil disown do done du egrep else env esac eval exa
    exit expr eza fd fdfind ffprobe fg fgrep fi findstr free gawk gh groups hash help hexdump history host
    hostname id identify ifconfig ip jobs join jq json_pp kill killall launchctl ll local locate log lsblk lsof
    man md5 md5sum mount nc netstat nohup nslookup od open openssl osascript paste pbcopy pbpaste pgrep ping
    pkill popd printenv ps pushd read readlink readonly realpath return rev rmdir rtk say scp screen seq sha1sum
    sha256sum shasum shift sort source ss ssh ssh-keygen ssh-keyscan stdbuf strings sw_vers tac taskkill tasklist
    test then time tmux top touch tput tr trap ulimit umask uname uniq unset uptime ver wait where whereis which
    whoami winget xdg-open xmllint xxd yes yq
"""
_WORKS: Final = """
    ./gradlew ./mvnw alembic anchor ansible apt apt-get ar artisan asdf ava aws az bandit bazel brew bundle c++
    cast cc clang clang++ cmake compileall composer conda coverage createdb ctest cypress django-admin docker
    docker-compose dot dropdb electron esbuild expo firebase flake8 flask flyctl fnm forge g++ gcc gcloud gem
    gradle gradlew gunicorn hardhat hatch helm heroku http.server hugo java javac jekyll jest json.tool jupyter
    karma kotlinc kubectl ld meson minitest mkdocs mocha mongo mongosh mvn mvnw mypy mysql mysqladmin netlify
    next ninja node-gyp nox nvm nx parcel pdm pg_dump pg_isready phpunit pip pip3 pipenv playwright podman psql
    py.test py_compile pylint pyright pytest rails railway rake react-native redis-cli rollup rspec rustc rustup
    sbt scalac solana solana-test-validator sphinx-build sqlite3 streamlit surfpool svelte-check swift tap tauri
    timeit tox tsc turbo ty unittest uvicorn venv vercel vite vitest vue-tsc webpack wp wrangler xcodebuild zig
"""
_REWRITES: Final = """
    2to3 7z aider alejandra amp ast-grep astyle autoflake buf bump2version bumpversion changeset codemod comby
    cookiecutter copier crush cursor cursor-agent djlint docformatter dos2unix dprint droid ed emacs entr ex
    expand google-java-format goose graphql-codegen hg husky iconv indent jj jscodeshift kimi ktlint lefthook
    lerna lint-staged llm nano ncu ng nixfmt nodemon npm-check-updates nvim ollama openapi-generator
    openapi-generator-cli orval plop pre-commit protoc pyupgrade quicktype qwen recode rome scalafmt schematics
    semantic-release sg sort-package-json sqlc sqlfluff stylua svn swift-format taplo uncrustify unexpand
    unix2dos vi vim watchexec xo yo
"""
PROGRAMS: Final[dict[str, Program]] = {
    **dict.fromkeys(_READS.split(), Program("reads")),
    **dict.fromkeys(_WORKS.split(), Program("works")),
    **dict.fromkeys(_REWRITES.split(), Program("rewrites")),
    **{
        name: Program(
            "unknown" if name == "dart" else "works", changes=partial(formatter_changes, row), formatter=row
        )
        for name, row in FORMATTERS.items()
    },
    **{name: program for names, program in _ROWS.items() for name in names.split()},
}
UNKNOWN: Final = Program("unknown")
"""The row of every program that the table does not know."""
