"""What shell commands read and change."""

from __future__ import annotations

import pytest

from prunus.calls.touches import Touch
from prunus.shell.shell_command import ShellCommand, parse, parse_list

ALL = (1, None)


def shown(script: ShellCommand) -> list[tuple[str, int, int | None]]:
    return [(t.path, t.span.start, t.span.end) for t in script.touches if t.kind == "read"]


def changed(script: ShellCommand) -> list[str]:
    return [t.path for t in script.touches if t.kind == "change"]


READS = [
    ("cat a.py", [("a.py", *ALL)]),
    ("cat -n ./src/a.py", [("src/a.py", *ALL)]),
    ("cat a.py b.py", [("a.py", *ALL), ("b.py", *ALL)]),
    ("cat < a.py", [("a.py", *ALL)]),
    ("cat 'my file.txt'", [("my file.txt", *ALL)]),
    ("cat my\\ file.txt", [("my file.txt", *ALL)]),
    ("cat src\\lib\\a.ts", [("src/lib/a.ts", *ALL)]),
    ("cat app/[id]/page.tsx", [("app/[id]/page.tsx", *ALL)]),
    ("cat ~/.bashrc 2>/dev/null", [("~/.bashrc", *ALL)]),
    ("cat a.py 2>/dev/null || true", [("a.py", *ALL)]),
    ('cat a.py || echo "not there"', [("a.py", *ALL)]),
    ("sudo cat /etc/hosts", [("/etc/hosts", *ALL)]),
    ("/bin/cat a.py", [("a.py", *ALL)]),
    ("head a.py", [("a.py", 1, 10)]),
    ("head -20 a.py", [("a.py", 1, 20)]),
    ("head -n 20 a.py", [("a.py", 1, 20)]),
    ("head -n20 a.py", [("a.py", 1, 20)]),
    ("head --lines=20 a.py b.py", [("a.py", 1, 20), ("b.py", 1, 20)]),
    ("tail -n 20 a.py", [("a.py", -20, None)]),
    ("tail -20 a.py", [("a.py", -20, None)]),
    ("tail -n +30 a.py", [("a.py", 30, None)]),
    ("sed -n '10,20p' a.py", [("a.py", 10, 20)]),
    ("sed -n 10,20p a.py", [("a.py", 10, 20)]),
    ('sed -n "7p" a.py', [("a.py", 7, 7)]),
    ("sed -n '10,$p' a.py", [("a.py", 10, None)]),
    ("sed -n '10,+5p' a.py", [("a.py", 10, 15)]),
    ("sed -n '1,5p;20,25p' a.py", [("a.py", 1, 5), ("a.py", 20, 25)]),
    ("sed -n -e '1,5p' -e '9p' a.py", [("a.py", 1, 5), ("a.py", 9, 9)]),
    ("sed -n '10,20p;21q' a.py", [("a.py", 10, 20)]),
    ("sed 30q a.py", [("a.py", 1, 30)]),
    ("nl -ba a.py", [("a.py", *ALL)]),
    ("nl -b a -w 4 a.py", [("a.py", *ALL)]),
    ("bat -p a.py", [("a.py", *ALL)]),
    ("less a.py", [("a.py", *ALL)]),
    ("more a.py", [("a.py", *ALL)]),
    ("nl -ba a.py | sed -n '5,9p'", [("a.py", 5, 9)]),
    ("cat -n a.py | head -30", [("a.py", 1, 30)]),
    ("cat a.py | sed -n '1,5p;9p'", [("a.py", 1, 5), ("a.py", 9, 9)]),
    ("cat a.py 2>&1 | tail -5", [("a.py", -5, None)]),
    ("head -100 a.py | tail -20", [("a.py", 81, 100)]),
    ("tail -n +100 a.py | head -20", [("a.py", 100, 119)]),
    ("sed -n '50,$p' a.py | head -n 10", [("a.py", 50, 59)]),
    ("cd src && cat a.py", [("src/a.py", *ALL)]),
    ("cd /w/src && cat ../b.py && cd lib && cat c.py", [("/w/b.py", *ALL), ("/w/src/lib/c.py", *ALL)]),
    ("cat a.py && echo '---' && sed -n '1,5p' b.py", [("a.py", *ALL), ("b.py", 1, 5)]),
    ("pwd; cat a.py; printf '\\n'; cat b.py", [("a.py", *ALL), ("b.py", *ALL)]),
    ("cat a.py\ncat b.py", [("a.py", *ALL), ("b.py", *ALL)]),
    ('D=/w/src\ncat "$D/a.py"', [("/w/src/a.py", *ALL)]),
    ("bash -lc 'cat a.py'", [("a.py", *ALL)]),
    ("bash -lc \"sed -n '1,9p' a.py\"", [("a.py", 1, 9)]),
    ("/bin/bash -c 'cd src && cat a.py'", [("src/a.py", *ALL)]),
    ("sh -c 'cat a.py'", [("a.py", *ALL)]),
    ("cmd /c type src\\a.ts", [("src/a.ts", *ALL)]),
    ('cmd.exe /c "type a.txt"', [("a.txt", *ALL)]),
    ("powershell -Command \"Get-Content 'a b.txt'\"", [("a b.txt", *ALL)]),
    ("powershell.exe -NoProfile -Command Get-Content a.txt -TotalCount 5", [("a.txt", 1, 5)]),
]


@pytest.mark.parametrize(("command", "expected"), READS, ids=[command for command, _ in READS])
def test_a_command_that_only_prints_files_is_a_read(
    command: str, expected: list[tuple[str, int, int | None]]
) -> None:
    script = parse(command)
    assert script.reads
    assert shown(script) == expected


@pytest.mark.parametrize(
    "command",
    [
        "cat a.py | grep x",
        "cat a.py | wc -l",
        "cat a.json | jq .x",
        "cat a.py | awk '{print $1}'",
        "cat a.py | sort",
        "grep -n x a.py",
        "rg x src | head -5",
        "ls -la",
        "find . -name '*.py'",
        "git grep x",
        "wc -l a.py",
        "head -c 200 a.py",
        "head -n -5 a.py",
        "tail -f log.txt",
        "cat *.py",
        "cat $f",
        'cat "$(ls | head -1)"',
        "for f in a b; do cat $f; done",
        "if true; then cat a.py; fi",
        "cat a.py || cat b.py",
        "test -f a.py || cat b.py",
        "cat a.py b.py | head -5",
        "tail -20 a.py | head -5",
        "sed 's/a/b/' a.py",
        "sed -n '/start/,/end/p' a.py",
        "sed -n '1,5p' a.py b.py",
        "awk '/x/' a.py",
        "type node",
        "cat -",
        "cat <<'EOF'\ntext\nEOF",
        "cd $(mktemp -d) && cat a.py",
        "cat a.py &",
        "cat 'a.py",
        "npm run cat a.py",
        "",
    ],
)
def test_nothing_else_counts_as_a_read(command: str) -> None:
    script = parse(command)
    assert not script.reads
    assert shown(script) == []


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("cat a.py 2>/dev/null || echo none", ["a.py"]),
        ("cd src && sleep 1 && cat a.py || echo none", ["src/a.py"]),
        ("ls src && cat a.py || echo none", []),
        ("cat a.py && cat b.py || echo none", ["a.py"]),
        ("ls src; cat a.py || echo none", ["a.py"]),
    ],
)
def test_a_file_behind_a_program_that_may_have_failed_is_not_certainly_shown(
    command: str, shown: list[str]
) -> None:
    assert [touch.path for touch in parse(command).touches] == shown


def test_a_mixed_command_is_no_read_but_shows_the_file() -> None:
    script = parse("git status --short; sed -n '1,9p' a.py")
    assert not script.reads
    assert shown(script) == [("a.py", 1, 9)]


CHANGES = [
    ("echo x > a.txt", ["a.txt"]),
    ("echo x >> a.txt", ["a.txt"]),
    ("npm test &> out.log", ["out.log"]),
    ("make 2> err.log", ["err.log"]),
    ("cat > a.py <<'EOF'\nx = 1\nEOF", ["a.py"]),
    ("cat <<EOF >> a.py\nx = 1\nEOF", ["a.py"]),
    ("echo x | tee -a a.txt b.txt", ["a.txt", "b.txt"]),
    ("sed -i 's/a/b/' a.py", ["a.py"]),
    ("sed -i '' -e 's/a/b/' a.py b.py", ["a.py", "b.py"]),
    ("sed -i.bak 's/a/b/' a.py", ["a.py"]),
    ("perl -pi -e 's/a/b/' a.py", ["a.py"]),
    ("mv a.py b.py", ["a.py", "b.py"]),
    ("mv a.py lib", ["a.py", "lib", "lib/a.py"]),
    ("cp a.py b.py", ["b.py"]),
    ("rm -f a.py b.py", ["a.py", "b.py"]),
    ("truncate -s 0 a.log", ["a.log"]),
    ("git checkout -- a.py b.py", ["a.py", "b.py"]),
    ("git checkout src/a.py", ["src/a.py"]),
    ("git checkout HEAD~1 -- a.py", ["a.py"]),
    ("git restore a.py", ["a.py"]),
    ("git -C sub checkout a.py", ["sub/a.py"]),
    ("git mv a.py b.py", ["a.py", "b.py"]),
    ("patch a.py < fix.diff", ["a.py"]),
    ("curl -s https://x.test/a -o a.html", ["a.html"]),
    ("npx prettier --write src/a.ts", ["src/a.ts"]),
    ("ruff format a.py", ["a.py"]),
    ("gofmt -w a.go", ["a.go"]),
    ("gofmt -l -w a.go", ["a.go"]),
    ("gofmt -w -l a.go b.go", ["a.go", "b.go"]),
    ("black -l 100 a.py", ["a.py"]),
    ("eslint --ext .ts --fix src/a.ts", ["src/a.ts"]),
    ("npm install left-pad", ["package.json"]),
    ("cd sub && rm a.py", ["sub/a.py"]),
    ("(cd sub && rm a.py); rm b.py", ["sub/a.py", "b.py"]),
    ("for i in 1 2; do echo $i >> log.txt; done", ["log.txt"]),
    ("python3 -c \"open('a.py', 'w').write('x')\"", ["a.py"]),
    ("python - <<'EOF'\nfrom pathlib import Path\np = Path('src/a.py')\np.write_text('x')\nEOF", ["src/a.py"]),
    ("cat > fix.py <<'EOF'\nopen('b.py', 'w').write('x')\nEOF\npython fix.py", ["fix.py", "b.py"]),
    ("node -e \"require('fs').writeFileSync('a.json', '1')\"", ["a.json"]),
]


@pytest.mark.parametrize(("command", "expected"), CHANGES, ids=[command for command, _ in CHANGES])
def test_a_command_changes_the_files_it_names(command: str, expected: list[str]) -> None:
    script = parse(command)
    assert changed(script) == expected
    assert not script.reads
    assert not script.wild


@pytest.mark.parametrize(
    "command",
    [
        "git checkout main",
        "git stash",
        "git stash pop",
        "git reset --hard HEAD",
        "git restore .",
        "git pull --rebase",
        "git merge main",
        "git rebase main",
        "git clean -fd",
        "git apply fix.patch",
        "git switch main",
        "git cherry-pick abc",
        "sed -i 's/a/b/' src/*.py",
        "sed -i 's/a/b/' $(grep -rl a src)",
        "grep -rl a src | xargs sed -i 's/a/b/'",
        "find . -name '*.pyc' -delete",
        "find . -name '*.bak' -exec rm {} +",
        "rm -rf build",
        "rm *.log",
        "cp -r a b",
        "npx prettier --write .",
        "black src",
        "cargo fmt",
        "npm run format",
        "pnpm lint:fix",
        "eslint --fix src",
        "eslint --ext .ts --fix src",
        "eslint --fix --ext .ts",
        "gofmt -l -w .",
        "patch -p1 < fix.diff",
        "tar xzf a.tgz",
        "for f in a b; do sed -i 's/a/b/' $f; done",
    ],
)
def test_a_broad_command_may_change_any_file(command: str) -> None:
    assert parse(command).wild


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "git diff > /dev/null",
        "git checkout -b topic",
        "git stash list",
        "git reset HEAD a.py",
        "git restore --staged a.py",
        "git clean -n",
        "git apply --check fix.patch",
        "git rm --cached a.py",
        'git commit -m "rm -rf everything > now"',
        "npm install",
        "npm test 2>&1 | tail -5",
        "python script.py",
        "python -c \"print(open('a.py').read())\"",
        "black --check .",
        "prettier --check .",
        "gofmt -l a.go",
        "find . -name '*.py' -exec grep x {} +",
        "ls | xargs grep x",
        "echo 'a > b'",
        "tar czf - src | wc -c",
        "make 2>/dev/null",
    ],
)
def test_a_harmless_command_changes_nothing(command: str) -> None:
    script = parse(command)
    assert changed(script) == []
    assert not script.wild


def test_touches_keep_the_order_in_which_they_happen() -> None:
    script = parse("sed -i 's/a/b/' a.py && cat a.py")
    assert [touch.kind for touch in script.touches] == ["change", "read"]


@pytest.mark.parametrize(
    "command",
    [
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n@@\n-1\n+2\n*** End Patch\nEOF",
        "cd sub && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ../a.py\n@@\n-1\n+2\n*** End Patch\nEOF",
        "bash -lc \"apply_patch <<'E'\n*** Begin Patch\n*** Update File: a.py\n@@\n-1\n+2\n*** End Patch\nE\n\"",
    ],
)
def test_a_patch_in_a_heredoc_is_an_edit(command: str) -> None:
    script = parse(command)
    assert script.patches
    assert script.touches == (Touch("a.py", "edit"),)


def test_a_list_is_unwrapped_like_a_text() -> None:
    script = parse_list(["bash", "-lc", "sed -n '1,9p' a.py"], "/w")
    assert script.text == "sed -n '1,9p' a.py"
    assert shown(script) == [("/w/a.py", 1, 9)]


def test_a_list_of_plain_arguments_is_quoted() -> None:
    assert shown(parse_list(["cat", "my file.txt"])) == [("my file.txt", *ALL)]


def test_a_list_can_hold_a_patch() -> None:
    script = parse_list(["apply_patch", "*** Begin Patch\n*** Add File: a.py\n+1\n*** End Patch"])
    assert script.patches
    assert script.touches == (Touch("a.py", "write"),)


def test_a_powershell_list_is_read_as_powershell() -> None:
    script = parse_list(["powershell.exe", "-Command", "Get-Content src\\a.ts | Select-Object -First 3"])
    assert shown(script) == [("src/a.ts", 1, 3)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ls   -la", "ls -la"),
        ("  ls -la\n", "ls -la"),
        ("bash -lc 'ls -la'", "ls -la"),
    ],
)
def test_the_key_ignores_blanks_and_wrappers(one: str, other: str) -> None:
    assert parse(one).key == parse(other).key


@pytest.mark.parametrize(("one", "other"), [("echo 'a  b'", "echo 'a b'"), ("ls a", "ls b")])
def test_the_key_tells_different_commands_apart(one: str, other: str) -> None:
    assert parse(one).key != parse(other).key


def test_the_key_tells_folders_apart() -> None:
    assert parse("ls", "/a").key != parse("ls", "/b").key
