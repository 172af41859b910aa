// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random delays between the steps of the runtime's protocols.
#include "tasks/disturb.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include <sched.h>

#include "weft/tasks/detail/scheduler/disturb.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"

namespace weft::tests {
namespace {

disturbance current;
std::optional<tasks::detail::safety_step> left_out;
std::atomic<bool> migration_is_forced{false};

std::uint32_t next_random() noexcept {
  static std::atomic<std::uint32_t> num_threads{0};
  thread_local std::uint32_t state = 2654435769U * (num_threads.fetch_add(1) + 1);
  state ^= state << 13;  // Marsaglia's xorshift
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

constexpr unsigned calls_held = 8;  // of disturb(), on average

bool happens(unsigned every) noexcept { return every != 0 && next_random() % every == 0; }

// The late words whose last store others do not see yet; at most one a thread.
std::mutex holding;
std::vector<tasks::detail::late_word*> held_back;

// What this thread holds back, or held back until somebody else showed it.
struct own_store {
  tasks::detail::late_word* word = nullptr;
  ~own_store() { tasks::detail::show_stores(); }
};
thread_local own_store own;

}  // namespace

void set_disturbance(const disturbance& wanted) noexcept { current = wanted; }
void force_migration(bool wanted) noexcept { migration_is_forced = wanted; }
void leave_out(std::optional<tasks::detail::safety_step> step) noexcept { left_out = step; }

}  // namespace weft::tests

namespace weft::tasks::detail {

bool forces_migration() noexcept { return tests::migration_is_forced; }

void disturb() noexcept {
  if (tests::own.word != nullptr && tests::happens(tests::calls_held)) {
    show_stores();
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

// Under `holding`, with the word in `held_back` or about to be.
void late_word::show() noexcept {
  seen_.store(latest_.load(std::memory_order_relaxed), std::memory_order_release);
}

late_word::~late_word() {
  if (tests::own.word == this) {
    show_stores();
  }
}

std::uintptr_t late_word::load() const noexcept {
  return tests::own.word == this ? latest_.load(std::memory_order_relaxed)
                                 : seen_.load(std::memory_order_acquire);
}

void late_word::store(std::uintptr_t value) noexcept {
  show_stores();
  const std::lock_guard guard(tests::holding);
  latest_.store(value, std::memory_order_relaxed);
  if (tests::happens(tests::current.hold_every)) {
    tests::own.word = this;
    tests::held_back.push_back(this);
  } else {
    show();
  }
}

void show_stores() noexcept {
  if (tests::own.word == nullptr) {
    return;
  }
  const std::lock_guard guard(tests::holding);
  if (std::erase(tests::held_back, tests::own.word) != 0) {
    tests::own.word->show();
  }
  tests::own.word = nullptr;
}

void show_all_stores() noexcept {
  const std::lock_guard guard(tests::holding);
  for (late_word* word : tests::held_back) {
    word->show();
  }
  tests::held_back.clear();
}

}  // namespace weft::tasks::detail
