// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that all tasks of a branch-and-bound search share: the best solution so far, and how
// many more tasks may be made.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

namespace weft::lab::inncabs {

/// Lowers `target` to `value` and returns true, unless it is already as low.
///
/// Relaxed: the value is only compared with; the data that belongs to it is passed by other means.
template <class Value>
bool fetch_min(std::atomic<Value>& target, Value value) noexcept {
  Value seen = target.load(std::memory_order_relaxed);
  while (value < seen) {
    if (target.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

/// The cheapest solution found so far.
/// Threads: `bound` and `offer` may be called by any task; `solution` after all of them.
template <class Solution>
class incumbent {
 public:
  explicit incumbent(std::int64_t worse_than_all) : bound_(worse_than_all), cost_(worse_than_all) {}

  /// The cost that a branch has to stay below. An outdated value prunes less, never wrongly.
  [[nodiscard]] std::int64_t bound() const noexcept {
    return bound_.load(std::memory_order_relaxed);
  }

  void offer(std::int64_t cost, const Solution& found) {
    if (!fetch_min(bound_, cost)) {
      return;
    }
    // A spin lock: improvements are rare, and no task is suspended while it copies a solution.
    const std::scoped_lock guard(mutex_);
    if (cost < cost_) {
      cost_ = cost;
      solution_ = found;
    }
  }

  [[nodiscard]] std::int64_t cost() const noexcept { return cost_; }
  [[nodiscard]] const Solution& solution() const noexcept { return solution_; }

 private:
  alignas(64) std::atomic<std::int64_t> bound_;  // read by every task: alone on its cache line
  alignas(64) std::mutex mutex_;
  std::int64_t cost_;
  Solution solution_{};
};

/// Counts tasks down from a limit, if there is one. The searched part of a tree depends on the
/// order of the tasks, so only runs with equal numbers of tasks can be compared.
/// Source: Grubel et al., IPDPSW 2016, section V.D.
class task_budget {
 public:
  explicit task_budget(std::optional<std::uint64_t> limit)
      : is_limited_(limit.has_value()), limit_(limit.value_or(0)) {}

  /// Returns true if one more task may be made, which then counts as made.
  bool take() noexcept {
    return !is_limited_ || taken_.fetch_add(1, std::memory_order_relaxed) < limit_;
  }

  /// Returns true once a task was refused.
  [[nodiscard]] bool is_exceeded() const noexcept {
    return is_limited_ && taken_.load(std::memory_order_relaxed) > limit_;
  }

 private:
  bool is_limited_;
  std::uint64_t limit_;
  alignas(64) std::atomic<std::uint64_t> taken_{0};  // written by every task of a limited search
};

}  // namespace weft::lab::inncabs
