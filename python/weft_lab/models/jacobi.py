# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Jacobi sweep predicted from micro-kernels: compute, memory, copies, wire and imbalance.

Formula, per rank with V cells and faces f:
    compute     V / P_core, P_core updates/s of one rank alone (times 1 / s with a busy sibling)
    memory      V B_c / b_1, what one rank alone moves; added, as transfers from memory do not
                overlap with the sweep's own loads (ECM)
    saturation  max(0, V B_c n / b_s - compute - memory), n ranks on the memory domain (roofline)
    pack        sum_f 2 * 8 A_f / b_pack(axis of f), each face packed and unpacked; where that was
                not measured, b_copy / q_f, q_f = 8 for faces whose cells lie a cache line apart
    wire        sum over directions of T(8 A_f; class of f, pairs at once), max-rate per class
    wait        what the slowest rank takes longer than the mean one
    overlapped: the wire hides behind the inner cells: max(wire, inner) instead of wire + inner
Units:   cells, bytes, seconds; B_c bytes per update: 24 with the layer condition met, 16 with
         non-temporal stores, 40 and 56 where it breaks (`code_balance`).
Assumptions: sweeps are synchronous, so the slowest rank sets the time; ranks compute alike; links
         are shared evenly by the pairs that use them.
Source:  Stengel, Treibig, Hager, Wellein, Quantifying performance bottlenecks of stencil
         computations using the ECM model, ICS 2015; Gropp et al., EuroMPI 2016 (max-rate).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from weft_lab.models.arrays import ModelError
from weft_lab.models.decomposition import Decomposition, Dims, Face
from weft_lab.models.launches import Estimate
from weft_lab.models.max_rate import MaxRate

BYTES_PER_CELL = 8
LINE_CELLS = 8
DRAWS = 400
NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Node:
    """The measurements of the micro-kernels.

    Rates per second: updates of a block in cache, memory traffic of one rank alone (b_1) and of all
    on a domain together (b_s), copies, bytes packed and unpacked by axis (None: not measured).
    `smt_share`: the speed of a rank whose core's sibling works too, over that of one alone.
    """

    core_updates_per_s: float
    core_memory_bytes_per_s: float
    memory_bytes_per_s: float
    copy_bytes_per_s: float
    links: Mapping[str, MaxRate]
    bytes_per_update: float = 24.0
    smt_share: float = 0.5
    pack_bytes_per_s: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Placement:
    """The placement of ranks: memory domain and core of each, and the class of link between two."""

    domain: tuple[int, ...]
    core: tuple[int, ...]
    link: Callable[[int, int], str]


@dataclass(frozen=True)
class Waterfall:
    """Seconds of a sweep by cause, for the slowest rank; their sum is `total_s`."""

    compute_s: float
    memory_s: float
    saturation_s: float
    pack_s: float
    wire_s: float
    hidden_s: float
    wait_s: float

    @property
    def total_s(self) -> float:
        cells_s = (self.compute_s, self.memory_s, self.saturation_s)
        return math.fsum((*cells_s, self.pack_s, self.wire_s, self.wait_s)) - self.hidden_s

    def unexplained_s(self, measured_s: float) -> float:
        """The measured time beyond the model's; negative if the model predicts too much."""
        return measured_s - self.total_s


def code_balance(
    plane_cells: int, row_cells: int, cache_bytes: float, has_write_allocate: bool = True
) -> float:
    """Bytes of memory traffic per update of a 7-point sweep in double precision.

    24 if three planes fit in half of the cache, 40 if only three rows do, 56 if neither; 8 less of
    each if stores do not read their line first.
    """
    half = 0.5 * cache_bytes
    if 3 * plane_cells * BYTES_PER_CELL <= half:
        loads = 1
    elif 3 * row_cells * BYTES_PER_CELL <= half:
        loads = 3
    else:
        loads = 5
    return float(BYTES_PER_CELL * (loads + 1 + has_write_allocate))


def sweep(
    cut: Decomposition, placement: Placement, node: Node, is_overlapped: bool = False
) -> Waterfall:
    """The parts of one sweep. Errors: `ModelError` for a link class that was not measured."""
    if len(placement.domain) != cut.num_ranks or len(placement.core) != cut.num_ranks:
        raise ModelError(
            what=f"{cut.num_ranks} ranks cannot be placed",
            why=f"the placement is one of {len(placement.domain)}",
            remedy="give a domain and a core for every rank",
        )
    faces = {rank: cut.faces(rank) for rank in range(cut.num_ranks)}
    shared = _Shared(cut, placement, node, _pairs_at_once(faces, placement), is_overlapped)
    parts = [_rank(shared, rank, faces[rank]) for rank in range(cut.num_ranks)]
    slowest = max(parts, key=lambda part: part.total_s)
    mean_s = math.fsum(part.total_s for part in parts) / len(parts)
    # The wait is the mean rank's; the slowest rank's own parts are scaled down to it.
    scale = mean_s / slowest.total_s
    shrunk = {each.name: scale * getattr(slowest, each.name) for each in fields(slowest)}
    return Waterfall(**{**shrunk, "wait_s": slowest.total_s - mean_s})


def updates_per_s(cut: Decomposition, parts: Waterfall) -> float:
    """Updates of all ranks per second of the slowest rank."""
    return math.prod(cut.cells) / parts.total_s


def with_interval(
    predict: Callable[[Node], float],
    node: Node,
    spreads: Mapping[str, Estimate],
    links: Mapping[str, Estimate] | None = None,
    seed: int = 0,
) -> Estimate:
    """The prediction, with the uncertainty of the measured inputs.

    Inputs are drawn as independent log-normal variables; the interval contains 95 % of the
    predictions, and is unknown if that of an input is. `spreads`: by field of `Node`; of packing,
    one for its three rates. `links`: by class, of the time of a message.

    Errors: `ModelError` for a field that is not a number of the node, or an unknown class of link.
    """
    messages = links or {}
    numbers = {each.name for each in fields(Node)} - {"links"}
    if node.pack_bytes_per_s is None:
        numbers -= {"pack_bytes_per_s"}
    if unknown := (set(spreads) - numbers) | (set(messages) - set(node.links)):
        raise ModelError(
            what=f"no input is called {', '.join(sorted(unknown))}",
            why=f"inputs are {', '.join(sorted(numbers | set(node.links)))}",
            remedy="correct the name",
        )
    value = predict(node)
    errors = {name: _log_error(each) for name, each in [*spreads.items(), *messages.items()]}
    known = {name: error for name, error in errors.items() if error is not None}
    if len(known) < len(errors):
        return Estimate(value, None, None)
    generator = np.random.default_rng(seed)
    drawn = []
    for _ in range(DRAWS):
        factors = {
            name: math.exp(error * generator.standard_normal()) for name, error in known.items()
        }
        drawn.append(predict(_scaled(node, spreads, messages, factors)))
    low, high = (float(each) for each in np.quantile(drawn, [0.025, 0.975]))
    return Estimate(value, min(low, value), max(high, value))


def _scaled(
    node: Node,
    spreads: Mapping[str, Estimate],
    messages: Mapping[str, Estimate],
    factors: Mapping[str, float],
) -> Node:
    """The node with each input multiplied by its factor; links by that of a message's time."""
    values: dict[str, Any] = {name: each.value * factors[name] for name, each in spreads.items()}
    if node.pack_bytes_per_s is not None and "pack_bytes_per_s" in spreads:
        rates = node.pack_bytes_per_s
        values["pack_bytes_per_s"] = tuple(rate * factors["pack_bytes_per_s"] for rate in rates)
    links = {
        name: link.slower_by(factors[name]) if name in messages else link
        for name, link in node.links.items()
    }
    return replace(node, links=links, **values)


def _log_error(spread: Estimate) -> float | None:
    """None if the interval is unknown or contains zero: any factor is possible then."""
    if spread.low is None or spread.high is None or spread.low <= 0.0:
        return None
    return 0.5 * math.log(spread.high / spread.low) / NORMAL_95


def _pairs_at_once(
    faces: Mapping[int, list[Face]], placement: Placement
) -> dict[tuple[str, int], int]:
    """The number of faces of each class and direction that leave a memory domain at one time."""
    counts: dict[tuple[str, int], int] = {}
    for per_domain in _by_domain(faces, placement).values():
        for key, count in per_domain.items():
            counts[key] = max(counts.get(key, 0), count)
    return counts


def _by_domain(
    faces: Mapping[int, list[Face]], placement: Placement
) -> dict[int, dict[tuple[str, int], int]]:
    found: dict[int, dict[tuple[str, int], int]] = {}
    for rank, own in faces.items():
        per_domain = found.setdefault(placement.domain[rank], {})
        for face in own:
            if face.neighbour > rank or placement.domain[face.neighbour] != placement.domain[rank]:
                key = (placement.link(rank, face.neighbour), face.axis)
                per_domain[key] = per_domain.get(key, 0) + (face.neighbour > rank)
    return found


@dataclass(frozen=True)
class _Shared:
    """The common data of all ranks of a sweep; `pairs`: by class of link and axis."""

    cut: Decomposition
    placement: Placement
    node: Node
    pairs: Mapping[tuple[str, int], int]
    is_overlapped: bool


def _rank(shared: _Shared, rank: int, faces: list[Face]) -> Waterfall:
    cut, placement, node = shared.cut, shared.placement, shared.node
    cells = math.prod(cut.block(rank))
    has_sibling = placement.core.count(placement.core[rank]) > 1
    rate = node.core_updates_per_s * (node.smt_share if has_sibling else 1.0)
    compute_s = cells / rate
    num_on_domain = placement.domain.count(placement.domain[rank])
    moved_bytes = cells * node.bytes_per_update
    memory_s = moved_bytes / node.core_memory_bytes_per_s
    all_s = moved_bytes * num_on_domain / node.memory_bytes_per_s
    pack_s = sum(2 * BYTES_PER_CELL * face.cells / _pack_rate(node, face.axis) for face in faces)
    wire_s = sum(_message_s(face, placement, node, shared.pairs) for face in faces)
    inner_s = max(compute_s + memory_s, all_s) * _inner_share(cut.block(rank))
    return Waterfall(
        compute_s,
        memory_s,
        max(0.0, all_s - compute_s - memory_s),
        pack_s,
        wire_s,
        min(wire_s, inner_s) if shared.is_overlapped else 0.0,
        0.0,
    )


def _message_s(
    face: Face, placement: Placement, node: Node, pairs: Mapping[tuple[str, int], int]
) -> float:
    name = placement.link(face.rank, face.neighbour)
    link = node.links.get(name)
    if link is None:
        raise ModelError(
            what=f"no link of class '{name}' was measured",
            why=f"measured are {', '.join(sorted(node.links)) or 'none'}",
            remedy="measure ping-pong on that class of pairs",
        )
    at_once = max(pairs.get((name, face.axis), 1), 1)
    return float(link.time_s([at_once], [BYTES_PER_CELL * face.cells])[0])


def _pack_rate(node: Node, axis: int) -> float:
    """Without a measurement: the cells of the last dimension's faces are a row apart, and each
    costs a whole cache line."""
    if node.pack_bytes_per_s is not None:
        return node.pack_bytes_per_s[axis]
    return node.copy_bytes_per_s / (LINE_CELLS if axis == 2 else 1)


def _inner_share(block: Dims) -> float:
    inner = math.prod(max(side - 2, 0) for side in block)
    return inner / math.prod(block)
