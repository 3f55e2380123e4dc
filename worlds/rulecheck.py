"""What can be told of rules without acting: conditions, quotes, prose that nothing covers, guards of what cannot be
stopped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worlds.clauses import scope
from worlds.findings import Finding, finding
from worlds.literals import impossible
from worlds.rule import Rule
from worlds.sentences import plain, uncovered
from worlds.world import World

UNSTOPPABLE = {"say": "what is said is said", "end": "an attempt that has ended has ended"}


def rule_findings(world: World) -> Iterator[Finding]:
    """What is wrong with each rule of a bundle, but for conditions that do not compile."""
    for ref, rule in zip(world.bundle.manifest.rules, world.bundle.rules, strict=True):
        yield from _quotes(ref.slug, rule)
        yield from _uncovered(ref.slug, rule)
        yield from _guards(ref.slug, rule)
        yield from _literals(world, ref.slug, rule)


def _found(code: str, slug: str, place: str, message: str, **evidence: Any) -> Finding:
    return finding(
        code, "rule", slug, place=place, symbol=place, message=message, evidence=evidence
    )


def _quotes(slug: str, rule: Rule) -> Iterator[Finding]:
    text = plain(rule.text)
    quoted = [(f"clauses[{n}].quote", clause.quote) for n, clause in enumerate(rule.clauses)]
    quoted += [(f"judgement[{n}]", quote) for n, quote in enumerate(rule.judgement)]
    for place, quote in quoted:
        if plain(quote) not in text:
            yield _found("quote-missing", slug, place, f"The rule's text does not say “{quote}”.")


def _uncovered(slug: str, rule: Rule) -> Iterator[Finding]:
    quotes = (*(clause.quote for clause in rule.clauses), *rule.judgement)
    left = uncovered(rule.text, quotes)
    if left:
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        message = f"No clause quotes, and no judgement lists, “{left[0]}”{more}."
        yield _found("clause-uncovered", slug, "text", message, sentences=list(left))


def _guards(slug: str, rule: Rule) -> Iterator[Finding]:
    for number, clause in enumerate(rule.clauses):
        if clause.enforce == "guard" and clause.on in UNSTOPPABLE:
            message = (
                f"The clause {clause.id!r} is to guard, and nothing can stop it: {UNSTOPPABLE[clause.on]}."
                " It is audited all the same."
            )
            item = _found("rule-unenforced", slug, f"clauses[{number}].enforce", message)
            yield item.model_copy(update={"symbol": clause.id})


def _literals(world: World, slug: str, rule: Rule) -> Iterator[Finding]:
    domain = world.bundle.domain
    for number, clause in enumerate(rule.clauses):
        compiled = world.clauses.named(slug, clause.id)
        if compiled is None:
            continue
        names = scope(clause.on, compiled.table, domain)
        conditions = {"when": compiled.when, "require": compiled.require}
        for part, text in ((part, each.text) for part, each in conditions.items() if each):
            for why in impossible(text, domain, names):
                place = f"clauses[{number}].{part}"
                item = _found("condition-invalid", slug, place, f"{why}.", text=text)
                yield item.model_copy(update={"severity": "warning"})
