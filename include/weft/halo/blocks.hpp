// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any block of any field from any rank to any rank; buffers from all to all.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/axis.hpp"
#include "weft/halo/cart.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/detail/transfer.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/exchange.hpp"
#include "weft/halo/exchange_any.hpp"
#include "weft/halo/field.hpp"
#include "weft/halo/options.hpp"

namespace weft::halo {

/// Cells of a field: `cells[d]` of them from index `first[d]` on, counted from the beginning of the
/// axes, halos and padding included.
template <std::size_t num_dims>
struct block {
  std::array<std::ptrdiff_t, num_dims> first{};
  std::array<std::ptrdiff_t, num_dims> cells{};
};

/// All inner cells.
template <std::size_t num_dims>
[[nodiscard]] constexpr block<num_dims> inner_block(const axes<num_dims>& box) {
  block<num_dims> made;
  for (std::size_t d = 0; d < num_dims; ++d) {
    made.first[d] = box[d].begin;
    made.cells[d] = box[d].size();
  }
  return made;
}

/// Blocks of fields that travel between any ranks, several of them between the same two.
///
/// Both sides register. The n-th block that one rank sends to another matches the n-th that the
/// other rank receives. Both have the same extents and type; layouts may differ. A rank may send to
/// itself. A received block must not overlap a sent block or another received one.
/// Cost:    one message per pair of ranks, for any number of blocks; one copy within a rank. Ranks
///          of one node send no message: they copy once from fields of `make_field`, twice from
///          other fields. Other fields use shared memory of twice their bytes, or messages if
///          `/dev/shm` is too small. The first exchange after blocks were registered makes a plan;
///          later ones allocate nothing.
/// Threads: one at a time. That first exchange and the destruction are collective over the grid.
///          Other exchanges involve only the ranks that this rank sends to or receives from.
///          `schedule` has no effect.
/// Errors:  `halo::error` on all ranks. `bad_field`: a block that does not lie in its field, a null
///          pointer, or an unknown rank. `ranks_disagree`: blocks that do not match.
/// Source:  Bianco, "An interface for halo exchange pattern": the generic all-to-all.
/// Example: tests/halo/blocks_test.cpp: blocks_travel_between_any_ranks.
template <std::size_t num_dims>
class blocks {
 public:
  explicit blocks(const cart<num_dims>& grid, const exchange_options& options = {})
      : grid_(grid), options_(options) {}

  /// The cells of `field` in `what` go to, or come from, a rank of the grid.
  template <any_field<num_dims> Field>
  void send(const Field& field,
            const block<num_dims>& what,
            int rank,
            std::source_location where = std::source_location::current()) {
    add(registered_.out, field, what, rank, where);
  }
  template <any_field<num_dims> Field>
  void receive(const Field& field,
               const block<num_dims>& what,
               int rank,
               std::source_location where = std::source_location::current()) {
    add(registered_.in, field, what, rank, where);
  }
  /// The same with the other rank's coordinates in the grid.
  template <any_field<num_dims> Field>
  void send(const Field& field,
            const block<num_dims>& what,
            const std::array<int, num_dims>& coords,
            std::source_location where = std::source_location::current()) {
    send(field, what, grid_.rank_of(coords, where), where);
  }
  template <any_field<num_dims> Field>
  void receive(const Field& field,
               const block<num_dims>& what,
               const std::array<int, num_dims>& coords,
               std::source_location where = std::source_location::current()) {
    receive(field, what, grid_.rank_of(coords, where), where);
  }
  /// Forgets all blocks, after those that are under way; collective as to the next exchange.
  void clear() {
    if (plan_ != nullptr && plan_->is_under_way()) {
      plan_->wait();
    }
    retire();
    registered_ = {};
    shapes_.clear();
  }

  void exchange(std::source_location where = std::source_location::current()) {
    start(where);
    wait(where);
  }
  void start(std::source_location where = std::source_location::current()) {
    if (plan_ == nullptr) {
      retired_.reset();
      plan_ = std::make_unique<detail::transfer_set>(
          grid_.shared_grid(), options_, shapes_, registered_, where);
    }
    plan_->start(registered_.pointers);
  }
  /// True: all has arrived, and what was sent may be changed.
  [[nodiscard]] bool test() { return plan_ == nullptr || plan_->test(); }
  void wait(std::source_location where = std::source_location::current()) {
    if (plan_ == nullptr) {
      throw error(errc::wrong_state, "wait() without start() before it", std::nullopt, where);
    }
    plan_->wait();
  }
  /// The transfers to and from each rank and their paths; empty before the first exchange.
  [[nodiscard]] std::string report() const { return plan_ == nullptr ? "" : plan_->report(); }

 private:
  /// Its end is collective, as the next plan is; registering is not.
  void retire() {
    if (plan_ != nullptr) {
      retired_ = std::move(plan_);
    }
  }
  template <class Field>
  void add(std::vector<detail::transfer>& to,
           const Field& field,
           const block<num_dims>& what,
           int rank,
           const std::source_location& where) {
    if (plan_ != nullptr && plan_->is_under_way()) {
      throw error(
          errc::wrong_state, "blocks are under way; wait() comes first", std::nullopt, where);
    }
    retire();
    const auto view = detail::view_of(field);
    const detail::shape shape = view.shape();
    std::byte* const data = detail::bytes_of(view.data);
    if (shapes_.empty() || shapes_.back() != shape || registered_.pointers.back() != data) {
      shapes_.push_back(shape);
      registered_.pointers.push_back(data);
    }
    detail::transfer made{.peer = rank, .field = shapes_.size() - 1};
    for (std::size_t d = 0; d < num_dims; ++d) {
      made.first[d] = what.first[d];
      made.cells[d] = what.cells[d];
    }
    to.push_back(made);
  }

  cart<num_dims> grid_;
  exchange_options options_;
  detail::transfers registered_;
  std::vector<detail::shape> shapes_;
  std::unique_ptr<detail::transfer_set> plan_;
  std::unique_ptr<detail::transfer_set> retired_;
};

/// Buffers from any rank to any rank, several between the same two: `blocks` of bytes.
///
/// Cost:    one message per pair of ranks; a buffer that is the only one to its rank is not copied
///          before.
/// Source:  Bianco, "An interface for halo exchange pattern", section 2: the all-to-all of L3.
/// Example: tests/halo/blocks_test.cpp: buffers_travel_from_all_to_all.
class all_to_all {
 public:
  explicit all_to_all(MPI_Comm comm,
                      std::optional<std::chrono::milliseconds> patience = default_patience)
      : blocks_(
            cart<1>(comm),
            {.packing = packing::direct, .transport = transport::messages, .patience = patience}) {}

  /// Registers what goes to, or where to put what comes from, a rank. Both sides register the same
  /// sizes in the same order.
  void send_to(int rank,
               std::span<const std::byte> bytes,
               std::source_location where = std::source_location::current()) {
    // Sent blocks are only read.
    std::byte* const data = const_cast<std::byte*>(bytes.data());
    blocks_.send(bytes_at(data, bytes.size()), all_of(bytes.size()), rank, where);
  }
  void receive_from(int rank,
                    std::span<std::byte> bytes,
                    std::source_location where = std::source_location::current()) {
    blocks_.receive(bytes_at(bytes.data(), bytes.size()), all_of(bytes.size()), rank, where);
  }
  void clear() { blocks_.clear(); }

  void exchange(std::source_location where = std::source_location::current()) {
    blocks_.exchange(where);
  }
  void start(std::source_location where = std::source_location::current()) { blocks_.start(where); }
  [[nodiscard]] bool test() { return blocks_.test(); }
  void wait(std::source_location where = std::source_location::current()) { blocks_.wait(where); }

 private:
  /// An empty buffer may lie nowhere, a field not.
  static field_view<std::byte, 1> bytes_at(std::byte* data, std::size_t size) {
    static std::byte nothing{};
    const auto length = static_cast<std::ptrdiff_t>(std::max<std::size_t>(size, 1));
    return {.data = size == 0 ? &nothing : data, .box = {axis::inner(length)}, .strides = {1}};
  }
  static block<1> all_of(std::size_t size) {
    return {.first = {0}, .cells = {static_cast<std::ptrdiff_t>(size)}};
  }

  blocks<1> blocks_;
};

}  // namespace weft::halo
