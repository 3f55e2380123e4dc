"""MEETINGS_DB=FILE python -m examples.meetings_server [--http PORT]"""

from __future__ import annotations

import argparse
import sys

from examples.meetings_server import changes, lookups  # noqa: F401 - they register the tools
from examples.meetings_server.database import NoDatabase, prepare
from examples.meetings_server.server import server


def main() -> None:
    """Make the tables that are missing, then serve until the client leaves."""
    parser = argparse.ArgumentParser(prog="python -m examples.meetings_server")
    parser.add_argument("--http", type=int, metavar="PORT", help="streamable HTTP, not stdio")
    port = parser.parse_args().http
    try:
        prepare()
    except NoDatabase as error:
        sys.exit(f"meetings_server: {error}")
    if port is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=port)


if __name__ == "__main__":
    main()
