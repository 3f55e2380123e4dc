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

    def simple(value):
        if isinstance(value, dict):
            return {key: simple(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [simple(item) for item in value]
        if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, decimal.Decimal):
            return float(value)
        if value is None or isinstance(value, (str, int, float)):
            return value
        return simple(__plain(value))

    def text(value):
        try:
            try:
                return dumps(value, allow_nan=False)
            except TypeError:
                return dumps(simple(value), allow_nan=False)
        except ValueError as error:
            raise TypeError(str(error))

    def answer(*question):
        return loads(ask(text(question)))

    class Db:
        def get(self, table, key):
            return answer("get", table, key)

        def find(self, table, match=None, limit=None):
            return answer("find", table, match, limit)

        def insert(self, table, row):
            return answer("insert", table, row)

        def update(self, table, key, fields):
            return answer("update", table, key, fields)

        def put(self, table, row):
            return answer("put", table, row)

        def delete(self, table, key):
            return answer("delete", table, key)

        def next_id(self, table, prefix=""):
            return answer("next_id", table, prefix)

    class Clock:
        def now(self):
            return datetime.datetime.fromisoformat(answer("now"))

        def today(self):
            return datetime.date.fromisoformat(answer("today"))

        def local(self, moment, zone):
            return datetime.datetime.fromisoformat(answer("local", moment, zone))

        def utc(self, moment, zone="UTC"):
            return datetime.datetime.fromisoformat(answer("utc", moment, zone))

    def money(amount):
        return answer("money", amount)

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
