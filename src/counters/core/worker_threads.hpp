// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the operating system threads that are workers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weft/counters/name.hpp"

namespace weft::counters::detail {

/// A worker that exists now.
struct worker_thread {
  std::string pool;
  std::uint32_t worker = 0;
  int thread_id = 0;
};

/// The name of the pool with a given number in its blocks.
struct pool_name {
  std::uint32_t number;
  std::string name;
};

using pool_name_source = std::vector<pool_name> (*)();

/// Sets the function that knows the names of pools. Before, all pools are called `default`.
void set_pool_name_source(pool_name_source source) noexcept;

/// Returns the workers whose thread is known.
///
/// Cost:    takes the lock of `process_blocks()`, which a worker takes when it starts and ends.
[[nodiscard]] std::vector<worker_thread> worker_threads();

using worker_source = std::function<std::vector<worker_thread>()>;

/// Returns the instance `{locality#0/pool#NAME/worker-thread#N}`.
[[nodiscard]] std::vector<instance_part> instance_of(const worker_thread& worker);

/// True if a name's instance is that worker, with or without its pool.
[[nodiscard]] bool is_instance_of(const counter_name& name, const worker_thread& worker);

}  // namespace weft::counters::detail
