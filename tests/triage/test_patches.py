"""Patches of outside servers' sources: tried from a copy, given out as a file, approved by nobody."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from components.models import Component, Version
from tests.triage.repairs import repair, tried, waiting
from tests.triage.shop import Shop
from tests.triage.test_behaviour import far
from tests.worlds.outside import QUICK, SCRIPT, install
from triage.models import Proposal, Result, Trial
from triage.patches import Unapprovable, file_name, patch_file, patches_of
from triage.proposalfiles import text_of_body, validate
from triage.refreshing import refresh
from triage.review import approve, approve_many, auto, reject
from triage.trials import attempt, run_inline
from worlds.patch import patch_of
from worlds.servers import Servers, ServerSettings
from worlds.toolserver_body import OutsideBody

pytestmark = pytest.mark.django_db
SOUND = SCRIPT.read_text()
BROKEN = SOUND.replace('if how == "exit"', 'if how == "nothing"').replace(
    'if name in ("misbehave", "peek")', 'if name == "peek"'
)
PATCHED = OutsideBody(server="far", patch=patch_of({"server.py": BROKEN}, {"server.py": SOUND}))


@pytest.fixture(autouse=True)
def source(tmp_path: Path) -> Iterator[Path]:
    """The file with the source of the server `far`, which may be repaired."""
    (tmp_path / "far").mkdir()
    file = tmp_path / "far" / "server.py"
    file.write_text(BROKEN)
    meant = {
        "command": ["{python}", "-S", "far/server.py", "memory"],
        "source": "far",
        "repair": True,
        "home": str(tmp_path),
        "limits": QUICK,
    }
    install(far=ServerSettings.model_validate(meant))
    yield file
    Servers.install(None)


@pytest.fixture
def server(shop: Shop) -> Component:
    """The tool server that runs outside, of an environment that shows what is wrong with it."""
    far(shop)
    return shop.server


def done(row: Proposal) -> Trial:
    return run_inline(attempt(None, [row]))


def test_a_trial_runs_the_patch_and_neither_source_nor_results_of_the_server_change(
    shop: Shop, server: Component, source: Path
) -> None:
    trial = done(repair(None, shop, (server, PATCHED)))
    (outcome,) = trial.outcomes.all()
    assert (outcome.before_status, outcome.after_status) == ("broken", "unproven"), outcome.error
    assert source.read_text() == BROKEN
    assert Result.objects.count() == 2
    assert outcome.before != outcome.after


def test_a_patch_that_does_not_fit_any_longer_is_trouble_and_no_verdict(
    shop: Shop, server: Component, source: Path
) -> None:
    row = repair(None, shop, (server, PATCHED))
    source.write_text("# moved\n" + BROKEN)
    (outcome,) = done(row).outcomes.all()
    assert outcome.after_status == "error"
    assert "server.py says something else from line" in outcome.error


def test_no_approval_takes_a_patch(
    shop: Shop, server: Component, reviewer: User, source: Path
) -> None:
    row = waiting(reviewer, shop, (server, PATCHED))
    versions = Version.objects.count()
    for decide in (
        lambda: approve(reviewer, row, 1),
        lambda: approve(reviewer, row, 1, override="I want it"),
        lambda: approve_many(reviewer, [(row, 1)], Trial.objects.get()),
    ):
        with pytest.raises(Unapprovable, match="apply it to the source, and run a round"):
            decide()
    assert auto(reviewer) == []
    assert Version.objects.count() == versions
    assert source.read_text() == BROKEN
    assert reject(reviewer, row, 1, "applied by hand").state == "rejected"


def test_other_changes_of_the_same_server_are_approved_as_ever(
    shop: Shop, server: Component, reviewer: User
) -> None:
    row = waiting(reviewer, shop, (server, OutsideBody(server="far", result="/x")))
    assert not patches_of([row])
    assert patch_file(row) == ""
    assert len(approve(reviewer, row, 1, override="never run")) == 1


def test_the_file_is_applied_in_the_source_folder(
    shop: Shop, server: Component, source: Path
) -> None:
    row = repair(None, shop, (server, PATCHED), title="Mend\n--- a/evil.py\n+++ b/evil.py\né")
    assert file_name(row) == f"proposal-{row.pk}.patch"
    told = patch_file(row)
    assert f"# Proposal {row.pk}, revision 1: Mend?--- a/evil.py?+++ b/evil.py?\n" in told
    subprocess.run(["git", "apply", "-"], cwd=source.parent, input=told, text=True, check=True)
    assert source.read_text() == SOUND


def test_patches_of_two_servers_are_no_one_file(shop: Shop, server: Component) -> None:
    other = shop.component("near", OutsideBody(server="far", result="/x"))
    row = repair(None, shop, (server, PATCHED), (other, PATCHED))
    with pytest.raises(Unapprovable, match="patches 2 servers"):
        patch_file(row)


def test_nobody_writes_a_patch_as_the_text_of_a_file(shop: Shop, server: Component) -> None:
    checked = validate(server, text_of_body(server, PATCHED))
    assert checked.body is None
    assert "a file must not say 'patch'" in checked.problems[0].message


def test_a_stale_one_keeps_its_patch(shop: Shop, server: Component, reviewer: User) -> None:
    row = repair(reviewer, shop, (server, PATCHED))
    tried(row)
    shop.component("far", OutsideBody(server="far", hidden={"token": "x"}))
    told = refresh(reviewer, Proposal.objects.get(pk=row.pk))
    assert told.kept
    assert [body.patch for body in patches_of([row]).values()] == [PATCHED.patch]
