"""Stored episodes judged anew under what would take their bundle's place."""

from __future__ import annotations

from components.bundles import bundle, manifests
from components.models import Environment
from tests.triage.shop import SOURCE, Shop
from tests.triage.suspects import strays
from tests.triage.test_counterexamples import checked
from tests.triage.trying import FORGETS, intent_of
from triage.models import Episode
from triage.rejudging import MOST_NAMED, Rejudging, rejudging
from worlds.toolserver_body import ToolServerBody
from worlds.toolsession import ToolSession
from worlds.world import World


def now(environment: Environment) -> World:
    return World(bundle(manifests(Environment.objects.filter(pk=environment.pk))[environment.pk]))


def anew(before: str, environment: Environment, *, calls: bool) -> Rejudging:
    with ToolSession() as session:
        return rejudging(before, now(environment), session, calls=calls)


def counts(said: Rejudging) -> dict[str, int]:
    return {name: n for name, n in said.items() if isinstance(n, int) and n}


def test_a_stricter_goal_refuses_what_strayed(shop: Shop) -> None:
    environment = shop.lenient("a")
    check = checked().checks.get()
    key = strays(check).pk
    component, said = intent_of(environment, goal={"require": ["get('notes', 'N1').text == 'a'"],
                                                   "changes": ["notes/N1#text"]})  # fmt: skip
    shop.component(component.slug, said)
    made = anew(check.bundle, environment, calls=False)
    assert counts(made) == {"same": 5, "accepted_to_rejected": 1}
    assert made["turned"] == [{"episode": key, "what": "accepted_to_rejected", "step": None}]


def test_a_pen_that_forgets_now_answers_the_same_and_turns_the_reference(shop: Shop) -> None:
    environment = shop.sound("a")
    check = checked().checks.get()
    shop.component("pen", FORGETS)
    assert counts(anew(check.bundle, environment, calls=True)) == {
        "same": 4,
        "accepted_to_rejected": 1,
    }


def test_what_answers_otherwise_is_counted_apart_with_its_step(shop: Shop) -> None:
    environment = shop.sound("a")
    check = checked().checks.get()
    saves = 'return db.update("notes", note_id, {"text": text})'
    shop.component("pen", ToolServerBody(source=SOURCE.replace(saves, f'{saves}["text"]')))
    made = anew(check.bundle, environment, calls=True)
    reference = Episode.objects.get(agent__name="reference")
    assert {"episode": reference.pk, "what": "diverged", "step": 0} in made["turned"]
    assert made["diverged"] == 1


def test_no_more_are_named_than_anybody_reads(shop: Shop) -> None:
    environment = shop.lenient("a")
    check = checked().checks.get()
    for number in range(MOST_NAMED + 5):
        strays(check, number)
    component, said = intent_of(environment, goal={"require": ["false"]})
    shop.component(component.slug, said)
    made = anew(check.bundle, environment, calls=False)
    assert made["accepted_to_rejected"] == MOST_NAMED + 6
    assert len(made["turned"]) == MOST_NAMED
