"""The strings below the fields of a class: what each setting does, in the words of its owner.

Python forgets them, so they are read from the source, and only when a schema or a template is asked for.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from textwrap import dedent


@lru_cache(maxsize=128)
def field_docs(owner: type) -> Mapping[str, str]:
    """The string below each field of a class; empty where there is no source to read."""
    try:
        tree = ast.parse(dedent(inspect.getsource(owner)))
    except (OSError, TypeError):
        return {}
    [body] = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    found = {}
    for field, below in pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
    return found


def about(owner: type) -> str:
    """The first sentence of a class's docstring."""
    return (inspect.getdoc(owner) or "").partition("\n\n")[0].replace("\n", " ")
