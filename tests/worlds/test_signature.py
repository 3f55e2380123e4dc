"""Signatures as schemas: every hint that has one, and what is said of those that have none."""

from __future__ import annotations

import ast
from textwrap import dedent
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.signature import Hints, Unsupported, dataclasses_of, last_name, maker, object_schema

CLASSES = dedent("""
    import dataclasses
    from dataclasses import dataclass, field
    from typing import Any, Literal, Optional

    @dataclass
    class Item:
        name: str
        count: int = 1

    @dataclasses.dataclass(frozen=True)
    class Basket:
        items: list[Item]
        gift: Item | None = None
        named: dict[str, Item] = field(default_factory=dict)
        size: Literal["s", "l"] = field(default="s")
        note = "no field: it has no hint"

    @dataclass
    class Tree:
        branches: list["Tree"]

    @dataclass
    class Odd:
        what: set[int]

    class Plain:
        pass
""")
HINTS = Hints(dataclasses_of(ast.parse(CLASSES)))
ITEM = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "count": {"type": "integer", "default": 1}},
    "required": ["name"],
    "additionalProperties": False,
}


def schema(hint: str) -> dict[str, Any]:
    return HINTS.read(ast.parse(hint, mode="eval").body).schema


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ("str", {"type": "string"}),
        ("int", {"type": "integer"}),
        ("float", {"type": "number"}),
        ("bool", {"type": "boolean"}),
        ("None", {"type": "null"}),
        ("Any", {}),
        ("typing.Any", {}),
        ("list", {"type": "array"}),
        ("typing.List", {"type": "array"}),
        ("dict", {"type": "object"}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
        ("List[list[str]]", {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
        ("dict[str, int]", {"type": "object", "additionalProperties": {"type": "integer"}}),
        ("Dict[str, Any]", {"type": "object", "additionalProperties": {}}),
        ("Optional[int]", {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        ("int | None", {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        ("Union[int, str, int]", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ("int | str | None", {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
        ("Literal['a', 'b']", {"type": "string", "enum": ["a", "b"]}),
        ("Literal[1, -2, True, None]", {"enum": [1, -2, True, None]}),
        ("'int'", {"type": "integer"}),
        ("list['int | None']", {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}),
        ("Annotated[int, 'how many']", {"type": "integer", "description": "how many"}),
        ("Annotated[int, Field(), 3, 'words', 'more']", {"type": "integer", "description": "words"}),
        ("Annotated[int, Field()]", {"type": "integer"}),
        ("list[Annotated[str, 'a name']]", {"type": "array", "items": {"type": "string", "description": "a name"}}),
        ("Item", ITEM),
        ("'Item'", ITEM),
        ("Item | None", {"anyOf": [ITEM, {"type": "null"}]}),
        ("dict[str, list[Item]]", {"type": "object", "additionalProperties": {"type": "array", "items": ITEM}}),
    ],
)  # fmt: skip
def test_a_hint_has_this_schema(hint: str, expected: dict[str, Any]) -> None:
    assert schema(hint) == expected


def test_a_dataclass_of_dataclasses_is_an_object_of_objects() -> None:
    assert schema("Basket") == {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": ITEM},
            "gift": {"anyOf": [ITEM, {"type": "null"}]},
            "named": {"type": "object", "additionalProperties": ITEM},
            "size": {"type": "string", "enum": ["s", "l"], "default": "s"},
        },
        "required": ["items"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        ("set[int]", "the hint set[int] has no schema: use str, int"),
        ("tuple", "the hint tuple has no schema"),
        ("dict[int, str]", "the hint dict[int, str] has no schema"),
        ("list[int, str]", "the hint list[int, str] has no schema"),
        ("Plain", "the hint Plain has no schema"),
        ("datetime.date", "the hint datetime.date has no schema"),
        ("Literal[1.5]", "the hint Literal[1.5] has no schema"),
        ("Literal[x]", "the hint Literal[x] has no schema"),
        ("Callable[[int], str]", "has no schema"),
        ("'not a hint!'", "the hint 'not a hint!' has no schema"),
        ("3", "the hint 3 has no schema"),
        ("list[set]", "the hint set has no schema"),
        ("Optional[bytes]", "the hint bytes has no schema"),
        ("Item | Basket", "a dataclass can be united only with None"),
        ("Item | str", "a dataclass can be united only with None"),
        ("Tree", "the dataclass Tree holds itself"),
        ("Odd", "the hint set[int] has no schema"),
    ],
)
def test_a_hint_without_a_schema_is_named(hint: str, words: str) -> None:
    with pytest.raises(Unsupported) as raised:
        schema(hint)
    assert words in str(raised.value)


def test_a_hint_that_failed_does_not_spoil_the_next() -> None:
    for _ in range(2):
        with pytest.raises(Unsupported, match="holds itself"):
            schema("Tree")
        assert schema("Item") == ITEM


def test_only_decorated_classes_are_dataclasses() -> None:
    assert list(HINTS.classes) == ["Item", "Basket", "Tree", "Odd"]


@pytest.mark.parametrize(
    ("default", "expected"),
    [("1", {"default": 1}), ("-1.5", {"default": -1.5}), ("''", {"default": ""}), ("True", {"default": True}),
     ("None", {}), ("[]", {}), ("LIMIT", {}), ("(1, 2)", {}), ("f()", {})],
)  # fmt: skip
def test_a_default_makes_a_member_optional_and_is_told_when_it_is_plain(
    default: str, expected: dict[str, Any]
) -> None:
    hint = HINTS.read(ast.parse("int", mode="eval").body)
    made = object_schema({"x": (hint, ast.parse(default, mode="eval").body), "y": (hint, None)})
    assert made["properties"]["x"] == {"type": "integer", **expected}
    assert made["required"] == ["y"]


def test_last_name_is_the_end_of_a_dotted_name() -> None:
    trees = [ast.parse(text, mode="eval").body for text in ("a", "a.b.c", "f()", "1")]
    assert [last_name(tree) for tree in trees] == ["a", "c", "", ""]


plain_hints = st.recursive(
    st.sampled_from(["str", "int", "float", "bool", "None", "Any", "Literal['a']", "Item"]),
    lambda inner: st.one_of(
        inner.map("list[{}]".format),
        inner.map("dict[str, {}]".format),
        inner.map("Annotated[{}, 'words']".format),
        inner.map(lambda hint: f"'{hint}'" if "'" not in hint else hint),
    ),
    max_leaves=6,
)


@given(plain_hints, st.data())
def test_a_value_that_fits_is_built_by_code_that_python_runs(
    hint: str, data: st.DataObject
) -> None:
    read = HINTS.read(ast.parse(hint, mode="eval").body)
    validator = jsonschema_rs.validator_for(read.schema)
    value = data.draw(values_of(read.schema))
    assert validator.is_valid(value)
    if read.build is None:
        assert "Item" not in hint
        return
    names: dict[str, Any] = {"value": value}
    exec(f"{CLASSES}\n{HINTS.makers()}\nbuilt = {read.build('value')}", names)  # noqa: S102  # our own text
    assert str(names["built"]).count("Item(") == str(value).count("'name'")


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values of a schema such as `plain_hints` have."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("properties"):
        return st.fixed_dictionaries({"name": st.just("x")}, optional={"count": st.integers(0, 9)})
    if "additionalProperties" in schema:
        return st.dictionaries(
            st.text("ab", min_size=1), values_of(schema["additionalProperties"]), max_size=2
        )
    if "items" in schema:
        return st.lists(values_of(schema["items"]), max_size=2)
    simple: dict[Any, st.SearchStrategy[Any]] = {
        "string": st.text("xyz"), "integer": st.integers(), "boolean": st.booleans(),
        "number": st.floats(allow_nan=False, allow_infinity=False), "null": st.none(),
    }  # fmt: skip
    return simple.get(schema.get("type"), st.just(None))


def test_a_maker_is_named_so_that_tool_code_cannot_name_it() -> None:
    assert maker("Item").startswith("__")
