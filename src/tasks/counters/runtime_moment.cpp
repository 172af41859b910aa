// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the list of the process's runtimes, and sums their counts.
#include "tasks/counters/runtime_moment.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/block_reading.hpp"
#include "weft/counters/tick_clock.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"

#include "tasks/runtime/process_generation.hpp"
#include "tasks/scheduler/scheduler.hpp"

namespace weft::tasks::detail {
namespace {

using clock = std::chrono::steady_clock;

struct shown_runtimes {
  std::mutex mutex;  // workers take it only to start or end a runtime
  std::vector<scheduler*> all;
  std::uint32_t process = 0;            // the process generation that `all` belongs to
  runtime_moment ended;                 // the sum of all ended runtimes
  std::deque<pool_moment> ended_pools;  // the last ended runtimes; all names differ
  std::optional<clock::time_point> first_start;
};

shown_runtimes& runtimes_to_show() {
  // Never destroyed: readers and the default runtime may outlive the statics of this file.
  static auto* const instance = new shown_runtimes;
  return *instance;
}

void check_name(std::string_view name, const std::vector<scheduler*>& others) {
  constexpr std::string_view accepted =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  if (name.find_first_not_of(accepted) != name.npos) {
    throw error("a runtime cannot be named \"" + std::string(name) +
                "\": its name stands in those of its counters and takes letters, digits, '_', '.' "
                "and '-'");
  }
  if (std::ranges::any_of(others, [&](const scheduler* s) { return s->name() == name; })) {
    throw error("there is a runtime \"" + std::string(name) +
                "\" already; give each a name of its own, or leave runtime_options::name empty");
  }
}

runtime_moment read(const worker& w, bool takes_tasks) {
  const counters::worker_state state = w.count->state();
  return {.counted = counters::read_block(*w.count),
          .present = {.num_workers = takes_tasks ? 1 : 0,
                      .num_in_tasks = state == counters::worker_state::executing ? 1 : 0,
                      .num_in_deques = static_cast<std::int64_t>(w.tasks.size_estimate())}};
}

pool_moment read(const scheduler& home) {
  pool_moment pool{.name = home.name(), .number = home.pool(), .total = {}, .workers = {}};
  const unsigned num_taking = home.num_workers();
  for (const auto& w : home.started()) {
    pool.total += pool.workers.emplace_back(read(*w, w->index < num_taking));
  }
  home.for_each_visitor([&pool](const worker& w) { pool.total += read(w, false); });
  const stack_pool& stacks = home.stacks();
  pool.total.present += {.num_from_outside = static_cast<std::int64_t>(home.queue_length()),
                         .num_stacks = static_cast<std::int64_t>(stacks.num_live()),
                         .most_stacks = static_cast<std::int64_t>(stacks.high_water()),
                         .num_stacks_made = static_cast<std::int64_t>(stacks.num_made())};
  return pool;
}

/// Keeps the counts of a runtime that ends, so that a program may print them at its own end.
void keep_last_reading(const scheduler& home, std::deque<pool_moment>& kept) {
  constexpr std::size_t most_kept = 16;
  pool_moment last = read(home);
  const std::int64_t most_stacks = last.total.present.most_stacks;
  last.total.present = {.most_stacks = most_stacks};
  for (runtime_moment& w : last.workers) {
    w.present = {};
  }
  kept.push_back(std::move(last));
  if (kept.size() > most_kept) {
    kept.pop_front();
  }
}

}  // namespace

present_numbers& present_numbers::operator+=(const present_numbers& other) noexcept {
  num_workers += other.num_workers;
  num_in_tasks += other.num_in_tasks;
  num_in_deques += other.num_in_deques;
  num_from_outside += other.num_from_outside;
  num_stacks += other.num_stacks;
  most_stacks += other.most_stacks;
  num_stacks_made += other.num_stacks_made;
  return *this;
}

runtime_moment& runtime_moment::operator+=(const runtime_moment& other) noexcept {
  counted += other.counted;
  present += other.present;
  return *this;
}

std::shared_ptr<const process_moment> read_runtimes() {
  auto moment = std::make_shared<process_moment>();
  moment->seconds_per_tick = counters::seconds_per_tick();
  shown_runtimes& shown = runtimes_to_show();
  const std::lock_guard guard(shown.mutex);
  moment->total = shown.ended;
  for (const scheduler* home : shown.all) {
    moment->total += moment->pools.emplace_back(read(*home)).total;
  }
  moment->pools.insert(moment->pools.end(), shown.ended_pools.begin(), shown.ended_pools.end());
  if (shown.first_start) {
    moment->uptime = clock::now() - *shown.first_start;
  }
  return moment;
}

std::vector<pool_size> known_pools() {
  shown_runtimes& shown = runtimes_to_show();
  const std::lock_guard guard(shown.mutex);
  std::vector<pool_size> pools;
  pools.reserve(shown.all.size() + shown.ended_pools.size());
  for (const scheduler* home : shown.all) {
    pools.push_back({.name = home->name(),
                     .number = home->pool(),
                     .num_workers = static_cast<unsigned>(home->started().size())});
  }
  for (const pool_moment& pool : shown.ended_pools) {
    pools.push_back({.name = pool.name,
                     .number = pool.number,
                     .num_workers = static_cast<unsigned>(pool.workers.size())});
  }
  return pools;
}

void show_to_readers(scheduler& home) {
  shown_runtimes& shown = runtimes_to_show();
  const std::lock_guard guard(shown.mutex);
  if (shown.process != process_generation()) {
    // In a fork these runtimes have no workers, and some blocks may be in the middle of a change.
    shown.all.clear();
    shown.process = process_generation();
  }
  check_name(home.name(), shown.all);
  std::erase_if(shown.ended_pools,
                [&](const pool_moment& pool) { return pool.name == home.name(); });
  shown.all.push_back(&home);
  if (!shown.first_start) {
    shown.first_start = clock::now();
  }
}

void hide_from_readers(scheduler& home) noexcept {
  shown_runtimes& shown = runtimes_to_show();
  const std::lock_guard guard(shown.mutex);
  const auto found = std::ranges::find(shown.all, &home);
  if (found == shown.all.end()) {
    return;
  }
  shown.all.erase(found);
  if (shown.process != process_generation()) {
    return;  // the runtime still runs in the parent process
  }
  for (const auto& w : home.started()) {
    shown.ended.counted += counters::read_block(*w->count);
  }
  home.for_each_visitor(
      [&](const worker& w) { shown.ended.counted += counters::read_block(*w.count); });
  shown.ended.present.num_stacks_made += static_cast<std::int64_t>(home.stacks().num_made());
  try {
    keep_last_reading(home, shown.ended_pools);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): its counters are gone, then
  }
}

}  // namespace weft::tasks::detail
