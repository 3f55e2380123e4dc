"""Conditions: expressions in CEL about a state, compiled once, refused when they could mislead, bounded when run.

Three gates stand at compile: the syntax (`worlds.cel_tree`), loops and names (`worlds.cel_gates`). The functions that
a condition may call are in the table of `worlds.cel_functions`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Any

import cel

from worlds.cel_errors import ConditionFailed, ConditionInvalid, ConditionSpent, NameUnknown
from worlds.cel_gates import Names, check_loops
from worlds.cel_source import Source
from worlds.cel_tree import Node, parse
from worlds.cel_values import Normaliser, Shape, TooLarge
from worlds.contract import Contract, contract_of, row_shape
from worlds.definitions import Definitions
from worlds.domain import Domain
from worlds.evaluation import Allowance, Evaluation, OverBudget, View

__all__ = [
    "Allowance",
    "Condition",
    "ConditionFailed",
    "ConditionInvalid",
    "ConditionSpent",
    "NameUnknown",
    "Shape",
    "View",
    "compile_condition",
    "row_shape",
]

NO_FUNCTIONS: Mapping[str, Callable[..., Any]] = {}


class Condition:
    """A compiled condition. Evaluating it changes nothing; the same object may be used again inside itself."""

    def __init__(self, text: str, program: Any, contract: Contract, names: Names) -> None:
        self.text = text
        self.variables = frozenset(names.variables)
        """The names that it needs."""
        self.functions = frozenset(names.functions)
        """The functions that it calls."""
        self._program = program
        self._contract = contract
        self._normalisers = {
            name: _normaliser(contract, names.given[name]) for name in self.variables
        }

    def evaluate(
        self,
        view: View,
        names: Mapping[str, Any],
        functions: Mapping[str, Callable[..., Any]] = NO_FUNCTIONS,
    ) -> Any:
        """What it says of this state (numbers as normalised, times as datetime); raises ConditionFailed."""
        evaluation = Evaluation(view, self._contract)
        try:
            variables = {
                name: self._variable(name, names, evaluation) for name in self._normalisers
            }
            context = cel.Context(variables, evaluation.functions(self.functions, functions))
            value = self._program.execute(context)
        except Exception as error:
            self._end_if_spent(evaluation)
            raise ConditionFailed(self._sentence(_reason(error, evaluation.failure))) from error
        finally:
            evaluation.settle()
        self._end_if_spent(evaluation)
        return value

    def _end_if_spent(self, evaluation: Evaluation) -> None:
        if evaluation.spent:
            raise ConditionSpent(self._sentence(evaluation.spent))

    def holds(
        self,
        view: View,
        names: Mapping[str, Any],
        functions: Mapping[str, Callable[..., Any]] = NO_FUNCTIONS,
    ) -> bool:
        """Whether it holds; raises ConditionFailed, also when it is neither true nor false."""
        value = self.evaluate(view, names, functions)
        if not isinstance(value, bool):
            raise ConditionFailed(
                self._sentence(f"it is neither true nor false, but a {type(value).__name__}")
            )
        return value

    def _variable(self, name: str, names: Mapping[str, Any], evaluation: Evaluation) -> Any:
        if name not in names:
            raise LookupError(f"nothing was given for the name {name!r}")
        try:
            value, count = self._normalisers[name](names[name])
        except TooLarge as error:
            raise TooLarge(f"{name}: {error}") from None
        evaluation.hand(count)
        return value

    def _sentence(self, reason: str) -> str:
        text = " ".join(self.text.split())
        return f"{reason}, in the condition: {text if len(text) <= 200 else text[:199] + '…'}"


def _reason(error: Exception, failure: str) -> str:
    said = str(error)
    if isinstance(error, (TooLarge, OverBudget)) or type(error) is LookupError:
        return said
    if isinstance(error, KeyError):
        return f"there is no field {said}"
    if isinstance(error, ZeroDivisionError):
        return "it divides by zero"
    if isinstance(error, TypeError):
        return "an operation does not fit its values (a field of null? whole numbers with decimal ones?)"
    if isinstance(error, RuntimeError) and failure and "Python function call failed" in said:
        return failure
    if isinstance(error, RuntimeError) and said.startswith("Undefined variable or function"):
        return f"{said.split(chr(39))[1]} does not take such a value"
    return said.splitlines()[0][:200]


_ANYTHING = Normaliser(None)


def _normaliser(contract: Contract, shape: Shape) -> Normaliser:
    if shape is None:
        return _ANYTHING
    tables = (
        contract.normalisers[name] for name, known in contract.shapes.items() if known is shape
    )
    return next(tables, None) or Normaliser(shape)


COMPILED_KEPT = 4_096
_Key = tuple[str, int, tuple[tuple[str, int], ...], tuple[str, ...]]
_COMPILED: OrderedDict[_Key, tuple[Condition, Domain, Mapping[str, Shape]]] = OrderedDict()


def compile_condition(
    text: str,
    domain: Domain,
    names: Mapping[str, Shape],
    functions: Collection[str] = (),
    definitions: Definitions | None = None,
) -> Condition:
    """The condition that `text` says about a state of `domain`, with these names and functions of the caller's.

    The shape of a name is the JSON Schema of its value (for a row: `row_shape`), None where anything may come.
    `definitions` are those of the intent or the rule that says it; without them, it may use the domain's.
    Raises ConditionInvalid or NameUnknown.
    """
    defined = definitions or domain.definitions
    try:
        return _known(defined.written_out(text), domain, names, functions)
    except ConditionInvalid as error:
        defined.locate(error, text)
        raise


def _known(
    text: str, domain: Domain, names: Mapping[str, Shape], functions: Collection[str]
) -> Condition:
    shapes = tuple(sorted((name, id(shape)) for name, shape in names.items()))
    key = (text, id(domain), shapes, tuple(sorted(functions)))
    known = _COMPILED.pop(key, None)
    if known is None:
        # Domain and shapes are held with the result, so that their ids stay theirs.
        known = (_compiled(text, contract_of(domain), names, functions), domain, dict(names))
    _COMPILED[key] = known
    if len(_COMPILED) > COMPILED_KEPT:
        _COMPILED.popitem(last=False)
    return known[0]


def _compiled(
    text: str, contract: Contract, given: Mapping[str, Shape], functions: Collection[str]
) -> Condition:
    root = parse(text)
    check_loops(root, text)
    names = Names(text, contract, given, functions)
    names.check(root)
    return Condition(text, _program(text, root, names), contract, names)


def _program(text: str, root: Node, names: Names) -> Any:
    try:
        return cel.compile(Source(names.shapes).write(root))
    except ValueError as error:
        said = str(error).partition("ERROR: <input>:")[2].partition(": ")[2].partition("\n")[0]
        raise ConditionInvalid(
            f"it does not compile: {said or 'the syntax is wrong'}", text
        ) from None
