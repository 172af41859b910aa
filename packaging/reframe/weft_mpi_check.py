# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A ReFrame check: runs the lab's quick measurement of message passing and keeps its figures.

Run it in a checkout: reframe -c packaging/reframe/weft_mpi_check.py -r
"""

import json
import os

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class WeftMpiCheck(rfm.RunOnlyRegressionTest):
    """One-byte latency and best bandwidth of every transport that was proven."""

    descr = "weft: message passing"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    checkout = variable(str, value=os.getcwd())
    time_limit = "15m"

    @run_before("run")
    def set_command(self):
        self.executable = os.path.join(self.checkout, "weft")
        self.executable_opts = ["report", "--suite", "mpi", "--quick", "--results", "results"]
        self.env_vars = {"WEFT_NO_APT": "1"}

    @sanity_function
    def has_summary(self):
        return sn.path_isfile(os.path.join(self.stagedir, "results", "latest", "summary.json"))

    @run_before("performance")
    def read_figures(self):
        path = os.path.join(self.stagedir, "results", "latest", "summary.json")
        with open(path, encoding="utf-8") as stream:
            transports = json.load(stream)["transports"]
        self.perf_variables = {}
        for name, figures in transports.items():
            for key, unit in (("latency_us", "us"), ("bandwidth_mb_per_s", "MB/s")):
                make = sn.make_performance_function
                label = f"{name.replace(' ', '_')}_{key}"
                self.perf_variables[label] = make(sn.defer(figures[key]), unit)
