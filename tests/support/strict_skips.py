"""A pytest plugin: where the means for a marked test are there, skipping it is a failure.

A skipped test looks like a passed one in the summary of a build. `corpus` tests may be skipped only while
PIPEGEN_CORPUS is unset, `agent` tests only outside CI, and under either a module may not skip itself, since
the markers of the tests in it are then never seen.
"""

import os
from collections.abc import Generator, Mapping

import pytest

STRICT = pytest.StashKey[tuple[str, ...]]()


def strict_markers(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The markers whose tests may not be skipped under this environment."""
    return tuple(
        marker
        for marker, strict in (
            ("agent", environment.get("CI") == "true"),
            ("corpus", bool(environment.get("PIPEGEN_CORPUS"))),
        )
        if strict
    )


def pytest_configure(config: pytest.Config) -> None:
    """Decide once, before any fixture changes the environment."""
    config.stash[STRICT] = strict_markers(os.environ)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn the skip of a marked test into a failure that says why it may not be skipped."""
    report = yield
    expected_failure = hasattr(report, "wasxfail")
    if not report.skipped or expected_failure:
        return report
    for marker in item.config.stash[STRICT]:
        if item.get_closest_marker(marker):
            report.outcome = "failed"
            report.longrepr = f"a test marked {marker} may not be skipped here: {_reason(report.longrepr)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a module that skips itself while it is collected."""
    report = yield
    if report.skipped and collector.config.stash[STRICT]:
        report.outcome = "failed"
        report.longrepr = f"a module may not skip itself here: {_reason(report.longrepr)}"
    return report


def _reason(longrepr: object) -> str:
    """The text of a skip, which pytest keeps as (file, line, reason)."""
    return str(longrepr[-1]) if isinstance(longrepr, tuple) else str(longrepr)
