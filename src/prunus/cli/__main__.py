"""Make `python -m prunus.cli` run `prunus`."""

from prunus.cli.main import main

main(prog_name="prunus")
