"""Arguments in the wrong order, under the wrong keyword, one too few or too many."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

import libcst as cst

from triage.proposers.sourceedits.changed import changed, leaf, short
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.quoting import quoted
from triage.proposers.sourceedits.rowtypes import RowTypes, rowtypes
from triage.proposers.sourceedits.scope import Scope
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.vocabulary import closest

SWAPPED_NAMES = 0.7
SWAPPED = 0.12
UNKNOWN_KEYWORD = 0.9
OTHERS_GIVE = 0.3
LEFT_OUT = 0.08
WANTED = 0.5
MOST_KEYWORDS = 2
ELSEWHERE_TOLD = frozenset({"dict", "Field", "sorted", "timedelta", "min", "max"})
"""Of which other calls say nothing, or another editor says more."""


def arguments(source: SourceCode) -> Iterator[Edit]:
    """Other arguments for calls, as the names of parameters and other calls of the same function tell."""
    types = rowtypes(source.text)
    elsewhere = _keywords_elsewhere(source)
    for call in source.suspects(cst.Call):
        called = types.functions.get(call.func.value) if isinstance(call.func, cst.Name) else None
        yield from _swapped(source, call, called)
        if called is not None:
            yield from _keywords(source, call, called)
            yield from _more(source, types, call, called)
        yield from _as_others(source, call, elsewhere)
        yield from _fewer(source, call)


def _swapped(source: SourceCode, call: cst.Call, called: ast.FunctionDef | None) -> Iterator[Edit]:
    given = [each for each in call.args if each.keyword is None and not each.star]
    codes = [source.code(each.value) for each in given]
    parameters = [a.arg for a in called.args.args] if called else []
    for one, other in _pairs(len(given)):
        if codes[one] == codes[other]:
            continue
        named = len(parameters) > other and (
            (
                _is_called(codes[one], parameters[other])
                and not _is_called(codes[one], parameters[one])
            )
            or (
                _is_called(codes[other], parameters[one])
                and not _is_called(codes[other], parameters[other])
            )
        )
        if not named and (other != one + 1 or (called is None and not _is_text_method(call))):
            continue
        likelihood = SWAPPED_NAMES if named else SWAPPED
        authority = f"the parameters are called {', '.join(parameters)}" if named else ""
        yield _exchanged(source, call, given[one].value, given[other].value, likelihood, authority)


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    for one in range(min(count, 6)):
        for other in range(one + 1, min(count, 6)):
            yield one, other


def _is_called(code: str, parameter: str) -> bool:
    return leaf(code) == parameter


def _is_text_method(call: cst.Call) -> bool:
    func = call.func
    names = {"get", "replace", "money", "update", "find", "isinstance", "utc", "local"}
    return isinstance(func, cst.Attribute) and func.attr.value in names - {"get", "update", "find"}


def _exchanged(
    source: SourceCode,
    call: cst.Call,
    one: cst.BaseExpression,
    other: cst.BaseExpression,
    likelihood: float,
    authority: str,
) -> Edit:
    """Two arguments exchanged, the blanks and comments between them kept."""
    whole, first, last = source.code(call), source.code(one), source.code(other)
    start = _offset(source, call, one)
    end = _offset(source, call, other)
    between = whole.encode()[start + len(first.encode()) : end].decode()
    rest = whole.encode()[end + len(last.encode()) :].decode()
    code = f"{whole.encode()[:start].decode()}{last}{between}{first}{rest}"
    says = f"Exchange `{short(first)}` and `{short(last)}` in the call of `{short(source.code(call.func))}`"
    return changed(source, call, code, likelihood, authority, says)


def _offset(source: SourceCode, whole: cst.CSTNode, part: cst.CSTNode) -> int:
    return source.start(part) - source.start(whole)


# Keywords


def _keywords(source: SourceCode, call: cst.Call, called: ast.FunctionDef) -> Iterator[Edit]:
    arguments = [*called.args.posonlyargs, *called.args.args, *called.args.kwonlyargs]
    parameters = [a.arg for a in arguments]
    for each in call.args:
        if each.keyword is None or called.args.kwarg:
            continue
        given = each.keyword.value
        if given not in parameters:
            for index, (other, score) in enumerate(closest(given, parameters)):
                authority = f"`{called.name}` takes `{other}` and no `{given}`"
                yield changed(
                    source, each.keyword, other, UNKNOWN_KEYWORD * score - 0.2 * index, authority
                )


def _more(
    source: SourceCode, types: RowTypes, call: cst.Call, called: ast.FunctionDef
) -> Iterator[Edit]:
    """A parameter with a default that the caller has a name for and does not hand over."""
    scope = Scope.of(types, source.function(call))
    if scope is None or any(each.star for each in call.args):
        return
    given = {each.keyword.value for each in call.args if each.keyword is not None}
    count = sum(each.keyword is None for each in call.args)
    left = [a.arg for a in called.args.args[count:] if a.arg not in given]
    left += [a.arg for a in called.args.kwonlyargs if a.arg not in given]
    for name in left:
        if name in scope.visible(source.line(call)):
            likelihood = WANTED if scope.used[name] == 0 else 0.2
            authority = f"`{called.name}` takes `{name}`, and so does `{scope.function}`"
            yield _with(source, call, f"{name}={name}", likelihood, authority)


def _with(
    source: SourceCode, call: cst.Call, argument: str, likelihood: float, authority: str
) -> Edit:
    says = f"Give `{short(argument)}` to `{short(source.code(call.func))}`"
    if not call.args:
        code = source.code(call)
        return changed(source, call, f"{code[:-1]}{argument})", likelihood, authority, says)
    last = call.args[-1].value
    code = source.code(last)
    code = f"({code})" if last.lpar or isinstance(last, cst.GeneratorExp) else code
    if last.lpar:
        code = f"({code})" if not code.startswith("(") else code
        return changed(source, call, _appended(source, call, argument), likelihood, authority, says)
    return changed(source, last, f"{code}, {argument}", likelihood, authority, says)


def _appended(source: SourceCode, call: cst.Call, argument: str) -> str:
    code = source.code(call).rstrip()
    inside = code[:-1].rstrip().removesuffix(",")
    return f"{inside}, {argument})"


# As other calls do it


def _keywords_elsewhere(source: SourceCode) -> Mapping[str, Counter[str]]:
    """Function → keywords with their values that it is called with, here and in the neighbours."""
    found: dict[str, Counter[str]] = {}
    for text in (source.text, *source.neighbours):
        for node in ast.walk(rowtypes(text).tree):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                for each in node.keywords:
                    if each.arg and isinstance(each.value, ast.Constant):
                        entry = f"{each.arg}={ast.unparse(each.value)}"
                        found.setdefault(name, Counter())[entry] += 1
    return found


def _as_others(
    source: SourceCode, call: cst.Call, elsewhere: Mapping[str, Counter[str]]
) -> Iterator[Edit]:
    name = source.code(call.func)
    if name in ELSEWHERE_TOLD or any(each.star for each in call.args):
        return
    given = {each.keyword.value for each in call.args if each.keyword is not None}
    for entry, count in elsewhere.get(name, Counter()).most_common(MOST_KEYWORDS):
        if entry.split("=")[0] not in given and call.args:
            authority = f"`{name}` is called with `{quoted(entry)}` elsewhere"
            likelihood = OTHERS_GIVE if count > 1 else OTHERS_GIVE / 2
            yield _with(source, call, quoted(entry), likelihood, authority)


def _fewer(source: SourceCode, call: cst.Call) -> Iterator[Edit]:
    """Without a keyword that has a default."""
    keywords = [each for each in call.args if each.keyword is not None]
    if len(call.args) < 2 or "\n" in source.code(call):
        return
    if _is_given(source, call) or not isinstance(call.func, (cst.Name, cst.Attribute)):
        return
    for left_out in keywords:
        kept = [_argument(source, each) for each in call.args if each is not left_out]
        code = f"{source.code(call.func)}({', '.join(kept)})"
        says = f"Do not give `{short(_argument(source, left_out))}` to `{short(source.code(call.func))}`"
        yield changed(source, call, code, LEFT_OUT, says=says)


def _is_given(source: SourceCode, call: cst.Call) -> bool:
    return source.code(call.func) in ("dict", "Field", "timedelta")


def _argument(source: SourceCode, each: cst.Arg) -> str:
    code = source.code(each.value)
    code = f"({code})" if each.value.lpar else code
    return f"{each.keyword.value}={code}" if each.keyword else f"{each.star}{code}"
