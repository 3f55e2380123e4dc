"""A plugin for CI, where nobody would notice a test that was skipped."""

import os
from collections.abc import Generator

import pytest

# Reasons for which CI lets a test be skipped: data that not everyone has, and not being root.
ALLOWED_SKIPS = ("data folder", "only root")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI, a test that was skipped has failed: nobody would notice otherwise."""
    report = yield
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        if not any(allowed in reason for allowed in ALLOWED_SKIPS):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} was skipped, which CI does not accept: {reason}"
    return report
