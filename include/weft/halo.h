/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Halo exchange of fields of one type and shape for C, and for what calls C: Fortran, Python. */
#pragma once

#include <mpi.h>
#include <stdint.h>

/* C has no namespaces, its enumerators are written in capitals, and the type below an enumeration
 * is for its compiler to choose. */
/* NOLINTBEGIN(readability-identifier-naming,performance-enum-size) */

#ifdef __cplusplus
extern "C" {
#endif

/* All functions but those that say otherwise return WEFT_HALO_OK or another of these, and then
 * weft_halo_error_message() says what is wrong, on which rank, and what to do. Calls with a grid
 * are collective over its communicator, in one order on all ranks, from one thread: an exchange or
 * a field that one rank refuses is refused on all (WEFT_HALO_OTHER_RANK_REFUSED on the others). */
enum weft_halo_error {
  WEFT_HALO_OK = 0,
  WEFT_HALO_BAD_AXIS,
  WEFT_HALO_BAD_GRID,
  WEFT_HALO_BAD_FIELD,
  WEFT_HALO_NARROW_INNER,
  WEFT_HALO_RANKS_DISAGREE,
  WEFT_HALO_TOO_MANY_FIELDS,
  WEFT_HALO_WRONG_STATE,
  WEFT_HALO_UNSUPPORTED,
  WEFT_HALO_MPI_CALL,
  WEFT_HALO_VALIDATION_FAILED,
  WEFT_HALO_OTHER_RANK_REFUSED,
  WEFT_HALO_BAD_FILE,           /* a file of choices that cannot be read or written */
  WEFT_HALO_DEVICE_CALL,        /* a GPU refused, or there is none */
  WEFT_HALO_BAD_ARGUMENT = 100, /* a null pointer or a number that names nothing */
  WEFT_HALO_FAILED              /* anything else, such as no memory left */
};

/* What the last call of this thread that failed has to say. Valid until the next one fails. */
const char* weft_halo_error_message(void);

/* One dimension of a field, in cells: [0, length), of which [begin, end], both inclusive and
 * counted from 0, is the inner region, with `minus` halo cells right below and `plus` right above
 * it. */
typedef struct weft_halo_axis {
  int64_t minus;
  int64_t plus;
  int64_t begin;
  int64_t end;
  int64_t length;
} weft_halo_axis;

/* `cells` inner cells with so many halo cells on both sides, and no padding. */
weft_halo_axis weft_halo_inner(int64_t cells, int64_t minus, int64_t plus);

enum weft_halo_layout {
  WEFT_HALO_RIGHT = 0, /* the last dimension is contiguous, as in C */
  WEFT_HALO_LEFT = 1   /* the first one is, as in Fortran */
};

enum weft_halo_packing {
  WEFT_HALO_PACKING_AUTOMATIC = 0,
  WEFT_HALO_PACKING_LOOPS = 1,
  WEFT_HALO_PACKING_MPI_PACK = 2,
  WEFT_HALO_PACKING_MPI_DATATYPE = 3,
  WEFT_HALO_PACKING_DIRECT = 4
};
enum weft_halo_schedule {
  WEFT_HALO_SCHEDULE_AUTOMATIC = 0,
  WEFT_HALO_SCHEDULE_BULK = 1,
  WEFT_HALO_SCHEDULE_STAGED = 2
};
enum weft_halo_directions { WEFT_HALO_FACES = 0, WEFT_HALO_FACES_EDGES = 1, WEFT_HALO_ALL = 2 };
enum weft_halo_transport { WEFT_HALO_TRANSPORT_AUTOMATIC = 0, WEFT_HALO_TRANSPORT_MESSAGES = 1 };
enum weft_halo_validation {
  WEFT_HALO_VALIDATION_AUTOMATIC = -1, /* what the variable WEFT_HALO_VALIDATE says, else 1 */
  WEFT_HALO_VALIDATION_OFF = 0,
  WEFT_HALO_VALIDATION_DESCRIPTORS = 1,
  WEFT_HALO_VALIDATION_CHECK_SUMS = 2,
  WEFT_HALO_VALIDATION_CELLS = 3
};

/* Choices with the same result; their meanings stand in weft/halo/options.hpp. */
typedef struct weft_halo_options {
  int packing;        /* enum weft_halo_packing */
  int schedule;       /* enum weft_halo_schedule */
  int directions;     /* enum weft_halo_directions */
  int transport;      /* enum weft_halo_transport */
  int64_t max_fields; /* 0: as many as are passed */
  int validate;       /* enum weft_halo_validation */
  /* After so many seconds in one exchange, a message on standard error says for which ranks it
   * waits; 0: never. */
  double patience_s;
  /* Where that message says that the exchange was made, as "heat.c:12"; NULL: nowhere. Read, and
   * copied, when it is made. */
  const char* made_at;
} weft_halo_options;

/* For `made_at`: the line on which it stands. */
#define WEFT_HALO_TEXT_OF(what) #what
#define WEFT_HALO_LINE(line) WEFT_HALO_TEXT_OF(line)
#define WEFT_HALO_HERE __FILE__ ":" WEFT_HALO_LINE(__LINE__)

/* What an exchange does that is given no options: automatic, all directions. */
weft_halo_options weft_halo_default_options(void);

/* Processes in a grid of 1 to 4 dimensions. */
typedef struct weft_halo_grid weft_halo_grid;

/* `dims[d]`: processes along grid dimension d, 0: weft chooses. `periodic[d]`: whether data
 * dimension d is. `maps_to[d]`: the grid dimension that data dimension d lies along; NULL: its own.
 */
int weft_halo_grid_create(MPI_Comm comm,
                          int num_dims,
                          const int* dims,
                          const int* periodic,
                          const int* maps_to,
                          weft_halo_grid** made);
/* The same with a communicator as Fortran has it, which mpi4py's comm.py2f() is as well. */
int weft_halo_grid_create_f(MPI_Fint comm,
                            int num_dims,
                            const int* dims,
                            const int* periodic,
                            const int* maps_to,
                            weft_halo_grid** made);
/* Exchanges and fields of the grid go on as long as they need it. NULL is nothing to free. */
void weft_halo_grid_free(weft_halo_grid* grid);

int weft_halo_grid_rank(const weft_halo_grid* grid, int* rank);
int weft_halo_grid_dims(const weft_halo_grid* grid, int* dims);
int weft_halo_grid_coords(const weft_halo_grid* grid, int* coords);
/* `towards[d]` is -1, 0 or 1 per data dimension; `rank` becomes -1 where nobody is. */
int weft_halo_grid_neighbour(const weft_halo_grid* grid, const int* towards, int* rank);

/* Memory for a field that ranks of a node share, so that its halos are one copy. Filled with 0. */
typedef struct weft_halo_field weft_halo_field;

/* Pads `box`, one axis per dimension, where rows would lie badly in caches; not after an error. */
int weft_halo_field_create(weft_halo_grid* grid,
                           weft_halo_axis* box,
                           int layout,
                           int64_t element_bytes,
                           weft_halo_field** made);
/* Collective, too. NULL is nothing to free. */
void weft_halo_field_free(weft_halo_field* field);
void* weft_halo_field_data(const weft_halo_field* field);

/* Fills halos of any number of fields of one type and shape. */
typedef struct weft_halo_exchange weft_halo_exchange;

/* `box`: one axis per dimension. `options`: NULL for the default ones. */
int weft_halo_exchange_create(const weft_halo_grid* grid,
                              const weft_halo_axis* box,
                              int layout,
                              int64_t element_bytes,
                              const weft_halo_options* options,
                              weft_halo_exchange** made);
/* The same for cells that lie `strides[d]` elements apart along dimension d. */
int weft_halo_exchange_create_strided(const weft_halo_grid* grid,
                                      const weft_halo_axis* box,
                                      const int64_t* strides,
                                      int64_t element_bytes,
                                      const weft_halo_options* options,
                                      weft_halo_exchange** made);
/* Waits for what is under way. NULL is nothing to free. */
void weft_halo_exchange_free(weft_halo_exchange* exchange);

/* Exchanges `num_fields` fields, as many on all ranks: each pointer is the cell at index 0 in all
 * dimensions. A number of fields that is new is planned by all ranks together. Other ranks do not
 * hear of pointers that this one is refused for, before anything is sent, and wait for right ones.
 */
int weft_halo_exchange_run(weft_halo_exchange* exchange, int num_fields, void* const* fields);
/* The same in two: until the second returns, halos must not be read, and cells near a boundary not
 * be written. */
int weft_halo_exchange_start(weft_halo_exchange* exchange, int num_fields, void* const* fields);
int weft_halo_exchange_wait(weft_halo_exchange* exchange);
/* `is_over` becomes 1 once all halos are filled; then there is nothing to wait for. */
int weft_halo_exchange_test(weft_halo_exchange* exchange, int* is_over);
/* Exchanges numbered cells and checks every one of them. */
int weft_halo_exchange_self_test(weft_halo_exchange* exchange, int num_fields);
/* What goes where, by which path, and how long it takes. Valid until the next call of it. */
const char* weft_halo_exchange_report(weft_halo_exchange* exchange);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming,performance-enum-size) */
