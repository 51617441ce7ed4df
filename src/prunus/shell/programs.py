"""The table of programs: what each one prints, what it changes, and what it does to files that it is not given.

`steps` reads a command as the programs that it runs. Everything that looks into a command starts from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from prunus.shell import changing, printing
from prunus.shell.changing import MANAGERS, NOTHING, RUN_WORDS, WILD, Changed
from prunus.shell.formatters import FORMATTERS, formatter_changes
from prunus.shell.git import git_changes
from prunus.shell.printing import Printed
from prunus.shell.words import Simple, Word, simples

ProgramKind = Literal["reads", "works", "rewrites", "unknown"]
"""What a program does to files that it is not given by name: a program that *reads* changes none, one that *works*
(tests, builds, installs) leaves sources alone, one that *rewrites* may change any."""


@dataclass(frozen=True, slots=True)
class Program:
    """One row of the table."""

    kind: ProgramKind
    prints: Callable[[Sequence[Word]], Printed | None] | None = None
    """The lines that the program prints, from the words behind its name."""
    changes: Callable[[Sequence[Word], Simple], Changed] | None = None
    """The files that the program changes, from the words behind its name."""


class ShellStep(NamedTuple):
    """One simple command of a script, with the program that it runs."""

    simple: Simple
    words: Sequence[Word]
    """The words without runners in front, such as sudo, env or npx."""
    name: str
    """The program without its folder; empty if the command runs none."""
    program: Program
    changed: Changed
    """The files that the program changes, by its words; redirections not included."""

    @property
    def texts(self) -> list[str]:
        """The words of the program as texts."""
        return [word.text for word in self.words]

    @property
    def changes(self) -> Changed:
        """The files that the program and its redirections change."""
        outputs = self.simple.outputs + self.simple.others
        if not outputs:
            return self.changed
        sure = tuple(word for word in outputs if word.certain)
        return Changed(self.changed.files + sure, self.changed.wild or len(sure) < len(outputs))

    @property
    def printed(self) -> Printed | None:
        """The lines that the program prints; None if printing lines is not all it does."""
        return self.program.prints(self.words[1:]) if self.program.prints else None


@lru_cache(maxsize=32)
def steps(command: str) -> tuple[ShellStep, ...] | None:
    """The programs that a command runs, in order; None if the command cannot be read.

    The newest commands are kept, as several readers look at the same one when its call comes in.
    """
    script = simples(command)
    return None if script is None else tuple(map(step_of, script))


def step_of(simple: Simple) -> ShellStep:
    """One simple command with its program."""
    words = without_runners(simple.words)
    name = words[0].text if words else ""
    if not name.isalnum():
        name = name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".cmd").removesuffix(".exe")
    program = PROGRAMS.get(name, _UNKNOWN)
    found = NOTHING
    if program.changes:
        found = program.changes(words[1:], simple)
    elif name in FORMATTERS:
        found = formatter_changes(name, words[1:])
    return ShellStep(simple, words, name, program, found)


def pipelines(script: Sequence[ShellStep]) -> Iterator[tuple[ShellStep, ...]]:
    """Groups of steps that are joined by pipes."""
    group: list[ShellStep] = []
    for step in script:
        if group and step.simple.joint != "|":
            yield tuple(group)
            group = []
        group.append(step)
    if group:
        yield tuple(group)


def without_runners(words: Sequence[Word]) -> Sequence[Word]:
    """A command without the runners in front, such as sudo, env or npx."""
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
        elif first in MANAGERS and size - at > 2 and words[at + 1].text in RUN_WORDS:
            if words[at + 1].text == "run" and first in ("npm", "pnpm", "yarn", "bun"):
                break
            at += 2
        else:
            break
    return words[at:]


def run_by_xargs(words: Sequence[Word]) -> Sequence[Word]:
    """The command that `xargs` runs, from the words behind `xargs`."""
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in ("-n", "-I", "-P", "-L", "-d") else 1
    return words[at:]


def _find(words: Sequence[Word], simple: Simple) -> Changed:
    for at, word in enumerate(words):
        if word.text == "-delete":
            return WILD
        if word.text in ("-exec", "-execdir", "-ok"):
            inner = tuple(words[at + 1 :])
            if inner and inner[0].text not in ("find", "xargs") and step_of(Simple("", inner)).changes != NOTHING:
                return WILD
    return NOTHING


def _xargs(words: Sequence[Word], simple: Simple) -> Changed:
    inner = tuple(run_by_xargs(words))
    name = inner[0].text if inner else ""
    if name in ("", "find", "xargs"):
        return NOTHING
    if name in ("rm", "mv", "cp", "tee", "truncate") or (
        name in ("sed", "perl") and any(re.match(r"-[a-zA-Z]*i", word.text) for word in inner)
    ):
        return WILD
    return WILD if step_of(Simple("", inner, heredoc=simple.heredoc)).changes != NOTHING else NOTHING


_ROWS: Final[dict[str, Program]] = {
    "cat": Program("reads", printing.cat),
    "head": Program("reads", printing.head),
    "tail": Program("reads", printing.tail),
    "nl": Program("reads", printing.nl),
    "bat batcat": Program("reads", printing.bat),
    "less more": Program("reads", printing.pager),
    "type": Program("reads", printing.type_),
    "sed gsed": Program("reads", printing.sed_prints, printing.sed_changes),
    "mv move": Program("reads", changes=changing.move),
    "cp copy ln install": Program("reads", changes=changing.copy),
    "rm del erase": Program("reads", changes=changing.remove),
    "unlink truncate shred": Program("reads", changes=changing.all_operands),
    "tee": Program("reads", changes=changing.tee),
    "curl wget": Program("reads", changes=changing.download),
    "patch": Program("rewrites", changes=changing.patch),
    "rsync unzip": Program("rewrites", changes=changing.unpack),
    "tar": Program("unknown", changes=changing.tar),
    "git": Program("reads", changes=git_changes),
    "find": Program("reads", changes=_find),
    "xargs": Program("reads", changes=_xargs),
    "perl ruby": Program("reads", changes=changing.perl),
    "python python3 node": Program("reads", changes=changing.code),
    "npm pnpm yarn bun uv poetry cargo deno make just": Program("works", changes=changing.manager),
}
"""Programs that print or change files which their words name."""
_READS: Final = """
    . : [ [[ ack ag alias apply_patch applypatch awk base64 basename bc bg break cal cd chmod choco chown cksum
    clear cls cmp column comm command continue cut date declare defaults df diff dig dir dirname diskutil disown
    do done du echo egrep else env esac eval exa exit export expr eza false fd fdfind ffprobe fg fgrep fi file
    findstr free gawk gh grep groups hash help hexdump history host hostname id identify ifconfig ip jobs join
    jq json_pp kill killall launchctl ll local locate log ls lsblk lsof man md5 md5sum mkdir mount nc netstat
    nohup nslookup od open openssl osascript paste pbcopy pbpaste pgrep ping pkill popd printenv printf ps pushd
    pwd read readlink readonly realpath return rev rg rmdir rtk say scp screen seq set sha1sum sha256sum shasum
    shift sleep sort source ss ssh ssh-keygen ssh-keyscan stat stdbuf strings sw_vers tac taskkill tasklist test
    then time tmux top touch tput tr trap tree true ulimit umask uname uniq unset uptime ver wait wc where
    whereis which whoami winget xdg-open xmllint xxd yes yq
"""
_WORKS: Final = """
    ./gradlew ./mvnw alembic anchor ansible apt apt-get ar artisan asdf autopep8 ava aws az bandit bazel biome
    black brew bundle c++ cast cc clang clang++ clang-format claude cmake codex compileall composer conda
    coverage createdb ctest cypress django-admin docker docker-compose dot dotnet dropdb electron esbuild eslint
    expo firebase flake8 flask flyctl fnm forge g++ gcc gcloud gem gemini go gofmt gofumpt goimports gradle
    gradlew gunicorn hardhat hatch helm heroku http.server hugo isort java javac jekyll jest json.tool jupyter
    karma kotlinc kubectl ld meson minitest mix mkdocs mocha mongo mongosh mvn mvnw mypy mysql mysqladmin
    netlify next ninja node-gyp nox nvm nx opencode oxlint parcel pdm pg_dump pg_isready php phpcbf phpunit pip
    pip3 pipenv playwright podman prettier prisma psql py.test py_compile pylint pyright pytest rails railway
    rake react-native redis-cli rollup rspec rubocop ruff rustc rustfmt rustup sbt scalac shfmt solana
    solana-test-validator sphinx-build sqlite3 standard streamlit stylelint surfpool svelte-check swift
    swiftformat tap tauri terraform timeit tox ts-node tsc tsx turbo ty unittest uvicorn venv vercel vite vitest
    vue-tsc webpack wp wrangler xcodebuild yapf zig
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
    **{name: program for names, program in _ROWS.items() for name in names.split()},
}
_UNKNOWN: Final = Program("unknown")
