// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all runtimes of this process have counted and hold, read at one moment.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/counters/block_reading.hpp"

namespace weft::tasks::detail {

class scheduler;

/// How many there are now.
struct present_numbers {
  std::int64_t num_workers = 0;       // that take tasks
  std::int64_t num_in_tasks = 0;      // of these
  std::int64_t num_in_deques = 0;     // tasks
  std::int64_t num_from_outside = 0;  // tasks that no worker has taken yet
  std::int64_t num_stacks = 0;
  std::int64_t most_stacks = 0;      // at once so far; of several runtimes, the sum
  std::int64_t num_stacks_made = 0;  // so far

  present_numbers& operator+=(const present_numbers& other) noexcept;
};

/// Of a worker, of a runtime, or of all.
struct runtime_moment {
  counters::block_reading counted;
  present_numbers present;

  runtime_moment& operator+=(const runtime_moment& other) noexcept;
};

struct pool_moment {
  std::string name;
  std::uint32_t number = 0;  // which no other runtime of this process has had
  runtime_moment total;
  std::vector<runtime_moment> workers;  // all there ever were
};

struct process_moment {
  std::vector<pool_moment> pools;  // with the last that ended
  runtime_moment total;            // runtimes that are no more included
  double seconds_per_tick = 0;
  std::optional<std::chrono::nanoseconds> uptime;  // since the first runtime was started
};

/// Reads all runtimes.
///
/// The total is the sum of all runtimes that there ever were, and a pool's that of its workers.
/// Cost:    about a microsecond per worker.
/// Threads: from any; waits for no worker.
[[nodiscard]] std::shared_ptr<const process_moment> read_runtimes();

/// A runtime that can be read: one that is there now, or one of the last that ended.
struct pool_size {
  std::string name;
  std::uint32_t number = 0;
  unsigned num_workers = 0;  // that there ever were
};
[[nodiscard]] std::vector<pool_size> known_pools();

/// Lets `home` be read. Errors: `weft::error` for a name that cannot be one in a counter's name, or
/// that another runtime has.
void show_to_readers(scheduler& home);
/// Keeps what `home` counted, and reads it no more, but for its last reading. Its workers have
/// ended; their blocks have not been released.
void hide_from_readers(scheduler& home) noexcept;

}  // namespace weft::tasks::detail
