"""The texts in exchanges and receipts that tell something of a conversation, encrypted for the store."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import replace

from prunus.outcome import Receipt
from prunus.spending import DayTotals
from prunus.store.cipher import Cipher
from prunus.store.recording import Original, compress_original
from prunus.store.records import Exchange, StoredReceipt


def hide_exchange(cipher: Cipher, tenant: str, exchange: Exchange) -> Exchange:
    """Return an exchange as it is stored: error and project are encrypted."""
    return replace(
        exchange,
        error=cipher.encrypt_text(exchange.error, tenant, "error"),
        project=cipher.encrypt_text(exchange.project, tenant, "project"),
    )


def show_exchanges(cipher: Cipher, tenant: str, exchanges: Iterable[Exchange]) -> list[Exchange]:
    """Return stored exchanges as they were."""
    return [
        replace(
            one,
            error=cipher.decrypt_text(one.error, tenant, "error"),
            project=cipher.decrypt_text(one.project, tenant, "project"),
        )
        for one in exchanges
    ]


def hide_receipt(
    cipher: Cipher, tenant: str, receipt: Receipt, *, keep_original: bool
) -> tuple[Receipt, Original | None]:
    """Return a receipt as it is stored, with its reason encrypted, and its original, compressed and encrypted."""
    original = None
    if keep_original and not receipt.passed:
        original = compress_original(receipt.original)
        hidden = cipher.encrypt(original.data, tenant, "original", original.hash.hex())
        original = replace(original, data=hidden)
    reason = cipher.encrypt_text(receipt.edit.reason, tenant, "reason")
    return replace(receipt, edit=replace(receipt.edit, reason=reason)), original


def show_receipts(cipher: Cipher, tenant: str, receipts: Iterable[StoredReceipt]) -> list[StoredReceipt]:
    """Return stored receipts with their reasons as they were."""
    return [replace(one, reason=cipher.decrypt_text(one.reason, tenant, "reason")) for one in receipts]


def show_original(cipher: Cipher, tenant: str, hash: bytes, data: bytes) -> str:
    """Return a stored original as it was. Raises WrongKey if no key fits."""
    plain = cipher.decrypt(data, tenant, "original", hash.hex())
    return zlib.decompress(plain).decode("utf-8", "surrogatepass")


def show_days(cipher: Cipher, tenant: str, days: Iterable[DayTotals]) -> list[DayTotals]:
    """Return stored sums by day with their projects as they were."""
    return [replace(one, project=cipher.decrypt_text(one.project, tenant, "project")) for one in days]
