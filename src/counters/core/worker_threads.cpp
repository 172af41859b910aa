// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the operating system threads that are workers.
#include "counters/core/worker_threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/counters/block_registry.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/worker_block.hpp"

#include "counters/core/localities.hpp"

namespace weft::counters::detail {
namespace {

std::atomic<pool_name_source> name_source = nullptr;

constexpr const char* default_pool = "default";

std::string name_of(const std::vector<pool_name>& names, std::uint32_t number) {
  const auto found = std::ranges::find(names, number, &pool_name::number);
  return found == names.end() ? default_pool : found->name;
}

}  // namespace

void set_pool_name_source(pool_name_source source) noexcept { name_source = source; }

std::vector<worker_thread> worker_threads() {
  const pool_name_source source = name_source;
  const std::vector<pool_name> names = source == nullptr ? std::vector<pool_name>() : source();
  std::vector<worker_thread> workers;
  process_blocks().for_each([&](const worker_block& block) {
    const auto thread_id = static_cast<int>(block.thread_id.value());
    if (thread_id != 0) {
      workers.push_back(
          {.pool = name_of(names, block.pool), .worker = block.worker, .thread_id = thread_id});
    }
  });
  return workers;
}

std::vector<instance_part> instance_of(const worker_thread& worker) {
  return {own_locality_part(),
          {.name = "pool", .index = worker.pool},
          {.name = "worker-thread", .index = worker.worker}};
}

bool is_instance_of(const counter_name& name, const worker_thread& worker) {
  const std::vector<instance_part> full = instance_of(worker);
  const std::vector<instance_part> without_pool{full.front(), full.back()};
  return name.instance == full || (name.instance == without_pool && worker.pool == default_pool);
}

}  // namespace weft::counters::detail
