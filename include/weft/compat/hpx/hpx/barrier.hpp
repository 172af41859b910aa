// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers that suspend tasks.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>

#include <hpx/config.hpp>

#include "weft/tasks/barrier.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/mutex.hpp"

namespace hpx {

namespace compat {

/// A completion function that ends the program if it throws, as the standard's does.
template <class F>
struct nothrow_call {
  void operator()() noexcept { static_cast<void>(call()); }
  [[no_unique_address]] F call;
};

}  // namespace compat

/// weft's barrier, whose completion function need not be noexcept.
template <class Completion = weft::tasks::detail::no_completion>
class barrier : public weft::barrier<compat::nothrow_call<Completion>> {
  using base = weft::barrier<compat::nothrow_call<Completion>>;

 public:
  constexpr explicit barrier(std::ptrdiff_t count, Completion completion = Completion())
      : base(count, compat::nothrow_call<Completion>{std::move(completion)}) {}
};
template <>
class barrier<weft::tasks::detail::no_completion> : public weft::barrier<> {
 public:
  using weft::barrier<>::barrier;
};
barrier(std::ptrdiff_t) -> barrier<>;

namespace lcos::local {

/// A barrier whose number of participants can change.
///
/// Threads: any; call `count_up` and `reset` while no waiter would already be enough.
class barrier {
 public:
  explicit barrier(std::size_t num_participants) : num_expected_(num_participants) {}
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  /// Waits until all released waiters have left.
  ~barrier() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [this] { return num_inside_ == 0; });
  }

  /// Returns once as many wait as are expected.
  void wait() {
    std::unique_lock guard(mutex_);
    if (++num_waiting_ == num_expected_) {
      num_waiting_ = 0;
      ++phase_;
      changed_.notify_all();
      return;
    }
    ++num_inside_;
    changed_.wait(guard, [this, mine = phase_] { return phase_ != mine; });
    if (--num_inside_ == 0) {
      changed_.notify_all();
    }
  }
  void count_up() {
    const std::scoped_lock guard(mutex_);
    ++num_expected_;
  }
  void reset(std::size_t num_participants) {
    const std::scoped_lock guard(mutex_);
    num_expected_ = num_participants;
  }

 private:
  weft::mutex mutex_;
  weft::condition_variable changed_;
  std::size_t num_expected_;
  std::size_t num_waiting_ = 0;
  std::size_t num_inside_ = 0;  // they wait, or return now
  std::uint64_t phase_ = 0;
};

}  // namespace lcos::local
}  // namespace hpx
