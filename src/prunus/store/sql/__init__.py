"""The store in a SQL database: what SQLite and Postgres share."""
