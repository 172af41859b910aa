# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the Jacobi model, fed with this run's micro-kernels and messages, expects of more nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from weft_lab.models.decomposition import Decomposition, Dims, factorings
from weft_lab.models.jacobi import Node, Placement, sweep, updates_per_s, with_interval
from weft_lab.models.launches import Estimate
from weft_lab.mpi.jacobi_tables import (
    BETWEEN_NODES,
    WITHIN_NODE,
    jacobi_node,
    kernels_of,
    sweeps,
)
from weft_lab.mpi.results import Case, Results
from weft_lab.report import formats
from weft_lab.report.table import Table, columns

GROWTH_MAX = 4
UNKNOWN = (
    "What would happen on more nodes is not known: no sweep and no message between two hosts was "
    "measured. Measure both: ./weft report --suite mpi --hosts a,b, or ./weft submit --slurm "
    "--nodes 2."
)


@dataclass(frozen=True)
class Expected:
    """Updates per second of so many nodes; `is_measured`: a run of that many was measured."""

    num_nodes: int
    dims: Dims
    updates_per_s: Estimate
    is_measured: bool


def expectations(results: Results) -> list[Expected]:
    """Strong scaling of the measured box, to 4 times the hosts measured; empty where messages
    between hosts, or a kernel, are missing.

    The interval is that of the inputs over launches; what the model leaves out is not in it, and
    the residuals of the measured sweeps say how much that is.
    """
    far = [each for each in sweeps(results) if each.num_hosts > 1 and each.parts is not None]
    if not far:
        return []
    base = max(far, key=lambda each: each.num_hosts)
    mpi, transport = base.case.mpi, base.case.transport
    per_node = base.cut.num_ranks // base.num_hosts
    node = jacobi_node(results, mpi, transport, per_node)
    if node is None:
        return []
    spreads = _spreads(kernels_of(results, "bandwidth", mpi, transport), node, per_node)
    found = []
    for nodes in (2**power for power in range(16)):
        dims = factorings(per_node * nodes)[-1]
        if nodes > GROWTH_MAX * base.num_hosts or max(dims) > min(base.cut.cells):
            break
        cut = Decomposition(base.cut.cells, dims)
        place = _by_blocks(cut.num_ranks, per_node)
        value = with_interval(partial(_updates, cut, place), node, spreads)
        found.append(Expected(nodes, dims, value, nodes in {each.num_hosts for each in far}))
    return found


def expectation_table(results: Results) -> Table:
    """`expectations`, for the page."""
    rows = tuple(
        (
            each.num_nodes,
            "x".join(map(str, each.dims)),
            "also measured" if each.is_measured else "expected",
            each.updates_per_s.value / 1e6,
            None if each.updates_per_s.low is None else each.updates_per_s.low / 1e6,
            None if each.updates_per_s.high is None else each.updates_per_s.high / 1e6,
        )
        for each in expectations(results)
    )
    return Table(
        "mpi_expected",
        "What would happen on N nodes",
        columns(
            ("nodes", "num_nodes", formats.number),
            ("topology", "topology"),
            ("", "state"),
            ("MLUP/s", "mlups", formats.number),
            ("low", "low_mlups", formats.number),
            ("high", "high_mlups", formats.number),
        ),
        rows,
        "The same box cut among more nodes like this one, links between them as measured, never "
        "more than four times the hosts measured. The interval is that of the inputs; the "
        "residuals of the sweeps above say how far off the model itself is.",
    )


def _updates(cut: Decomposition, place: Placement, node: Node) -> float:
    return updates_per_s(cut, sweep(cut, place, node))


def _by_blocks(num_ranks: int, per_node: int) -> Placement:
    domains = tuple(rank // per_node for rank in range(num_ranks))
    return Placement(
        domains,
        tuple(range(num_ranks)),
        lambda a, b: WITHIN_NODE if domains[a] == domains[b] else BETWEEN_NODES,
    )


def _spreads(kernels: Mapping[str, Case], node: Node, per_node: int) -> dict[str, Estimate]:
    """Each rate's interval from that of its kernel's time over launches."""
    wanted = {
        "core_updates_per_s": ("bandwidth 1 stencil", node.core_updates_per_s),
        "core_memory_bytes_per_s": ("bandwidth 1 copy", node.core_memory_bytes_per_s),
        "memory_bytes_per_s": (f"bandwidth {per_node} copy", node.memory_bytes_per_s),
    }
    found = {}
    for name, (label, rate) in wanted.items():
        bounds = kernels[label].interval_s()
        if bounds is not None:
            work = rate * kernels[label].middle_s()
            found[name] = Estimate(rate, work / bounds[1], work / bounds[0])
    return found
