"""Variables and parameters that were taken for one another, or are spelt otherwise where they are bound."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from triage.proposers.sourceedits.changed import changed, leaf, text_index
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.evidence import docstring
from triage.proposers.sourceedits.rowtypes import RowTypes, rowtypes
from triage.proposers.sourceedits.scope import BUILT_IN, GIVEN, Scope, sort_of
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.vocabulary import closest, likeness

UNDEFINED = 0.9
NEVER_USED = 0.5
BOTH_SIDES = 0.5
NAMED_SO = 0.35
SAME_SORT = 0.12
MOST = 3


def names(source: SourceCode) -> Iterator[Edit]:
    """Other names of the same sort that are bound where one is used."""
    types = rowtypes(source.text)
    scopes = {name: Scope.of(types, name) for name in source.functions}
    module = _of_module(source)
    for node in source.suspects(cst.Name):
        scope = scopes.get(source.function(node))
        if scope is not None and _is_use(source, node):
            yield from _exchanged(source, types, scope, node, module)


def _of_module(source: SourceCode) -> list[str]:
    found = list(source.functions)
    for statement in source.module.body:
        if isinstance(statement, cst.ClassDef):
            found.append(statement.name.value)
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Assign):
                found += [n.value for n in source.all(cst.Name, small.targets[0].target)]
            elif isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                found.append(small.target.value)
            elif isinstance(small, (cst.Import, cst.ImportFrom)):
                found += [n.value for n in source.all(cst.Name, small)]
    return found


def _is_use(source: SourceCode, node: cst.Name) -> bool:
    """Whether a name is read as a value: no attribute, keyword, target, annotation, or function that is called."""
    around = source.parent(node)
    match around:
        case cst.Attribute():
            return around.value is node
        case cst.Arg():
            return around.value is node
        case cst.Param() | cst.FunctionDef() | cst.AssignTarget() | cst.Annotation():
            return False
        case cst.CompFor() | cst.For():
            return around.iter is node
        case cst.Call() | cst.NameItem() | cst.ExceptHandler() | cst.AsName() | cst.NamedExpr():
            return around.value is node if isinstance(around, cst.NamedExpr) else False
    above = around
    while above is not None and not isinstance(above, (cst.BaseSmallStatement, cst.CompFor)):
        if isinstance(above, (cst.Annotation, cst.AssignTarget)):
            return isinstance(above, cst.AssignTarget) and _is_inside_index(source, node, above)
        above = source.parent(above)
    return True


def _is_inside_index(source: SourceCode, node: cst.CSTNode, target: cst.CSTNode) -> bool:
    around = source.parent(node)
    while around is not None and around is not target:
        if isinstance(around, cst.Index):
            return True
        around = source.parent(around)
    return False


def _exchanged(
    source: SourceCode, types: RowTypes, scope: Scope, node: cst.Name, module: list[str]
) -> Iterator[Edit]:
    name, line = node.value, source.line(node)
    if name in BUILT_IN | GIVEN:
        return
    inner = _of_comprehensions(source, node)
    visible = [*scope.visible(line), *inner]
    if name not in visible and name not in scope.locals:
        if name in module:
            yield from _other_constant(source, node, module)
        else:
            for index, (other, score) in enumerate(closest(name, [*visible, *module])):
                authority = f"`{name}` is bound nowhere"
                yield changed(source, node, other, UNDEFINED * score - 0.2 * index, authority)
        return
    if isinstance(source.parent(node), cst.CompFor):
        inner = []
    yield from _of_like_use(source, types, scope, node, visible)


def _of_comprehensions(source: SourceCode, node: cst.CSTNode) -> list[str]:
    """What the comprehensions and lambdas around a node bind."""
    found: list[str] = []
    around = source.parent(node)
    while around is not None and not isinstance(around, cst.FunctionDef):
        if isinstance(around, (cst.ListComp, cst.SetComp, cst.GeneratorExp, cst.DictComp)):
            loop: cst.CompFor | None = around.for_in
            while loop is not None:
                found += [n.value for n in source.all(cst.Name, loop.target)]
                loop = loop.inner_for_in
        elif isinstance(around, cst.Lambda):
            found += [p.name.value for p in around.params.params]
        around = source.parent(around)
    return found


def _other_constant(source: SourceCode, node: cst.Name, module: list[str]) -> Iterator[Edit]:
    if node.value.isupper():
        others = [n for n in dict.fromkeys(module) if n.isupper() and n != node.value]
        others.sort(key=lambda n: (-likeness(n, node.value), n))
        for other in others[:MOST]:
            yield changed(source, node, other, 0.08)


def _of_like_use(
    source: SourceCode, types: RowTypes, scope: Scope, node: cst.Name, visible: list[str]
) -> Iterator[Edit]:
    name = node.value
    sort = sort_of(types, scope, name)
    if sort is None:
        return
    others = [n for n in dict.fromkeys(visible) if n != name and _fits(types, scope, n, sort)]
    meant, twice = _meant(source, node), _is_compared_with_itself(source, node)
    scored = []
    for other in others:
        likelihood, authority = SAME_SORT * (0.6 + 0.6 * likeness(name, other)), ""
        if scope.used[other] == 0:
            told = _about(docstring(source, scope.function), other)
            likelihood = NEVER_USED if told else NEVER_USED / 2
            authority = f"the docstring says “{told}”" if told else ""
        elif twice:
            likelihood = BOTH_SIDES
        elif meant == other:
            likelihood, authority = NAMED_SO, f"what it is handed to is called `{other}`"
        scored.append((likelihood, other, authority))
    for likelihood, other, authority in sorted(scored, key=lambda s: (-s[0], s[1]))[:MOST]:
        yield changed(source, node, other, likelihood, authority)


def _fits(types: RowTypes, scope: Scope, name: str, sort: object) -> bool:
    own = sort_of(types, scope, name)
    if isinstance(own, frozenset) and isinstance(sort, frozenset):
        return bool(own & sort)
    return own == sort


def _about(text: str, name: str) -> str:
    """The line of a docstring about a parameter."""
    lines = (line.strip() for line in text.split("\n"))
    return next((line for line in lines if line.startswith(f"{name}:")), "")


def _meant(source: SourceCode, node: cst.CSTNode) -> str:
    around = source.parent(node)
    if isinstance(around, cst.DictElement) and around.value is node:
        return leaf(source.code(around.key)) or _key(around.key)
    if isinstance(around, cst.Arg) and around.keyword is not None:
        return around.keyword.value
    if isinstance(around, (cst.ComparisonTarget, cst.Comparison)):
        whole = around if isinstance(around, cst.Comparison) else source.parent(around)
        if isinstance(whole, cst.Comparison):
            sides = [whole.left, whole.comparisons[0].comparator]
            return next((text_index(s) or "" for s in sides if s is not node), "")
    return ""


def _key(node: cst.CSTNode) -> str:
    return str(node.evaluated_value) if isinstance(node, cst.SimpleString) else ""


def _is_compared_with_itself(source: SourceCode, node: cst.Name) -> bool:
    around = source.parent(node)
    whole = source.parent(around) if isinstance(around, cst.ComparisonTarget) else around
    if isinstance(whole, cst.Comparison) and len(whole.comparisons) == 1:
        return source.code(whole.left) == source.code(whole.comparisons[0].comparator)
    if isinstance(whole, cst.BinaryOperation):
        return source.code(whole.left) == source.code(whole.right)
    return False
