from __future__ import annotations

import itertools

from tests.browser.conftest import Visit

TEXTS = [
    *("ink", "ink-soft", "accent", "intent", "rule", "records", "toolserver", "agent"),
    *("solvable", "broken", "unproven", "error"),
]
SURFACES = [
    "paper",
    "surface",
    "sunk",
    "hover",
    "wash-good",
    "wash-bad",
    "wash-warn",
    "wash-secret",
]
# Relative luminance of a custom property, as WCAG 2 defines it, from the pixel that the browser paints.
LUMINANCE = """(name) => {
  const probe = document.createElement("span");
  document.body.append(probe);
  probe.style.color = `var(--${name})`;
  const pixel = document.createElement("canvas").getContext("2d");
  pixel.fillStyle = getComputedStyle(probe).color;
  probe.remove();
  pixel.fillRect(0, 0, 1, 1);
  const linear = [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}"""


def test_every_text_stands_out_from_every_surface(visit: Visit) -> None:
    page = visit.open("/")
    seen = {name: page.evaluate(LUMINANCE, name) for name in [*TEXTS, *SURFACES]}
    for text, surface in itertools.product(TEXTS, SURFACES):
        light, dark = sorted((seen[text], seen[surface]), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, surface)
