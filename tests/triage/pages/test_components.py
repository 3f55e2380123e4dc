from __future__ import annotations

import csv
import io
import re

from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.browser import seed
from tests.browser.seed import Library

ROW = re.compile(r'href="/components/(\w[\w-]*/\w+/[\w-]+)/" data-open')


def listed(client: Client, query: str = "") -> list[str]:
    answer = client.get(f"/components/?{query}")
    assert answer.status_code == 200
    return ROW.findall(answer.content.decode())


def test_lists_what_the_reader_may_see(reader: Client, shop: Library, secret: Library) -> None:
    assert len(listed(reader)) == 16
    assert not [name for name in listed(reader) if name.startswith("secret/")]


def test_filters_by_kind_domain_authority_and_words(reader: Client, shop: Library) -> None:
    assert len(listed(reader, "kind=intent")) == 12
    assert listed(reader, "authority=given") == ["shop/records/spring"]
    assert listed(reader, "q=cancellations") == ["shop/rule/refunds"]  # a word of its title
    assert not listed(reader, "domain=elsewhere")


def test_counts_the_environments_that_each_is_part_of(reader: Client, shop: Library) -> None:
    answer = reader.get("/components/?format=csv&sort=-used")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    used = {row["component"]: row["environments"] for row in csv.DictReader(io.StringIO(text))}
    assert (used["domain"], used["shop-api"], used["reorder-005"]) == ("12", "12", "1")


def test_as_many_queries_whatever_the_number_of_rows(
    reader: Client, shop: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(QUERIES):
        listed(reader)
    seed.library("large", 40)
    with django_assert_num_queries(QUERIES):
        listed(reader)


QUERIES = 9
