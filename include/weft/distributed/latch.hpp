// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A latch that all ranks count down and wait for.
#pragma once

#include <cstddef>
#include <utility>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/remote.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/latch.hpp"

namespace weft::distributed {

/// A handle of a `weft::latch` on one rank; it is sent to other ranks, or found by name there.
///
/// For all ranks at once, `barrier()` costs less. Any other `weft` or user type that blocks, such as
/// `weft::barrier`, is shared the same way: as a `remote` with calls that wait.
/// Cost:    a message for each arrival; a call for each wait.
/// Example: tests/distributed/latch_test.cpp: opens_when_all_ranks_have_arrived.
class latch {
 public:
  /// An empty handle.
  latch() noexcept = default;
  explicit latch(remote<weft::latch> gate) noexcept : gate_(std::move(gate)) {}

  /// Does not wait for the message to arrive.
  void count_down(std::ptrdiff_t num_arrived = 1) const;
  /// Ready when the count is zero.
  [[nodiscard]] future<void> wait() const;
  [[nodiscard]] future<void> arrive_and_wait(std::ptrdiff_t num_arrived = 1) const;
  /// Whether the count is zero now.
  [[nodiscard]] future<bool> try_wait() const;
  [[nodiscard]] locality owner() const { return gate_.owner(); }

 private:
  friend class archive_access;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(gate_);
  }

  remote<weft::latch> gate_;
};

/// Makes a latch on `where` that opens after `count` arrivals.
/// Errors:  `weft::error` if there is no such rank, or `count` is negative.
/// Example: tests/distributed/latch_test.cpp: opens_when_all_ranks_have_arrived.
[[nodiscard]] future<latch> make_latch(locality where, std::ptrdiff_t count);

}  // namespace weft::distributed
