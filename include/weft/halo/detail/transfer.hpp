// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled part of what moves boxes of cells between any ranks.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"

namespace weft::halo::detail {

/// Cells of one field that go to, or come from, a rank.
struct transfer {
  int peer = -1;
  std::size_t field = 0;
  std::array<std::ptrdiff_t, max_dims> first{};  // index of the first cell in the field
  std::array<std::ptrdiff_t, max_dims> cells{1, 1, 1, 1};
};

/// All that a rank sends and receives: its n-th transfer to a rank meets that rank's n-th from it.
struct transfers {
  std::vector<transfer> out;
  std::vector<transfer> in;
  /// Where fields lie, if that is known when it is planned: null is then an error on all ranks.
  std::vector<std::byte*> pointers = {};
  /// Fields are parts of larger ones, this number in a row for each; overlapping parts are an
  /// error. 0: they are not parts, and may overlap.
  std::size_t parts_per_field = 0;
};

/// Moves the same boxes repeatedly: one message per pair of ranks, or copies through memory
/// that ranks of a node share; copies within a rank.
///
/// Threads: construction and the end are collective; meanwhile ranks need only those that they
///          exchange with.
class transfer_set {
 public:
  /// Errors:  `halo::error` on all ranks for boxes outside of their fields (`bad_field`), and for
  ///          transfers without a receiver, or whose cells differ (`ranks_disagree`).
  transfer_set(std::shared_ptr<grid> processes,
               const exchange_options& options,
               std::vector<shape> fields,
               const transfers& what,
               const std::source_location& where);
  ~transfer_set();
  transfer_set(const transfer_set&) = delete;
  transfer_set& operator=(const transfer_set&) = delete;

  void start(std::span<std::byte* const> fields);
  /// True: all is over. Does what can be done without waiting.
  bool test();
  void wait();
  [[nodiscard]] bool is_under_way() const noexcept;
  /// The transfers to and from each rank, and their paths.
  [[nodiscard]] std::string report() const;

 private:
  class state;
  std::source_location where_;  // of whoever planned it: errors name it
  std::unique_ptr<state> state_;
};

}  // namespace weft::halo::detail
