# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this run finds of a table or figure of the pSTL-Bench paper, in sentences beside what the
paper printed, and what of its experiment was made smaller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from weft_lab.pages import formats, paper_tables
from weft_lab.pages.charts import allocator, strong_scaling
from weft_lab.pages.machine_text import fact
from weft_lab.pages.papers import Item, published_pstl_bench
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import BreakEven
from weft_lab.storage.checkout import display_name
from weft_lab.suites.stl import side_by_side

PUBLISHED_SIZE = 1 << 30
PUBLISHED_SIZE_MIN = 1 << 3
NOTHING = "nothing of this was timed; skipped.json says why, a larger --budget may help."
By = Mapping[str, Mapping[str, list[float | None]]]


def only_of(item: Item, view: RunView) -> RunView:
    """The run without algorithms that the item does not show."""
    if not item.only:
        return view
    return replace(
        view,
        summaries=tuple(s for s in view.summaries if s.cell.problem in item.only),
        break_evens=tuple(b for b in view.break_evens if problem_of(b.label) in item.only),
        efficiencies=tuple(e for e in view.efficiencies if problem_of(e.label) in item.only),
    )


def problem_of(label: str) -> str:
    """`for_each` for `for_each k_it=1`."""
    return label.split(maxsplit=1)[0]


def found_here(item: Item, view: RunView) -> tuple[str, ...]:
    """Computed from the run; at least one sentence for each form."""
    words = WORDS.get(item.form)
    return () if words is None else words(item, only_of(item, view)) or (NOTHING,)


def scaled_here(item: Item, view: RunView) -> str:
    """The parts that are smaller than in the paper; empty if size and threads play no role."""
    if item.form in ("coverage", "binary_sizes"):
        return ""
    theirs = " | ".join(machine["Max. #threads used"] for machine in _machines().values())
    parts = [f"{_count(view.threads_all, 'thread')} (in the paper {theirs})"]
    sizes = [s.cell.size for s in only_of(item, view).measured]
    if sizes and item.form != "machine":
        here = formats.size_band(min(sizes), max(sizes))
        published = formats.size_band(PUBLISHED_SIZE_MIN, PUBLISHED_SIZE)
        if item.sizes != "all":
            here, published = formats.size(max(sizes)), formats.size(PUBLISHED_SIZE)
        parts.append(f"{here} elements (in the paper {published})")
    return f"{', '.join(parts)}."


def published_numbers(item: Item) -> tuple[str, ...]:
    """The end points of a figure's curves, which the paper prints in its Table 5."""
    if item.form != "strong_scaling":
        return ()
    table: By = published_pstl_bench()["table5"]
    cases = [case for case in next(iter(table.values())) if problem_of(case) in item.only]
    return tuple(_end_points(case, table) for case in cases)


def _end_points(case: str, table: By) -> str:
    values = "; ".join(
        f"{backend} {_joined(row[case])}" for backend, row in table.items() if any(row[case])
    )
    threads = " | ".join(
        f"{name} {machine['Max. #threads used']}" for name, machine in _machines().items()
    )
    return f"speed-ups of {case} with all threads ({threads}): {values}"


def _joined(values: Iterable[float | None]) -> str:
    return " | ".join("N/A" if value is None else f"{value:.1f}" for value in values)


def _machines() -> Mapping[str, Mapping[str, str]]:
    found: Mapping[str, Mapping[str, str]] = published_pstl_bench()["machines"]
    return found


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _machine(_item: Item, view: RunView) -> tuple[str, ...]:
    rates = {point.threads: point.gib_per_s for point in view.bandwidth}
    most = max(rates, default=1)
    if 1 not in rates or most == 1:
        return ("the bandwidth probe did not end; a larger --budget lets it.",)
    key = next(name for name in next(iter(_machines().values())) if "triad" in name)
    pairs = [re.findall(r"[\d.]+", machine[key]) for machine in _machines().values()]
    theirs = " | ".join(formats.significant(float(pair[1]) / float(pair[0])) for pair in pairs)
    gain = rates[most] / rates[1]
    limit = (
        "which is as far as an algorithm that only streams memory can scale"
        if gain > 1.0
        else "so that an algorithm that only streams memory gains nothing from more threads"
    )
    return (
        f"{_count(most, 'thread')} draw {formats.rate(rates[most])} from memory, one "
        f"{formats.rate(rates[1])}: {formats.ratio(gain)}, {limit} (in the paper {theirs}).",
    )


def _counters(item: Item, view: RunView) -> tuple[str, ...]:
    table = paper_tables.counter_table(view, item.case)
    if table is None:
        return (side_by_side.why_no_counters(view),)
    counts = {
        view.name(s.variant): value
        for s in view.at_all_threads()
        if view.case(s) == item.case
        and s.cell.size == view.largest_size(item.case)
        and (value := paper_tables.counted(s, "instructions")) is not None
    }
    published: Mapping[str, float] = published_pstl_bench()[item.table_key]["Instructions"]
    return (
        f"{_extremes(counts, 'instructions')} (in the paper {_extremes(published, 'of them')}).",
    )


def _extremes(counts: Mapping[str, float], what: str) -> str:
    fewest, most = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    factor = formats.ratio(counts[most] / counts[fewest]) if counts[fewest] else "more"
    return f"{most} executes the most {what}, {factor} those of {fewest}"


def _speedup(_item: Item, view: RunView) -> tuple[str, ...]:
    best: dict[str, tuple[float, str]] = {}
    for s in view.at_all_threads():
        ratio = view.speedup(s)
        case = view.case(s)
        if s.backend != "seq" and ratio is not None and s.cell.size == view.largest_size(case):
            best[case] = max(best.get(case, (0.0, "")), (ratio, display_name(s.variant)))
    if not best:
        return ()
    each = ", ".join(
        f"{case} {formats.ratio(value)} ({name})" for case, (value, name) in sorted(best.items())
    )
    here = max(value for value, _ in best.values()) / view.threads_all
    theirs = " | ".join(formats.percent(value, 0) for value in _best_efficiencies())
    return (
        f"best of each algorithm with {_count(view.threads_all, 'thread')}: {each}.",
        f"the largest speed-up is {formats.percent(here, 0)} of the number of threads (in the "
        f"paper {theirs}); above 100 % the sequential code was worse, not the threads better.",
    )


def _best_efficiencies() -> list[float]:
    """On each machine of the paper, the largest speed-up over the threads."""
    table: By = published_pstl_bench()["table5"]
    threads = [int(machine["Max. #threads used"]) for machine in _machines().values()]
    return [
        max(values[i] or 0.0 for row in table.values() for values in row.values()) / count
        for i, count in enumerate(threads)
    ]


def _efficiency(_item: Item, view: RunView) -> tuple[str, ...]:
    found = [e.threads for e in view.efficiencies]
    if not found:
        return ()
    num_all = sum(threads == view.threads_all for threads in found)
    table: By = published_pstl_bench()["table6"]
    theirs = []
    for i, machine in enumerate(_machines().values()):
        values = [v[i] for row in table.values() for v in row.values() if v[i] is not None]
        num = sum(value == int(machine["Max. #threads used"]) for value in values)
        theirs.append(f"{num} of {len(values)}")
    return (
        f"all {_count(view.threads_all, 'thread')} are used with an efficiency of "
        f"{paper_tables.EFFICIENCY_PERCENT} % in {num_all} of {len(found)} pairs of backend and "
        f"algorithm (in the paper {' | '.join(theirs)}); in {found.count(None)} not even one is.",
    )


def _binary_sizes(_item: Item, view: RunView) -> tuple[str, ...]:
    sizes = {
        display_name(variant): int(program["executable_bytes"])
        for variant, program in (view.programs or {}).items()
        if program.get("executable_bytes")
    }
    if not sizes:
        return ()
    largest, smallest = max(sizes, key=sizes.__getitem__), min(sizes, key=sizes.__getitem__)
    theirs: Mapping[str, float] = published_pstl_bench()["table7_mib"]
    most, least = max(theirs, key=theirs.__getitem__), min(theirs, key=theirs.__getitem__)
    return (
        f"{largest} is largest, {formats.mebibytes(sizes[largest])}, "
        f"{formats.ratio(sizes[largest] / sizes[smallest])} the size of {smallest} (in the paper "
        f"{most}, {theirs[most]:.2f} MiB, {formats.ratio(theirs[most] / theirs[least])} the size "
        f"of {least}).",
    )


def _allocator(_item: Item, view: RunView) -> tuple[str, ...]:
    rows = allocator.rows(view)
    if not rows:
        return ()
    most, least = (pick(rows, key=lambda row: row["gain"]) for pick in (max, min))
    told = sum(
        row["low"] is not None and (row["low"] > view.threshold or row["high"] < -view.threshold)
        for row in rows
    )
    nodes = fact(view, "topology", "numa_nodes")
    place = (
        " This machine has one NUMA node: first touch decides only who zeroes the pages."
        if isinstance(nodes, list) and len(nodes) == 1
        else ""
    )
    return (
        f"from {formats.signed_percent(least['gain'])} ({least['case']}, {least['variant']}) to "
        f"{formats.signed_percent(most['gain'])} ({most['case']}, {most['variant']}); in {told} of "
        f"{len(rows)} pairs the whole interval is beyond {formats.percent(view.threshold)}.{place}",
    )


def _problem_scaling(_item: Item, view: RunView) -> tuple[str, ...]:
    labels = {s.cell.label for s in view.measured}
    by_case: dict[str, list[BreakEven]] = {}
    for each in view.break_evens:
        if each.label in labels:
            by_case.setdefault(view.case_name(each.label, each.type), []).append(each)
    return tuple(_break_evens(view, case, rows) for case, rows in sorted(by_case.items()))


def _break_evens(view: RunView, case: str, rows: Iterable[BreakEven]) -> str:
    from_size: dict[int, list[str]] = {}
    never = []
    for row in rows:
        if row.beats_seq_from is None:
            never.append(view.name(row.variant))
        else:
            from_size.setdefault(row.beats_seq_from, []).append(view.name(row.variant))
    parts = [f"from {formats.size(n)} on {', '.join(from_size[n])}" for n in sorted(from_size)]
    parts += [f"at no measured size {', '.join(never)}"] if never else []
    return f"{case}: shown to be faster than seq: {'; '.join(parts)}."


def _strong_scaling(_item: Item, view: RunView) -> tuple[str, ...]:
    rows = strong_scaling.rows(view)
    lines = []
    for case in sorted({str(row["case"]) for row in rows}):
        here = [row for row in rows if row["case"] == case and not row["oversubscribed"]]
        if not here:
            continue
        most = max(row["threads"] for row in here)
        at_most = [row for row in here if row["threads"] == most]
        best = max(at_most, key=lambda row: row["speedup"])
        worst = min(at_most, key=lambda row: row["speedup"])
        lines.append(
            f"{case} with {_count(most, 'thread')}: {best['variant']} reaches "
            f"{formats.ratio(best['speedup'])} ({formats.percent(best['efficiency'], 0)} of the "
            f"threads), {worst['variant']} {formats.ratio(worst['speedup'])}."
        )
    bound = strong_scaling.bandwidth_bound(view)
    if lines and bound is not None:
        lines.append(f"memory bandwidth allows {formats.ratio(bound)} to what only streams.")
    return tuple(lines)


WORDS: Mapping[str, Callable[[Item, RunView], tuple[str, ...]]] = {
    "machine": _machine,
    "counters": _counters,
    "speedup": _speedup,
    "efficiency": _efficiency,
    "binary_sizes": _binary_sizes,
    "allocator": _allocator,
    "problem_scaling": _problem_scaling,
    "strong_scaling": _strong_scaling,
}
