"""What a session of tools brings with it."""

from __future__ import annotations

import subprocess
import sys


def test_whoever_uses_no_outside_server_does_not_wait_for_the_sdk() -> None:
    code = "import sys, worlds.check, agents.pinning; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
