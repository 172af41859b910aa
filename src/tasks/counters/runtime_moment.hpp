// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counts and the present state of all runtimes of this process, read at one moment.
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

/// The present numbers of workers, tasks and stacks.
struct present_numbers {
  std::int64_t num_workers = 0;       // workers that take tasks
  std::int64_t num_in_tasks = 0;      // workers that execute a task
  std::int64_t num_in_deques = 0;     // tasks in deques
  std::int64_t num_from_outside = 0;  // tasks in queues, not yet taken
  std::int64_t num_stacks = 0;
  std::int64_t most_stacks = 0;      // the maximum in use at once; for several runtimes, the sum
  std::int64_t num_stacks_made = 0;  // since the start

  present_numbers& operator+=(const present_numbers& other) noexcept;
};

/// The counts and present state of a worker, of a runtime, or of all runtimes.
struct runtime_moment {
  counters::block_reading counted;
  present_numbers present;

  runtime_moment& operator+=(const runtime_moment& other) noexcept;
};

struct pool_moment {
  std::string name;
  std::uint32_t number = 0;  // unique among all runtimes of this process, ended ones included
  runtime_moment total;
  std::vector<runtime_moment> workers;  // all that ever existed
};

struct process_moment {
  std::vector<pool_moment> pools;  // includes the last ended ones
  runtime_moment total;            // includes ended runtimes
  double seconds_per_tick = 0;
  std::optional<std::chrono::nanoseconds> uptime;  // since the first runtime was started
};

/// Reads the counts of all runtimes.
///
/// The total is the sum of all runtimes that ever existed. A pool's total is the sum of its
/// workers.
/// Cost:    about a microsecond per worker.
/// Threads: any; waits for no worker.
[[nodiscard]] std::shared_ptr<const process_moment> read_runtimes();

/// A runtime that can be read: a running one, or one of the last that ended.
struct pool_size {
  std::string name;
  std::uint32_t number = 0;
  unsigned num_workers = 0;  // all that ever existed
};
[[nodiscard]] std::vector<pool_size> known_pools();

/// Makes `home` readable.
/// Errors:  `weft::error` if its name is taken by another runtime, or cannot be part of a counter's
///          name.
void show_to_readers(scheduler& home);
/// Keeps the last counts of `home`, and stops reading it. Call it after its workers have ended and
/// before their blocks are released.
void hide_from_readers(scheduler& home) noexcept;

}  // namespace weft::tasks::detail
