// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arranges processes once, so that exchanges need not query MPI.
#include "weft/halo/detail/grid.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <unistd.h>

#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"

#include "halo/exchange/counts.hpp"
#include "halo/fields/large_pages.hpp"
#include "halo/fields/room.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {
namespace {

std::string listed(const std::array<int, max_dims>& numbers,
                   std::size_t num_dims,
                   const char* between = "x") {
  std::string text;
  for (std::size_t d = 0; d < num_dims; ++d) {
    text += (d == 0 ? "" : between) + std::to_string(numbers[d]);
  }
  return text;
}

void check_map(const grid_request& what, const std::source_location& where) {
  std::array<bool, max_dims> seen{};
  for (std::size_t d = 0; d < what.num_dims; ++d) {
    const int onto = what.maps_to[d];
    if (onto < 0 || onto >= static_cast<int>(what.num_dims) ||
        seen[static_cast<std::size_t>(onto)]) {
      throw error(errc::bad_grid,
                  "maps_to[" + std::to_string(d) + "] is " + std::to_string(onto) +
                      ", but each of 0 .. " + std::to_string(what.num_dims - 1) +
                      " must be there once: maps_to[d] is the grid dimension that data dimension "
                      "d lies along",
                  std::nullopt,
                  where);
    }
    seen[static_cast<std::size_t>(onto)] = true;
  }
}

/// Returns the arrangement of a Cartesian communicator.
void take_arrangement(MPI_Comm given, grid_request& what, const std::source_location& where) {
  int topology = MPI_UNDEFINED;
  check_mpi(MPI_Topo_test(given, &topology), "MPI_Topo_test");
  int num_dims = 0;
  if (topology == MPI_CART) {
    check_mpi(MPI_Cartdim_get(given, &num_dims), "MPI_Cartdim_get");
  }
  if (num_dims != static_cast<int>(what.num_dims)) {
    throw error(errc::bad_grid,
                topology == MPI_CART
                    ? "the communicator has " + std::to_string(num_dims) +
                          " dimensions; use cart<" + std::to_string(num_dims) + ">::adopt"
                    : "the communicator is not Cartesian; use the constructor cart(comm, options) "
                      "instead of adopt",
                std::nullopt,
                where);
  }
  std::array<int, max_dims> dims{1, 1, 1, 1};
  std::array<int, max_dims> periodic{};
  std::array<int, max_dims> coords{};
  check_mpi(MPI_Cart_get(given, num_dims, dims.data(), periodic.data(), coords.data()),
            "MPI_Cart_get");
  for (std::size_t d = 0; d < what.num_dims; ++d) {
    if (what.dims[d] != 0 && what.dims[d] != dims[d]) {
      throw error(errc::bad_grid,
                  "dims are " + listed(what.dims, what.num_dims) + ", the communicator's " +
                      listed(dims, what.num_dims) + "; leave dims out to take the communicator's",
                  std::nullopt,
                  where);
    }
  }
  what.dims = dims;
  if (what.takes_periodicity) {
    for (std::size_t d = 0; d < what.num_dims; ++d) {
      what.periodic[d] = periodic[static_cast<std::size_t>(what.maps_to[d])] != 0;
    }
  }
}

void choose_dims(int size, grid_request& what, const std::source_location& where) {
  long fixed = 1;
  bool is_free = false;
  for (std::size_t d = 0; d < what.num_dims; ++d) {
    if (what.dims[d] < 0) {
      throw error(errc::bad_grid,
                  "dims[" + std::to_string(d) + "] is " + std::to_string(what.dims[d]) +
                      "; use 0 where weft may choose",
                  std::nullopt,
                  where);
    }
    is_free = is_free || what.dims[d] == 0;
    fixed *= std::max(what.dims[d], 1);
  }
  if (is_free ? size % fixed != 0 : size != fixed) {
    throw error(errc::bad_grid,
                "dims " + listed(what.dims, what.num_dims) +
                    (is_free ? " need a multiple of " : " need ") + std::to_string(fixed) +
                    " processes, the communicator has " + std::to_string(size) +
                    (is_free ? "" : "; use 0 where weft may choose"),
                std::nullopt,
                where);
  }
  if (is_free) {
    check_mpi(MPI_Dims_create(size, static_cast<int>(what.num_dims), what.dims.data()),
              "MPI_Dims_create");
  }
}

/// Converts counts 0, 1, 2 per dimension to -1, 0, 1, the last dimension fastest: the inverse of
/// `index_of`.
direction direction_at(std::size_t index) {
  direction towards{};
  for (std::size_t d = max_dims; d-- > 0; index /= 3) {
    towards[d] = static_cast<int>(index % 3) - 1;
  }
  return towards;
}

/// The options of a grid that must be equal on all ranks.
std::vector<std::string> lines_of(const grid_request& what) {
  std::array<int, max_dims> periodic{};
  std::ranges::copy(what.periodic, periodic.begin());
  return {"the grid has " + std::to_string(what.num_dims) + " dimensions",
          std::string(what.adopts ? "adopt()" : "the constructor") + " is called",
          "dims are " + listed(what.dims, what.num_dims),
          "periodic is " + listed(periodic, what.num_dims, ","),
          "maps_to is " + listed(what.maps_to, what.num_dims, ",")};
}

/// Errors: `halo::error` (`bad_grid`) if there is no communicator to duplicate.
MPI_Comm duplicate(MPI_Comm comm, const std::source_location& where) {
  if (!is_mpi_running()) {
    throw error(errc::bad_grid,
                "MPI is not running; make grids after MPI_Init and before MPI_Finalize",
                std::nullopt,
                where);
  }
  if (comm == MPI_COMM_NULL) {
    throw error(errc::bad_grid, "the communicator is MPI_COMM_NULL", std::nullopt, where);
  }
  MPI_Comm own = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(comm, &own), "MPI_Comm_dup");
  return own;
}

}  // namespace

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw error(errc::mpi_call, std::string(call) + " failed: " + text);
}

bool is_mpi_running() noexcept {
  int is_begun = 0;
  int is_over = 0;
  MPI_Initialized(&is_begun);
  MPI_Finalized(&is_over);
  return is_begun != 0 && is_over == 0;
}

grid::grid(MPI_Comm comm, const grid_request& what, const std::source_location& where)
    : grid(what, duplicate(comm, where)) {
  static_cast<void>(counts());
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  takes_turns_ = level == MPI_THREAD_SERIALIZED;
  refuse_together(*this, trouble_of([&] { arrange(where); }, errc::bad_grid), where);
  agree_on(*this, lines_of(what_), where);
  coords_ = coords_of(rank_);
  find_neighbours();
  find_node();
  watch_finalize();
}

/// MPI_Finalize frees attributes of MPI_COMM_SELF before anything else. So this callback records
/// the end of MPI, and exchanges need not call MPI_Finalized.
void grid::watch_finalize() {
  check_mpi(
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &grid::note_finalize, &finalize_key_, nullptr),
      "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, finalize_key_, this), "MPI_Comm_set_attr");
}

int grid::note_finalize(MPI_Comm /*self*/, int /*key*/, void* noted, void* /*of*/) {
  auto& self = *static_cast<grid*>(noted);
  self.has_ended_ = true;
  ++self.generation_;  // invalidates what exchanges have stored about their fields
  return MPI_SUCCESS;
}

void grid::throw_ended() {
  throw error(errc::wrong_state, "MPI_Finalize was called; exchange, and make fields, before it");
}

grid::grid(const grid_request& what, MPI_Comm own) : what_(what), comm_(own) {
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

grid::~grid() {
  segments_.clear();
  if (is_mpi_running()) {
    if (finalize_key_ != MPI_KEYVAL_INVALID) {
      MPI_Comm_delete_attr(MPI_COMM_SELF, finalize_key_);
      MPI_Comm_free_keyval(&finalize_key_);
    }
    if (node_comm_ != MPI_COMM_NULL) {
      MPI_Comm_free(&node_comm_);
    }
    MPI_Comm_free(&comm_);
  }
}

void grid::arrange(const std::source_location& where) {
  check_map(what_, where);
  if (what_.adopts) {
    take_arrangement(comm_, what_, where);
  } else {
    choose_dims(size_, what_, where);
  }
}

std::array<int, max_dims> grid::coords_of(int rank) const {
  std::array<int, max_dims> coords{};
  if (what_.adopts) {
    check_mpi(MPI_Cart_coords(comm_, rank, static_cast<int>(what_.num_dims), coords.data()),
              "MPI_Cart_coords");
    return coords;
  }
  for (std::size_t d = what_.num_dims; d-- > 0;) {
    coords[d] = rank % what_.dims[d];
    rank /= what_.dims[d];
  }
  return coords;
}

int grid::rank_at(const std::array<int, max_dims>& coords) const {
  int found = 0;
  if (what_.adopts) {
    check_mpi(MPI_Cart_rank(comm_, coords.data(), &found), "MPI_Cart_rank");
    return found;
  }
  for (std::size_t d = 0; d < what_.num_dims; ++d) {
    found = found * what_.dims[d] + coords[d];
  }
  return found;
}

void grid::find_neighbours() {
  for (std::size_t index = 0; index < num_directions; ++index) {
    const direction towards = direction_at(index);
    std::array<int, max_dims> coords = coords_;
    bool exists = true;
    for (std::size_t d = 0; d < max_dims; ++d) {
      if (d >= what_.num_dims) {
        exists = exists && towards[d] == 0;
        continue;
      }
      const auto along = static_cast<std::size_t>(what_.maps_to[d]);
      const int length = what_.dims[along];
      const int wanted = coords_[along] + towards[d];
      exists = exists && (what_.periodic[d] || (wanted >= 0 && wanted < length));
      coords[along] = (wanted + length) % length;
    }
    neighbours_[index] = exists ? rank_at(coords) : -1;
  }
}

void grid::find_node() {
  check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_comm_),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_rank(node_comm_, &node_rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(node_comm_, &node_size_), "MPI_Comm_size");
  std::vector<int> on_node(static_cast<std::size_t>(node_size_));
  check_mpi(MPI_Allgather(&rank_, 1, MPI_INT, on_node.data(), 1, MPI_INT, node_comm_),
            "MPI_Allgather");
  node_ranks_.assign(static_cast<std::size_t>(size_), -1);
  for (std::size_t i = 0; i < on_node.size(); ++i) {
    node_ranks_[static_cast<std::size_t>(on_node[i])] = static_cast<int>(i);
  }
  is_oversubscribed_ = node_size_ > sysconf(_SC_NPROCESSORS_ONLN);
}

std::int64_t grid::share(std::size_t bytes,
                         const std::string& why,
                         const std::source_location& where) {
  require_mpi();
  refusal trouble = no_room(*this, {.shared = why.empty() ? bytes : 0});
  if (!why.empty()) {
    trouble = {why, errc::bad_axis};
  }
  refuse_together(*this, trouble, where);
  auto memory = std::make_unique<node_memory>(node_comm_, bytes);
  memory->enlarge_pages(node_rank_);
  segments_.push_back({next_segment_, std::move(memory)});
  ++generation_;
  return next_segment_++;
}

void grid::unshare(std::int64_t segment) {
  std::erase_if(segments_, [=](const shared_segment& each) { return each.id == segment; });
  ++generation_;
}

std::byte* grid::shared_memory(std::int64_t segment, int node_rank) const {
  for (const shared_segment& each : segments_) {
    if (each.id == segment) {
      return each.memory->of(node_rank);
    }
  }
  throw error(errc::bad_field,
              "a neighbour's field lies in shared memory that this rank has freed; make_field and "
              "the end of its fields are collective");
}

place grid::find(const std::byte* field) const noexcept {
  for (const shared_segment& each : segments_) {
    const std::byte* const base = each.memory->of(node_rank_);
    const std::less<const std::byte*> before;
    if (!before(field, base) && before(field, base + each.memory->size())) {
      return {.segment = each.id, .offset = field - base};
    }
  }
  return {};
}

node_memory::node_memory(MPI_Comm comm, std::size_t bytes) : bytes_(bytes) {
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  MPI_Info info = MPI_INFO_NULL;
  check_mpi(MPI_Info_create(&info), "MPI_Info_create");
  // Each rank has its own pages, so that its first touch puts them on its NUMA node.
  check_mpi(MPI_Info_set(info, "alloc_shared_noncontig", "true"), "MPI_Info_set");
  void* own = nullptr;
  const int code = MPI_Win_allocate_shared(
      static_cast<MPI_Aint>(bytes), 1, info, comm, static_cast<void*>(&own), &window_);
  MPI_Info_free(&info);
  check_mpi(code, "MPI_Win_allocate_shared");
  // One epoch for the window's whole life: loads and stores are ordered by atomic flags.
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
  for (int rank = 0; rank < size; ++rank) {
    MPI_Aint their_bytes = 0;
    int unit = 0;
    void* base = nullptr;
    check_mpi(MPI_Win_shared_query(window_, rank, &their_bytes, &unit, static_cast<void*>(&base)),
              "MPI_Win_shared_query");
    bases_.push_back(static_cast<std::byte*>(base));
    sizes_.push_back(static_cast<std::size_t>(their_bytes));
  }
}

void node_memory::enlarge_pages(int own_rank) {
  for (std::size_t rank = 0; rank < bases_.size(); ++rank) {
    views_.push_back(std::make_unique<large_pages>(bases_[rank], sizes_[rank]));
    if (std::byte* const view = views_.back()->data(); view != nullptr) {
      bases_[rank] = view;
    }
  }
  views_[static_cast<std::size_t>(own_rank)]->collapse();
}

node_memory::~node_memory() {
  views_.clear();
  // While an exception unwinds, other ranks may wait for this one and never reach this call. The
  // window then stays until the program's end, so that the exception's handler is reached.
  if (is_mpi_running() && std::uncaught_exceptions() == 0) {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
}

}  // namespace weft::halo::detail
