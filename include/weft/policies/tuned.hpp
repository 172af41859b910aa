// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuners and controllers for parallel loops.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

#include "weft/policies/tuner.hpp"
#include "weft/policies/tuner_report.hpp"

namespace weft {
class runtime;
}

namespace weft::policies {

/// Finds with how many workers a loop is fastest; a memory-bound loop may need few.
///
/// Keep one for each call site, as long as the sizes of the calls are similar. Pass the value to the
/// loop: `par.with(num_cores{use.value()})`. The values are 1, 2, 3, 4, 6, 8, 12, 16 and so on up to
/// the runtime's number of workers. This number is the present value at first.
/// Cost:    as `tuner`.
/// Threads: as `tuner`.
/// Example: tests/policies/tuner_test.cpp: a_loop_that_is_fastest_with_one_worker_gets_one.
class tuned_workers : public tuner<std::size_t> {
 public:
  /// Errors: `weft::error` for options out of range.
  tuned_workers(std::string name, runtime& of, const tuner_options& options = {});
};

/// Chooses chunk sizes so that a chunk takes about the wanted time.
///
/// Too small chunks cost more than their work, and too large ones leave workers idle. The size is a
/// power of two. It changes only if the time per element was outside of the present size's range
/// in two calls in a row. Each change is a decision.
/// Cost:    `size` is a load; `note` computes a logarithm.
/// Threads: any. If several threads call `note`, they should run loops with similar elements.
/// Example: tests/policies/tuner_test.cpp: a_chunk_takes_about_the_wanted_time.
class chunk_by_duration {
 public:
  /// Errors: `weft::error` for a time or a first size of 0 or less.
  explicit chunk_by_duration(std::string name,
                             std::chrono::nanoseconds wanted = std::chrono::microseconds(100),
                             std::size_t first_size = 1024);

  /// Returns the chunk size to use next, in elements.
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  /// Notes that a loop over `num_elements` took `elapsed` on `num_workers` workers.
  void note(std::size_t num_elements,
            std::chrono::nanoseconds elapsed,
            std::size_t num_workers = 1) noexcept;

 private:
  const std::string name_;
  const double wanted_ns_;
  const bool is_on_;
  std::atomic<std::size_t> size_;         // relaxed: it orders nothing
  std::atomic<std::size_t> proposed_{0};  // by the last call, if other than `size_`; 0: none
};

}  // namespace weft::policies
