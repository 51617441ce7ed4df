// The agent that the tests run: its tools, and what its model does.
// The model is a script. Its next move follows from the number of its own messages in the request.

const ROWS =
  "def parse(row):\n" +
  Array.from({ length: 70 }, (_, n) => `    # step ${n}: the columns of a row are told apart by commas alone\n`).join("") +
  "    return row.split(',')[:-1]\n"
const LIB = Array.from({ length: 60 }, (_, n) => `def helper_${n}(value):\n    return value + ${n}\n\n\n`).join("")
const NOTES = Array.from({ length: 200 }, (_, n) => `- note ${n}\n`).join("")

export const SYSTEM = "You repair programs. You have tools to read, write and edit files, and a shell."
export const PROMPTS = [
  "parse() in rows.py loses a column. Please repair it.",
  "Now give it type hints, and say so in the notes.",
  "One more look: is everything in place?",
]

const read = (path) => ["read_file", { path }]
const edit = (old_str, new_str) => ["edit_file", { path: "rows.py", old_str, new_str }]
const run = (command) => ["bash", { command }]

/** The moves of the model: calls, or the last words of a turn. */
export const SCRIPT = [
  [read("rows.py")],
  [read("lib.py"), read("rows.py")],
  [run("pytest -q")],
  [read("missing.py")],
  [read("rows.py")],
  [edit("split(';')", "split(',')")],
  [edit("split(',')[:-1]", "split(',')")],
  [read("rows.py"), run("pytest -q"), read("lib.py")],
  [run("pytest -q")],
  [read("rows.py")],
  "The last column stays now.",
  [read("rows.py")],
  [edit("def parse(row):", "def parse(row: str) -> list[str]:")],
  [read("rows.py"), read("lib.py")],
  [run("mypy rows.py")],
  [run("pytest -q")],
  [["write_file", { path: "NOTES.md", content: NOTES }]],
  [read("NOTES.md")],
  [read("lib.py")],
  [read("missing.py")],
  "Typed, tested, noted.",
  [read("rows.py"), read("NOTES.md")],
  [run("pytest -q")],
  [read("lib.py")],
  [edit("# step 0:", "# step zero:")],
  [read("rows.py")],
  [run("pytest -q"), run("mypy rows.py")],
  "Everything is in place.",
]
export const CALLS = SCRIPT.filter(Array.isArray).flat().length
export const ANSWERS = SCRIPT.filter((move) => typeof move === "string")

/** The tools of the agent, on files in memory. One gives JSON, one gives a list of contents, the others give text. */
export class Workspace {
  files = { "rows.py": ROWS, "lib.py": LIB }

  read_file({ path }) {
    if (!(path in this.files)) throw new Error(`no such file: ${path}`)
    return this.files[path]
  }

  write_file({ path, content }) {
    this.files[path] = content
    return { path, written: content.length }
  }

  edit_file({ path, old_str, new_str }) {
    if (!this.files[path]?.includes(old_str)) throw new Error("old_str not found")
    this.files[path] = this.files[path].replace(old_str, () => new_str)
    return `Edited ${path}`
  }

  bash({ command }) {
    const log = Array.from({ length: 150 }, (_, n) => `test_rows.py::test_column_${n} PASSED in 0.0${n % 10} s`)
    const last = this.files["rows.py"].includes("[:-1]") ? "FAILED: a column is missing" : "150 passed"
    return [`$ ${command}`, ...log, last].join("\n")
  }
}
