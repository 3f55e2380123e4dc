"""What each finding means, by example: how a small sound domain is broken so that a check reports it.

`codes/CODE.yaml` says who is usually at fault, how to mend it, and which words of which file of `sound/` to
replace. `python -m examples.findings` writes docs/findings.md from them; with a code it shows that example.
"""
