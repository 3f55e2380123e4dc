"""How often a code is right, by what people said of its findings, and when it demotes itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

LEAST = 20
"""Labels below which nothing is concluded about a code."""
ENOUGH = 60
"""Per cent: a code that is right less often demotes itself to advice."""
Z = 1.959963984540054
"""Standard deviations on either side that hold 95% of a normal distribution."""


@dataclass(frozen=True)
class Precision:
    """Labels of one code, each defect counted once."""

    right: int = 0
    wrong: int = 0

    @property
    def labels(self) -> int:
        return self.right + self.wrong

    @property
    def share(self) -> float | None:
        """Right ÷ all, from 0 to 1; None of none."""
        return self.right / self.labels if self.labels else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95% interval of the share; None of none."""
        return wilson(self.right, self.labels) if self.labels else None

    @property
    def is_demoted(self) -> bool:
        """As `Label.objects.demoted()` says it in SQL."""
        return self.labels >= LEAST and self.right * 100 < self.labels * ENOUGH


def wilson(part: int, whole: int) -> tuple[float, float]:
    """The 95% score interval of a share that was seen as `part` of `whole`, which is at least 1."""
    seen, weight = part / whole, Z * Z / whole
    middle = (seen + weight / 2) / (1 + weight)
    reach = Z * math.sqrt(seen * (1 - seen) / whole + weight / (4 * whole)) / (1 + weight)
    low = middle - reach if part else 0.0
    return low, middle + reach if part < whole else 1.0
