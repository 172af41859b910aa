# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the example in Python and compares it with the same iteration on one whole array."""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
from pathlib import Path

import numpy as np
from mpi4py import MPI


def main(example: Path) -> int:
    world = MPI.COMM_WORLD
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        found = runpy.run_path(str(example))
        wrong = 0.0
        if world.rank == 0:
            result = np.load("halo_jacobi.npy")
            whole = np.zeros([length + 2 for length in result.shape])
            whole[0, :] = 1.0
            for _ in range(found["STEPS"]):
                whole[1:-1, 1:-1] = (
                    whole[:-2, 1:-1] + whole[2:, 1:-1] + whole[1:-1, :-2] + whole[1:-1, 2:]
                ) / 4
            wrong = float(np.abs(result - whole[1:-1, 1:-1]).max())
            print(f"{found['STEPS']} steps of {result.shape}, wrong by {wrong:.1e}")
            assert result.max() > 0.1
        wrong = world.bcast(wrong)
        os.chdir("/")
    return 0 if wrong < 1e-13 else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
