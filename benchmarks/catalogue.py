"""The catalogue: faults written by hand, as they really happen in generated libraries.

`benchmarks/catalogue/DOMAIN/FAULT.yaml` holds one: what is wrong, the components that a repair must change, and exact
replacements of text in the files of `library/DOMAIN`.

    python -m benchmarks.catalogue DOMAIN [FAULT…]

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

from benchmarks.answerkeys import LIBRARY
from benchmarks.faulted import changed_source, users
from benchmarks.harm import Harm, Sound, call_harms, harms
from worlds.body import Kind, Part
from worlds.folder import DomainFolder
from worlds.library import LibraryInvalid, read
from worlds.mistakes import parsed
from worlds.source import FileProblem, read_text, read_yaml

CATALOGUE = Path(__file__).parent / "catalogue"
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
    from benchmarks.mutation import Original

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


def all_harms(sound: Sound, folder: DomainFolder, fault: CatalogueFault) -> Iterator[Harm]:
    """All that a fault does to what the keys say."""
    specs = {
        spec.slug: spec for kind, slug in fault.components() for spec in users(folder, kind, slug)
    }
    for spec in specs.values():
        yield from harms(sound, folder, spec)
    for kind, slug in fault.components():
        if kind == "toolserver":
            yield from call_harms(sound, folder, slug)


def told(sound: Sound, domain: str, name: str, fault: CatalogueFault) -> tuple[str, bool]:
    """What the keys say of a fault, and whether it can be planted and does harm."""
    try:
        with faulted(domain, [fault]) as folder:
            found = list(all_harms(sound, folder, fault))
    except LibraryInvalid as error:
        return f"{name}: it cannot be planted: {error}", False
    environments = {each.environment for each in found if each.environment}
    sequences = sum(not each.environment for each in found)
    text = f"{name}: harm in {len(environments)} environments and {sequences} sequences of calls"
    return "; ".join(
        [text, *(f"{each.environment} {each.key}: {each.says}" for each in found[:2])]
    ), bool(found)


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
    said = [told(sound, options.domain, name, fault) for name, fault in chosen.items()]
    print("\n".join(text for text, _ in said))
    sys.exit(not all(fine for _, fine in said))


if __name__ == "__main__":
    main()
