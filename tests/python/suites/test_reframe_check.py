# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check for ReFrame, loaded by a stand-in: what it runs, and which figures it reads."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mpi_records import FAST_BYTES_PER_S, ping_pong, results_of
from weft_lab.storage.checkout import CHECKOUT
from weft_lab.suites.mpi import page

CHECK = CHECKOUT / "packaging" / "reframe" / "weft_mpi_check.py"


class Names(type):
    """A class body of ReFrame knows names that nobody imports."""

    @classmethod
    def __prepare__(cls, _name: str, _bases: tuple[type, ...], **_: object) -> Mapping[str, object]:
        return {
            "variable": lambda _type, value: value,
            "run_before": lambda _stage: lambda method: method,
            "sanity_function": lambda method: method,
        }


class Base(metaclass=Names):
    stagedir = ""


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - it has whatever ReFrame gives it
    """An instance of the check."""
    sanity = ModuleType("reframe.utility.sanity")
    planted: dict[str, Callable[..., object]] = {
        "path_isfile": lambda path: Path(path).is_file(),
        "defer": lambda value: value,
        "make_performance_function": lambda value, unit: (value, unit),
    }
    vars(sanity).update(planted)
    reframe, utility = ModuleType("reframe"), ModuleType("reframe.utility")
    vars(reframe).update({"simple_test": lambda check: check, "RunOnlyRegressionTest": Base})
    vars(utility)["sanity"] = sanity
    for module in (reframe, utility, sanity):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    spec = importlib.util.spec_from_file_location("weft_mpi_check", CHECK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.WeftMpiCheck()


def test_the_check_runs_the_quick_suite_of_the_checkout(
    check: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    check.checkout, check.stagedir = str(tmp_path), str(tmp_path)

    check.set_command()

    assert check.executable == str(tmp_path / "weft")
    assert check.executable_opts[:4] == ["report", "--suite", "mpi", "--quick"]
    assert not check.has_summary()


def test_the_check_reads_the_summary_that_a_run_writes(
    check: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    results = results_of(ping_pong(FAST_BYTES_PER_S, "hot"))
    folder = tmp_path / "results" / "latest"
    folder.mkdir(parents=True)
    (folder / "summary.json").write_text(json.dumps(page.summary(results)), encoding="utf-8")
    check.stagedir = str(tmp_path)

    check.read_figures()

    assert check.has_summary()
    latency, unit = check.perf_variables["a_shm_latency_us"]
    assert (latency, unit) == (pytest.approx(1.0, rel=0.01), "us")
    rate, unit = check.perf_variables["a_shm_bandwidth_mb_per_s"]
    assert (rate, unit) == (pytest.approx(FAST_BYTES_PER_S / 1e6, rel=0.01), "MB/s")
