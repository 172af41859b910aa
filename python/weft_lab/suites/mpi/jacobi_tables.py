# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jacobi sweeps: predictions from micro-kernels, beside the measurements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from weft_lab.models import jacobi, latency_bandwidth
from weft_lab.models.decomposition import Decomposition
from weft_lab.models.jacobi import Node, Placement, Waterfall, sweep
from weft_lab.models.max_rate import MaxRate, max_rate
from weft_lab.models.ranking import Order, order
from weft_lab.pages import formats
from weft_lab.pages.table import Table, Value, columns
from weft_lab.suites.mpi.results import Case, Results, Series

# The kernel `copy` counts 24 bytes of traffic for each 8 that it copies: a read, a write, and the
# read of the line that is written.
TRAFFIC_PER_COPIED_BYTE = 3.0
WITHIN_NODE, BETWEEN_NODES = "node", "hosts"
OVERLAPPED = "overlapped"


@dataclass(frozen=True)
class Link:
    """The times of messages of one class, and the ping-pong that measured them."""

    rates: MaxRate
    series: Series


@dataclass(frozen=True)
class Sweep:
    """One measured decomposition.

    `parts`: the prediction; None if a kernel is missing, as is `place`. `ranks_per_core`: the most
    that shared one; None if unknown.
    """

    case: Case
    cut: Decomposition
    num_hosts: int
    parts: Waterfall | None
    place: Placement | None = None
    ranks_per_core: int | None = None

    @property
    def name(self) -> str:
        """`2x1x1`, `2x1x1 weak`, `2x1x1 overlapped`, `4x2x2 on 2 hosts`, `8x1x1 on siblings`."""
        words = ["x".join(map(str, self.cut.dims))]
        words += ["weak"] if self.is_weak else []
        words += [OVERLAPPED] if self.is_overlapped else []
        words += [f"on {self.num_hosts} hosts"] if self.num_hosts > 1 else []
        words += ["on siblings"] if (self.ranks_per_core or 1) > 1 else []
        return " ".join(words)

    @property
    def is_weak(self) -> bool:
        return bool(self.case.records[0]["params"].get("scaling", "strong") == "weak")

    @property
    def is_overlapped(self) -> bool:
        return bool(self.case.records[0]["params"].get("exchange", "blocking") == OVERLAPPED)

    @property
    def is_plain(self) -> bool:
        """Whether it is one of the suite's own grid, exchanged by plain MPI before each sweep."""
        return not self.is_weak and not self.is_overlapped and halo_of(self.case) == "mpi"

    @property
    def updates_per_s(self) -> float:
        return math.prod(self.cut.cells) / self.case.middle_s()

    @property
    def predicted_per_s(self) -> float | None:
        return None if self.parts is None else jacobi.updates_per_s(self.cut, self.parts)

    @property
    def residual(self) -> float | None:
        """Predicted over measured, minus one."""
        predicted = self.predicted_per_s
        return None if predicted is None else predicted / self.updates_per_s - 1.0


def sweeps(results: Results) -> list[Sweep]:
    """Every decomposition measured, with its prediction."""
    return [_sweep(results, case) for case in results.cases("jacobi")]


def jacobi_node(results: Results, mpi: str, transport: str, num_ranks: int) -> Node | None:
    """The micro-kernels' results for this number of ranks of a node, and messages of that MPI and
    transport; None if a kernel or every link is missing."""
    kernels = kernels_of(results, "bandwidth", mpi)
    stencil = kernels.get("bandwidth 1 stencil")
    copies = kernels.get(f"bandwidth {num_ranks} copy")
    single = kernels.get("bandwidth 1 copy")
    links = {
        name: link.rates
        for name in (WITHIN_NODE, BETWEEN_NODES)
        if (link := link_of(results, mpi, transport, name)) is not None
    }
    if stencil is None or copies is None or single is None or not links:
        return None
    work = float(stencil.records[0]["work_per_rank"])
    bytes_per_rank = float(copies.records[0]["work_per_rank"])
    alone = float(single.records[0]["work_per_rank"]) / single.middle_s()
    return Node(
        core_updates_per_s=work / stencil.middle_s(),
        core_memory_bytes_per_s=alone,
        memory_bytes_per_s=num_ranks * bytes_per_rank / copies.middle_s(),
        copy_bytes_per_s=alone / TRAFFIC_PER_COPIED_BYTE,
        links=links,
        smt_share=_smt_share(kernels, stencil, num_ranks),
        pack_bytes_per_s=_pack_rates(results, mpi),
    )


def _smt_share(kernels: Mapping[str, Case], alone: Case, num_ranks: int) -> float:
    """The speed of the slowest of so many ranks that sweep in their caches, relative to one alone.
    If ranks share cores: that of a rank whose sibling works too."""
    together = kernels.get(f"bandwidth {num_ranks} stencil")
    if together is None:
        return Node.smt_share
    return min(alone.middle_s() / together.middle_s(), 1.0)


def jacobi_table(results: Results) -> Table:
    """Predictions from micro-kernels, beside the measurements."""
    every = sweeps(results)
    return Table(
        "mpi_jacobi",
        "Jacobi: measured, and predicted from micro-kernels alone",
        columns(
            ("MPI", "mpi"),
            ("ranks", "num_ranks", formats.number),
            ("topology", "topology"),
            ("exchange", "exchange"),
            ("global cells", "global_cells"),
            ("local cells", "local_cells"),
            ("MLUP/s", "measured_mlups", formats.number),
            ("low", "low_mlups", formats.number),
            ("high", "high_mlups", formats.number),
            ("predicted", "predicted_mlups", formats.number),
            ("residual", "residual", formats.signed_percent),
            ("hosts", "num_hosts", formats.number),
            ("halo", "halo"),
            ("ranks per core", "ranks_per_core", formats.number),
        ),
        tuple(_row(each) for each in every),
        f"{_order_words(every)} The prediction is of halos by plain MPI. Ranks that share a core "
        "are on its hardware threads (SMT siblings).",
    )


def _order_words(every: list[Sweep]) -> str:
    """Kendall's tau over the decompositions of each number of ranks."""
    right = wrong = 0
    for ranks in {each.cut.num_ranks for each in every}:
        same = [each for each in every if each.cut.num_ranks == ranks and each.is_plain]
        known = [(e.updates_per_s, p) for e in same if (p := e.predicted_per_s) is not None]
        found = order([pair[0] for pair in known], [pair[1] for pair in known])
        right, wrong = right + found.right, wrong + found.wrong
    tau = Order(right, wrong).tau
    if tau is None:
        return "No two decompositions of the same ranks differ by more than 2 %."
    return (
        f"Of {right + wrong} pairs of decompositions of the same ranks that differ by more than "
        f"2 %, {right} are predicted in the measured order: Kendall's τ = {tau:+.2f}."
    )


def _row(each: Sweep) -> tuple[Value, ...]:
    first, total = each.case.records[0], math.prod(each.cut.cells)
    low, high = each.case.interval_s() or (None, None)
    predicted = each.predicted_per_s
    return (
        each.case.mpi,
        each.cut.num_ranks,
        "x".join(map(str, each.cut.dims)),
        OVERLAPPED if each.is_overlapped else "blocking",
        "x".join(map(str, each.cut.cells)),
        "x".join(map(str, first["local_cells"])),
        each.updates_per_s / 1e6,
        None if high is None else total / high / 1e6,
        None if low is None else total / low / 1e6,
        None if predicted is None else predicted / 1e6,
        each.residual,
        each.num_hosts,
        halo_of(each.case),
        each.ranks_per_core,
    )


def halo_of(case: Case) -> str:
    """The implementation that exchanged the halos: `mpi` or `weft`."""
    return str(case.records[0]["params"].get("halo", "mpi"))


def _sweep(results: Results, case: Case) -> Sweep:
    first = case.records[0]
    cells, grid = tuple(first["params"]["global_cells"]), tuple(first["params"]["topology"])
    cut = Decomposition(cells, grid)
    launch = first.get("launch", 0)
    hosts = results.hosts_of_ranks(launch) or ("",) * cut.num_ranks
    shared = results.ranks_per_core(launch)
    most = max(hosts.count(host) for host in hosts)
    node = jacobi_node(results, case.mpi, case.transport, most)
    is_known = node is not None and len(hosts) == cut.num_ranks and halo_of(case) == "mpi"
    if node is None or not is_known or not _needed(cut, hosts) <= set(node.links):
        return Sweep(case, cut, len(set(hosts)), None, ranks_per_core=shared)
    names = sorted(set(hosts))
    domains = tuple(names.index(host) for host in hosts)
    cores = results.cores_of_ranks(launch) or tuple((host, i) for i, host in enumerate(hosts))
    numbered = {core: number for number, core in enumerate(sorted(set(cores)))}
    own_cores = tuple(numbered[core] for core in cores)
    place = Placement(domains, own_cores, lambda a, b: _class(hosts, a, b))
    found = Sweep(case, cut, len(names), None, place, shared)
    return replace(found, parts=sweep(cut, place, node, found.is_overlapped))


def _needed(cut: Decomposition, hosts: tuple[str, ...]) -> set[str]:
    faces = (face for rank in range(cut.num_ranks) for face in cut.faces(rank))
    return {_class(hosts, face.rank, face.neighbour) for face in faces}


def _class(hosts: tuple[str, ...], first: int, second: int) -> str:
    return WITHIN_NODE if hosts[first] == hosts[second] else BETWEEN_NODES


def kernels_of(results: Results, problem: str, mpi: str) -> dict[str, Case]:
    """The case of each label, of that MPI if it has one. Kernels exchange no messages, so neither
    the transport nor the MPI that started them matters."""
    found: dict[str, Case] = {}
    for case in sorted(results.cases(problem), key=lambda case: case.mpi != mpi):
        found.setdefault(case.label, case)
    return found


def pack_cases(results: Results, mpi: str) -> list[Case]:
    """How long it takes to pack and unpack along each axis; empty unless all were measured."""
    kernels = kernels_of(results, "pack", mpi)
    cases = [kernels.get(f"pack 1 {axis}") for axis in range(3)]
    known = [case for case in cases if case is not None]
    return known if len(known) == len(cases) else []


def link_of(results: Results, mpi: str, transport: str, name: str) -> Link | None:
    """The slower of the results for hot and cold messages: faces are not in a cache of the
    receiver.

    Within a node, if that transport was not measured there: the MPI's fastest measured one. Between
    nodes, one pair's rate is that of the link, unless many pairs at once show otherwise.
    """
    is_far = name == BETWEEN_NODES
    near = [
        link
        for series in results.series()
        if series.mpi == mpi and series.is_between_hosts == is_far
        if (link := _fitted(series, is_far)) is not None
    ]
    own = [link for link in near if link.series.transport == transport]
    if not own and near and not is_far:
        best = max(near, key=lambda link: link.rates.pair_bytes_per_s).series.transport
        own = [link for link in near if link.series.transport == best]
    slowest = min(own, key=lambda link: link.rates.pair_bytes_per_s, default=None)
    return slowest if slowest is None or not is_far else _shared(results, slowest)


def _pack_rates(results: Results, mpi: str) -> tuple[float, float, float] | None:
    """Bytes packed and unpacked per second by axis; None unless all three were measured."""
    rates = [
        float(case.records[0]["work_per_rank"]) / case.middle_s()
        for case in pack_cases(results, mpi)
    ]
    return (rates[0], rates[1], rates[2]) if rates else None


def _fitted(series: Series, is_far: bool) -> Link | None:
    line = latency_bandwidth.relative(series.sizes, series.times_s())
    rate = line.bandwidth_bytes_per_s
    if rate is None:
        return None
    return Link(MaxRate(line.latency_s, rate, rate if is_far else None), series)


def _shared(results: Results, link: Link) -> Link:
    """The link when many pairs use it at once, if that was measured."""
    one = link.series
    for many in results.series("multipair"):
        if (many.mpi, many.transport, many.is_between_hosts) != (one.mpi, one.transport, True):
            continue
        if many.num_pairs > 1:
            return replace(link, rates=rates_together(one, many))
    return link


def rates_together(one: Series, many: Series) -> MaxRate:
    """The rate of one pair and the shared rate of all pairs, from both ping-pongs."""
    pairs = [1] * len(one.sizes) + [many.num_pairs] * len(many.sizes)
    sizes = np.concatenate([one.sizes, many.sizes])
    return max_rate(pairs, sizes, np.concatenate([one.times_s(), many.times_s()]))
