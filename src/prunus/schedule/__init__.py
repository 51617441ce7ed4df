"""When edits are made: schedules, prices, pressure, the ledger, and the life of the prompt cache."""
