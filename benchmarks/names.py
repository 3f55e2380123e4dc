"""Every benchmark that `manage.py benchmark NAME` and `make bench NAME=…` know."""

from __future__ import annotations

NAMES = {
    "attribution": "planted faults: how often the component at fault is named, and how sure that is",
    "calls": "resets, calls and checks a second, on records of three sizes",
    "detection": "faults planted in the library: how many the checks find, and alarms where nothing is wrong",
    "library": "what the library holds, and whole rounds over it and the published tasks",
    "panel": "the published retail tasks, checked on one core",
    "repair": "planted faults: how often the best proposal repairs them, by keys that no proposer sees",
    "resets": "a reset as the records grow",
    "rounds": "what repairs that propose themselves make of the demo's library and of τ², round by round",
    "roundspeed": "a round over everything, then with nothing changed",
    "search": "proofs without a plan",
    "stages": "what each stage of a check takes",
    "tau2": "what is wrong with the published τ² tasks, or with any version of them",
    "workers": "whole rounds through Celery",
}
