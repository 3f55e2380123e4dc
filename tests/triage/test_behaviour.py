"""Results of outside servers are shared only while the servers behave the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components.models import Environment
from tests.triage.shop import Shop
from tests.worlds.outside import SCRIPT, install, settings
from triage.behaviour import behaviours
from triage.models import Attribution, Check, Fault, Result
from triage.models.check import State
from triage.rounds import create_round
from triage.work import work_off
from worlds.bundle import Manifest
from worlds.servers import Servers
from worlds.toolserver_body import OutsideBody

pytestmark = pytest.mark.django_db
QUIET = {"command": ["{python}", "-S", str(SCRIPT), "memory"]}


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    yield
    Servers.install(None)


def far(shop: Shop, slug: str = "far") -> Environment:
    """An environment whose server is `far`: its goal asks for nothing that anybody would have to see."""
    shop.server = shop.component("far", OutsideBody(server="far"))
    plan: list[dict[str, Any]] = [
        {"call": "misbehave", "args": {"how": "nothing"}},
        {"finish": {"outcome": "refused"}},
    ]
    return shop.environment(slug, plan, [])


def worked() -> dict[str, Check]:
    """A new round, worked off here: its checks by environment."""
    made = create_round(None, queue=False)
    list(work_off([check.pk for check in made.checks.all()], "here"))
    rows = made.checks.select_related("environment", "result")
    return {check.environment.slug: check for check in rows}


def meant(**said: Any) -> None:
    install(far=settings(QUIET, **said))


def test_the_result_is_known_while_the_server_is_the_same_and_new_when_it_is_another(
    shop: Shop, tmp_path: Path
) -> None:
    far(shop)
    source = tmp_path / "server.py"
    source.write_text("one")
    meant(source=str(source))
    assert not worked()["far"].was_known
    assert worked()["far"].was_known
    source.write_text("two")
    assert not worked()["far"].was_known
    assert Result.objects.count() == 2


def test_a_server_of_which_nobody_can_say_what_it_is_is_asked_in_every_round(shop: Shop) -> None:
    far(shop)
    meant()
    assert [worked()["far"].was_known for _ in range(2)] == [False, False]


def test_a_worker_that_knows_another_server_says_so_and_concludes_nothing(shop: Shop) -> None:
    far(shop)
    meant(version="1")
    made = create_round(None, queue=False)
    meant(version="2")
    list(work_off([check.pk for check in made.checks.all()], "here"))
    assert "the source of far are others here than where" in made.checks.get().error


def test_a_server_whose_source_changes_while_it_is_checked_is_concluded_nothing_from(
    shop: Shop, tmp_path: Path
) -> None:
    environment = far(shop)
    source = tmp_path / "server.py"
    source.write_text("one")
    meant(
        command=["/bin/sh", "-c", 'echo >> "$0"; exec "$@"', str(source), *QUIET["command"]],
        source=str(source),
    )
    check = worked()[environment.slug]
    assert "was changed while this was checked" in check.error
    assert not Result.objects.exists()


def test_a_server_that_is_not_there_is_one_check_s_error_and_the_others_are_done(
    shop: Shop,
) -> None:
    shop.sound("near")
    far(shop, "far")
    install(far=settings({"command": ["/no/such/program"]}))
    checks = worked()
    assert checks["near"].state == State.DONE
    assert checks["far"].state == State.ERROR
    assert checks["far"].error.startswith("the tool server 'far' did not start")


def test_what_is_unobserved_is_kept_with_the_result(shop: Shop) -> None:
    far(shop)
    meant(version="1")
    result = worked()["far"].result
    assert result is not None
    assert "rows that far reads" in [item["what"] for item in result.unobserved]


def test_bundles_of_our_own_servers_have_no_behaviours(shop: Shop) -> None:
    shop.sound("near")
    made = create_round(None, queue=False)
    manifest = Manifest.model_validate(made.checks.get().manifest)
    assert behaviours(made, [manifest]) == {manifest.digest: {}}


def test_a_server_of_which_nobody_can_say_what_it_is_is_another_for_each_who_asks(
    shop: Shop,
) -> None:
    far(shop)
    meant()
    made, other = (create_round(None, queue=False) for _ in range(2))
    manifest = Manifest.model_validate(made.checks.get().manifest)
    fault = Fault.objects.create(domain=shop.domain, code="x", title="x")
    job = Attribution.objects.create(fault=fault, round=made)
    told = [behaviours(asker, [manifest])[manifest.digest]["far"] for asker in (made, other, job)]
    assert len(set(told)) == 3
    meant(version="1")
    told = [behaviours(asker, [manifest])[manifest.digest]["far"] for asker in (made, other, job)]
    assert len(set(told)) == 1
