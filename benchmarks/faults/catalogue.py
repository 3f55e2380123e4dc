"""The catalogue: faults written by hand, as they really happen in generated libraries.

`benchmarks/catalogue/DOMAIN/FAULT.yaml` holds one: what is wrong, the components that a repair must change, and exact
replacements of text in the files of `library/DOMAIN`.

    python -m benchmarks.faults.catalogue DOMAIN [FAULT…]

says whether each can still be planted, and what the answer keys say of it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.faulted import changed_source
from benchmarks.faults.harm import Sound, all_harms
from worlds.body import Kind, Part
from worlds.folder import DomainFolder
from worlds.library import LibraryInvalid, read
from worlds.mistakes import parsed
from worlds.source import FileProblem, read_text, read_yaml

CATALOGUE = Path(__file__).parents[1] / "catalogue"
MOST_BYTES = 1_000_000


class Edit(Part):
    """A piece of text, found once in a file, that becomes another."""

    file: str
    """Relative to the domain's folder; `toolservers/SLUG/FILE.py` is a file of an outside server's source."""
    old: str
    new: str


class CatalogueFault(Part):
    """One fault."""

    says: str
    culprits: list[str]
    """`KIND/SLUG` of each component that a repair must change."""
    touches: list[str] = []
    """What an attempt has to do with for the fault to matter to it: intents, tools, rows (`TABLE/KEY`). Environments
    with it are looked at first."""
    edits: list[Edit]

    def components(self) -> list[tuple[Kind, str]]:
        """The culprits by kind and slug."""
        return [(kind, slug) for kind, _, slug in (each.partition("/") for each in self.culprits)]  # type: ignore[misc]


def read_catalogue(domain: str, folder: Path = CATALOGUE) -> dict[str, CatalogueFault]:
    """The faults of a domain by name. Raises LibraryInvalid, with file and line."""
    found = {}
    for path in sorted((folder / domain).glob("*.yaml")):
        source = read_yaml(read_text(path, MOST_BYTES, str(path)), str(path))
        found[path.stem] = parsed(CatalogueFault, source, str(path))
    return found


def plant(domain: str, faults: Sequence[CatalogueFault], target: Path) -> dict[str, str]:
    """Write the folder of a domain with faults planted to `target/DOMAIN`; returns the outside servers' files that
    they change, `SLUG/FILE.py` → text. Raises LibraryInvalid where a text does not stand in its file exactly once."""
    folder = target / domain
    shutil.copytree(LIBRARY / domain, folder, ignore=shutil.ignore_patterns("*.py~", "__pycache__"))
    sources: dict[str, str] = {}
    for edit in (edit for fault in faults for edit in fault.edits):
        _, *inner = Path(edit.file).parts
        if len(inner) > 1:
            name = "/".join(inner)
            sources[name] = replaced(sources.get(name) or outside_source(domain, name), edit)
        else:
            path = folder / edit.file
            path.write_text(replaced(path.read_text(), edit))
    return sources


def replaced(text: str, edit: Edit) -> str:
    """A file's text after an edit. Raises LibraryInvalid."""
    count = text.count(edit.old)
    if count != 1:
        message = f"this stands in it {count} times, not once: {edit.old!r:.80}"
        raise LibraryInvalid([FileProblem(edit.file, None, message)])
    return text.replace(edit.old, edit.new)


def outside_source(domain: str, name: str) -> str:
    """A file of an outside server's source, named `SLUG/FILE.py`."""
    from benchmarks.faults.mutation import Original

    sources = Original(read(LIBRARY, [domain])[0]).sources
    if name not in sources:
        raise LibraryInvalid([FileProblem(f"toolservers/{name}", None, "there is no such file")])
    return sources[name]


@contextmanager
def faulted(domain: str, faults: Sequence[CatalogueFault]) -> Iterator[DomainFolder]:
    """The domain with faults planted, for as long as the block lasts. Raises LibraryInvalid."""
    with ExitStack() as stack:
        target = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="envcurate-faulted-")))
        sources = plant(domain, faults, target)
        folder = read(target, [domain])[0]
        for name, text in sources.items():
            slug, _, file = name.partition("/")
            stack.enter_context(changed_source(folder.toolservers[slug].body, file, text))
        yield folder


def told(sound: Sound, domain: str, name: str, fault: CatalogueFault) -> tuple[str, bool]:
    """What the keys say of a fault, and whether it can be planted and does harm."""
    components = fault.components()
    try:
        with faulted(domain, [fault]) as folder:
            specs = sound.concerned(components, fault.touches)
            found = list(all_harms(sound, folder, components, specs))
    except LibraryInvalid as error:
        return f"{name}: it cannot be planted: {error}", False
    environments = {each.environment for each in found if each.environment}
    sequences = sum(not each.environment for each in found)
    head = f"{name}: harm in {len(environments)} of {len(specs)} environments and {sequences} sequences of calls"
    first = [f"{each.environment} {each.key}: {each.says}" for each in found[:2]]
    return "; ".join([head, *first]), bool(found)


def main() -> None:
    """Plant the faults of a domain one by one; exit status 1 where one cannot be planted or does no harm."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("domain")
    arguments.add_argument("faults", nargs="*")
    options = arguments.parse_args()
    sound = Sound(read(LIBRARY, [options.domain])[0])
    chosen = {
        name: fault
        for name, fault in read_catalogue(options.domain).items()
        if name in options.faults or not options.faults
    }
    good = []
    for name, fault in chosen.items():
        text, does_harm = told(sound, options.domain, name, fault)
        print(text, flush=True)
        good.append(does_harm)
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
