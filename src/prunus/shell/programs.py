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
from prunus.shell.tasks import ProgramKind, base_name, without_runners
from prunus.shell.words import Simple, Word

_RUN_OTHERS: Final = frozenset({"", "find", "fd", "fdfind", "xargs", "docker", "podman", "docker-compose"})
"""Programs that are not followed inside each other."""
_EXECUTES: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
_CONTAINER_VALUED: Final = (
    "-e", "--env", "--env-file", "-u", "--user", "-w", "--workdir", "-v", "--volume", "--mount", "--name",
    "--network", "-p", "--publish", "--entrypoint",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Program:
    """One row of the table. Its functions are given the words behind the name of the program."""

    kind: ProgramKind
    prints: Callable[[Sequence[Word]], Printed | None] | None = None
    """The lines of files that the program prints."""
    output: Literal["", "nothing", "words", "result"] = ""
    """What else a program prints that succeeds: nothing, words of its own, its result alone, or anything."""
    lists: bool = False
    """The program prints paths, or lines that it finds in files."""
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
    script: Literal["", "shell", "sourced", "other"] = ""
    """Whether the program runs a script: for a shell, for the shell that runs the command, or another language."""
    formatter: Formatter | None = None


def program_of(words: Sequence[Word]) -> tuple[str, Program]:
    """The name of the program that a command without runners runs, without its folder, and its row."""
    name = base_name(words[0].text) if words else ""
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
    return NOTHING if name in _RUN_OTHERS else changes_of(program, inner[1:], simple)


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


def command_inside(name: str, words: Sequence[Word]) -> Sequence[Word]:
    """The command that `xargs`, `find` or `fd` runs for the files that it finds, from the words behind its name."""
    if name == "xargs":
        at = 0
        while at < len(words) and words[at].text.startswith("-"):
            at += 2 if words[at].text in ("-n", "-I", "-P", "-L", "-d") else 1
        return words[at:]
    at = next((at for at, word in enumerate(words) if word.text in _EXECUTES), len(words))
    end = next((end for end, word in enumerate(words) if end > at and word.text in (";", "+")), len(words))
    return words[at + 1 : end]


def _find(words: Sequence[Word], simple: Simple) -> Changes:
    texts = [word.text for word in words]
    if "-delete" not in texts and _run_by(command_inside("find", words), Simple("", ())) == NOTHING:
        return NOTHING
    sure = all(word.certain or word.text == "{}" for word in words)
    if sure and texts.count("-name") == 1 and {"-o", "-or", "!", "-not"}.isdisjoint(texts):
        return WILD._replace(folders=limited(texts[texts.index("-name") + 1 :][:1]))
    return WILD


def _in_container(words: Sequence[Word], simple: Simple) -> Changes:
    """A command in a container, which may have a folder of the project."""
    at = next((at for at, word in enumerate(words) if word.text in ("exec", "run")), len(words))
    while at + 1 < len(words) and words[at + 1].text.startswith("-"):
        at += 2 if words[at + 1].text in _CONTAINER_VALUED else 1
    return NOTHING if _run_by(words[at + 2 :], Simple("", ())) == NOTHING else WILD


def _xargs(words: Sequence[Word], simple: Simple) -> Changes:
    given = Word("{}", certain=False)
    inner = (*command_inside("xargs", words), given)
    return NOTHING if _run_by(inner, Simple("", (), heredoc=simple.heredoc)) == NOTHING else WILD


def _usually(usual: ProgramKind, other: ProgramKind, *names: str) -> Program:
    """A program of one kind; only the named tasks are of the other kind."""
    return Program(usual, kind_of=partial(tasks.kind_by_name, usual=usual, other=other, names=names))


def _manager(manifest: str) -> Program:
    """A package manager, by the file that lists the packages."""
    return Program("works", changes=partial(tasks.manager_changes, manifest=manifest))


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
    "file stat wc": Program("reads", output="result"),
    "grep ls rg tree": Program("reads", output="result", lists=True),
    "ack ag dir egrep fgrep zgrep Get-ChildItem Select-String": Program("reads", lists=True),
    "true false : set export": Program("reads", output="nothing", idle=True),
    "cd mkdir sleep": Program("reads", output="nothing"),
    "C-c C-d C-z": Program("reads"),  # Keys that terminal tools send to the command that runs.
    "sed gsed": Program("reads", printing.sed_prints, changes=printing.sed_changes, seeks=seeking.by_sed),
    "mv move": Program("reads", changes=changing.move),
    "cp copy ln install": Program("reads", changes=changing.copy),
    "rm del erase unlink": Program("reads", changes=changing.remove),
    "truncate shred": Program("reads", changes=changing.overwrite),
    "tee": Program("reads", changes=changing.tee),
    "curl": Program("reads", changes=changing.curl),
    "wget": Program("reads", changes=changing.wget),
    "sort": Program("reads", changes=changing.into_output),
    "Invoke-WebRequest Invoke-RestMethod iwr irm": Program(
        "reads", changes=partial(changing.into_output, long="-OutFile")
    ),
    "yq": Program("reads", changes=changing.in_place),
    "awk gawk": Program("reads", changes=partial(changing.in_place, valued="-i -v -F -f")),
    "json.tool": Program("reads", changes=changing.last_of_two),
    "apply_patch applypatch": Program("reads", changes=changing.apply_patch),
    "patch": Program("rewrites", changes=changing.patch),
    "rsync unzip": Program("rewrites", changes=changing.unpack),
    "tar": Program("reads", changes=changing.tar),
    "git": Program("reads", output="result", changes=git_changes),
    "find fd fdfind": Program("reads", output="result", lists=True, changes=_find),
    "docker podman docker-compose": Program("works", changes=_in_container),
    "xargs": Program("reads", changes=_xargs),
    "bash sh zsh dash ksh fish powershell pwsh cmd": Program("rewrites", script="shell"),
    "source . eval": Program("reads", script="sourced"),
    "perl": Program("reads", changes=changing.perl, seeks=seeking.by_perl, script="other"),
    "ruby": Program("reads", changes=changing.perl, script="other"),
    "python python3": Program("reads", changes=changing.code, seeks=seeking.by_python, script="other"),
    "node": Program("reads", changes=changing.code, script="other"),
    "deno": Program("works", changes=tasks.manager_changes, script="other"),
    "php ts-node tsx": Program("works", script="other"),
    "npm pnpm yarn bun expo": _manager("package.json"),
    "uv poetry hatch pdm": _manager("pyproject.toml"),
    "pipenv": _manager("Pipfile"),
    "bundle": _manager("Gemfile"),
    "composer": _manager("composer.json"),
    "nx turbo rails rake flutter swift zig": Program(
        "works", changes=tasks.manager_changes, kind_of=tasks.kind_of_first
    ),
    "gradle gradlew mvn mvnw sbt": Program("works", kind_of=tasks.kind_of_named),
    "gh": _usually("reads", "rewrites", "co", "pr checkout", "pr co", "repo sync"),
    "tmux": _usually("reads", "rewrites", "send-keys", "send", "new", "new-session"),
    "make just": Program("works", changes=tasks.maker_changes, kind_of=tasks.kind_of_all),
    "prisma": _usually("works", "rewrites", "format", "init", "db pull"),
    "opencode claude codex gemini": _usually("rewrites", "reads", "export", "session", "stats", "models", "mcp"),
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
    [ [[ alias apropos arch arp base64 basename bc bg break cal chmod choco chown cksum cloc cls cmp colordiff
    column comm command continue cut declare defaults df diff dig dirname diskutil disown dmesg do done du else
    esac exa exit expr eza factor ffprobe fg fi findstr fmt fold free getconf getent groups hash help hexdump
    history host hostname htop id identify ifconfig iostat ip iptables jobs join journalctl jq json_pp kill
    killall launchctl ldd ll local locale locate log lsblk lscpu lsmod lsof lspci man md5 md5sum mktemp mount nc
    netstat nm nmap nproc nslookup objdump od open openssl osascript paste pbcopy pbpaste pgrep pidof ping pkill
    popd pr printenv ps pushd pwdx read readelf readlink readonly realpath return rev rmdir say screen seq sha1sum
    sha256sum sha512sum shasum shellcheck shift shuf ss ssh ssh-keygen ssh-keyscan strings sum sw_vers sysctl tac
    taskkill tasklist tcpdump test then tokei top touch tput tr traceroute trap tty ulimit umask uname uniq unset
    uptime users ver vmstat w wait where whereis which who whoami winget xdg-open xmllint xxd xzcat yamllint yes
    zcat zless
"""
_WORKS: Final = """
    alembic anchor ansible apk apt apt-get ar artisan asdf astro ava aws az babel bandit bazel brew c++ caddy
    cargo-nextest cast cc celery clang clang++ cmake compileall conda coverage createdb ctest cypress django-admin
    dnf dot doxygen dpkg dropdb electron esbuild firebase flake8 flask flyctl fnm forge g++ gatsby gcc gcloud gem
    gunicorn hardhat helm heroku http http.server hugo hypercorn initdb java javac jekyll jest jupyter karma
    kotlinc kubectl ld meson minikube minitest mkdocs mocha mongo mongod mongosh mypy mysql mysqladmin mysqldump
    netlify newman next nginx ngrok ninja node-gyp nox nuxt nvm nyc pacman parcel pg_ctl pg_dump pg_isready
    phpstan phpunit pip pip3 playwright psql py.test py_compile pycodestyle pyflakes pylint pyright pytest railway
    react-native redis-cli redis-server rollup rpm rspec rustc rustup sass scalac semgrep service snap solana
    solana-test-validator sphinx-build sqlite3 streamlit supabase surfpool svelte-check systemctl tailwindcss tap
    tauri timeit tox trivy tsc tsup ty typedoc unittest uvicorn venv vercel vite vitest vue-tsc webpack wp
    wrangler xcodebuild yum
"""
PROGRAMS: Final[dict[str, Program]] = {
    **dict.fromkeys(_READS.split(), Program("reads")),
    **dict.fromkeys(_WORKS.split(), Program("works")),
    **{
        name: Program("works", changes=partial(formatter_changes, row), formatter=row)
        for name, row in FORMATTERS.items()
    },
    **{name: program for names, program in _ROWS.items() for name in names.split()},
}
UNKNOWN: Final = Program("rewrites")
"""The row of every program that the table does not know: it may change any file."""
