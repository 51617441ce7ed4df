"""An outline keeps what later calls use of a text, as far as its share goes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from prunus.notes import is_shortened
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


def test_names_stand_below_in_the_order_they_came() -> None:
    lines = log(100)
    lines[30] = "see zebra_module and"
    lines[60] = "see alpha_module too"
    assert kept(lines)[6:] == ["zebra_module alpha_module"]


def test_rare_names_come_before_frequent_ones() -> None:
    lines = [*log(100), *(f"everywhere module_{i:03}" for i in range(60)), *log(100)]
    names = kept(lines, 0.1)[-1].split()
    assert names == [f"module_{i:03}" for i in range(len(names))]
    assert "everywhere" in kept(lines, 0.5)[-1].split()


def test_names_that_the_kept_lines_show_are_not_said_again() -> None:
    lines = log(100)
    lines[0] = lines[50] = "build of first_module"
    assert kept(lines) == [*lines[:2], *lines[-4:]]


def test_a_name_stands_without_what_is_around_it() -> None:
    lines = log(100)
    lines[50] = "self.reader.configuration"
    assert kept(lines)[6:] == ["configuration"]


def test_short_words_are_no_names() -> None:
    lines = log(100)
    lines[50] = "seven77"
    assert len(kept(lines)) == 6


def test_names_stay_only_as_far_as_there_is_room() -> None:
    lines = [f"module_{i:06}" for i in range(1000)]
    text = "\n".join(lines)
    names = kept(lines, 0.1)[-1].split()
    assert names == lines[2 : 2 + len(names)]
    assert len(outline(text, 0.1)) < len(text) * 0.1 + 100


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
        ("app/posts/[slug]", "app/posts/[slug]"),
        ("./src/a.ts:12:", "src/a.ts"),
        ("C:\\work\\a.ts", "C:\\work\\a.ts"),
    ],
)
def test_a_path_stands_without_what_is_around_it(line: str, path: str) -> None:
    lines = log(100)
    lines[50] = line
    assert path in kept(lines)[6:]


@pytest.mark.parametrize("line", ["1/2 done", "and/or", "on 2026/02/13", "see https://example.org/a/b.html"])
def test_fractions_choices_dates_and_addresses_are_no_paths(line: str) -> None:
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


def test_a_listing_says_how_many_paths_are_missing() -> None:
    lines = [f"src/part{i:03}/file{i:03}.py" for i in range(300)]
    *_, last = kept(lines, 0.1, "listing")
    shown = " ".join(kept(lines, 0.1, "listing"))
    named = sum(f"part{i:03}/file{i:03}.py" in shown for i in range(300))
    assert 80 < named < 150
    assert last == f"(and {300 - named} more paths)"


@pytest.mark.parametrize("first", [1, 40])
def test_definitions_stand_with_the_numbers_of_their_lines(first: int) -> None:
    assert kept(SOURCE.splitlines(), 2, "code", "a.py", first) == [
        f"{first + 3} class Loader(Base):",
        f"{first + 4} def load_settings(self, path):",
        f"{first + 8} async def main():",
        "configuration",
    ]


@pytest.mark.parametrize("form", ["{:6}→{}", "{:6}\t{}", "{}: {}", "{:05}| {}"])
def test_numbered_lines_keep_their_own_numbers(form: str) -> None:
    lines = [form.format(i, line) for i, line in enumerate(SOURCE.splitlines(), 70)]
    assert kept(lines, 2, "code", "a.py", 1)[0] == "73 class Loader(Base):"


def test_nothing_is_numbered_where_the_first_line_is_unknown() -> None:
    assert kept(SOURCE.splitlines(), 2, "code", "a.py")[0] == "class Loader(Base):"


def test_many_definitions_stand_as_line_and_name() -> None:
    lines = [line for i in range(50) for line in (f"def f{i}(left, right, middle):", "    pass", "", "")]
    shown = kept(lines, 0.3, "code", "a.py", 1)
    assert shown[0].startswith("1 f0; 5 f1; 9 f2; ")


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("a.ts", "export default class Page extends Base {", "Page"),
        ("a.ts", "  private async find_all(q: Query): Promise<Row[]> {", "find_all"),
        ("a.tsx", "export const useLamp = (wire: Wire) => {", "useLamp"),
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
    assert kept(lines, 1, "code", path, 1)[0] == f"1 {line.strip()}"
    assert kept(lines, 0.15, "code", path, 1)[0].startswith(f"1 {name}; 62 {name}")


@pytest.mark.parametrize(
    "line", ["  if (ready) {", "  useEffect(() => {", "const seven = count(3)", "return lift(x)"]
)
def test_what_only_looks_like_a_definition_is_none(line: str) -> None:
    assert kept([line] * 9, 2, "code", "a.ts", 1) in ([], ["useEffect"])


def test_what_a_client_writes_before_an_output_shrinks_to_how_it_ended() -> None:
    before = ["Chunk ID: 1f", "Wall time: 2 seconds", "Process exited with code 3", "Output:"]
    lines = log(100)
    assert kept([*before, *lines]) == ["Process exited with code 3", *lines[:2], *lines[-4:]]
    assert kept([*before, *SOURCE.splitlines()], 2, "code", "a.py", 1)[:2] == [
        "Process exited with code 3",
        "4 class Loader(Base):",
    ]


def test_an_output_inside_json_has_lines() -> None:
    text = '{\n  "returncode": 1,\n  "output": "' + "\\n".join(log(100)) + '"\n}'
    shown = outline(text, 0.15).splitlines()
    assert shown[0] == '{ "returncode": 1,'
    assert shown[1:3] == ['"output": "step 0 ok', "step 1 ok"]


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
    text = fill("<40 lines>\n") + "\n".join(f"error in module_{i:05}.py" for i in range(200))
    sizes = [len(outline(text, share, sort)) for share in (0.0, 0.05, 0.1, 0.15)]
    assert sizes == sorted(sizes) and len(set(sizes)) == len(sizes)


def test_a_gist_has_complaints_then_paths_then_names() -> None:
    lines = [*log(50), "fatal: disk", "web/src/app/page.tsx", "amber_lamp", *log(50)]
    assert gist("\n".join(lines), 0.2) == "fatal: disk\nweb/src/app/page.tsx\namber_lamp\n"


def test_the_gist_of_a_listing_has_paths_and_names() -> None:
    lines = [*log(50), "fatal: disk", "web/src/app/page.tsx", "main.py", "amber_lamp", *log(50)]
    assert gist("\n".join(lines), 0.2, listing=True) == "web/src/app/page.tsx\nmain.py\namber_lamp\n"


def test_the_gist_has_no_edges() -> None:
    assert gist("\n".join(log(100)), 0.15) == ""


def test_the_gist_goes_as_far_as_its_share() -> None:
    lines = [f"error {i:05} in module_{i:05}" for i in range(1000)]
    text = "\n".join(lines)
    *told, names = gist(text, 0.2).splitlines()
    assert told == lines[: len(told)]
    assert len("\n".join(told)) == pytest.approx(len(text) * 0.2 * 0.3, abs=30)
    assert len(gist(text, 0.2)) == pytest.approx(len(text) * 0.2, abs=60)
    assert names.startswith(f"module_{len(told):05} ")


def test_names_in_the_lines_that_the_gist_tells_are_not_said_again() -> None:
    assert gist("error in some_module\n" + "\n".join(log(100)), 0.15) == "error in some_module\n"


def test_a_gist_without_room_says_nothing() -> None:
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
