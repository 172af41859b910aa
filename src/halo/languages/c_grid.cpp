// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface to grids and to memory that ranks of a node share.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo.h"
#include "weft/halo/axis.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/layout.hpp"
#include "weft/halo/shared_field.hpp"

#include "halo/languages/c_interface.hpp"

namespace halo = weft::halo;
namespace detail = weft::halo::detail;

using detail::bad_argument;
using detail::guarded;
using detail::require;

struct weft_halo_field {
  std::shared_ptr<detail::grid> processes;
  std::int64_t segment;
  std::byte* data;
};

namespace {

thread_local std::string last_message;

int make_grid(MPI_Comm comm, const detail::grid_request& what, weft_halo_grid** made) {
  return guarded([&] {
    auto processes = std::make_shared<detail::grid>(comm, what, std::source_location());
    *made = new weft_halo_grid{std::move(processes)};  // weft_halo_grid_free ends it
  });
}

}  // namespace

namespace weft::halo::detail {

/// C's error numbers stay the same when C++ gets a new error between existing ones.
int c_code(errc code) noexcept {
  switch (code) {
    case errc::bad_axis:
      return WEFT_HALO_BAD_AXIS;
    case errc::bad_grid:
      return WEFT_HALO_BAD_GRID;
    case errc::bad_field:
      return WEFT_HALO_BAD_FIELD;
    case errc::narrow_inner:
      return WEFT_HALO_NARROW_INNER;
    case errc::ranks_disagree:
      return WEFT_HALO_RANKS_DISAGREE;
    case errc::too_many_fields:
      return WEFT_HALO_TOO_MANY_FIELDS;
    case errc::wrong_state:
      return WEFT_HALO_WRONG_STATE;
    case errc::unsupported:
      return WEFT_HALO_UNSUPPORTED;
    case errc::mpi_call:
      return WEFT_HALO_MPI_CALL;
    case errc::validation_failed:
      return WEFT_HALO_VALIDATION_FAILED;
    case errc::other_rank_refused:
      return WEFT_HALO_OTHER_RANK_REFUSED;
    case errc::bad_file:
      return WEFT_HALO_BAD_FILE;
    case errc::device_call:
      return WEFT_HALO_DEVICE_CALL;
  }
  return WEFT_HALO_FAILED;
}

int c_failed(int code, const char* what) noexcept {
  try {
    last_message = what;
  } catch (...) {
    last_message.clear();
  }
  return code;
}

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) {
    throw bad_argument(std::string(name) + " is a null pointer");
  }
}

std::vector<axis> axes_of(const weft_halo_grid& on, const weft_halo_axis* box) {
  std::vector<axis> made;
  made.reserve(on.processes->num_dims());
  for (std::size_t d = 0; d < on.processes->num_dims(); ++d) {
    made.emplace_back(box[d].minus, box[d].plus, box[d].begin, box[d].end, box[d].length);
  }
  return made;
}

std::array<std::ptrdiff_t, max_dims> dense(std::span<const axis> box, int layout) {
  if (layout != WEFT_HALO_RIGHT && layout != WEFT_HALO_LEFT) {
    throw bad_argument("layout is " + std::to_string(layout) +
                       "; it may be WEFT_HALO_RIGHT or WEFT_HALO_LEFT");
  }
  std::array<std::ptrdiff_t, max_dims> strides{};
  std::ptrdiff_t stride = 1;
  for (std::size_t n = 0; n < box.size(); ++n) {
    const std::size_t d = layout == WEFT_HALO_LEFT ? n : box.size() - 1 - n;
    strides[d] = stride;
    stride = wrapping_product(stride, box[d].length);
  }
  return strides;
}

shape shape_of_bytes(std::span<const axis> box,
                     std::span<const std::ptrdiff_t> strides,
                     std::int64_t element_bytes) {
  if (element_bytes < 1) {
    throw bad_argument("element_bytes is " + std::to_string(element_bytes) +
                       "; an element has at least one");
  }
  shape made{.num_dims = box.size(),
             .element_bytes = static_cast<std::size_t>(element_bytes),
             .type = hash_of("C, " + std::to_string(element_bytes) + " bytes")};
  for (std::size_t d = 0; d < box.size(); ++d) {
    made.axes[d] = box[d];
    made.strides[d] = wrapping_product(strides[d], element_bytes);
  }
  return made;
}

}  // namespace weft::halo::detail

extern "C" {

const char* weft_halo_error_message(void) { return last_message.c_str(); }

weft_halo_axis weft_halo_inner(int64_t cells, int64_t minus, int64_t plus) {
  return {.minus = minus,
          .plus = plus,
          .begin = minus,
          .end = minus + cells - 1,
          .length = minus + cells + plus};
}

int weft_halo_grid_create(MPI_Comm comm,
                          int num_dims,
                          const int* dims,
                          const int* periodic,
                          const int* maps_to,
                          weft_halo_grid** made) {
  detail::grid_request what;
  const int code = guarded([&] {
    require(dims, "dims");
    require(periodic, "periodic");
    require(static_cast<const void*>(made), "made");
    if (num_dims < 1 || num_dims > static_cast<int>(detail::max_dims)) {
      throw bad_argument("num_dims is " + std::to_string(num_dims) + "; a grid has 1 to 4");
    }
    what.num_dims = static_cast<std::size_t>(num_dims);
    what.dims.fill(1);
    for (std::size_t d = 0; d < what.num_dims; ++d) {
      what.dims[d] = dims[d];
      what.periodic[d] = periodic[d] != 0;
      what.maps_to[d] = maps_to == nullptr ? static_cast<int>(d) : maps_to[d];
    }
  });
  return code == WEFT_HALO_OK ? make_grid(comm, what, made) : code;
}

int weft_halo_grid_create_f(MPI_Fint comm,
                            int num_dims,
                            const int* dims,
                            const int* periodic,
                            const int* maps_to,
                            weft_halo_grid** made) {
  return weft_halo_grid_create(MPI_Comm_f2c(comm), num_dims, dims, periodic, maps_to, made);
}

void weft_halo_grid_free(weft_halo_grid* grid) { delete grid; }

int weft_halo_grid_rank(const weft_halo_grid* grid, int* rank) {
  return guarded([&] {
    require(grid, "grid");
    require(rank, "rank");
    *rank = grid->processes->rank();
  });
}

int weft_halo_grid_dims(const weft_halo_grid* grid, int* dims) {
  return guarded([&] {
    require(grid, "grid");
    require(dims, "dims");
    std::copy_n(grid->processes->dims().begin(), grid->processes->num_dims(), dims);
  });
}

int weft_halo_grid_coords(const weft_halo_grid* grid, int* coords) {
  return guarded([&] {
    require(grid, "grid");
    require(coords, "coords");
    std::copy_n(grid->processes->coords().begin(), grid->processes->num_dims(), coords);
  });
}

int weft_halo_grid_neighbour(const weft_halo_grid* grid, const int* towards, int* rank) {
  return guarded([&] {
    require(grid, "grid");
    require(towards, "towards");
    require(rank, "rank");
    detail::direction found{};
    for (std::size_t d = 0; d < grid->processes->num_dims(); ++d) {
      if (towards[d] < -1 || towards[d] > 1) {
        throw bad_argument("towards[" + std::to_string(d) + "] is " + std::to_string(towards[d]) +
                           "; it may be -1, 0 or 1");
      }
      found[d] = towards[d];
    }
    *rank = grid->processes->neighbour(found);
  });
}

int weft_halo_field_create(weft_halo_grid* grid,
                           weft_halo_axis* box,
                           int layout,
                           int64_t element_bytes,
                           weft_halo_field** made) {
  return guarded([&] {
    require(grid, "grid");
    std::unique_ptr<weft_halo_field> field;
    std::size_t bytes = 0;
    std::size_t row = 0;
    std::int64_t padding = 0;
    detail::prepared_together(*grid->processes, [&] {
      require(box, "box");
      require(static_cast<const void*>(made), "made");
      const std::vector<halo::axis> axes = detail::axes_of(*grid, box);
      const auto strides = detail::dense(axes, layout);
      static_cast<void>(detail::shape_of_bytes(axes, strides, element_bytes));
      row = layout == WEFT_HALO_LEFT ? 0 : axes.size() - 1;
      padding = axes.size() > 1 ? detail::row_padding(axes[row].length, element_bytes) : 0;
      bytes = static_cast<std::size_t>(element_bytes);
      for (std::size_t d = 0; d < axes.size(); ++d) {
        bytes = detail::saturating_product(
            bytes, static_cast<std::size_t>(axes[d].length + (d == row ? padding : 0)));
      }
      field = std::make_unique<weft_halo_field>();
      field->processes = grid->processes;
    });
    field->segment = grid->processes->share(bytes);
    field->data = grid->processes->shared_memory(field->segment, grid->processes->node_rank());
    // Touched first by its owner, so that the pages are on the owner's NUMA node.
    std::fill_n(field->data, bytes, std::byte{0});
    // Assigned only now: if the call fails, the caller's box is unchanged.
    box[row].length += padding;
    *made = field.release();
  });
}

void weft_halo_field_free(weft_halo_field* field) {
  if (field != nullptr) {
    field->processes->unshare(field->segment);
    delete field;
  }
}

void* weft_halo_field_data(const weft_halo_field* field) {
  return field == nullptr ? nullptr : field->data;
}

}  // extern "C"
