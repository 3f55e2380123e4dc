"""First for last, too short a slice, another order."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from triage.proposers.sourceedits.changed import changed, short
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.evidence import docstring
from triage.proposers.sourceedits.sourcecode import SourceCode

OTHER_END = 0.18
SLICE_DROPPED = 0.1
TOLD_ORDER = 0.85
UNTOLD_ORDER = 0.14
LATEST = ("latest first", "newest first", "last first", "most recent first", "largest first", "descending",
          "highest first", "biggest first", "most first")  # fmt: skip
EARLIEST = ("earliest first", "oldest first", "first first", "smallest first", "ascending", "lowest first",
            "fewest first", "in the order", "by name", "cheapest first")  # fmt: skip


def sequences(source: SourceCode) -> Iterator[Edit]:
    """The other end of lists, slices that are others, and orders as docstrings tell them."""
    for part in source.suspects(cst.Subscript):
        inner = part.slice[0].slice if len(part.slice) == 1 else None
        if isinstance(inner, cst.Index):
            yield from _ends(source, inner.value)
        elif isinstance(inner, cst.Slice):
            yield from _slices(source, part, inner)
    for call in source.suspects(cst.Call):
        name = source.code(call.func)
        if name == "sorted" or name.endswith(".sort"):
            yield from _orders(source, call, name)
        elif name in ("min", "max"):
            yield from _chosen(source, call, name)


def _ends(source: SourceCode, place: cst.BaseExpression) -> Iterator[Edit]:
    code = source.code(place).replace(" ", "")
    others = {"0": ("-1", "1"), "-1": ("0",), "1": ("0",), "-2": ("-1",)}.get(code, ())
    for index, other in enumerate(others):
        yield changed(source, place, other, OTHER_END / (1 + 2 * index))


def _slices(source: SourceCode, part: cst.Subscript, inner: cst.Slice) -> Iterator[Edit]:
    whole = source.code(part.value)
    low = source.code(inner.lower) if inner.lower else ""
    high = source.code(inner.upper) if inner.upper else ""
    if inner.step is not None:
        return
    yield changed(source, part, whole, SLICE_DROPPED)
    if low and not high:
        yield changed(source, part, f"{whole}[:{low}]", SLICE_DROPPED)
    elif high and not low:
        yield changed(source, part, f"{whole}[{high}:]", SLICE_DROPPED)
        yield (
            changed(source, part, f"{whole}[-{high}:]", 0.06)
            if high.isidentifier()
            else changed(source, part, f"{whole}[:{high} + 1]", 0.03)
        )
    usual = {"10": ("11:16", "11:"), "16": (":10", ":19"), "11": (":10",)}
    for other in usual.get(high, ()):
        if f"[{other}]" in source.text:
            yield changed(
                source, part, f"{whole}[{other}]", 0.08, says=f"Cut `{short(whole)}` to `[{other}]`"
            )


def _orders(source: SourceCode, call: cst.Call, name: str) -> Iterator[Edit]:
    text = " ".join(docstring(source, source.function(call)).lower().split())
    latest = next((w for w in LATEST if w in text), "")
    earliest = next((w for w in EARLIEST if w in text), "")
    reverse = next((a for a in call.args if a.keyword and a.keyword.value == "reverse"), None)
    if reverse is None:
        likelihood = TOLD_ORDER if latest and not earliest else UNTOLD_ORDER
        authority = _quoted(source, call, latest) if latest and not earliest else ""
        code = _appended(source.code(call), "reverse=True")
        says = f"Give `reverse=True` to `{short(name)}`"
        yield changed(source, call, code, likelihood, authority, says)
    else:
        told = earliest and not latest
        likelihood = TOLD_ORDER if told else UNTOLD_ORDER
        authority = _quoted(source, call, earliest) if told else ""
        other = "False" if source.code(reverse.value) == "True" else "True"
        yield changed(source, reverse.value, other, likelihood, authority)
    yield from _signs(source, call)


def _quoted(source: SourceCode, call: cst.Call, said: str) -> str:
    return f"the docstring of `{source.function(call)}` says “{said}”"


def _appended(code: str, argument: str) -> str:
    inside = code.rstrip()[:-1]
    blank = inside[len(inside.rstrip()) :]
    inside = inside.rstrip().removesuffix(",")
    return f"{inside}, {argument}{',' if blank else ''}{blank})"


def _signs(source: SourceCode, call: cst.Call) -> Iterator[Edit]:
    """Parts of a key counted upwards that were counted downwards, other parts of it first, and the other way round."""
    key = next((a.value for a in call.args if a.keyword and a.keyword.value == "key"), None)
    if not isinstance(key, cst.Lambda):
        return
    parts = [key.body]
    if isinstance(key.body, cst.Tuple):
        parts = [each.value for each in key.body.elements]
    for each in parts:
        code = source.code(each)
        if isinstance(each, cst.UnaryOperation) and isinstance(each.operator, (cst.Minus, cst.Not)):
            yield changed(source, each, source.code(each.expression), 0.12)
        elif isinstance(each, cst.Comparison) or code.startswith(("bool(", "_is")):
            yield changed(source, each, f"not {code}", 0.1)
        elif isinstance(each, (cst.Subscript, cst.Call)):
            yield changed(source, each, f"-{code}", 0.04)
    if len(parts) == 2:
        yield _turned(source, parts[0], parts[1], key.body)


def _turned(source: SourceCode, one: cst.CSTNode, other: cst.CSTNode, whole: cst.CSTNode) -> Edit:
    code = f"{source.code(other)}, {source.code(one)}"
    bare = not source.code(whole).startswith("(")
    return changed(source, whole, code if bare else f"({code})", 0.1)


def _chosen(source: SourceCode, call: cst.Call, name: str) -> Iterator[Edit]:
    text = docstring(source, source.function(call)).lower()
    words = {
        "min": ("latest", "last ", "most ", "largest"),
        "max": ("earliest", "first ", "least", "smallest", "fewest"),
    }
    told = next((w for w in words[name] if w in text), "")
    likelihood = 0.3 if told else 0.17
    authority = f"the docstring of `{source.function(call)}` says “{told.strip()}”" if told else ""
    yield changed(source, call.func, "max" if name == "min" else "min", likelihood, authority)
