"""What readers of some domains see of rounds and what hangs on them."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User

from tests.triage.shop import Shop
from tests.triage.suspects import suspected
from triage.audit_sample import create
from triage.counterexamples import make
from triage.models import (
    AuditItem,
    AuditSample,
    Certificate,
    Check,
    Counterexample,
    Episode,
    Finding,
    Result,
    Round,
    Suspicion,
)
from triage.rounds import create_round
from triage.scope import Scope
from triage.work import work_off

MODELS = (Round, Check, Result, Episode, Finding)
BY_PEOPLE = (Counterexample, Certificate, Suspicion, AuditSample, AuditItem)


@pytest.fixture
def rounds(shop: Shop) -> None:
    """A round over an open domain and one over a domain kept for insiders."""
    hidden = Shop("hidden")
    hidden.domain.readers.add(Group.objects.create(name="insiders"))
    shop.refused("a")
    hidden.refused("b")
    for slug in ("notes", "hidden"):
        made = create_round(None, Scope([slug]), queue=False)
        list(work_off(list(made.checks.values_list("pk", flat=True)), "here"))


def test_who_may_not_see_a_domain_sees_nothing_that_hangs_on_it(
    rounds: None, stranger: User
) -> None:
    seen = [model.objects.visible_to(stranger).count() for model in MODELS]
    everything = [model.objects.count() for model in MODELS]
    assert seen == [1, 1, 1, 5, 2]
    assert everything == [2, 2, 2, 10, 4]
    assert Check.objects.visible_to(stranger).get().environment.domain.slug == "notes"


def test_members_of_a_domains_groups_see_it_each_row_once(rounds: None, stranger: User) -> None:
    stranger.groups.add(Group.objects.get(name="insiders"))
    create_round(None, queue=False)
    assert [model.objects.visible_to(stranger).count() for model in MODELS] == [3, 4, 2, 10, 4]


@pytest.fixture
def read(shop: Shop) -> None:
    """In an open domain and in one kept for insiders: a certificate, a sample of it, a doubted pass."""
    hidden = Shop("hidden")
    hidden.domain.readers.add(Group.objects.create(name="insiders"))
    for made in (shop, hidden):
        made.sound("certified")
        rows = suspected(made, f"doubted-{made.domain}")
        row = next(one for one in rows if one.environment.domain == made.domain)
        create(None, 9, domains=[made.domain.slug])
        make(None, row.episode, 0, "wrong")


def test_who_may_not_see_a_domain_sees_nothing_of_what_people_read_in_it(
    read: None, stranger: User
) -> None:
    seen = [model.objects.visible_to(stranger).count() for model in BY_PEOPLE]
    everything = [model.objects.count() for model in BY_PEOPLE]
    assert seen == [1, 2, 1, 1, 2]
    assert everything == [2, 4, 2, 2, 4]
    assert not any(model.objects.visible_to(AnonymousUser()).exists() for model in BY_PEOPLE)
    stranger.groups.add(Group.objects.get(name="insiders"))
    assert [model.objects.visible_to(stranger).count() for model in BY_PEOPLE] == everything


@pytest.mark.parametrize("model", MODELS)
def test_who_is_not_logged_in_sees_nothing(rounds: None, model: type[Round]) -> None:
    assert not model.objects.visible_to(AnonymousUser()).exists()


def test_a_round_over_several_domains_is_seen_by_readers_of_one(
    rounds: None, stranger: User
) -> None:
    made = create_round(None, queue=False)
    assert made in Round.objects.visible_to(stranger)
    assert Check.objects.visible_to(stranger).filter(round=made).count() == 1
