"""A published policy as rules, section by section."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from components.tau2_policy import rules, sections
from worlds.folder import File
from worlds.rule import Clause, Rule

POLICY = """# Shop policy

Be kind.

## Cancel orders

Only pending orders can be cancelled.
Ask for a reason.

### Refunds

Refunds go to the card.

## Closing

Say goodbye.
"""


def clause(name: str, quote: str, unless: list[str] | None = None) -> Clause:
    return Clause(id=name, quote=quote, on="end", require="true", unless=unless or [])


def ours(**bodies: Rule) -> dict[str, File[Rule]]:
    slugs = {name.replace("_", "-"): body for name, body in bodies.items()}
    return {slug: File(slug, body, {"title": "Ours"}) for slug, body in slugs.items()}


def test_a_section_begins_at_each_heading_of_the_first_two_levels() -> None:
    found = list(sections(POLICY))
    assert [(each.slug, each.title) for each in found] == [
        ("shop-policy", "Shop policy"),
        ("cancel-orders", "Cancel orders"),
        ("closing", "Closing"),
    ]
    assert found[1].text.startswith("## Cancel orders\n")
    assert found[1].text.endswith("### Refunds\n\nRefunds go to the card.\n")


def test_what_stands_before_the_first_heading_is_a_section_too() -> None:
    found = list(sections("Be kind.\n\n## Closing\nSay goodbye."))
    assert [each.slug for each in found] == ["policy", "closing"]


def test_what_looks_like_a_heading_in_a_block_of_code_is_none() -> None:
    text = "# Fees\n````md\n# no heading\n```\n# nor this\n````\n~~~\n# nor that\n~~~\n# Closing\n"
    assert [each.slug for each in sections(text)] == ["fees", "closing"]


def test_a_hash_without_a_title_is_no_heading_and_closing_hashes_are_no_title() -> None:
    assert [each.title for each in sections("#\n\n## \n# #\n## Fees of 1# ##\n")] == [
        "policy",
        "Fees of 1#",
    ]


def test_a_long_heading_takes_no_longer_than_its_length() -> None:
    (section,) = sections("# a" + " #" * 500_000 + " b\n")
    assert section.title.endswith("b")


def test_headings_of_one_name_are_numbered() -> None:
    assert [each.slug for each in sections("## Fees\na\n## Fees\nb\n")] == ["fees", "fees-2"]


LINES = st.sampled_from(["# A", "## B b", "### C", "## B b", "Text.", "- item", "", "  "])


@given(st.lists(LINES, min_size=1, max_size=12))
def test_the_sections_together_say_all_that_the_policy_says(lines: list[str]) -> None:
    found = list(sections("\n".join(lines)))
    assert "\n".join(each.text for each in found).split() == "\n".join(lines).split()
    assert len({each.slug for each in found}) == len(found)


def test_our_clauses_and_judgements_stand_on_the_published_text() -> None:
    mine = Rule(
        text="something else",
        define={"pending": "true"},
        clauses=[clause("pending", "Only pending orders can be cancelled")],
        judgement=["Ask for a reason."],
    )
    made = rules(POLICY, ours(cancel_orders=mine), "shop")
    assert list(made) == ["shop-policy", "cancel-orders", "closing"]
    assert made["cancel-orders"].about == {"title": "Ours"}
    body = made["cancel-orders"].body
    assert body.text.startswith("## Cancel orders")
    assert (body.define, body.clauses) == (mine.define, mine.clauses)
    assert body.judgement == mine.judgement


def test_a_section_that_we_have_nothing_for_is_a_rule_without_clauses() -> None:
    made = rules(POLICY, {}, "shop")
    assert made["closing"].body == Rule(text="## Closing\n\nSay goodbye.\n")
    assert made["closing"].about == {"title": "Closing (τ² shop)", "authority": "given"}


def test_what_quotes_another_wording_is_left_out_with_what_refers_to_it() -> None:
    stale = clause("processed", "Only processed orders can be cancelled")
    kept = clause(
        "pending",
        "Only pending orders can be cancelled",
        unless=["processed", "closing/late", "closing/goodbye"],
    )
    end = Rule(text="x", clauses=[clause("goodbye", "Say goodbye"), clause("late", "Say so late")])
    mine = Rule(text="x", clauses=[stale, kept], judgement=["Ask for the reason."])
    made = rules(POLICY, ours(cancel_orders=mine, closing=end), "shop")
    (left,) = made["cancel-orders"].body.clauses
    assert (left.id, left.unless) == ("pending", ["closing/goodbye"])
    assert made["cancel-orders"].body.judgement == []
    assert [each.id for each in made["closing"].body.clauses] == ["goodbye"]


def test_a_section_has_a_digest_of_its_own_though_our_rule_was_asked_for_its() -> None:
    known = ours(closing=Rule(text="Say goodbye."))
    before = known["closing"].body.digest
    assert rules(POLICY, known, "shop")["closing"].body.digest != before
