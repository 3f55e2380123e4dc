"""python -m examples.findings: write docs/findings.md; with codes, show their examples."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from examples.findings.example import Example, examples
from worlds.findings import Code

PAGE = Path(__file__).parents[2] / "docs" / "findings.md"
PREFACE = Path(__file__).parent / "preface.md"
STAGES = {
    "static": "what can be told without acting",
    "controls": "what the plan and the agents that understand nothing show",
    "soundness": "what the goal makes of right and wrong ways of doing it",
    "solving": "whether there is a way at all",
}


def page() -> str:
    """The whole page."""
    parts = [PREFACE.read_text().strip()]
    for stage, group in groupby(examples(), key=lambda each: each.spec.stage):
        if f"# {stage}" not in [part.partition(":")[0] for part in parts]:
            parts.append(f"# {stage}: {STAGES[stage]}")
        parts += [section(example) for example in group]
    return "\n\n".join(parts) + "\n"


def section(example: Example) -> str:
    """What the page says of a code."""
    spec = example.spec
    return "\n\n".join(
        [
            f"## {example.code}",
            f"*{_weight(spec)}.* {spec.meaning}",
            f"**Usual culprit.** {example.culprit}",
            f"**Repair.** {example.repair}",
            f"```diff\n{example.diff()}\n```",
            f"```\n{example.shown()}\n```",
        ]
    )


def _weight(spec: Code) -> str:
    return f"{spec.severity}; {spec.otherwise}" if spec.otherwise else spec.severity


def main(codes: list[str]) -> None:
    """Write the page, or show sections."""
    if codes:
        print("\n\n".join(section(Example.of(code)) for code in codes))
    else:
        PAGE.write_text(page())


if __name__ == "__main__":
    main(sys.argv[1:])
