// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random delays between the steps of the runtime's protocols.
#include "tasks/disturb.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sched.h>

#include "weft/tasks/detail/spin_lock.hpp"

namespace weft::tests {
namespace {

disturbance current;
std::optional<tasks::detail::safety_step> left_out;
std::atomic<bool> migration_is_forced{false};

constexpr std::size_t line_bytes = 64;
struct alignas(line_bytes) line {
  std::atomic<std::uint32_t> word;
};
std::array<line, std::size_t{1} << 19> cold_lines;  // 32 MiB: more than a cache near a core

std::uint32_t next_random() noexcept {
  static std::atomic<std::uint32_t> num_threads{0};
  thread_local std::uint32_t state = 2654435769U * (num_threads.fetch_add(1) + 1);
  state ^= state << 13;  // Marsaglia's xorshift
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

bool happens(unsigned every) noexcept { return every != 0 && next_random() % every == 0; }

void flood_store_buffer() noexcept {
  constexpr int num_stores = 12;
  for (int i = 0; i < num_stores; ++i) {
    cold_lines[next_random() % cold_lines.size()].word.store(1, std::memory_order_relaxed);
  }
}

}  // namespace

void set_disturbance(const disturbance& wanted) noexcept { current = wanted; }
void force_migration(bool wanted) noexcept { migration_is_forced = wanted; }
void leave_out(std::optional<tasks::detail::safety_step> step) noexcept { left_out = step; }

}  // namespace weft::tests

namespace weft::tasks::detail {

bool forces_migration() noexcept { return tests::migration_is_forced; }

void disturb() noexcept {
  if (tests::happens(tests::current.flood_every)) {
    tests::flood_store_buffer();
  }
  if (tests::happens(tests::current.pause_every)) {
    for (std::uint32_t left = tests::next_random() % 64; left != 0; --left) {
      spin_pause();
    }
  }
  if (tests::happens(tests::current.yield_every)) {
    sched_yield();
  }
}

bool leaves_out(safety_step step) noexcept { return tests::left_out == step; }

}  // namespace weft::tasks::detail
