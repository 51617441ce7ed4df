"""Bytes."""

import zlib


class Damaged(ValueError):
    """Bytes that are not what was written."""


def put_number(number):
    """A number as a varint: seven bits per byte, the lowest first; the high bit says that more follow."""
    if number < 0:
        raise ValueError("numbers are not negative")
    out = bytearray()
    while number > 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def get_number(data, at):
    """A number and where it ends."""
    number = shift = 0
    while True:
        if at >= len(data):
            raise Damaged("a number is cut off")
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 8


def put_bytes(value):
    """Bytes with their length; None is told apart from empty bytes."""
    if not value:
        return put_number(0)
    return put_number(len(value) + 1) + value


def get_bytes(data, at):
    """Bytes or None, and where they end."""
    size, at = get_number(data, at)
    if size == 0:
        return None, at
    end = at + size - 1
    if end > len(data):
        raise Damaged("bytes are cut off")
    return bytes(data[at:end]), end


def sealed(body):
    """Bytes with their length and a checksum in front."""
    return put_number(len(body)) + zlib.crc32(body).to_bytes(4, "little") + body


def unsealed(data, at):
    """The bytes of a sealed piece, and where it ends. Raises Damaged."""
    size, at = get_number(data, at)
    body = bytes(data[at + 4 : at + 4 + size])
    if len(body) != size:
        raise Damaged("a piece is cut off")
    if zlib.crc32(body) != int.from_bytes(data[at : at + 4], "little"):
        raise Damaged("a checksum is wrong")
    return body, at + size
