"""`prunus report`: put together what many runs over sessions have measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from prunus.cli.corpus import show_report
from prunus.cli.options import Failure, money_option, own_settings


@click.command("report")
@click.argument("files", metavar="ROWS...", nargs=-1, required=True, type=click.Path(path_type=Path))
@money_option
def command(files: tuple[Path, ...], money: bool) -> None:
    """Combine the results of several replay or analyze runs.

    Takes the files that `prunus replay --out` and `prunus analyze --out` have written, for example one for each
    shard, and prints the table that one run over all sessions would print. Needs DuckDB, which
    pip install 'prunus[fleet]' installs.

    \b
    Examples:
      prunus report rows/*.parquet
      prunus report monday.jsonl tuesday.jsonl
    """
    from prunus.corpus.find import files as matching
    from prunus.lab.corpus_report import check_suffix, report_files

    found = tuple(dict.fromkeys(matching(files)))
    for path in found:
        check_suffix(path)
        if not path.exists():
            raise Failure(f"{click.format_filename(path)}: no such file")
    if not found:
        raise Failure("no file of rows was found")
    show_report(report_files(found), replace(own_settings().money(), shown=money))
