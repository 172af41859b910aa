# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Jacobi model's prediction for more nodes, from this run's micro-kernels and messages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from weft_lab.models import latency_bandwidth
from weft_lab.models.arrays import Floats
from weft_lab.models.decomposition import Decomposition, Dims, factorings
from weft_lab.models.jacobi import (
    BYTES_PER_CELL,
    Node,
    Placement,
    sweep,
    updates_per_s,
    with_interval,
)
from weft_lab.models.launches import Estimate, bootstrap
from weft_lab.pages import formats
from weft_lab.pages.table import Table, columns
from weft_lab.suites.mpi.jacobi_tables import (
    BETWEEN_NODES,
    WITHIN_NODE,
    Sweep,
    jacobi_node,
    kernels_of,
    link_of,
    pack_cases,
    sweeps,
)
from weft_lab.suites.mpi.results import Case, Results

GROWTH_MAX = 4
UNKNOWN = (
    "What would happen on more nodes is not known: a sweep and messages between two hosts, and the "
    "kernels within one, are needed. Measure all: ./weft report --suite mpi --hosts a,b, or ./weft "
    "submit --slurm --nodes 2."
)


@dataclass(frozen=True)
class Expected:
    """Updates per second of so many nodes; `is_measured`: a run of that many was measured."""

    num_nodes: int
    dims: Dims
    updates_per_s: Estimate
    is_measured: bool


def expectations(results: Results) -> list[Expected]:
    """Strong scaling of the measured box, up to 4 times the measured hosts.

    Empty if messages between hosts, or a kernel, are missing. The interval is that of the inputs
    over launches (rates of kernels, packing, messages of the size of the sweep's largest face); it
    is unknown if one of them was launched once. It does not include what the model omits; the
    residuals of the measured sweeps show how much that is.
    """
    every = [each for each in sweeps(results) if each.is_plain and each.parts is not None]
    far = [each for each in every if each.num_hosts > 1]
    if not far:
        return []
    base = max(far, key=lambda each: each.num_hosts)
    mpi, transport = base.case.mpi, base.case.transport
    per_node = base.cut.num_ranks // base.num_hosts
    node = jacobi_node(results, mpi, transport, per_node)
    if node is None:
        return []
    kernels = spreads(results, mpi, node, per_node)
    links = link_spreads(results, base)
    found = []
    for nodes in (2**power for power in range(16)):
        dims = factorings(per_node * nodes)[-1]
        if nodes > GROWTH_MAX * base.num_hosts or max(dims) > min(base.cut.cells):
            break
        cut = Decomposition(base.cut.cells, dims)
        place = _by_blocks(cut.num_ranks, per_node)
        value = with_interval(partial(_updates, cut, place), node, kernels, links)
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
        "more than four times the hosts measured. The pairs that a cable carries at once share "
        "the rate that many pairs had together, or one pair's where many were not measured. The "
        "interval is that of kernels, packing and messages over launches; the residuals of the "
        "sweeps above say how far off the model itself is.",
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


def spreads(results: Results, mpi: str, node: Node, per_node: int) -> dict[str, Estimate]:
    """Each rate's interval from that of its kernel's time over launches; of packing, the widest."""
    kernels = kernels_of(results, "bandwidth", mpi)
    wanted = {
        "core_updates_per_s": (kernels["bandwidth 1 stencil"], node.core_updates_per_s),
        "core_memory_bytes_per_s": (kernels["bandwidth 1 copy"], node.core_memory_bytes_per_s),
        "memory_bytes_per_s": (kernels[f"bandwidth {per_node} copy"], node.memory_bytes_per_s),
    }
    if (together := kernels.get(f"bandwidth {per_node} stencil")) is not None:
        wanted["smt_share"] = (together, node.smt_share)
    if node.pack_bytes_per_s is None:
        wanted["copy_bytes_per_s"] = (kernels["bandwidth 1 copy"], node.copy_bytes_per_s)
    found = {name: _rate(case, rate) for name, (case, rate) in wanted.items()}
    if node.pack_bytes_per_s is not None:
        cases = zip(pack_cases(results, mpi), node.pack_bytes_per_s, strict=True)
        found["pack_bytes_per_s"] = max((_rate(*each) for each in cases), key=_width)
    return found


def _rate(case: Case, rate: float) -> Estimate:
    bounds = case.interval_s()
    if bounds is None or bounds[0] <= 0.0:
        return Estimate(rate, None, None)
    work = rate * case.middle_s()
    return Estimate(rate, work / bounds[1], work / bounds[0])


def _width(each: Estimate) -> float:
    return math.inf if each.low is None or each.high is None else each.high / each.low


def link_spreads(results: Results, base: Sweep) -> dict[str, Estimate]:
    """The interval, by class of link, of the time of a message as large as the largest face."""
    ranks = range(base.cut.num_ranks)
    cells = max((face.cells for rank in ranks for face in base.cut.faces(rank)), default=0)
    if cells == 0:
        return {}
    face = BYTES_PER_CELL * cells
    found = {}
    for name in (WITHIN_NODE, BETWEEN_NODES):
        link = link_of(results, base.case.mpi, base.case.transport, name)
        if link is not None:
            sizes = link.series.sizes
            time = partial(_message_s, sizes, float(face))
            found[name] = bootstrap(link.series.launches, time)
    return found


def _message_s(sizes: Floats, face: float, times: Floats) -> float:
    return float(latency_bandwidth.relative(sizes, times).time_s([face])[0])
