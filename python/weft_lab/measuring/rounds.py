# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits a round into blocks: the cells that one process can answer, in a random but reproducible
order."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from weft_lab.measuring.costs import Task

BLOCK_CELLS_MAX = 48


@dataclass(frozen=True)
class Block:
    """The tasks of one launch: all share variant, threads, placement, smt and allocator."""

    round: int
    variant: str
    placement: str
    smt: str
    tasks: tuple[Task, ...]

    @property
    def threads(self) -> int:
        """A program bound to cores takes its thread count only from the command line."""
        return self.tasks[0].cell.threads

    @property
    def allocator(self) -> str:
        return self.tasks[0].cell.allocator


def blocks_of(tasks: Iterable[Task], seed: int, round_: int) -> list[Block]:
    """The blocks of one round, shuffled; long ones are split, so a memory leak stays bounded."""
    groups: dict[tuple[str, str, int, str, str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        cell = task.cell
        key = (task.variant, cell.suite, cell.threads, cell.placement, cell.smt, cell.allocator)
        groups[key].append(task)
    generator = random.Random(f"{seed}/{round_}")
    blocks: list[Block] = []
    for key in sorted(groups):
        members = groups[key]
        generator.shuffle(members)
        for first in range(0, len(members), BLOCK_CELLS_MAX):
            chunk = tuple(members[first : first + BLOCK_CELLS_MAX])
            blocks.append(Block(round_, key[0], key[3], key[4], chunk))
    generator.shuffle(blocks)
    return blocks
