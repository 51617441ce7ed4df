"""The store on a Redis server, for several replicas: ledgers, hidden exchanges and commands, without receipts."""
