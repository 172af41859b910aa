# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The transports that each MPI can be set to use, and whether it used them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from weft_lab.measuring.mpi.installations import Installation
from weft_lab.storage import data_files
from weft_lab.storage.cells import check_names

FILE = "mpi/transports.toml"


@dataclass(frozen=True)
class Transport:
    """A row of `data/mpi/transports.toml`, which explains the fields."""

    name: str
    report: str
    family: str
    between: str = "any"
    majors: tuple[int, ...] = ()
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    probe_arguments: tuple[str, ...] = ()
    probe_environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    proof: str = ""
    least_us: float = 0.0


@dataclass(frozen=True)
class Verdict:
    """Whether a probe used the selected transport; `words`: the proof, or why there is none."""

    is_verified: bool
    words: str


def all_transports() -> tuple[Transport, ...]:
    """Every row. Errors: `UsageError` for a key that nothing reads."""
    table = data_files.load(FILE)
    data_files.check_keys(FILE, "the file", table, ("transport",), ("transport",))
    known = tuple(member.name for member in fields(Transport))
    data_files.check_rows(FILE, "transport", table["transport"], known, ("name", "family"))
    return tuple(
        Transport(**{key: _frozen(value) for key, value in row.items()})
        for row in table["transport"]
    )


def transports_of(one: Installation, wanted: Sequence[str] = ()) -> list[Transport]:
    """The installation's transports, or the wanted ones among them.

    Errors: `UsageError` for a name that no MPI has.
    """
    every = all_transports()
    check_names("transport", wanted, [row.name for row in every])
    return [
        row
        for row in every
        if row.family == one.family
        and (not row.majors or one.major in row.majors)
        and (not wanted or row.name in wanted)
    ]


def judge(what: Transport, talk: str, latency_s: float, is_one_node: bool) -> Verdict:
    """From a probe's output and the time of its one-byte message.

    The time can only disprove: a slow message did not use shared memory, but may use any other
    transport.
    """
    if is_one_node and 1e6 * latency_s < what.least_us:
        return Verdict(
            False,
            f"one byte took {1e6 * latency_s:.2f} µs, which is shared memory and not {what.name}",
        )
    if not what.proof and not what.least_us:
        return Verdict(True, "it is the only one this MPI has for ranks of one node")
    found = re.search(what.proof, talk) if what.proof else None
    if found:
        return Verdict(True, f"the library says '{found[0].strip()}'")
    return Verdict(False, "the library does not report that it uses it")


def _frozen(value: Any) -> Any:  # noqa: ANN401 - TOML
    return tuple(value) if isinstance(value, list) else value
