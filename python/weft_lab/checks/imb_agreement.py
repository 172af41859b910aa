# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether our ping-pong and that of Intel MPI Benchmarks agree on the same MPI and transport.

Both are launched alternately, in random order within each round, bound to the same cores. Both send
the same messages in the same order: all sizes, several times. The statistic of a loop is IMB's: the
mean of half a round trip after a barrier, of the slower rank.

A rank that spins for 10 ms and loses its core for one time slice of 4 ms changes that mean. So the
median of a launch's loops counts, and the median of all rounds' ratios; its interval is that of its
order statistics.

The suite's own samples are shorter and receive from the partner. They are launched in every round
too. Their median is shown beside IMB's mean but not judged, because it is another statistic.

Needs an MPI with IMB-MPI1 beside its mpirun (Intel MPI has it; its folder is named in WEFT_MPI_DIR)
and an idle machine. As a program, it exits with 1 unless the interval of the ratio contains 1 at
every size and the ratio of messages of at least 64 KiB is within 5 %. It exits with 77 if it cannot
run, or if an interval is too wide. The intervals of all sizes of a transport hold together in 95 of
100 runs (Bonferroni).
"""

from __future__ import annotations

import math
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from weft_lab.checks import NOT_CHECKED
from weft_lab.errors import MissingError
from weft_lab.measuring.mpi.installations import Installation, find_installations
from weft_lab.measuring.mpi.launching import Launch, command_of, environment_of, last_words, run
from weft_lab.measuring.mpi.transports import Transport, transports_of
from weft_lab.models.launches import Estimate
from weft_lab.statistics.estimates import mean, median
from weft_lab.suites.mpi import building, plan
from weft_lab.suites.mpi.importers.imb import read_imb

PROGRAM = "IMB-MPI1"
SIZES = tuple(1 << power for power in (0, 6, 10, 14, 16, 18, 20, 22))
LARGE_BYTES = 1 << 16
WITHIN = 0.05
LEVEL = 1.0 - 0.05 / len(SIZES)
# A wider interval does not allow a verdict.
NARROW = (0.8, 1.25)
ROUNDS = 24
# Loops over all sizes in a launch.
PASSES = 3
TIMEOUT_S = 120.0
# IMB's own loop: a tenth of it to warm up, then 1000 messages, or 40 MiB of large ones, received
# from any rank. A connection's rate depends on its earlier messages, so both send the same ones.
OURS = (
    *("--calls", "1000", "--bytes-per-sample", str(40 << 20), "--source", "any"),
    *("--min-samples", "1", "--max-samples", "1"),
)
THEIRS = ("-iter", "1000", "-iter_policy", "multiple_np", "-time", "5")
# The samples of `./weft report --suite mpi` for the same sizes.
SUITE = plan.ping_pong(plan.TIERS["default"], SIZES)
Times = Mapping[int, float]
Verdict = Literal["agrees", "differs", "too noisy"]
MARKS: Mapping[Verdict, str] = {
    "agrees": "",
    "differs": "  <- does not agree",
    "too noisy": "  <- too noisy to tell",
}


@dataclass(frozen=True)
class Agreement:
    """Our time of one message over IMB's: the median of the rounds, and its interval."""

    size_bytes: int
    ratio: Estimate

    @property
    def verdict(self) -> Verdict:
        """Whether the claim holds at this size; None if it cannot be judged."""
        low, high = self.ratio.low, self.ratio.high
        if low is None or high is None:
            return "too noisy"
        near = abs(self.ratio.value - 1.0) <= WITHIN or self.size_bytes < LARGE_BYTES
        if not self.ratio.holds(1.0) or not near:
            return "differs"
        return "agrees" if NARROW[0] <= low and high <= NARROW[1] else "too noisy"

    def text(self) -> str:
        """`65536 B: 1.012 (0.991 ... 1.034)`."""
        low, high = self.ratio.low, self.ratio.high
        bounds = "too few launches" if low is None or high is None else f"{low:.3f} ... {high:.3f}"
        return f"{self.size_bytes} B: {self.ratio.value:.3f} ({bounds})"

    def judged(self) -> str:
        """The text, with the failed condition."""
        return self.text() + MARKS[self.verdict]


@dataclass(frozen=True)
class Comparison:
    """The results of one transport.

    `ours`: IMB's loop in our program, which is judged. `suite`: the suite's own samples, or none
    and `why_not`.
    """

    ours: list[Agreement]
    suite: list[Agreement]
    why_not: str = ""

    def lines(self) -> list[str]:
        """The printed text."""
        center = math.fsum(math.log(each.ratio.value) for each in self.ours) / len(self.ours)
        judged = [f"  {each.judged()}" for each in self.ours]
        shown = [f"  {each.text()}" for each in self.suite]
        title = f"the suite's own samples / {PROGRAM}, not judged:"
        title += f" not measured: {self.why_not}" if self.why_not else ""
        return [*judged, f"  all sizes: {math.exp(center):.3f}", title, *shown]


def exit_code(every: Sequence[Agreement]) -> int:
    """1 if a size differs, else 77 if a size cannot be judged or there is none, else 0."""
    verdicts = {each.verdict for each in every}
    if "differs" in verdicts:
        return 1
    return 0 if verdicts == {"agrees"} else NOT_CHECKED


def imb_of(one: Installation) -> Path | None:
    """The benchmark beside the MPI's launcher."""
    path = one.launcher.parent / PROGRAM
    return path if path.is_file() else None


def agreements(ours: Sequence[Times], theirs: Sequence[Times]) -> list[Agreement]:
    """The ratio at every size, with rounds as the replicates."""
    return [
        Agreement(
            size,
            middle([own[size] / other[size] for own, other in zip(ours, theirs, strict=True)]),
        )
        for size in SIZES
    ]


def middle(values: Sequence[float], level: float = LEVEL) -> Estimate:
    """The median with its order-statistic interval of this probability, for any distribution.

    The bounds are unknown if there are too few values.

    Source:  David and Nagaraja, Order Statistics, 2003, section 7.1.
    """
    ordered = sorted(values)
    num, below, rank = len(ordered), 0.0, 0
    while rank < num:
        below += math.comb(num, rank) * 0.5**num
        if below > 0.5 * (1.0 - level):
            break
        rank += 1
    if rank == 0:
        return Estimate(median(ordered), None, None)
    return Estimate(median(ordered), ordered[rank - 1], ordered[num - rank])


def of_loops(loops: Iterable[tuple[int, float]]) -> Times:
    """By size, the median of a launch's loops."""
    found: dict[int, list[float]] = defaultdict(list)
    for size, time_s in loops:
        found[size].append(time_s)
    return {size: median(times) for size, times in found.items()}


def measure_ours(what: Launch) -> Times:
    """One launch of `weft_mpi`, the mean of every loop. Errors: `MissingError` with its message."""
    return of_loops((size, mean(samples)) for size, samples in _samples(what))


def measure_suite(what: Launch) -> Times:
    """One launch of `weft_mpi`, the median of the suite's samples. Errors: as `measure_ours`."""
    return {size: median(samples) for size, samples in _samples(what)}


def _samples(what: Launch) -> list[tuple[int, list[float]]]:
    outcome = run(what, TIMEOUT_S)
    if outcome.failure:
        raise _failed(building.PROGRAM, outcome.failure)
    return [(int(r["params"]["size_bytes"]), r["samples_s"]) for r in outcome.results]


def measure_theirs(what: Launch, imb: Path, sizes: Path) -> Times:
    """Launches IMB once, with our placement and transport. Errors: `MissingError` with its text."""
    launcher = command_of(what)[: -len(own_words(what))]
    command = [*launcher, str(imb), "PingPong", "-msglen", str(sizes), *THEIRS]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
            env=environment_of(what),
        )
    except subprocess.TimeoutExpired:
        raise _failed(PROGRAM, f"no end within {TIMEOUT_S:.0f} s") from None
    if done.returncode != 0:
        raise _failed(PROGRAM, last_words(done.stderr))
    points = read_imb(done.stdout, PROGRAM)[0].points
    return of_loops((point.size_bytes, point.time_s) for point in points)


def own_words(what: Launch) -> list[str]:
    """The part of the command with our program and its arguments."""
    command = command_of(what)
    return command[command.index(str(what.program)) :]


def compare(one: Installation, imb: Path, transport: Transport, rounds: int) -> Comparison:
    """Interleaved launches of all three. Cost: about 10 s per round."""
    program = building.build(one)
    in_order = SIZES * PASSES
    arguments = ("pingpong", "--sizes", ",".join(map(str, in_order)), *OURS)
    what = Launch(one, program, arguments, 2, transport)
    with tempfile.TemporaryDirectory() as folder:
        sizes = Path(folder) / "sizes"
        sizes.write_text("".join(f"{size}\n" for size in in_order), encoding="utf-8")
        takes: Mapping[str, Callable[[], Times]] = {
            "ours": lambda: measure_ours(what),
            "theirs": lambda: measure_theirs(what, imb, sizes),
            "suite": lambda: measure_suite(replace(what, arguments=SUITE)),
        }
        return interleaved(takes, rounds)


def interleaved(takes: Mapping[str, Callable[[], Times]], rounds: int) -> Comparison:
    """Calls all in every round, in random order.

    Errors: those of `ours` and `theirs`; after a failure of `suite`, which is not judged, only its
            own launches end.
    """
    found: dict[str, list[Times]] = {name: [] for name in takes}
    why_not = ""
    for round_ in range(rounds):
        for name in random.Random(round_).sample(sorted(takes), len(takes)):
            if name == "suite" and why_not:
                continue
            try:
                found[name].append(takes[name]())
            except MissingError as error:
                if name != "suite":
                    raise
                why_not = error.why
    theirs = found["theirs"]
    suite = [] if why_not else agreements(found["suite"], theirs)
    return Comparison(agreements(found["ours"], theirs), suite, why_not)


def main(arguments: Sequence[str]) -> int:
    """Compares every transport within the node that works. Arguments: rounds (default 24), and the
    transports (default shm and tcp)."""
    rounds = int(arguments[0]) if arguments else ROUNDS
    names = list(arguments[1:]) or ["shm", "tcp"]
    found = [(one, imb) for one in find_installations() if (imb := imb_of(one)) is not None]
    if not found:
        print(f"no MPI has {PROGRAM} beside its mpirun (Intel MPI has)")
        return NOT_CHECKED
    failed = False
    compared: list[Agreement] = []
    for one, imb in found:
        for transport in transports_of(one, names):
            try:
                done = compare(one, imb, transport, rounds)
            except MissingError as error:
                print(f"{one.id} {transport.name}: {error.what}: {error.why}")
                failed = True
                continue
            print(f"{one.id} {transport.name}, ours / {PROGRAM}, {rounds} launches of each")
            print("\n".join(done.lines()))
            compared += done.ours
    code = 1 if failed else exit_code(compared)
    if code == NOT_CHECKED:
        print("too noisy to tell; repeat on an idle machine, or with more rounds")
    return code


def _failed(program: str, why: str) -> MissingError:
    return MissingError(
        what=f"{program} did not end well",
        why=why,
        remedy="./weft doctor explains the MPIs",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
