"""The store: conversations, receipts and originals that outlive the process.

Its modules and packages:

    store       the interface of all stores, and their errors
    records     what goes in and comes out
    url         opens the store of a URL
    memory      the memory of a pruner: what SQL databases and Redis share
    cipher      encryption with `store.key`
    sql         the store in a SQL database: the statements that SQLite and Postgres share
    sqlite      the SQLite file: connections, locks, damage
    postgres    the Postgres server: connections, locks, outages
    redis       the store on a Redis server, which keeps no receipts
    in_memory   the store that is off
"""

from prunus.store.records import Exchange, Info, StoredReceipt, StoredSession, Totals, Usage
from prunus.store.store import NoStore, Store, StoreError
from prunus.store.url import default_path, open_store

__all__ = [
    "Exchange",
    "Info",
    "NoStore",
    "Store",
    "StoreError",
    "StoredReceipt",
    "StoredSession",
    "Totals",
    "Usage",
    "default_path",
    "open_store",
]
