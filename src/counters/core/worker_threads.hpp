// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which threads of the operating system are workers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weft/counters/name.hpp"

namespace weft::counters::detail {

/// A worker that is there now.
struct worker_thread {
  std::string pool;
  std::uint32_t worker = 0;
  int thread_id = 0;
};

/// A pool by the number that its blocks bear.
struct pool_name {
  std::uint32_t number;
  std::string name;
};

using pool_name_source = std::vector<pool_name> (*)();

/// Says who knows the names of pools: whoever makes them. Before, all are called `default`.
void set_pool_name_source(pool_name_source source) noexcept;

/// The workers whose thread is known.
///
/// Cost: the lock of `process_blocks()`, which a worker takes when it begins and ends.
[[nodiscard]] std::vector<worker_thread> worker_threads();

using worker_source = std::function<std::vector<worker_thread>()>;

/// `{locality#0/pool#NAME/worker-thread#N}`.
[[nodiscard]] std::vector<instance_part> instance_of(const worker_thread& worker);

/// Tells whether a name's instance is that worker, with or without its pool.
[[nodiscard]] bool is_instance_of(const counter_name& name, const worker_thread& worker);

}  // namespace weft::counters::detail
