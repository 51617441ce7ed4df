"""`python -m prunus.cli` is `python -m prunus`."""

from runpy import run_module

run_module("prunus", run_name="__main__")
