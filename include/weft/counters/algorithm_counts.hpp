// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What parallel algorithms tell about how they cut their work.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "weft/base/durations.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters {

/// One call of a parallel algorithm.
struct algorithm_call {
  std::uint64_t num_elements = 0;
  std::uint64_t num_chunks = 0;               // that they were cut into
  std::uint64_t num_shares = 0;               // workers that took part
  std::chrono::nanoseconds longest_share{0};  // time of the worker that took longest
  std::chrono::nanoseconds all_shares{0};     // the sum
};

/// Sums over calls: `Count` is a relaxed atomic where they are counted, else std::uint64_t.
template <class Count>
struct algorithm_sums {
  Count num_calls{};
  Count num_elements{};
  Count num_chunks{};
  Count num_alone{};
  Count num_dropped_exceptions{};
  Count longest_shares_ns{};
  Count mean_shares_ns{};
  tick_histogram<Count> chunk_sizes;  // in elements; the mean of a call for each of its chunks

  bool operator==(const algorithm_sums&) const = default;
};

/// Every member of `algorithm_sums` but the histogram.
template <class Count>
inline constexpr std::array algorithm_sum_members = {&algorithm_sums<Count>::num_calls,
                                                     &algorithm_sums<Count>::num_elements,
                                                     &algorithm_sums<Count>::num_chunks,
                                                     &algorithm_sums<Count>::num_alone,
                                                     &algorithm_sums<Count>::num_dropped_exceptions,
                                                     &algorithm_sums<Count>::longest_shares_ns,
                                                     &algorithm_sums<Count>::mean_shares_ns};

/// The counts of all parallel algorithms of a process, for /parallel_algorithms/*.
///
/// Cost:    `count` is six relaxed additions to lines that all callers share: once per call of an
///          algorithm, not per chunk.
/// Threads: any; a reader may see a call in some of the sums and not yet in others.
/// Example: tests/counters/algorithm_counts_test.cpp: calls_add_up.
class algorithm_counts {
 public:
  void count(const algorithm_call& call) noexcept;
  /// A call that measured its work and found that waking others would not pay.
  void count_alone(std::uint64_t num_elements) noexcept;
  /// An exception that a call could not rethrow, since another one came first.
  void count_dropped_exception() noexcept;
  [[nodiscard]] algorithm_sums<std::uint64_t> read() const noexcept;

 private:
  algorithm_sums<std::atomic<std::uint64_t>> sums_;  // relaxed: a sum orders nothing
};

/// Those of this process; they outlive every thread.
[[nodiscard]] algorithm_counts& process_algorithms();

}  // namespace weft::counters
