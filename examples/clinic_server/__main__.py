"""CLINIC_DB=clinic.db python -m examples.clinic_server"""

from examples.clinic_server import booking, desk, waiting  # noqa: F401 - they register the tools
from examples.clinic_server.app import server
from examples.clinic_server.database import create_tables


def main() -> None:
    """Create the tables that are missing and serve over stdio."""
    create_tables()
    server.run("stdio")


if __name__ == "__main__":
    main()
