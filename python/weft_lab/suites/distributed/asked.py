# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Performance targets of calls between ranks, and whether a run meets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from weft_lab.pages import formats
from weft_lab.statistics.estimates import bootstrap_centre, bootstrap_ratio, median
from weft_lab.suites.distributed.plan import OWN_CHOICE, TRANSPORTS
from weft_lab.suites.distributed.results import FRESH, MPI, Case, Results, Samples

KEPT = "kept"
BROKEN = "not kept"
UNTOLD = "cannot tell"
CALLER = "weft_task"
# By transport; the MPI's own choice for ranks of one node is held to what shared memory is.
ROUND_TRIP_MOST = {"shm": 3.0, "tcp": 1.5}
BUSY_P99_MOST_S = {"shm": 60e-6, "tcp": 80e-6}
POST_RATE_LEAST = {"shm": 3.0, "tcp": 5.0}
BANDWIDTH_LEAST = {"shm": 0.90, "tcp": 0.95}
BANDWIDTH_FROM_BYTES = 1 << 18
COLLECTIVE_FACTOR = 1.1
COLLECTIVE_MORE_S = 1e-6
GUPS_LEAST = 1.0
HEAT_CELLS = 1 << 18  # steps of about 100 µs
HEAT_LEAST = 0.95
UTS_LEAST = 0.90
IDLE_MOST = 0.01
PEER_MOST_BYTES = 64 << 10


@dataclass(frozen=True)
class Bound:
    """The number asked for. `is_most`: larger values break it."""

    value: float
    is_most: bool
    show: Callable[[float], str]

    @property
    def text(self) -> str:
        return f"{'at most' if self.is_most else 'at least'} {self.show(self.value)}"

    def words(self, low: float | None, high: float | None) -> str:
        """Whether the whole interval is on one side."""
        if low is None or high is None:
            return UNTOLD
        if self.is_most:
            return KEPT if high <= self.value else BROKEN if low > self.value else UNTOLD
        return KEPT if low >= self.value else BROKEN if high < self.value else UNTOLD


@dataclass(frozen=True)
class Promise:
    """A target, and the measured value with its 95 % interval."""

    what: str
    mpi: str
    transport: str
    bound: Bound
    value: float
    low: float | None
    high: float | None

    @property
    def words(self) -> str:
        return self.bound.words(self.low, self.high)


def promises(results: Results) -> tuple[Promise, ...]:
    """Of every MPI and transport."""
    return (
        *_ratios(results),
        *_busy(results),
        *_collectives(results),
        *_programs(results),
        *_idle(results),
        *_memory(results),
    )


def _limit(limits: Mapping[str, float], case: Case) -> float | None:
    return limits.get(TRANSPORTS[0] if case.transport == OWN_CHOICE else case.transport)


def _ratios(results: Results) -> Iterator[Promise]:
    for case, found in results.cases("round_trip", "post_rate", "bandwidth").items():
        size = int(case.value["size_bytes"])
        limits, what, raw_name = {
            "round_trip": (ROUND_TRIP_MOST, "round trip of async over MPI's", MPI),
            "post_rate": (POST_RATE_LEAST, "rate of post over MPI's", MPI),
            "bandwidth": (BANDWIDTH_LEAST, f"bandwidth, {size} bytes, over MPI's", FRESH),
        }[case.cell]
        limit = _limit(limits, case)
        raw, weft = found.get(raw_name), found.get(CALLER)
        is_small = case.cell == "bandwidth" and size < BANDWIDTH_FROM_BYTES
        if limit is None or raw is None or weft is None or is_small:
            continue
        is_most = case.cell == "round_trip"
        first, second = (raw, weft) if is_most else (weft, raw)
        ratio = bootstrap_ratio(first.launches("call_s"), second.launches("call_s"))
        bound = Bound(limit, is_most, formats.ratio)
        yield Promise(what, case.mpi, case.transport, bound, ratio.value, ratio.low, ratio.high)


def _programs(results: Results) -> Iterator[Promise]:
    for case, found in results.cases("gups", "heat", "uts").items():
        least, what, raw_name, name = {
            "gups": (GUPS_LEAST, "random updates in batches over MPI's", MPI, "weft_batches"),
            "heat": (HEAT_LEAST, "heat, steps of about 100 µs, rate over MPI's", MPI, CALLER),
            "uts": (UTS_LEAST, "tree search, efficiency on two ranks", "alone", CALLER),
        }[case.cell]
        raw, weft = found.get(raw_name), found.get(name)
        is_other = case.cell == "heat" and case.value["cells"] != HEAT_CELLS
        if raw is None or weft is None or is_other:
            continue
        share = 1 / case.num_ranks if case.cell == "uts" else 1.0
        beside = [[share * time for time in launch] for launch in raw.launches("call_s")]
        ratio = bootstrap_ratio(weft.launches("call_s"), beside)
        bound = Bound(least, is_most=False, show=formats.ratio)
        yield Promise(what, case.mpi, case.transport, bound, ratio.value, ratio.low, ratio.high)


def _of_value(
    what: str, case: Case, bound: Bound, launches: list[list[float]], value: float
) -> Promise:
    low, high = bootstrap_centre(launches) or (None, None)
    return Promise(what, case.mpi, case.transport, bound, value, low, high)


def _busy(results: Results) -> Iterator[Promise]:
    for case, found in results.cases("busy_round_trip").items():
        limit, weft = _limit(BUSY_P99_MOST_S, case), found.get(CALLER)
        if limit is not None and weft is not None:
            bound = Bound(limit, is_most=True, show=formats.seconds)
            value = weft.middle("p99_s")
            what = "round trip beside tasks of 10 µs, 99th percentile"
            yield _of_value(what, case, bound, weft.launches("p99_s"), value)


def over_bound(raw: Samples, weft: Samples) -> list[list[float]]:
    """Each of weft's samples over what MPI's sample beside it allows."""
    pairs = zip(raw.launches("call_s"), weft.launches("call_s"), strict=False)
    return [
        [
            mine / (COLLECTIVE_FACTOR * other + COLLECTIVE_MORE_S)
            for other, mine in zip(*pair, strict=False)
        ]
        for pair in pairs
    ]


def _collectives(results: Results) -> Iterator[Promise]:
    for case, found in results.cases("collective").items():
        raw, weft = found.get(MPI), found.get(CALLER)
        if raw is not None and weft is not None:
            bound = Bound(1.0, is_most=True, show=formats.ratio)
            ratios = over_bound(raw, weft)
            value = median([median(each) for each in ratios])
            what = f"{case.value['operation']} over 1.1 times MPI's and 1 µs"
            yield _of_value(what, case, bound, ratios, value)


def _idle(results: Results) -> Iterator[Promise]:
    for case, found in results.cases("idle").items():
        weft = found.get("weft_thread")
        if weft is not None:
            bound = Bound(IDLE_MOST, is_most=True, show=lambda share: formats.percent(share, 2))
            what = f"share of a processor of a rank {case.value['state']}"
            value = weft.middle("cpu_share")
            yield _of_value(what, case, bound, weft.launches("cpu_share"), value)


def _memory(results: Results) -> Iterator[Promise]:
    for case, value in bytes_per_peer(results).items():
        bound = Bound(PEER_MOST_BYTES, is_most=True, show=_kibibytes)
        # counted, so that it has no interval
        yield Promise("memory for each peer", case.mpi, case.transport, bound, value, value, value)


def bytes_per_peer(results: Results) -> dict[Case, float]:
    """From the heaps of ranks in jobs of two sizes."""
    by_mpi: dict[str, dict[int, tuple[Case, float]]] = {}
    for case, found in results.cases("memory").items():
        weft = found.get("weft_thread")
        if weft is not None:
            ranks = by_mpi.setdefault(case.mpi, {})
            ranks[case.num_ranks] = (case, weft.middle("heap_bytes"))
    grown = {}
    for sizes in by_mpi.values():
        few, many = min(sizes), max(sizes)
        if few < many:
            case, bytes_of_many = sizes[many]
            grown[case] = (bytes_of_many - sizes[few][1]) / (many - few)
    return grown


def _kibibytes(num_bytes: float) -> str:
    return f"{num_bytes / 1024:.1f} KiB"
