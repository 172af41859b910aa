# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A ReFrame check: runs the lab's quick measurement of message passing and keeps its figures.

Run it in a checkout: reframe -c packaging/reframe/weft_mpi_check.py -r
"""

# ruff: noqa: F821, RUF012 - `variable`, `run_before` and how attributes are read are ReFrame's

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class WeftMpiCheck(rfm.RunOnlyRegressionTest):
    """One-byte latency and best bandwidth of every transport that was proven."""

    descr = "weft: message passing"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    checkout = variable(str, value=str(Path.cwd()))
    time_limit = "15m"

    @run_before("run")
    def set_command(self) -> None:
        self.executable = str(Path(self.checkout) / "weft")
        self.executable_opts = ["report", "--suite", "mpi", "--quick", "--results", "results"]
        self.env_vars = {"WEFT_NO_APT": "1"}

    @sanity_function
    def has_summary(self) -> object:
        return sn.path_isfile(str(self._summary()))

    @run_before("performance")
    def read_figures(self) -> None:
        transports = json.loads(self._summary().read_text(encoding="utf-8"))["transports"]
        self.perf_variables = {}
        for name, figures in transports.items():
            for key, unit in (("latency_us", "us"), ("bandwidth_mb_per_s", "MB/s")):
                make = sn.make_performance_function
                label = f"{name.replace(' ', '_')}_{key}"
                self.perf_variables[label] = make(sn.defer(figures[key]), unit)

    def _summary(self) -> Path:
        return Path(self.stagedir) / "results" / "latest" / "summary.json"
