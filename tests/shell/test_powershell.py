"""What PowerShell commands read and change."""

from __future__ import annotations

import pytest

from prunus.shell.powershell import looks_like, parse

ALL = (1, None)
NUMBER = "ForEach-Object { $i++; '{0,4}: {1}' -f $i, $_ }"


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
        ("Set-Location src; 'x' | Set-Content a.ts", ["src/a.ts"]),
    ],
)
def test_a_written_file_is_changed(command: str, expected: list[str]) -> None:
    done = parse(command)
    assert [touch.path for touch in done.touches if touch.kind == "change"] == expected
    assert not done.reads


@pytest.mark.parametrize(
    "command", ["Remove-Item -Recurse build", "git stash; Get-Content a.ts", "Remove-Item *.log"]
)
def test_a_broad_change_is_wild(command: str) -> None:
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
