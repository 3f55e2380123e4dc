"""Everything that comes from components, agents and tools is text, whatever it looks like."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from components.models import AuditEntry, Component, Domain, Environment, Version
from tests.browser import seed
from tests.browser.seed import Library
from triage.models import (
    AgentProfile,
    AuditItem,
    AuditSample,
    Check,
    Counterexample,
    Episode,
    Finding,
    Judgement,
    Label,
    Round,
    Suspicion,
)
from worlds.intent import Intent
from worlds.recordset import Recordset
from worlds.toolserver_body import ToolServerBody

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7|add:7 }}{% now %}"


def poisoned(value: Any) -> Any:
    """`value` with the evil text in every text but those that say what something is."""
    if isinstance(value, str):
        return EVIL
    if isinstance(value, list):
        return [poisoned(item) for item in value]
    if isinstance(value, dict):
        kept = {"kind", "status", "ended", "op", "reward", "outcome"}
        return {key: item if key in kept else poisoned(item) for key, item in value.items()}
    return value


@pytest.fixture
def evil(shop: Library, done: Round, viewer: User) -> Check:
    """A check of a broken environment, all of it evil."""
    found = Check.objects.filter(environment__domain=shop.domain, result__status="broken")
    check = found.select_related("environment", "result")[0]
    assert check.result is not None
    for finding in check.result.findings.all():
        Finding.objects.filter(pk=finding.pk).update(
            code=EVIL[:40], place=EVIL, symbol=EVIL, message=EVIL, evidence={"x": EVIL, EVIL: 1}
        )
    for episode in check.result.episodes.all():
        document = poisoned(episode.document) | {"agent": EVIL, "touched": [EVIL]}
        Episode.objects.filter(pk=episode.pk).update(document=document)
    AgentProfile.objects.update(name=EVIL[:80])
    accept = [dict.fromkeys(["code", "at", "reason", "by"], EVIL)]
    about = {"title": EVIL, "notes": EVIL, "accept": accept}
    Component.objects.filter(kind="records").update(about=about)
    said(check, viewer)
    Version.objects.update(reason=EVIL, source=EVIL)
    AuditEntry.objects.create(actor=viewer, action=EVIL[:60], target=EVIL, detail={EVIL: EVIL})
    Environment.objects.filter(pk=check.environment_id).update(slug=EVIL)
    Round.objects.update(panel=[EVIL])
    Check.objects.filter(pk=check.pk).update(error=EVIL)
    doubted(check)
    User.objects.filter(pk=viewer.pk).update(username=EVIL[:150])
    check.refresh_from_db()
    return check


def doubted(check: Check) -> None:
    """All that people say of the environment, evil too."""
    assert check.result is not None
    intent = check.environment.components.get(kind="intent")
    episode = check.result.episodes.all()[0]
    common = {"environment": check.environment, "component": intent}
    wrong = Counterexample.objects.create(
        **common,
        bundle=check.bundle,
        digest="0" * 64,
        document={"actions": [EVIL], "edits": [EVIL]},
        label="person",
        name=EVIL[:80],
        should=0,
        reason=EVIL,
        retired_because=EVIL,
    )
    Judgement.objects.create(counterexample=wrong, bundle=check.bundle, state="open")
    Suspicion.objects.create(
        **common,
        episode=episode,
        result=check.result,
        kind="unread",
        explanation=EVIL,
        fingerprint="f" * 16,
        note=EVIL,
    )
    sample = AuditSample.objects.create(name="spring", seed=1, size=1)
    AuditItem.objects.create(
        sample=sample,
        environment=check.environment,
        bundle=check.bundle,
        stratum=EVIL[:80],
        population=1,
        note=EVIL,
    )


def said(check: Check, author: User) -> None:
    """A label of each finding, with an evil reason."""
    assert check.result is not None
    for finding in check.result.findings.all():
        Label.objects.create(
            domain=check.environment.domain,
            code=finding.code,
            fingerprint=finding.fingerprint,
            place=finding.place,
            component=finding.component,
            version=finding.version,
            is_right=False,
            reason=EVIL,
            author=author,
        )


def addresses(check: Check, done: Round) -> list[str]:
    from triage.templatetags.envcurate import environment_url

    environment = Environment.objects.select_related("domain").get(pk=check.environment_id)
    assert check.result is not None
    return [
        "/",
        "/environments/",
        f"/environments/?q={EVIL}&status={EVIL}&code={EVIL}&sort={EVIL}",
        environment_url(environment),
        "/codes/",
        reverse("code", args=[EVIL[:40]]),
        "/components/",
        "/components/shop/records/spring/",
        "/components/shop/toolserver/shop-api/",
        "/rounds/",
        f"/rounds/{done.pk}/",
        "/audit/",
        "/suspicions/",
        f"/suspicions/{'f' * 16}/",
        f"/suspicions/?reading={EVIL}&kind={EVIL}&q={EVIL}&sort={EVIL}",
        "/sample/",
        f"/sample/?verdict={EVIL}&domain={EVIL}&q={EVIL}",
        *(f"/episodes/{one.key}/?step=end" for one in check.result.episodes.all()),
        *(f"/episodes/{one.key}/?step={EVIL}" for one in check.result.episodes.all()),
    ]


def test_no_page_lets_markup_through(reader: Client, evil: Check, done: Round) -> None:
    for url in addresses(evil, done):
        answer = reader.get(url)
        assert answer.status_code == 200, url
        text = answer.content.decode()
        assert "<script>alert" not in text, url
        assert "<img src=x" not in text, url
        assert 'onerror=alert(2)>"' not in text, url


def test_bodies_are_text_too(reader: Client, shop: Library) -> None:
    domain = Domain.objects.get(slug="shop")
    intent = Intent.parse(
        {
            "instruction": EVIL,
            "goal": {"require": [EVIL]},
            "user": {"brief": EVIL, "knows": {EVIL: EVIL}},
        }
    )
    seed.version(domain, "evil", intent)
    seed.version(domain, "evil", ToolServerBody(source=f"# {EVIL}\n'''{EVIL}"))
    rows = [{"user_id": EVIL, "name": EVIL, EVIL: EVIL}]
    seed.version(domain, "evil", Recordset.parse({"tables": {"users": rows}}))
    for kind in ("intent", "toolserver", "records"):
        text = reader.get(f"/components/shop/{kind}/evil/").content.decode()
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    row = reader.get("/components/shop/records/evil/", {"table": "users", "row": EVIL})
    assert "<img src=x" not in row.content.decode()


def test_every_answer_carries_the_policy(reader: Client, done: Round) -> None:
    for url in ("/", "/environments/", "/audit/", "/nowhere/"):
        policy = reader.get(url)["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
