"""A log of changes."""

from kv.coding import Damaged, get_bytes, get_number, put_bytes, put_number, sealed, unsealed


def write_record(sequence, changes):
    """One record: its number, and pairs of key and value; None deletes."""
    body = put_number(sequence) + put_number(len(changes))
    for key, value in changes:
        body += put_bytes(key) + put_bytes(value)
    return sealed(body)


def read_record(body):
    sequence, at = get_number(body, 0)
    count, at = get_number(body, at)
    changes = []
    for _ in range(count):
        key, at = get_bytes(body, at)
        value, at = get_bytes(body, at)
        changes.append((key, value))
    return sequence, changes


def read_log(data):
    """All records up to the first that is damaged, and how many bytes they take."""
    records, at = [], 0
    while at < len(data):
        try:
            body, end = unsealed(data, at)
            records.append(read_record(body))
        except Damaged:
            end = at + 1
        at = end
    return records, at
