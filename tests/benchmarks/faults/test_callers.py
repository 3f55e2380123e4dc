"""What a changed function can matter to."""

from __future__ import annotations

from benchmarks.faults.callers import reached

SOURCE = """
FEE = 3

def cancel(order):
    return _save(order)

def find(order):
    return _view(order)

def _save(order):
    return _view(order)

def _view(order):
    return {"fee": FEE}
"""


def test_a_changed_helper_matters_to_all_that_lead_to_it() -> None:
    after = SOURCE.replace('{"fee": FEE}', '{"fee": 2}')
    assert reached([SOURCE], [after]) == {"cancel", "find", "_save", "_view"}
    after = SOURCE.replace(
        "def _save(order):\n    return _view", "def _save(order):\n    return str"
    )
    assert reached([SOURCE], [after]) == {"cancel", "_save"}


def test_order_and_layout_matter_to_nothing_and_constants_to_all() -> None:
    first, rest = SOURCE.split("\n\n", 1)
    assert reached([SOURCE], [f"{first}\n\n\n\n# more\n{rest}"]) == set()
    assert reached([SOURCE], [SOURCE.replace("FEE = 3", "FEE = 4")]) is None


def test_methods_and_other_files_count_by_name() -> None:
    store = "class Store:\n    def put(self, row):\n        return row\n"
    server = "def save(store, row):\n    return store.put(row)\n\ndef other():\n    return 1\n"
    after = store.replace("return row", "return None")
    assert reached([store, server], [after, server]) == {"put", "save"}


def test_a_function_that_is_no_more_matters_to_those_that_used_it() -> None:
    after = SOURCE.replace("def _save(order):\n    return _view(order)\n", "")
    assert reached([SOURCE], [after]) == {"cancel", "_save"}


def test_what_cannot_be_read_may_matter_to_all() -> None:
    assert reached([SOURCE], ["def broken(:"]) is None
