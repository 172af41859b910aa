// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of problem round: forks with mutexes of any kind, and a record of their use.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "lab/inncabs/round/round.hpp"

namespace weft::lab::inncabs::round {

/// A mutex that does nothing, for a philosopher who dines alone.
struct no_mutex {
  void lock() {}
  void unlock() {}
};

/// The philosopher who uses a fork: one at a time, if the mutex works. Atomic, so that a failure of
/// the mutex can be detected.
class fork_watch {
 public:
  void take() {
    if (is_in_use_.exchange(true, std::memory_order_relaxed)) {
      num_conflicts_.fetch_add(1, std::memory_order_relaxed);
    }
    num_uses_.fetch_add(1, std::memory_order_relaxed);
  }
  void put_down() { is_in_use_.store(false, std::memory_order_relaxed); }

  [[nodiscard]] std::uint64_t num_uses() const { return num_uses_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t num_conflicts() const {
    return num_conflicts_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> is_in_use_{false};
  std::atomic<std::uint64_t> num_uses_{0};
  std::atomic<std::uint64_t> num_conflicts_{0};
};

/// Threads: `dine` by one task per philosopher, `cleared` after all of them.
template <class Mutex>
class dining_table {
 public:
  explicit dining_table(const input& of)
      : input_(of), forks_(of.num_philosophers()), meals_(of.num_philosophers()) {}

  /// Philosopher `i` eats until full; `lock(left, right)` locks both mutexes.
  void dine(std::size_t i, const auto& lock) {
    fork& left = forks_[i];
    fork& right = forks_[input_.right_fork(i)];
    for (const milliseconds course : input_.courses[i]) {
      lock(left.mutex, right.mutex);
      const std::unique_lock left_guard(left.mutex, std::adopt_lock);
      const std::unique_lock right_guard(right.mutex, std::adopt_lock);
      left.watch.take();
      right.watch.take();
      const auto start = clock::now();
      eat(course);
      meals_[i].eaten += clock::now() - start;
      ++meals_[i].num_courses;
      left.watch.put_down();
      right.watch.put_down();
    }
  }

  [[nodiscard]] result cleared() const {
    result seen;
    seen.duration = clock::now() - start_;
    seen.meals = meals_;
    for (const fork& each : forks_) {
      seen.fork_uses.push_back(each.watch.num_uses());
      seen.num_conflicts += each.watch.num_conflicts();
    }
    return seen;
  }

 private:
  using clock = std::chrono::steady_clock;

  struct alignas(64) fork {
    Mutex mutex;
    fork_watch watch;
  };

  const input& input_;
  clock::time_point start_ = clock::now();
  std::vector<fork> forks_;
  std::vector<meal> meals_;
};

}  // namespace weft::lab::inncabs::round
