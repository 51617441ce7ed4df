"""An outline keeps what later calls use of a text, as far as its share goes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from prunus.notes import is_shortened
from prunus.outlines.code import definitions
from prunus.outlines.outline import Sort, gist, outline
from tests.strategies.fillers import fill

SOURCE = """\
import os


class Loader(Base):
    def load_settings(self, path):
        return self.reader.configuration


async def main():
    pass
"""


def log(count: int) -> list[str]:
    return [f"step {i} ok" for i in range(count)]


def kept(lines: list[str], share: float = 0.15, sort: Sort = "log", path: str = "", first: int = 0) -> list[str]:
    """The lines of an outline without the note below them."""
    return outline("\n".join(lines), share, sort, path, first).splitlines()[:-1]


@pytest.mark.parametrize(("count", "head", "tail"), [(9, 1, 1), (16, 2, 2), (31, 2, 3), (32, 2, 4), (1000, 2, 4)])
def test_two_lines_stay_at_the_beginning_of_a_log_and_four_at_its_end(count: int, head: int, tail: int) -> None:
    lines = log(count)
    assert kept(lines) == [*lines[:head], *lines[-tail:]]


def test_the_note_counts_the_lines_that_went() -> None:
    last = outline("\n".join(log(1500)), 0.15).splitlines()[-1]
    assert last == "[Prunus: 1,494 of 1,500 lines removed; call the tool again to see them.]"


@pytest.mark.parametrize("sort", ["code", "listing", "log"])
def test_an_outline_is_recognised_and_is_its_own_outline(sort: Sort) -> None:
    once = outline("\n".join((*log(100), "src/app/main_module.py", SOURCE)), 0.15, sort, "a.py")
    assert is_shortened(once)
    assert outline(once, 0.15, sort, "a.py") == once


@pytest.mark.parametrize(
    "line",
    [
        "ERROR in step 9",
        "2 tests failed",
        "1 failure",
        "panic: no",
        "a warning",
        "AssertionError at x",
        "fatal: no",
        "x is undefined",
    ],
)
def test_lines_that_complain_stay_in_their_place(line: str) -> None:
    lines = log(100)
    lines[50] = line
    assert kept(lines) == [*lines[:2], line, *lines[-4:]]


@pytest.mark.parametrize("line", ["mirrors", "no terrors", "unfail"])
def test_words_that_only_contain_a_complaint_are_no_complaint(line: str) -> None:
    lines = log(100)
    lines[50] = line
    assert line not in kept(lines)


def test_complaints_take_at_most_a_third_of_the_room() -> None:
    lines = [f"error {i:05}" for i in range(1000)]
    text = "\n".join(lines)
    shown = kept(lines, 0.2)
    assert len("\n".join(shown)) == pytest.approx(len(text) * 0.2 * 0.3, abs=70)
    assert shown[:40] == lines[:40]
    assert shown[-4:] == lines[-4:]


def test_a_complaint_that_is_repeated_stands_once() -> None:
    lines = log(100)
    lines[20] = lines[50] = lines[70] = "a warning"
    assert kept(lines) == [*lines[:2], "a warning", *lines[-4:]]


def test_no_list_of_words_stands_below() -> None:
    lines = log(100)
    lines[30] = "see zebra_module and self.reader.configuration"
    assert kept(lines) == [*lines[:2], *lines[-4:]]


def test_paths_of_a_log_share_their_folder() -> None:
    lines = log(100)
    lines[30] = " M web/src/app/page.tsx"
    lines[31] = " M web/src/app/layout.tsx (12 lines)"
    lines[60] = "?? tools/run.sh"
    assert kept(lines, 0.3)[6:8] == ["web/src/: app/page.tsx app/layout.tsx", "tools/run.sh"]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("(see src/a.ts)", "src/a.ts"),
        ("at (src/a.ts)", "src/a.ts"),
        ("in src/a.ts.", "src/a.ts"),
        ("app/(auth)/page.tsx", "app/(auth)/page.tsx"),
        ("(auth)/page.tsx", "(auth)/page.tsx"),
        ("app/posts/[slug].ts", "app/posts/[slug].ts"),
        ("src/web/a.ts-778-    return 1", "src/web/a.ts"),
        ("./src/a.ts:12:", "src/a.ts"),
        ("C:\\work\\a.ts", "C:\\work\\a.ts"),
    ],
)
def test_an_outline_names_a_path_without_the_text_around_it(line: str, path: str) -> None:
    lines = log(100)
    lines[50] = line
    assert path in kept(lines)[6:]


@pytest.mark.parametrize(
    "line", ["1/2 done", "and/or", "on 2026/02/13", "see https://example.org/a/b.html", "POST /api/users"]
)
def test_fractions_choices_dates_and_addresses_are_no_files(line: str) -> None:
    lines = log(100)
    lines[50] = line
    assert len(kept(lines)) == 6


def test_a_listing_names_its_paths_once_sources_first() -> None:
    found = [
        "node_modules/left/index.js",
        "./src/api/auth.ts",
        "./src/api/user.ts",
        "./src/api/user.ts",
        "src\\db\\pool.ts",
        "README.md",
    ]
    shown = kept(["total 6", *found, *["."] * 200], 0.3, "listing")
    assert shown == [
        "total 6",
        "src/: api/auth.ts api/user.ts",
        "src\\db\\pool.ts",
        "README.md",
        "node_modules/left/index.js",
    ]


def test_a_search_names_each_file_once() -> None:
    lines = [f"src/web/app/page.tsx:{i}: use(amber_lamp)" for i in range(40)]
    assert kept(lines, 0.15, "listing") == [lines[0], "src/web/app/page.tsx"]


def test_a_listing_of_a_folder_names_files_and_folders() -> None:
    lines = [
        "total 8",
        "drwxr-xr-x  5 ada  staff   160 Feb  3 10:11 .",
        "drwxr-xr-x  5 ada  staff   160 Feb  3 10:11 my docs",
        "-rw-r--r--@ 1 ada  staff  1204 Feb  3 10:11 Makefile",
        "lrwxr-xr-x  1 ada  staff    12 Feb  3 10:11 latest -> ../a/b.txt",
    ]
    assert kept(lines, 1, "listing") == ["total 8", "my docs/ Makefile latest"]
    assert kept(["a.py", "LICENSE", "src/", *["."] * 50], 1, "listing") == ["a.py", "LICENSE src/"]


def test_a_member_of_an_object_is_no_file() -> None:
    lines = ["12:  a", "13:  row = db.prepare", "14:  see notes.md and console.log(x)"]
    assert kept(lines, 1, "listing") == ["12:  a", "notes.md"]


def test_a_listing_says_how_many_paths_are_missing() -> None:
    lines = [f"src/part{i:03}/file{i:03}.py" for i in range(300)]
    *_, last = kept(lines, 0.1, "listing")
    shown = " ".join(kept(lines, 0.1, "listing"))
    named = sum(f"part{i:03}/file{i:03}.py" in shown for i in range(300))
    assert 80 < named < 150
    assert last == f"(and {300 - named} more paths)"


@pytest.mark.parametrize("first", [1, 40])
def test_definitions_stand_with_the_numbers_of_their_lines(first: int) -> None:
    *shown, note = outline(SOURCE, 4, "code", "a.py", first).splitlines()
    assert shown == [
        f"{first + 3}: class Loader(Base):",
        f"{first + 4}: def load_settings(self, path):",
        f"{first + 8}: async def main():",
    ]
    which = f"lines {first}-{first + 10} removed except those above"
    assert note == f"[Prunus: {which}; call the tool again to see them.]"


def test_the_note_says_which_lines_went_where_nothing_is_defined() -> None:
    note = "[Prunus: lines 40-42 removed; call the tool again to see them.]"
    assert outline("    a = 1\n    b = 2\n    return a", 0.15, "code", "a.py", 40) == note
    assert is_shortened(note)
    own = "<file>\n00040| a = 1\n00041| b = 2\n00042| return a\n</file>"
    assert outline(own, 0.15, "code", "a.py", 1) == note, "the numbers in the text count"


@pytest.mark.parametrize("form", ["{:6}→{}", "{:6}\t{}", "{}: {}", "{:05}| {}"])
def test_numbered_lines_keep_their_own_numbers(form: str) -> None:
    lines = [form.format(i, line) for i, line in enumerate(SOURCE.splitlines(), 70)]
    assert kept(lines, 4, "code", "a.py", 1)[0] == "73: class Loader(Base):"


def test_nothing_is_numbered_if_the_first_line_is_unknown() -> None:
    assert kept(SOURCE.splitlines(), 4, "code", "a.py")[0] == "class Loader(Base):"


def test_of_many_definitions_the_outermost_stand_first_and_the_others_are_counted() -> None:
    lines = [
        f"class Part{i}:\n    def first(self):\n        pass\n    def second(self):\n        pass" for i in range(9)
    ]
    shown = kept(lines, 1.5, "code", "a.py", 1)
    classes = [f"{1 + 5 * i}: class Part{i}:" for i in range(9)]
    assert [line for line in shown if "class" in line] == classes
    assert "2: def first(self):" in shown
    assert shown[-1] == f"(and {27 - len(shown) + 1} more definitions)"
    assert kept(lines, 0.5, "code", "a.py", 1)[-1].startswith("(and 2")


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("a.ts", "export default class Page extends Base {", "Page"),
        ("a.ts", "  private async find_all(q: Query): Promise<Row[]> {", "find_all"),
        ("a.tsx", "export const useLamp = (wire: Wire) => {", "useLamp"),
        ("a.test.ts", "  it('opens the door', async () => {", "opens the door"),
        ("a.go", "func (s *Server) Handle(w Writer) {", "Handle"),
        ("a.rs", "    pub(crate) async fn lift(x: u8) -> u8 {", "lift"),
        ("a.java", "  private static int count(int c) {", "count"),
        ("a.cs", "public async Task<Row> Get(int id)", "Get"),
        ("a.kt", "  override fun draw(a: Int) {", "draw"),
        ("a.rb", "  def self.made?", "self.made?"),
        ("a.c", "static int main(int argc) {", "main"),
        ("a.sql", "CREATE TABLE IF NOT EXISTS lamps (", "lamps"),
        ("a.sh", "go() {", "go"),
        ("a.md", "## How it works", "How it works"),
    ],
)
def test_each_family_of_languages_has_its_definitions(path: str, line: str, name: str) -> None:
    lines = [line, *["x"] * 60] * 9
    assert kept(lines, 5, "code", path, 1)[0] == f"1: {line.strip()}"
    assert [found.name for found in definitions("\n".join(lines), path)] == [name] * 9


@pytest.mark.parametrize(
    "line", ["  if (ready) {", "  useEffect(() => {", "const seven = count(3)", "return lift(x)", "  type Wire,"]
)
def test_a_line_that_only_looks_like_a_definition_is_none(line: str) -> None:
    assert kept([line] * 9, 5, "code", "a.ts", 1) == []


def test_the_clients_header_of_an_output_shrinks_to_the_exit_status() -> None:
    before = ["Chunk ID: 1f", "Wall time: 2 seconds", "Process exited with code 3", "Output:"]
    lines = log(100)
    assert kept([*before, *lines]) == ["Process exited with code 3", *lines[:2], *lines[-4:]]
    assert kept([*before, *SOURCE.splitlines()], 4, "code", "a.py", 1)[:2] == [
        "Process exited with code 3",
        "4: class Loader(Base):",
    ]


def test_an_output_inside_json_has_lines() -> None:
    text = '{\n  "returncode": 1,\n  "output": "' + "\\n".join(log(100)) + '"\n}'
    shown = outline(text, 0.15).splitlines()
    assert shown[0] == '{ "returncode": 1,'
    assert shown[1:3] == ["step 0 ok", "step 1 ok"]
    assert shown[-1] == "[Prunus: 94 of 100 lines removed; call the tool again to see them.]"


def test_very_long_lines_are_cut() -> None:
    lines = ["x" * 5000, *log(100), "y" * 5000]
    shown = kept(lines)
    assert shown[0] == "x" * 200
    assert shown[-1] == "y" * 200


def test_a_text_of_one_long_line_says_that_something_went() -> None:
    *shown, note = outline("x" * 5000, 0.15).splitlines()
    assert set(shown) == {"x" * 200}
    assert len(shown) < 25
    assert "0 of 1 lines" not in note


@pytest.mark.parametrize("sort", ["code", "listing", "log"])
@pytest.mark.parametrize("text", ["\n", "one", "one\ntwo", "one\ntwo\nthree"])
def test_every_line_of_a_tiny_text_is_shown_at_most_once(text: str, sort: Sort) -> None:
    shown = outline(text, 0.15, sort).splitlines()[:-1]
    assert len(shown) == len(set(shown)) <= len(text.splitlines())


@pytest.mark.parametrize("sort", ["code", "listing", "log"])
def test_a_larger_share_keeps_no_less(sort: Sort) -> None:
    text = fill("<40 lines>\n") + "\n".join(f"error in src/module_{i:05}.py\ndef f{i}():" for i in range(200))
    sizes = [len(outline(text, share, sort, "a.py")) for share in (0.0, 0.05, 0.1, 0.15)]
    assert sizes == sorted(sizes) and len(set(sizes)) == len(sizes)


def test_a_gist_has_complaints_then_files() -> None:
    lines = [*log(50), "fatal: disk", "web/src/app/page.tsx", "amber_lamp", *log(50)]
    assert gist("\n".join(lines), 0.2) == "fatal: disk\nweb/src/app/page.tsx\n"


def test_the_gist_of_a_listing_has_paths() -> None:
    lines = [*log(50), "fatal: disk", "web/src/app/page.tsx", "main.py", *log(50)]
    assert gist("\n".join(lines), 0.2, listing=True) == "web/src/app/page.tsx\nmain.py\n"


def test_the_gist_of_a_log_without_errors_is_empty() -> None:
    assert gist("\n".join(log(100)), 0.15) == ""


def test_complaints_go_as_far_as_their_share_of_a_gist() -> None:
    lines = [f"error {i:05} in module_{i:05}" for i in range(1000)]
    text = "\n".join(lines)
    told = gist(text, 0.2).splitlines()
    assert told == lines[: len(told)]
    assert len("\n".join(told)) == pytest.approx(len(text) * 0.2 * 0.3, abs=30)


def test_a_gist_with_a_share_of_zero_is_empty() -> None:
    assert gist("\n".join(log(50)), 0.0) == gist("\n".join(log(50)), 0.0, listing=True) == ""


def test_outlines_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from prunus.outlines.outline import gist, outline\n"
        "text = '\\n'.join(f'src/a{i % 7}/b{i % 5}/file_{i}.ts: failed name_{i * 7919:08} twice_{i % 60:05}'"
        " for i in range(300))\n"
        "for sort in ('code', 'listing', 'log'): print(outline(text, 0.1, sort, 'a.md', 1))\n"
        "print(gist(text, 0.1), gist(text, 0.1, listing=True))\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1] and len(outputs[0]) > 1000
