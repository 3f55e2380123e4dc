"""One name of a function written otherwise, wherever it stands in it."""

from __future__ import annotations

import ast
import re

from benchmarks.operators.development.python_text import FunctionNode, PythonText, docstring_of


def can_be_renamed(text: PythonText, function: FunctionNode, old: str, new: str) -> bool:
    """Whether every place at which the old name stands is told by `renamed` from all others.

    Names within f-strings have no place in Python 3.11's trees, so names are changed by pattern; where the pattern
    finds as many as the tree holds, it finds the same.
    """
    nodes = list(ast.walk(function))
    names = [each.id for each in nodes if isinstance(each, ast.Name)]
    names += [each.arg for each in nodes if isinstance(each, ast.arg)]
    before, _, after = _parts(text, function)
    found = len(_pattern(old).findall(before)) + len(_pattern(old).findall(after))
    return found == names.count(old) > 0 and new not in text.text


def renamed(text: PythonText, function: FunctionNode, old: str, new: str) -> str:
    """The source with another name for a parameter or a local of a function, in its docstring too."""
    before, docstring, after = _parts(text, function)
    told = re.sub(rf"^( +){old}:", rf"\1{new}:", docstring, flags=re.MULTILINE)
    return text.replaced(
        function, _pattern(old).sub(new, before) + told + _pattern(old).sub(new, after)
    )


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.\"']){name}(?![\w\"'])")


def _parts(text: PythonText, function: FunctionNode) -> tuple[str, str, str]:
    """A function before its docstring, the docstring, and what comes after it."""
    start, end = text.span(function)
    docstring = docstring_of(function)
    here = text.span(docstring) if docstring else (start, start)
    return text.between(start, here[0]), text.between(*here), text.between(here[1], end)
