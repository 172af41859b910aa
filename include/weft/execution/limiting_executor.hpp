// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An executor that limits the number of calls of another one in flight.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/execution/detail/limit.hpp"
#include "weft/execution/executor.hpp"
#include "weft/tasks/future.hpp"

namespace weft::execution {

/// Runs calls on `Executor`; at the limit, a further submission blocks until a call has ended.
///
/// Copies share one count. A call counts from its start to its end. A continuation counts once its
/// future is ready. A parallel algorithm counts once for its caller and once for each worker that
/// helps. Do not start calls from within calls if all that are allowed may do so at once: each
/// would wait for the others.
/// Threads: any; waiting suspends the task.
/// Example: tests/execution/limiting_executor_test.cpp: never_more_than_the_limit_run_at_once.
template <executor Executor>
class limiting_executor {
 public:
  /// At most `most` in flight. Errors: `weft::error` for 0.
  limiting_executor(Executor inner, std::size_t most)
      : limiting_executor(std::move(inner), most == 0 ? 0 : most - 1, most) {}
  /// At most `most` in flight; once there are, none is added until only `resume_at` are left.
  /// Errors: `weft::error` unless `resume_at` < `most`.
  limiting_executor(Executor inner, std::size_t resume_at, std::size_t most)
      : inner_(std::move(inner)), limit_(std::make_shared<detail::limit>(resume_at, most)) {}

  friend bool operator==(const limiting_executor& a, const limiting_executor& b) noexcept {
    return a.limit_ == b.limit_;
  }

  [[nodiscard]] const Executor& inner() const noexcept { return inner_; }
  [[nodiscard]] std::size_t num_workers() const {
    return std::min(static_cast<std::size_t>(inner_.num_workers()), limit_->most());
  }
  [[nodiscard]] std::size_t in_flight() const { return limit_->in_flight(); }
  /// Returns when nothing is in flight. Not for calls that are.
  void wait() const { limit_->wait_until_idle(); }

  template <std::invocable F>
  void execute(F&& f) const {
    inner_.execute(limited(std::forward<F>(f)));
  }
  /// As `execute`, or nothing if it would have to wait.
  template <std::invocable F>
  bool try_execute(F&& f) const {
    std::optional<detail::permit> held = limit_->try_acquire();
    if (!held) {
      return false;
    }
    inner_.execute(detail::limited_call<std::decay_t<F>>(*std::move(held), std::forward<F>(f)));
    return true;
  }
  /// Counts the calling thread, which takes part in an algorithm, while this object lives.
  [[nodiscard]] auto scope() const { return limit_->acquire(); }

  template <class F, class... Args>
  void post(F&& f, Args&&... args) const {
    execution::post(inner_, limited(std::forward<F>(f)), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  auto async_execute(F&& f, Args&&... args) const {
    return execution::async_execute(
        inner_, limited(std::forward<F>(f)), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  decltype(auto) sync_execute(F&& f, Args&&... args) const {
    const detail::permit ends_with_this_call = limit_->acquire();
    return execution::sync_execute(inner_, std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, any_future Future, class... Args>
  auto then_execute(F&& f, Future&& before, Args&&... args) const {
    return execution::then_execute(
        inner_,
        [limit = limit_, f = std::decay_t<F>(std::forward<F>(f))](auto&&... all) mutable {
          const detail::permit ends_with_this_call = limit->acquire();
          return std::invoke(std::move(f), std::forward<decltype(all)>(all)...);
        },
        std::forward<Future>(before),
        std::forward<Args>(args)...);
  }

 private:
  template <class F>
  [[nodiscard]] auto limited(F&& f) const {
    return detail::limited_call<std::decay_t<F>>(limit_->acquire(), std::forward<F>(f));
  }

  Executor inner_;
  std::shared_ptr<detail::limit> limit_;
};

}  // namespace weft::execution
