# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How weft's scheduler would behave with up to 1024 workers, simulated.

Builds `weft_scheduler_model` (lab/scaling/simulated) and runs it for each number of workers, with
the runtime's rules and with the rules that docs/scheduler_scaling.md proposes. Results are
the same in every run.

`python -m weft_lab.checks.scheduler_growth` prints speed-ups, and the lines of other workers that
one of each operation visits, with the growth that `weft_lab.models.pmnf` finds.
`--figure FILE.svg` draws the speed-ups. `--validate` runs the real runtime with one and two workers
instead, and compares its speed-ups with the simulation.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from weft_lab.checks.line_growth import growth_of

ROOT = Path(__file__).resolve().parents[3]
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
# The shapes of programs, and the arguments that say how large they are.
PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "tree": ("--size", "262144", "--body-ns", "2000"),
    "uts": ("--size", "8", "--body-ns", "1000"),
    "loop": ("--size", "16384", "--body-ns", "20000"),
    "spread": (),
}
TIMEOUT_S = 300.0
FEWEST_POINTS = 5
LICENSE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
# Of each real row: the shortest call counts, since other programs only make calls longer.
LAUNCHES = 3
# Leaves or depth, and the length of a body, of the real runs.
VALIDATED = (
    ("tree", 16, 16000),
    ("tree", 64, 1000),
    ("tree", 64, 4000),
    ("tree", 1024, 250),
    ("tree", 1024, 1000),
    ("uts", 5, 1000),
)


def limited(workers: int) -> tuple[str, ...]:
    """Returns the proposed rules: log2(P) + 1 victims and requests, two wakes, no list walk."""
    few = str(int(math.log2(workers)) + 1)
    rules = {
        "--fan-out": few,
        "--wake-fan-out": few,
        "--wakes": "2",
        "--unlink-at-once": "1",
        "--pass-victim": "1",
    }
    return tuple(word for rule in rules.items() for word in rule)


RULES: Mapping[str, Callable[[int], tuple[str, ...]]] = {
    "as it is": lambda _: (),
    "proposed": limited,
}


@dataclass(frozen=True)
class Run:
    """One simulation."""

    program: str
    rules: str
    workers: int
    found: Mapping[str, Any]

    @property
    def speedup(self) -> float:
        """The work of all calls divided by the time."""
        return float(self.found["bodies_ns"]) / max(float(self.found["time_ns"]), 1.0)

    def visited(self, operation: str) -> float | None:
        """Lines of other workers that one operation visits. None: there was none."""
        counts = self.found["operations"][operation]
        return counts["visited"] / counts["number"] if counts["number"] else None


def build() -> Path:
    """Returns the program, built as bench programs are."""
    target = ("--target", "weft_scheduler_model")
    for command in (("--preset", "bench"), ("--build", "--preset", "bench", *target)):
        subprocess.run(["cmake", *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return ROOT / "build" / "bench" / "bin" / "weft_scheduler_model"


def output_of(model: Path, *arguments: str) -> dict[str, Any]:
    """Returns the record that the program prints."""
    done = subprocess.run(
        [model, *arguments], capture_output=True, text=True, check=True, timeout=TIMEOUT_S
    )
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def simulated(model: Path, workers: Sequence[int]) -> list[Run]:
    """Runs every program by every rule, with each number of workers."""
    runs = []
    for program, rules, count in product(PROGRAMS, RULES, workers):
        arguments = ("--workload", program, "--workers", str(count), *PROGRAMS[program])
        found = output_of(model, *arguments, *RULES[rules](count))
        runs.append(Run(program, rules, count, found))
    return runs


def table(runs: Sequence[Run], workers: Sequence[int]) -> str:
    """Returns the speed-ups, the time until all have work, and the lines that operations visit."""
    lines = ["".ljust(32) + "".join(f"{count:>9}" for count in workers) + "  growth"]
    for program, rules in product(PROGRAMS, RULES):
        chosen = [run for run in runs if run.program == program and run.rules == rules]
        if program == "spread":
            times = {run.workers: run.found["time_ns"] / 1000 for run in chosen if run.workers > 1}
            lines.append(_row(f"us until all have work, {rules}", times, workers))
            steps = {run.workers: float(run.found["wake_steps"]) for run in chosen}
            lines.append(_row(f"steps, {rules}", steps, workers))
        else:
            ups = {run.workers: run.speedup for run in chosen}
            lines.append(_row(f"speed-up of {program}, {rules}", ups, workers))
    today = [run for run in runs if run.rules == "as it is"]
    lists = {
        count: float(max(run.found["longest_list"] for run in today if run.workers == count))
        for count in workers
    }
    lines.append(_row("longest list walked, as it is", lists, workers))
    for rules, operation in product(RULES, runs[0].found["operations"] if runs else ()):
        values = {
            run.workers: value
            for run in runs
            if run.rules == rules and run.program == "tree"
            if (value := run.visited(operation)) is not None
        }
        lines.append(_row(f"lines per {operation}, {rules}", values, workers))
    return "\n".join(lines)


def _row(name: str, values: Mapping[int, float], workers: Sequence[int]) -> str:
    shown = "".join(
        f"{values[count]:>9.1f}" if count in values else f"{'-':>9}" for count in workers
    )
    fitted = {count: value for count, value in values.items() if count > 1}
    form = growth_of(fitted).text if len(fitted) >= FEWEST_POINTS else "unknown: too few numbers"
    return f"{name:<32}{shown}  {form}"


def figure(runs: Sequence[Run]) -> dict[str, Any]:
    """Returns the speed-ups as a Vega-Lite specification."""
    rows = [
        {"program": run.program, "rules": run.rules, "workers": run.workers, "speedup": run.speedup}
        for run in runs
        if run.program != "spread"
    ]
    ideal = [{"workers": run.workers, "speedup": run.workers} for run in runs]

    def axis(field: str, title: str) -> dict[str, Any]:
        return {
            "field": field,
            "type": "quantitative",
            "title": title,
            "scale": {"type": "log", "base": 2},
        }

    place = {
        "x": axis("workers", "workers (log scale)"),
        "y": axis("speedup", "speed-up (log scale)"),
    }
    color = {"field": "program", "type": "nominal", "title": "program"}
    stroke = {
        "symbolType": "stroke",
        "symbolStrokeColor": "black",
        "symbolFillColor": "transparent",
    }
    dash = {"field": "rules", "type": "nominal", "title": "rules", "legend": stroke}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": "Simulated, not measured: speed-up of three programs",
        "width": 520,
        "height": 320,
        "background": "white",
        "layer": [
            {
                "data": {"values": ideal},
                "mark": {"type": "line", "color": "#bbb", "strokeWidth": 1},
                "encoding": place,
            },
            {
                "data": {"values": rows},
                "mark": {"type": "line", "point": True},
                "encoding": {**place, "color": color, "strokeDash": dash},
            },
        ],
    }


def draw(runs: Sequence[Run], file: Path) -> None:
    """Writes the figure."""
    import vl_convert

    svg = str(vl_convert.vegalite_to_svg(json.dumps(figure(runs))))
    file.write_text(svg.replace(">", f"><!-- {LICENSE} -->", 1), encoding="utf-8")


def validation(model: Path) -> str:
    """Returns the real speed-ups from one worker to two, beside the simulated ones.

    A body is as long as one real worker takes for a task. The first row with parked workers gives
    the wake latency of the others.
    """
    lines = ["start      program    tasks   real  simulated  difference"]
    latency_ns = 0
    for start, (program, size, body_ns) in product(("searching", "parked"), VALIDATED):
        shape: tuple[str, ...] = ("--workload", program, "--size", str(size), "--start", start)
        real = ("--body-ns", str(body_ns), "--real", "1", "--workers")
        pairs = [
            [output_of(model, *shape, *real, count)["time_ns"] for count in ("1", "2")]
            for _ in range(LAUNCHES)
        ]
        one, two = map(min, zip(*pairs, strict=True))
        alone = output_of(model, *shape, "--body-ns", str(body_ns))
        bodies = alone["bodies_ns"] / body_ns
        shape += ("--body-ns", str(round(one / bodies)), "--workers", "2")
        if start == "parked" and latency_ns == 0:
            latency_ns = _latency(model, shape, two)
            lines.append(f"wake latency chosen so that the next row agrees: {latency_ns} ns")
        if latency_ns:
            shape += ("--wake-latency-ns", str(latency_ns))
        simulated_ns = output_of(model, *shape)["time_ns"]
        difference = two / simulated_ns - 1.0
        lines.append(
            f"{start:<11}{program:<8}{alone['tasks']:>8}{one / two:>7.2f}"
            f"{one / simulated_ns:>11.2f}{difference:>11.1%}"
        )
    return "\n".join(lines)


def _latency(model: Path, shape: Sequence[str], wanted_ns: float) -> int:
    """Returns the wake latency with which the simulated time is nearest to `wanted_ns`."""
    choices = [1000 * us for us in (2, 5, 10, 20, 30, 40, 50, 60, 80, 100)]
    return min(
        choices,
        key=lambda choice: abs(
            output_of(model, *shape, "--wake-latency-ns", str(choice))["time_ns"] - wanted_ns
        ),
    )


def main() -> None:
    """Simulates and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", default=",".join(map(str, WORKERS)))
    parser.add_argument("--program", type=Path, help="a built weft_scheduler_model")
    parser.add_argument("--figure", type=Path, help="an SVG file to write")
    parser.add_argument("--validate", action="store_true", help="compare with the real runtime")
    chosen = parser.parse_args()
    model = chosen.program or build()
    if chosen.validate:
        print(validation(model))
        return
    workers = [int(each) for each in chosen.workers.split(",")]
    runs = simulated(model, workers)
    print(table(runs, workers))
    if chosen.figure:
        draw(runs, chosen.figure)


if __name__ == "__main__":
    main()
