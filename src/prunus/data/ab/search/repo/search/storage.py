"""An index on disk."""

import json

from search.index import Index

VERSION = 2


class BadFile(ValueError):
    """A file that is no index, or one of another version."""


def save(index, out):
    """Write an index as lines of JSON: a head, then one document per line."""
    head = {"kind": "search index", "version": VERSION, "documents": len(index.documents)}
    out.write(json.dumps(head) + "\n")
    for id in sorted(index.documents):
        out.write(json.dumps({"id": id, "fields": index.documents[id]}, ensure_ascii=False) + "\n")


def load(lines):
    """Read an index. Raises BadFile if documents are missing."""
    lines = iter(lines)
    try:
        head = json.loads(next(lines))
    except (StopIteration, ValueError) as error:
        raise BadFile("no head") from error
    if not isinstance(head, dict) or head.get("kind") != "search index" or head.get("version") != VERSION:
        raise BadFile("not an index of this version")
    index = Index()
    for line in lines:
        if line.strip():
            row = json.loads(line)
            index.add(row["id"], **row["fields"])
    return index
