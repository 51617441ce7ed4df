"""The store on a Postgres server, for several replicas."""
