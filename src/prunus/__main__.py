"""`python -m prunus` is `prunus`."""

from prunus.cli.main import main

main(prog_name="prunus")
