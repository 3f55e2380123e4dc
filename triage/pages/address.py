"""The state of a list, as its address says it."""

from __future__ import annotations

from django.http import QueryDict


class Address:
    """A path with its parameters; every method gives the address of a neighbouring state.

    Whatever changes what is listed also goes back to the first page.
    """

    def __init__(self, path: str, parameters: QueryDict) -> None:
        self.path = path
        self._parameters = QueryDict(mutable=True)
        for name, values in parameters.lists():
            # PostgreSQL holds no NUL; nothing sensible is ever asked with one.
            clean = [value.replace("\x00", "") for value in values]
            self._parameters.setlist(name, list(dict.fromkeys(filter(None, clean))))

    def one(self, name: str) -> str:
        """The last value of `name`, or nothing."""
        return self._parameters.get(name, "")

    def all(self, name: str) -> list[str]:
        """Every value of `name`."""
        return self._parameters.getlist(name)

    def where(self, name: str, value: str) -> str:
        """The address with `name` at `value` alone."""
        changed = self._copy()
        changed[name] = value
        return self._text(changed)

    def sheet(self, name: str = "") -> str:
        """The address of one of the page's lists as CSV, as it is filtered and sorted; "" = the main one."""
        changed = self._copy()
        changed.pop("list", None)
        changed["format"] = "csv"
        if name:
            changed["list"] = name
        return self._text(changed)

    def page(self, number: int) -> str:
        """The address of another page of the same list."""
        changed = self._parameters.copy()
        changed["page"] = str(number)
        return self._text(changed)

    def toggled(self, name: str, value: str) -> str:
        """The address with `value` added to `name`, or taken away when it was there."""
        changed = self._copy()
        values = changed.getlist(name)
        rest = [other for other in values if other != value]
        changed.setlist(name, rest if value in values else [*values, value])
        return self._text(changed)

    def without(self, *names: str) -> str:
        """The address with nothing said about `names`."""
        changed = self._copy()
        for name in names:
            changed.pop(name, None)
        return self._text(changed)

    def only(self, *names: str, **values: str) -> str:
        """The address with `values`, and of what it says now only `names`."""
        changed = QueryDict(mutable=True)
        for name in names:
            changed.setlist(name, self._parameters.getlist(name))
        for name, value in values.items():
            changed[name] = value
        return self._text(changed)

    def hidden(self, *names: str) -> list[tuple[str, str]]:
        """Everything but `names` and the page, for a form that sets `names`."""
        rest = self._copy()
        return [
            (name, value) for name, values in rest.lists() if name not in names for value in values
        ]

    def _copy(self) -> QueryDict:
        changed = self._parameters.copy()
        changed.pop("page", None)
        return changed

    def _text(self, parameters: QueryDict) -> str:
        query = parameters.urlencode()
        return f"{self.path}?{query}" if query else self.path
