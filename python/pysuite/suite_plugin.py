"""A pytest plugin: leaves out what exclude.txt names, and notes the result of each test."""
import collections
import fnmatch
import json
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCHES, CHECKED = [], []


def exclusions():
    """The rows of exclude.txt, and on the emulator of exclude_emulator.txt: a pattern of file and test, and the reason."""
    for name in ["exclude.txt"] + ["exclude_emulator.txt"] * bool(os.environ.get("CUTILE_THREADS")):
        for line in open(os.path.join(HERE, name)):
            if line.strip() and not line.startswith("#"):
                pattern, _, reason = line.strip().partition(" ")
                yield pattern, reason.strip()


def note(**row):
    with open(os.environ["PYSUITE_RESULTS"], "a") as out:
        out.write(json.dumps(row) + "\n")


def pytest_configure(config):
    config.addinivalue_line("markers", "use_mlir: needs NVIDIA's internal extension")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    rules, keep, drop = list(exclusions()), [], []
    every = int(os.environ.get("PYSUITE_EVERY", "1"))  # one of so many tests, the first of each file among them
    if every > 1:
        numbers = collections.Counter()
        items[:] = [i for i in items if (numbers.update([i.location[0]]), numbers[i.location[0]])[1] % every == 1]
    for item in items:
        name = item.nodeid.split("/")[-1]
        reason = next((r for p, r in rules if name == p or fnmatch.fnmatchcase(name.split("[")[0], p)), None)
        (drop if reason else keep).append(item)
        note(kind="collected", test=item.nodeid)
        if reason:
            note(kind="result", test=item.nodeid, outcome="excluded", text=reason)
    if drop:
        config.hook.pytest_deselected(items=drop)
    items[:] = keep


def pytest_collectreport(report):
    if report.skipped:  # a whole file, which needs a package that is not there
        note(kind="collected", test=report.nodeid)
        note(kind="result", test=report.nodeid, outcome="skipped", text=str(report.longrepr))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    LAUNCHES.clear()
    hooks = sys.modules.get("suite_hooks")
    hooks.checked.clear()
    driver = sys.modules.get("cutile_cpu.driver")
    if driver and LAUNCHES.append not in driver.launches:
        driver.launches.append(LAUNCHES.append)
    import torch
    torch.manual_seed(1)
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when != "call" and report.outcome == "passed":
        return
    state, text = report.outcome, ""
    if hasattr(report, "wasxfail"):
        state = "xfailed" if state == "skipped" else "passed"
    if report.outcome != "passed":
        text = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(call.excinfo.exconly() if call.excinfo else report.longrepr)
    hooks = sys.modules["suite_hooks"]
    note(kind="result", test=item.nodeid, outcome=state, when=report.when, text=text[:2000], launches=len(LAUNCHES), checked=len(hooks.checked),
         errors=[r["error"][:1000] for r in LAUNCHES if "error" in r])
    keep = os.environ.get("PYSUITE_KEEP")
    if state == "failed" and keep and LAUNCHES:
        with open(os.path.join(keep, item.name.replace("/", "_")[:100] + ".tileirbc"), "wb") as out:
            out.write(LAUNCHES[-1]["bytecode"])


def pytest_sessionfinish(session, exitstatus):
    note(kind="end", exit=int(exitstatus))
