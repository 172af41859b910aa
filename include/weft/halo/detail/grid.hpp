// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processes behind a `cart`: their neighbours, the groups that share memory, and that memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/shape.hpp"

namespace weft::halo::detail {

/// One of -1, 0, 1 per data dimension.
using direction = std::array<int, max_dims>;

inline constexpr std::size_t num_directions = 81;

constexpr std::size_t index_of(const direction& towards) {
  std::size_t index = 0;
  for (const int each : towards) {
    index = index * 3 + static_cast<std::size_t>(each + 1);
  }
  return index;
}

/// The arguments of a `cart`, for any number of dimensions.
struct grid_request {
  std::size_t num_dims = 0;
  std::array<int, max_dims> dims{};
  std::array<bool, max_dims> periodic{};
  std::array<int, max_dims> maps_to{};
  bool adopts = false;             // `dims` are those of a Cartesian communicator
  bool takes_periodicity = false;  // of that communicator
};

class large_pages;

/// Memory of every rank of the node, mapped by all of them.
class node_memory {
 public:
  /// Collective over `comm`, whose ranks share memory.
  node_memory(MPI_Comm comm, std::size_t bytes);
  /// Collective, except while an exception unwinds: then it is left to the program's end.
  ~node_memory();
  node_memory(const node_memory&) = delete;
  node_memory& operator=(const node_memory&) = delete;

  /// For memory that is read across its rows, before it is used; else more than it is worth.
  void enlarge_pages(int own_rank);
  [[nodiscard]] std::byte* of(int node_rank) const {
    return bases_[static_cast<std::size_t>(node_rank)];
  }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::size_t bytes_;
  std::vector<std::unique_ptr<large_pages>> views_;  // of every rank's, where they can be had
  std::vector<std::byte*> bases_;
  std::vector<std::size_t> sizes_;
};

/// The place of a field: in shared memory number `segment` (-1: not shared), at `offset` bytes.
struct place {
  std::int64_t segment = -1;
  std::int64_t offset = 0;
};

class grid {
 public:
  grid(MPI_Comm comm, const grid_request& what, const std::source_location& where);
  ~grid();
  grid(const grid&) = delete;
  grid& operator=(const grid&) = delete;

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] MPI_Comm node_comm() const noexcept { return node_comm_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int node_rank() const noexcept { return node_rank_; }
  [[nodiscard]] int node_size() const noexcept { return node_size_; }
  [[nodiscard]] std::size_t num_dims() const noexcept { return what_.num_dims; }
  /// Of the process grid.
  [[nodiscard]] const std::array<int, max_dims>& dims() const noexcept { return what_.dims; }
  [[nodiscard]] const std::array<int, max_dims>& coords() const noexcept { return coords_; }
  [[nodiscard]] const std::array<int, max_dims>& maps_to() const noexcept { return what_.maps_to; }
  [[nodiscard]] bool is_periodic(std::size_t data_dim) const { return what_.periodic[data_dim]; }
  [[nodiscard]] int num_processes(std::size_t data_dim) const {
    return what_.dims[static_cast<std::size_t>(what_.maps_to[data_dim])];
  }
  /// -1: no rank.
  [[nodiscard]] int neighbour(const direction& towards) const {
    return neighbours_[index_of(towards)];
  }
  [[nodiscard]] bool has_neighbour(std::size_t data_dim, int side) const {
    direction towards{};
    towards[data_dim] = side;
    return neighbour(towards) >= 0;
  }
  /// The rank at these coordinates of the process grid.
  [[nodiscard]] int rank_at(const std::array<int, max_dims>& coords) const;
  /// Where in the process grid a rank is.
  [[nodiscard]] std::array<int, max_dims> coords_of(int rank) const;
  /// -1: on another node.
  [[nodiscard]] int node_rank_of(int rank) const {
    return node_ranks_[static_cast<std::size_t>(rank)];
  }
  /// Errors: `halo::error` (`wrong_state`) after MPI_Finalize, which takes shared memory away.
  void require_mpi() const {
    if (has_ended_) {
      throw_ended();
    }
  }
  /// MPI was initialised with MPI_THREAD_SERIALIZED.
  [[nodiscard]] bool takes_turns() const noexcept { return takes_turns_; }
  [[nodiscard]] bool is_oversubscribed() const noexcept { return is_oversubscribed_; }
  /// MPI promises tags up to 32767; the three behind these are for what comes before a plan.
  static constexpr int num_plan_tags = 32765;
  [[nodiscard]] int next_tag() noexcept {
    const int tag = next_tag_;
    next_tag_ = (tag + 1) % num_plan_tags;
    return tag;
  }

  /// Collective: memory that the other ranks of this node can read. Returns the segment.
  /// Errors: `halo::error` on all ranks: `why` of any rank unless it is empty (`bad_axis`), or
  /// more bytes than the node has (`unsupported`).
  std::int64_t share(std::size_t bytes,
                     const std::string& why = {},
                     const std::source_location& where = std::source_location::current());
  void unshare(std::int64_t segment);
  [[nodiscard]] std::byte* shared_memory(std::int64_t segment, int node_rank) const;
  [[nodiscard]] place find(const std::byte* field) const noexcept;
  /// Grows whenever shared memory comes or goes, with MPI_Finalize, too.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

 private:
  struct shared_segment {
    std::int64_t id;
    std::unique_ptr<node_memory> memory;
  };

  grid(const grid_request& what, MPI_Comm own);
  void arrange(const std::source_location& where);
  void watch_finalize();
  static int note_finalize(MPI_Comm self, int key, void* noted, void* of);
  [[noreturn]] static void throw_ended();
  void find_neighbours();
  void find_node();
  grid_request what_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm node_comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  int node_rank_ = 0;
  int node_size_ = 1;
  bool takes_turns_ = false;
  bool is_oversubscribed_ = false;
  bool has_ended_ = false;  // MPI_Finalize was called
  int finalize_key_ = MPI_KEYVAL_INVALID;
  int next_tag_ = 0;
  std::array<int, max_dims> coords_{};
  std::array<int, num_directions> neighbours_{};
  std::vector<int> node_ranks_;
  std::vector<shared_segment> segments_;
  std::int64_t next_segment_ = 0;
  std::uint64_t generation_ = 0;
};

/// Memory of this rank that the others of its node can read.
///
/// Threads: making, and the end, are collective over the grid.
class node_segment {
 public:
  node_segment(std::shared_ptr<grid> processes,
               std::size_t bytes,
               const std::string& why,
               const std::source_location& where)
      : processes_(std::move(processes)),
        segment_(processes_->share(bytes, why, where)),
        data_(processes_->shared_memory(segment_, processes_->node_rank())) {}
  node_segment(node_segment&& other) noexcept
      : processes_(std::move(other.processes_)),
        segment_(other.segment_),
        data_(std::exchange(other.data_, nullptr)) {}
  node_segment& operator=(node_segment&& other) noexcept {
    std::swap(processes_, other.processes_);
    std::swap(segment_, other.segment_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~node_segment() {
    if (processes_ != nullptr) {
      processes_->unshare(segment_);
    }
  }

  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  std::shared_ptr<grid> processes_;
  std::int64_t segment_;
  std::byte* data_;
};

/// Throws what MPI says of `code`, unless it is MPI_SUCCESS.
void check_mpi(int code, const char* call);
/// False before MPI_Init and after MPI_Finalize, when nothing of MPI may be freed any more.
[[nodiscard]] bool is_mpi_running() noexcept;

}  // namespace weft::halo::detail
