"""Formatters on a command line: which ones rewrite files, and which of their words are no files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from prunus.shell.words import Word

__all__ = ["FORMATTERS", "rewrites", "without_values"]

FORMATTERS: Final[dict[str, tuple[str, ...]]] = {
    "prettier": ("--write", "-w"), "eslint": ("--fix",), "biome": ("--write", "--apply", "--fix"),
    "black": (), "isort": (), "autopep8": ("-i", "--in-place"), "yapf": ("-i",), "ruff": ("format", "--fix"),
    "gofmt": ("-w",), "goimports": ("-w",), "gofumpt": ("-w",), "rustfmt": (), "clang-format": ("-i",),
    "rubocop": ("-a", "-A", "--autocorrect", "--auto-correct"), "stylelint": ("--fix",), "phpcbf": (),
    "standard": ("--fix",), "swiftformat": (), "shfmt": ("-w",), "oxlint": ("--fix",),
    "dart": ("format",), "terraform": ("fmt",), "mix": ("format",), "dotnet": ("format",), "go": ("fmt",),
}  # fmt: skip
"""The flags or subcommands that make each rewrite files; none given: it always does."""
# Not -l: beside the flag that writes, gofmt and its like only list what they rewrite; to black it is a line length.
_CHECKS: Final = frozenset({"--check", "--diff", "--check-only", "--dry-run", "--lint", "-check"})

_VALUED: Final = frozenset({
    "--config", "--config-path", "--config-precedence", "--edition", "--env", "--exclude", "--ext",
    "--extend-exclude", "--extend-ignore", "--extend-select", "--fix-type", "--format", "--global", "--ignore",
    "--ignore-path", "--ignore-pattern", "--line-length", "--log-level", "--loglevel", "--max-line-length",
    "--max-warnings", "--only", "--output-file", "--parser", "--parser-options", "--plugin", "--print-width",
    "--profile", "--resolve-plugins-relative-to", "--rule", "--rulesdir", "--select", "--settings-path",
    "--tab-width", "--target-version", "--unfixable",
})  # fmt: skip
_VALUED_BY: Final[dict[str, frozenset[str]]] = {
    "black": frozenset({"-l", "-t"}), "dart": frozenset({"-l"}), "eslint": frozenset({"-c", "-f", "-o"}),
    "gofmt": frozenset({"-r"}), "goimports": frozenset({"-local", "-srcdir"}), "isort": frozenset({"-l", "-p"}),
    "gofumpt": frozenset({"-lang", "-modpath", "-r"}), "rubocop": frozenset({"-c"}),
    "shfmt": frozenset({"-i", "-ln"}),
}  # fmt: skip


def rewrites(name: str, words: Sequence[Word]) -> bool:
    """Whether a formatter, called with these words, writes to files."""
    texts = {word.text for word in words}
    needed = FORMATTERS[name]
    return (not needed or not texts.isdisjoint(needed)) and _CHECKS.isdisjoint(texts)


def without_values(name: str, words: Sequence[Word]) -> list[Word]:
    """The words of a formatter without the flags that take a value, and without these values."""
    valued = _VALUED | _VALUED_BY.get(name, frozenset())
    found: list[Word] = []
    before = ""
    for word in words:
        if word.text not in valued and before not in valued:
            found.append(word)
        before = "" if before in valued else word.text
    return found
