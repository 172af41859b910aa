/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The heat equation on a torus in C, compared with what each step does to a wave:
 * mpirun -n 4 halo_heat2d_c */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>
#include <weft/halo.h>

enum { cells = 24, length = cells + 2, steps = 200 };

static void must(int code) {
  if (code != WEFT_HALO_OK) {
    fprintf(stderr, "%s\n", weft_halo_error_message());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
}

static double wave(const int dims[2], const int coords[2], int i, int j) {
  const double two_pi = 8 * atan(1.0);
  return sin(two_pi * (coords[0] * cells + i - 1) / (dims[0] * cells)) *
         sin(two_pi * (coords[1] * cells + j - 1) / (dims[1] * cells));
}

static void step(double (*now)[length], double (*next)[length]) {
  for (int i = 1; i <= cells; ++i) {
    for (int j = 1; j <= cells; ++j) {
      next[i][j] = now[i][j] + 0.2 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] +
                                      now[i][j + 1] - 4 * now[i][j]);
    }
  }
}

/* A wave stays one, and shrinks by the same factor in every step. */
static double error_of(double (*now)[length], const int dims[2], const int coords[2]) {
  const double pi = 4 * atan(1.0);
  const double factor = 1 - 0.8 * (pow(sin(pi / (dims[0] * cells)), 2) +
                                   pow(sin(pi / (dims[1] * cells)), 2));
  double error = 0;
  for (int i = 1; i <= cells; ++i) {
    for (int j = 1; j <= cells; ++j) {
      error = fmax(error, fabs(now[i][j] - pow(factor, steps) * wave(dims, coords, i, j)));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return error;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);

  weft_halo_grid* grid = NULL;
  int dims[2] = {0, 0};
  const int periodic[2] = {1, 1};
  must(weft_halo_grid_create(MPI_COMM_WORLD, 2, dims, periodic, NULL, &grid));
  int coords[2];
  must(weft_halo_grid_dims(grid, dims));
  must(weft_halo_grid_coords(grid, coords));

  const weft_halo_axis box[2] = {weft_halo_inner(cells, 1, 1), weft_halo_inner(cells, 1, 1)};
  weft_halo_options options = weft_halo_default_options();
  options.directions = WEFT_HALO_FACES;
  options.made_at = WEFT_HALO_HERE;
  weft_halo_exchange* halos = NULL;
  must(weft_halo_exchange_create(grid, box, WEFT_HALO_RIGHT, sizeof(double), &options, &halos));

  double(*now)[length] = calloc(length, sizeof *now);
  double(*next)[length] = calloc(length, sizeof *next);
  for (int i = 1; i <= cells; ++i) {
    for (int j = 1; j <= cells; ++j) {
      now[i][j] = wave(dims, coords, i, j);
    }
  }
  for (int i = 0; i < steps; ++i) {
    void* const fields[1] = {now};
    must(weft_halo_exchange_run(halos, 1, fields));
    step(now, next);
    double(*const before)[length] = now;
    now = next;
    next = before;
  }

  const double error = error_of(now, dims, coords);
  int rank = 0;
  must(weft_halo_grid_rank(grid, &rank));
  if (rank == 0) {
    printf("%d steps, wrong by %.1e\n", steps, error);
  }
  free(now);
  free(next);
  weft_halo_exchange_free(halos);
  weft_halo_grid_free(grid);
  MPI_Finalize();
  return error < 1e-12 ? 0 : 1;
}
