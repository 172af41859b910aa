# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jacobi's iteration on NumPy arrays: mpirun -n 4 python halo_jacobi.py"""

import numpy as np
from mpi4py import MPI
from weft import halo

CELLS, STEPS = 16, 400
grid = halo.cart(MPI.COMM_WORLD, dims=[0, 0])
box = [halo.axis.inner(CELLS).halo(1)] * 2
halos = halo.exchange(grid, box, options=halo.exchange_options(directions="faces"))
now = np.zeros([each.length for each in box])
if grid.neighbour([-1, 0]) is None:
    now[0, :] = 1.0  # a hot side; the others stay cold
new = now.copy()

for _ in range(STEPS):
    halos(now)
    new[1:-1, 1:-1] = (now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]) / 4
    now, new = new, now

pieces = MPI.COMM_WORLD.gather((grid.coords, now[1:-1, 1:-1]), root=0)
if pieces is not None:
    whole = np.zeros([CELLS * count for count in grid.dims])
    for (i, j), piece in pieces:
        whole[i * CELLS : (i + 1) * CELLS, j * CELLS : (j + 1) * CELLS] = piece
    np.save("halo_jacobi.npy", whole)
