// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A point where a fixed number of tasks meet repeatedly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <source_location>
#include <type_traits>
#include <utility>

#include "weft/base/assert.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"

namespace weft {
namespace tasks::detail {

/// What barrier is without its completion function.
class barrier_base {
 public:
  constexpr explicit barrier_base(std::ptrdiff_t count) noexcept
      : num_expected_(count), num_missing_(count) {}
  barrier_base(const barrier_base&) = delete;
  barrier_base& operator=(const barrier_base&) = delete;
  ~barrier_base() = default;

  /// What `arrive` found: `is_last` must complete the phase, then call `next_phase`.
  struct arrival_result {
    std::uint64_t phase;
    bool is_last;
  };
  arrival_result arrive(std::ptrdiff_t num_arrived, bool for_good);
  void next_phase() noexcept;
  void wait(std::uint64_t phase, const std::source_location& where);

 private:
  spin_lock guard_;
  std::ptrdiff_t num_expected_;
  std::ptrdiff_t num_missing_;
  std::uint64_t phase_ = 0;
  wait_queue queue_;
};

struct no_completion {
  void operator()() const noexcept {}
};

}  // namespace tasks::detail

/// A barrier for tasks and OS threads alike, with the members and the meaning of std::barrier.
///
/// The last to arrive calls the completion function, which may wait, and then resumes all others.
/// Cost:    two locked instructions to arrive; no allocation.
/// Errors:  more arrivals than expected are reported in debug builds; `weft::error` if no stack is
///          left for the worker; then the call has not arrived.
/// Example: tests/tasks/barrier_test.cpp: nobody_is_a_phase_ahead.
template <class Completion = tasks::detail::no_completion>
class barrier {
  static_assert(std::is_nothrow_invocable_v<Completion&>,
                "a barrier's completion function must be noexcept");

 public:
  /// Names the phase of an arrival; give it to `wait`.
  class arrival_token {
   public:
    arrival_token(arrival_token&&) noexcept = default;
    arrival_token& operator=(arrival_token&&) noexcept = default;
    ~arrival_token() = default;

   private:
    friend class barrier;
    explicit arrival_token(std::uint64_t phase) noexcept : phase_(phase) {}
    std::uint64_t phase_;
  };

  constexpr explicit barrier(std::ptrdiff_t count, Completion completion = Completion())
      : base_(count), completion_(std::move(completion)) {
    WEFT_ASSERT(count >= 0, "a barrier cannot expect less than nobody");
  }

  static constexpr std::ptrdiff_t max() noexcept {
    return std::numeric_limits<std::ptrdiff_t>::max();
  }

  [[nodiscard]] arrival_token arrive(std::ptrdiff_t num_arrived = 1) {
    return arrival_token(arrive_in_phase(num_arrived, false));
  }
  void wait(arrival_token&& token,
            const std::source_location& where = std::source_location::current()) {
    base_.wait(token.phase_, where);
  }
  void arrive_and_wait(const std::source_location& where = std::source_location::current()) {
    if constexpr (!can_completion_wait) {
      tasks::detail::require_way_to_wait();
    }
    base_.wait(arrive_in_phase(1, false), where);
  }
  /// Arrives for this phase and is not expected in later ones.
  void arrive_and_drop() { arrive_in_phase(1, true); }

 private:
  static constexpr bool can_completion_wait =
      !std::is_same_v<Completion, tasks::detail::no_completion>;

  std::uint64_t arrive_in_phase(std::ptrdiff_t num_arrived, bool for_good) {
    if constexpr (can_completion_wait) {
      tasks::detail::require_way_to_wait();
    }
    const auto result = base_.arrive(num_arrived, for_good);
    if (result.is_last) {
      completion_();
      base_.next_phase();
    }
    return result.phase;
  }

  tasks::detail::barrier_base base_;
  [[no_unique_address]] Completion completion_;
};

}  // namespace weft
