"""The store: conversations, receipts and originals that outlive the process."""

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
