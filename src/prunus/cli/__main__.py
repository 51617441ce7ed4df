"""`python -m prunus.cli` is `prunus`."""

from prunus.cli.main import main

main(prog_name="prunus")
