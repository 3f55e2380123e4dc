"""What runs in the sandbox before a tool server's source: `db`, `clock` and `money`.

They speak with the host through one function that takes and gives JSON text. Nobody but them can reach it:
the module that it comes from has a name that cannot be guessed, and is imported inside a function.
"""

from __future__ import annotations

_PRELUDE = """\
def __given():
    import json
    import datetime
    import decimal
    import HOST as host

    ask, dumps, loads = host.ask, json.dumps, json.loads
    # The source may name a function of its own `list` or `type`: hold on to the real ones.
    a, kind, wrong, wrong_value = isinstance, type, TypeError, ValueError
    mapping, sequences, scalars, number = dict, (list, tuple), (str, int, float), float
    moments = (datetime.datetime, datetime.date, datetime.time)

    def simple(value):
        if a(value, mapping):
            return {key: simple(item) for key, item in value.items()}
        if a(value, sequences):
            return [simple(item) for item in value]
        if a(value, moments):
            return value.isoformat()
        if a(value, decimal.Decimal):
            return number(value)
        if value is None or a(value, scalars):
            return value
        members = __plain(value)
        if members is None:
            raise wrong("a value of type " + kind(value).__name__ + " is not JSON")
        return simple(members)

    def text(value):
        try:
            try:
                return dumps(value, allow_nan=False)
            except wrong:
                return dumps(simple(value), allow_nan=False)
        except wrong_value as error:
            raise wrong(f"{error}")

    def answer(name, given, named):
        return loads(ask(text([name, given, named])))

    class Db:
        def get(self, *given, **named):
            return answer("get", given, named)

        def find(self, *given, **named):
            return answer("find", given, named)

        def insert(self, *given, **named):
            return answer("insert", given, named)

        def update(self, *given, **named):
            return answer("update", given, named)

        def put(self, *given, **named):
            return answer("put", given, named)

        def delete(self, *given, **named):
            return answer("delete", given, named)

        def next_id(self, *given, **named):
            return answer("next_id", given, named)

    class Clock:
        def now(self, *given, **named):
            return datetime.datetime.fromisoformat(answer("now", given, named))

        def today(self, *given, **named):
            return datetime.date.fromisoformat(answer("today", given, named))

        def local(self, *given, **named):
            return datetime.datetime.fromisoformat(answer("local", given, named))

        def utc(self, *given, **named):
            return datetime.datetime.fromisoformat(answer("utc", given, named))

    def money(*given, **named):
        return answer("money", given, named)

    return Db(), Clock(), money, text

db, clock, money, __text = __given()
"""


def prelude(host: str) -> str:
    """The prelude's code; `host` is the secret name of the module that holds the function `ask`."""
    return _PRELUDE.replace("HOST", host)


STUBS = {
    "db": """\
from typing import Any
def get(table: str, key: str) -> Any: ...
def find(
    table: str, match: dict[str, Any] | None = None, limit: int | None = None
) -> list[dict[str, Any]]: ...
def insert(table: str, row: dict[str, Any]) -> dict[str, Any]: ...
def update(table: str, key: str, fields: dict[str, Any]) -> dict[str, Any]: ...
def put(table: str, row: dict[str, Any]) -> dict[str, Any]: ...
def delete(table: str, key: str) -> None: ...
def next_id(table: str, prefix: str = "") -> str: ...
""",
    "clock": """\
import datetime
def now() -> datetime.datetime: ...
def today() -> datetime.date: ...
def local(moment: str | datetime.datetime, zone: str) -> datetime.datetime: ...
def utc(moment: str | datetime.datetime, zone: str = "UTC") -> datetime.datetime: ...
""",
    "money": """\
from decimal import Decimal
def money(amount: float | Decimal) -> float: ...
""",
}
"""What the type checker knows of `db`, `clock` and `money`, as modules."""
