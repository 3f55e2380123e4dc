"""`manage.py bundle`."""

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command

from tests.triage.shop import Shop
from triage.rounds import create_round
from worlds.bundle import Bundle, Manifest


def document(*arguments: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("bundle", *arguments, stdout=out)
    parsed: dict[str, Any] = json.loads(out.getvalue())
    return parsed


def test_it_prints_the_manifest_and_digest_that_a_round_would_pin(shop: Shop) -> None:
    shop.sound("a")
    got = document("notes/a", "--json")
    assert set(got) == {"manifest", "digest"}
    assert Manifest.model_validate(got["manifest"]).digest == got["digest"]
    assert create_round(None, queue=False).checks.get().bundle == got["digest"]
    assert document("notes/a") == got


def test_inline_it_stands_alone(shop: Shop) -> None:
    shop.sound("a")
    got = document("notes/a", "--inline", "--json")
    assert Bundle.parse(got).digest == got["digest"] == document("notes/a")["digest"]


def test_a_slug_alone_is_enough_where_no_other_domain_has_it(shop: Shop) -> None:
    shop.sound("a")
    assert document("a") == document("notes/a")
    Shop("more").sound("a")
    with pytest.raises(CommandError, match="could be more/a or notes/a: name one as DOMAIN/SLUG"):
        document("a")


@pytest.mark.parametrize("name", ["b", "notes/", "notes/b", "x/a"])
def test_a_name_that_names_nothing_is_refused(shop: Shop, name: str) -> None:
    shop.sound("a")
    with pytest.raises(CommandError) as raised:
        document(name)
    assert (raised.value.returncode, name in str(raised.value)) == (2, True)


def test_an_environment_that_one_may_not_see_is_not_there(shop: Shop, viewer: User) -> None:
    shop.sound("a")
    shop.domain.readers.add(Group.objects.create(name="insiders"))
    with pytest.raises(CommandError, match="there is no environment notes/a in any domain"):
        document("notes/a", "--as", "viewer")
