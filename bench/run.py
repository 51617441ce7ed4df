"""Runs every benchmark; `make bench` installs the peers first. Results land in bench/results/."""

from __future__ import annotations

import hidden
import lab
import proxy
import speed
import tokens
import variants
import waiting
from usage import show_help

if __name__ == "__main__":
    show_help()
    speed.main()
    hidden.main()
    tokens.main()
    lab.main()
    variants.main([])
    proxy.main()
    waiting.main()
