"""What PowerShell commands read and change."""

from __future__ import annotations

import pytest

from prunus.calls.changes import Append, Delete, FileChange, Unclear, Write
from prunus.shell import powershell, shell_command
from prunus.shell.powershell import looks_like
from prunus.shell.shell_command import ShellCommand

ALL = (1, None)
HERE = "@'\nlet a = $b;\n'@"
NUMBER = "ForEach-Object { $i++; '{0,4}: {1}' -f $i, $_ }"


def parse(command: str) -> ShellCommand:
    return shell_command.parse(f"powershell -Command {command}")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("Get-Content src\\a.ts", [("src/a.ts", *ALL)]),
        ("gc a.ts", [("a.ts", *ALL)]),
        ("Get-Content -Raw src/a.ts", [("src/a.ts", *ALL)]),
        ("Get-Content -Path a.ts -Encoding UTF8", [("a.ts", *ALL)]),
        ("Get-Content -LiteralPath 'app\\[id]\\page.tsx'", [("app/[id]/page.tsx", *ALL)]),
        ('Get-Content "my file.txt"', [("my file.txt", *ALL)]),
        ("Get-Content a.ts -TotalCount 40", [("a.ts", 1, 40)]),
        ("Get-Content a.ts -Head 40", [("a.ts", 1, 40)]),
        ("Get-Content a.ts -Tail 20", [("a.ts", -20, None)]),
        ("Get-Content a.ts | Select-Object -First 40", [("a.ts", 1, 40)]),
        ("Get-Content a.ts | Select-Object -Skip 10 -First 5", [("a.ts", 11, 15)]),
        ("Get-Content a.ts | Select-Object -First 5 -Skip 10", [("a.ts", 11, 15)]),
        ("Get-Content a.ts | Select-Object -Last 5", [("a.ts", -5, None)]),
        (f"$i=0; Get-Content src\\a.ts | {NUMBER}", [("src/a.ts", *ALL)]),
        (f"$i = 0; Get-Content a.ts | Select-Object -First 8 | {NUMBER}", [("a.ts", 1, 8)]),
        ("Get-Content a.ts; Write-Output '---'; Get-Content b.ts", [("a.ts", *ALL), ("b.ts", *ALL)]),
        ("Set-Location src; Get-Content a.ts", [("src/a.ts", *ALL)]),
    ],
)
def test_printing_a_file_is_a_read(command: str, expected: list[tuple[str, int, int | None]]) -> None:
    done = parse(command)
    assert done.reads
    assert [(t.path, t.span.start, t.span.end) for t in done.touches] == expected


@pytest.mark.parametrize(
    "command",
    [
        "Get-Content a.ts | Select-String x",
        "Get-Content a.ts | Where-Object { $_ -match 'x' }",
        "Get-Content a.ts | ForEach-Object { if ($_ -match 'x') { $_ } }",
        "Get-Content a.ts | Measure-Object -Line",
        "Get-Content *.ts",
        "Get-Content $path",
        "Get-Content (Get-ChildItem | Select-Object -First 1)",
        "Get-ChildItem -Force",
        "$text = Get-Content a.ts -Raw",
        "$lines = Get-Content a.ts; $lines[9..19]",
        "(Get-Content a.ts)[0..4]",
        "Get-Content a.log -Wait",
        "Get-Content 'a.ts",
    ],
)
def test_nothing_else_counts_as_a_read(command: str) -> None:
    done = parse(command)
    assert not done.reads
    assert [touch for touch in done.touches if touch.kind == "read"] == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("@'\nlet a = 'x';\n'@ | Set-Content -NoNewline src\\a.ts", ["src/a.ts"]),
        ("@'\nx\n'@ | Set-Content -Path src\\a.ts -Encoding utf8", ["src/a.ts"]),
        ("'x' | Out-File a.txt", ["a.txt"]),
        ("Add-Content a.txt 'more'", ["a.txt"]),
        ("'x' > a.txt", ["a.txt"]),
        ("Remove-Item a.txt, b.txt", ["a.txt", "b.txt"]),
        ("Move-Item a.txt b.txt", ["a.txt", "b.txt"]),
        ("(Get-Content a.ts) -replace 'x','y' | Set-Content a.ts", ["a.ts"]),
        ("[System.IO.File]::WriteAllText('a.txt', 'x')", ["a.txt"]),
        ("[IO.File]::Move('a.txt', 'b.txt')", ["a.txt", "b.txt"]),
        ("Set-Location src; 'x' | Set-Content a.ts", ["src/a.ts"]),
        ("Copy-Item a.txt b.txt", ["b.txt"]),
        ("Copy-Item -Destination b.txt a.txt", ["b.txt"]),
        ("$to = 'a.txt'; 'x' | Set-Content $to", ["a.txt"]),
        ("if (Test-Path a.txt) { Remove-Item a.txt }", ["a.txt"]),
        ("Get-Content a.ts; git checkout -- b.ts", ["b.ts"]),
        ("$null = sed -i 's/a/b/' a.ts; Get-Content a.ts", ["a.ts"]),
        ("python -c \"open('a.py', 'w').write('x')\"; Get-Content a.py", ["a.py"]),
        ("@'\nopen('a.py', 'w').write('x')\n'@ | python -", ["a.py"]),
    ],
)
def test_a_written_file_is_changed(command: str, expected: list[str]) -> None:
    done = parse(command)
    assert [touch.path for touch in done.touches if touch.kind == "change"] == expected
    assert not done.reads


@pytest.mark.parametrize(
    "command",
    [
        "Remove-Item -Recurse build",
        "git stash; Get-Content a.ts",
        "Remove-Item *.log",
        "Get-ChildItem | ForEach-Object { (Get-Content $_) -replace 'a','b' | Set-Content $_ }",
        'Write-Host "done: $(git stash)"',
        "Get-Content a.ts; (git pull)",
    ],
)
def test_a_broad_powershell_command_may_change_any_file(command: str) -> None:
    assert parse(command).wild


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("Get-Content a.ts", True),
        ("$i=0; ls", True),
        ("@'\nx\n'@ | node", True),
        ("cat a.ts", False),
        ("echo $HOME", False),
        ("X=1 npm test", False),
    ],
)
def test_powershell_is_distinguished_from_sh(command: str, expected: bool) -> None:
    assert looks_like(command) is expected


@pytest.mark.parametrize(
    ("command", "path", "change"),
    [
        (f"{HERE} | Set-Content a.ts", "a.ts", Write("let a = $b;\n")),
        (f"{HERE} | Set-Content -NoNewline -Path a.ts", "a.ts", Write("let a = $b;")),
        (f"{HERE} | Out-File a.ts", "a.ts", Write("let a = $b;\n", verbatim=False)),
        (HERE.replace("'", '"') + " | Set-Content a.ts", "a.ts", Write("let a = $b;\n", verbatim=False)),
        (f"{HERE} | Add-Content a.ts", "a.ts", Append("let a = $b;\n")),
        (f"{HERE} | Set-Content a.ts -Stream x", "a.ts", Unclear()),
        ("Set-Location src; Remove-Item a.ts", "src/a.ts", Delete()),
        ("(Get-Content a.ts) -replace 'x','y' | Set-Content a.ts", "a.ts", Unclear()),
    ],
)
def test_a_cmdlet_says_how_it_changes_its_file(command: str, path: str, change: FileChange) -> None:
    done = powershell.parse(command)
    assert done is not None
    [file] = [file for step in done.steps for file in step.changes.files]
    assert (file.path, file.change) == (path, change)


@pytest.mark.parametrize("command", ["{} | apply_patch", "$p = {}; $p | apply_patch", "$p = {}; apply_patch $p"])
def test_a_patch_that_apply_patch_is_given_edits_its_files(command: str) -> None:
    patch = "@'\n*** Begin Patch\n*** Update File: a.py\n@@\n-1\n+2\n*** End Patch\n'@"
    script = parse(command.format(patch))
    assert [(touch.path, touch.kind) for touch in script.touches] == [("a.py", "edit")]


def test_a_text_from_a_variable_is_not_certainly_what_is_written() -> None:
    script = powershell.parse("$t = @'\na\n'@; $t += 'b'; $t | Set-Content a.txt")
    assert script is not None
    assert [file.change for step in script.steps for file in step.changes.files] == [Unclear()]
