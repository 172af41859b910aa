# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cell to measure: its name, its conversion to JSON and back, and the spelling of sizes and
threads."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import fields as fields_of
from functools import cached_property
from typing import Any

from weft_lab.errors import UsageError

TYPES = ("int", "float", "double")
ALLOCATORS = ("default", "first_touch", "tcmalloc")
PLACEMENTS = ("none", "cores")
SMT_MODES = ("on", "off")
# Values of the parameter `launch` of the suite Inncabs, in order; without it: the first.
LAUNCH = "launch"
LAUNCH_POLICIES = ("async", "deferred", "optional", "fork")
ELEMENT_BYTES: Mapping[str, int] = {"int": 4, "float": 4, "double": 8}
MAX_EXPONENT = 40
NAMES_TOLD_MAX = 24


@dataclass(frozen=True, order=True)
class Cell:
    """One point of a measurement, without its backend.

    Units: `size` in elements; `params` as in docs/reference/records.md, sorted by name.
    """

    suite: str
    problem: str
    type: str = "double"
    size: int = 1 << 20
    threads: int = 1
    allocator: str = "default"
    placement: str = "none"
    smt: str = "on"
    params: tuple[tuple[str, int], ...] = ()

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        """Without the hash, which another process computes anew: texts have other hashes there."""
        return {each.name: getattr(self, each.name) for each in fields_of(self)}

    @cached_property
    def _hash(self) -> int:
        """Computed once: tables look up the same cell a thousand times."""
        return hash((self.suite, self.problem, self.type, self.size, self.threads, self.params))

    @cached_property
    def label(self) -> str:
        """The problem with its parameters, as tables name it: `for_each k_it=1000`."""
        return " ".join(
            [self.problem, *(f"{n}={_param_text(n, value)}" for n, value in self.params)]
        )

    @cached_property
    def key(self) -> str:
        """Text that is unique to this cell; used as the record's `id`."""
        return "/".join(
            (
                self.suite,
                self.label,
                self.type,
                str(self.size),
                str(self.threads),
                self.allocator,
                self.placement,
                self.smt,
            )
        )

    @property
    def array_bytes(self) -> int:
        """Bytes of one array of `size` elements."""
        return self.size * ELEMENT_BYTES.get(self.type, 8)

    def to_dict(self) -> dict[str, Any]:
        """The cell as a bench program reads it (the suite is the program's own)."""
        return {
            "id": self.key,
            "problem": self.problem,
            "type": self.type,
            "size": self.size,
            "threads": self.threads,
            "allocator": self.allocator,
            "placement": self.placement,
            "smt": self.smt,
            "params": dict(self.params),
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any], suite: str) -> Cell:
        """The cell in a record. Unknown fields are ignored, missing ones take their default."""
        params = fields.get("params") or {}
        return cls(
            suite=suite,
            problem=str(fields["problem"]),
            type=str(fields.get("type", "double")),
            size=int(fields.get("size", 1 << 20)),
            threads=int(fields.get("threads", 1)),
            allocator=str(fields.get("allocator", "default")),
            placement=str(fields.get("placement", "none")),
            smt=str(fields.get("smt", "on")),
            params=tuple(sorted((str(name), int(value)) for name, value in params.items())),
        )


def check_cell(cell: Cell) -> None:
    """Checks values that reach a command line or preload a library. Errors: `UsageError`."""
    check_names("type", [cell.type], TYPES)
    check_names("allocator", [cell.allocator], ALLOCATORS)
    check_names("placement", [cell.placement], PLACEMENTS)
    check_names("smt mode", [cell.smt], SMT_MODES)
    parse_size(str(cell.size))
    parse_threads(str(cell.threads), 1)


def _param_text(name: str, value: int) -> str:
    is_policy = name == LAUNCH and 0 <= value < len(LAUNCH_POLICIES)
    return LAUNCH_POLICIES[value] if is_policy else str(value)


def parse_size(text: str) -> int:
    """Elements in `2^20`, `10^9`, `1048576`, `64k`, `1M` or `1G` (binary multiples)."""
    cleaned = text.strip().lower().replace("_", "")
    try:
        size = _parse_size_digits(cleaned)
    except ValueError:
        size = 0
    if not 1 <= size <= 1 << MAX_EXPONENT:
        what = f"size '{text}' is not a number of elements from 1 to 2^{MAX_EXPONENT}"
        why = "sizes are whole numbers, powers of 2 or 10, or binary multiples"
        raise UsageError(
            what, why, "type for example --size 2^20, --size 1048576 or --size 2^10,2^20"
        )
    return size


def _parse_size_digits(cleaned: str) -> int:
    base, power, exponent = cleaned.partition("^")
    if power:
        is_in_range = base in ("2", "10") and 0 <= int(exponent) <= MAX_EXPONENT
        return int(base) ** int(exponent) if is_in_range else 0
    shift = {"k": 10, "m": 20, "g": 30}.get(cleaned[-1:], 0)
    return int(cleaned[:-1] if shift else cleaned) << shift


def format_size(size: int) -> str:
    """`2^20` for powers of two, otherwise the number."""
    return f"2^{size.bit_length() - 1}" if size & (size - 1) == 0 and size >= 8 else str(size)


def split_list(values: Iterable[str] | str | None) -> list[str]:
    """The names in `a,b` or in several such options, in order and without duplicates."""
    return list(dict.fromkeys(split_all(values)))


def split_all(values: Iterable[str] | str | None) -> list[str]:
    """As `split_list`, with duplicates: for options that reject them."""
    if values is None:
        return []
    texts = [values] if isinstance(values, str) else values
    names = [part.strip() for text in texts for part in text.split(",")]
    return [name for name in names if name]


def parse_sizes(
    values: Iterable[str] | str | None, names: Mapping[str, int] | None = None
) -> list[int]:
    """Sizes in elements, ascending, from comma lists and ranges such as `2^10..2^20`.

    `names`: the names of all sizes, if they have names; these or their numbers are then typed.
    """
    sizes: set[int] = set()
    for part in split_list(values):
        if names:
            sizes.add(_named_size(part, names))
            continue
        if ".." in part:
            first, last = (parse_size(end) for end in part.split("..", 1))
            sizes.update(_powers_between(first, last))
        else:
            sizes.add(parse_size(part))
    return sorted(sizes)


def _named_size(text: str, names: Mapping[str, int]) -> int:
    numbers = {str(size): size for size in names.values()}
    check_names("class of inputs", [text], [*names, *numbers])
    return names.get(text) or numbers[text]


def _powers_between(first: int, last: int) -> list[int]:
    powers = [1 << e for e in range(MAX_EXPONENT + 1) if first <= 1 << e <= last]
    if not powers:
        what = f"size range '{first}..{last}' holds no power of two"
        raise UsageError(
            what, "a range stands for its powers of two", "type for example --size 2^10..2^20"
        )
    return powers


def parse_threads(values: Iterable[str] | str | None, cpus_usable: int) -> list[int]:
    """Thread counts, ascending; `all` stands for the usable CPUs. More than those is allowed."""
    threads: set[int] = set()
    for part in split_list(values):
        if part == "all":
            threads.add(cpus_usable)
        elif part.isdecimal() and 1 <= int(part) <= 1 << 14:
            threads.add(int(part))
        else:
            what = f"threads '{part}' is not a whole number from 1 to {1 << 14}, nor 'all'"
            raise UsageError(
                what,
                "a thread count is how many threads the backend may use",
                "type for example --threads 1,2,all",
            )
    return sorted(threads)


def check_names(axis: str, wanted: Iterable[str], known: Iterable[str]) -> list[str]:
    """`wanted`, or a `UsageError` that names the nearest known name."""
    known_names = list(dict.fromkeys(known))
    names = list(wanted)
    for name in names:
        if name not in known_names:
            raise UsageError(
                what=f"unknown {axis} '{name}'",
                why=_known(known_names),
                remedy=_suggestion(axis, name, known_names),
            )
    return names


def _known(names: Sequence[str]) -> str:
    """All names, or only their number if they are too many to read."""
    if len(names) > NAMES_TOLD_MAX:
        return f"{len(names)} others are known"
    return f"known are {', '.join(names) or 'none'}"


def _suggestion(axis: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    see = "./weft list shows every name"
    return f"did you mean '{near[0]}'? {see}" if near else f"choose one of these; {see}"
