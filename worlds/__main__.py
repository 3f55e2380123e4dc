"""`python -m worlds check DIR`, and `pin`, `prove`, `probe`: look at a library folder without a database."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from types import ModuleType

from agents.search import CALLS as SEARCH_CALLS
from worlds.commands import check, pin, probe, prove
from worlds.commands.chosen import NothingChosen, choose
from worlds.library import LibraryInvalid, read
from worlds.probing import CALLS
from worlds.servers import Servers


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done, 1 something was found (or was not possible), 2 the call or a file was wrong, or there is
    no environment to look at."""
    options = _parser().parse_args(arguments)
    try:
        Servers.installed()
        folders = options.read(Path(options.folder), options.domain)
        chosen = choose(options.folder, folders, options.only)
    except (LibraryInvalid, NothingChosen) as problem:
        print(problem, file=sys.stderr)
        return 2
    status: int = options.run(options, chosen)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m worlds", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser(
        "check", help="static checks, controls and goal soundness of every environment"
    )
    _takes_folder(command, check)
    command.add_argument("--format", choices=("text", "json", "sarif"), default="text")
    command = commands.add_parser(
        "pin", help="fix the rows that environments speak of, and the effects of their plans"
    )
    _takes_folder(command, pin)
    command.set_defaults(read=pin.read_without_orphans)
    command.add_argument("--anew", action="store_true", help="those that are pinned already, too")
    command = commands.add_parser(
        "prove", help="search for a way to each goal as an agent would have to, without the plan"
    )
    _takes_folder(command, prove)
    command.add_argument("--calls", type=_some, default=SEARCH_CALLS, help="calls of each, at most")
    command = commands.add_parser(
        "probe", help="what the tools accept that a rule forbids, or write that an invariant does"
    )
    _takes_folder(command, probe)
    command.add_argument("--json", action="store_true", help="print one document")
    command.add_argument("--seed", type=int, default=0, help="another one makes other calls")
    command.add_argument(
        "--calls",
        type=int,
        default=CALLS,
        help="changed calls of each tool that are carried out, at most",
    )
    return parser


def _some(text: str) -> int:
    """A number of calls; raises ArgumentTypeError for less than one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} calls: at least 1 is wanted")
    return number


def _takes_folder(command: argparse.ArgumentParser, module: ModuleType) -> None:
    command.set_defaults(run=module.run, read=read)
    command.add_argument("folder", metavar="DIR", help="a library, or one domain's folder")
    command.add_argument("--domain", action="append", help="only this domain (may be repeated)")
    command.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only environments of this name; * stands for any letters (may be repeated)",
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
