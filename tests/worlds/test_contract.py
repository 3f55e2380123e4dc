"""worlds.contract"""

from __future__ import annotations

from tests.worlds.orders import DOMAIN
from worlds.contract import CONTRACTS_KEPT, contract_of, row_shape
from worlds.domain import Domain


def test_a_row_has_its_key_whatever_the_schema_lists() -> None:
    shape = row_shape(DOMAIN, "orders")
    assert shape is not None
    assert shape["properties"]["order_id"] == {"type": "string"}
    assert "order_id" not in DOMAIN.tables["orders"].schema_["properties"]


def test_a_table_without_fields_stays_open_and_an_unknown_one_has_no_shape() -> None:
    assert row_shape(DOMAIN, "notes") == {}
    assert row_shape(DOMAIN, "nothing") is None


def test_a_domain_has_one_contract_and_few_are_kept() -> None:
    assert contract_of(DOMAIN) is contract_of(DOMAIN)
    others = [
        Domain.parse({"tables": {f"t{number}": {"key": "id"}}})
        for number in range(CONTRACTS_KEPT + 1)
    ]
    assert [contract_of(other).tables for other in others] == [
        [f"t{n}"] for n in range(len(others))
    ]
