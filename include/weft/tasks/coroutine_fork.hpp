// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Awaits several coroutine tasks at once, in parallel if other workers have time.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "weft/tasks/detail/futures/coroutine_fork.hpp"
#include "weft/tasks/detail/futures/coroutine_outcome.hpp"
#include "weft/tasks/lazy_task.hpp"

namespace weft {
namespace tasks::detail {

template <class T>
using joined_value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

/// A fixed number of tasks.
template <class... T>
class fork_awaiter : public basic_fork<fork_awaiter<T...>> {
 public:
  explicit fork_awaiter(weft::lazy_task<T>&... tasks) noexcept : children_{release(tasks)...} {
    std::apply(
        [this](outcome<T>&... results) {
          std::size_t i = 0;
          ((children_[i++].promise().result = &results), ...);
        },
        results_);
  }
  fork_awaiter(const fork_awaiter&) = delete;
  fork_awaiter& operator=(const fork_awaiter&) = delete;
  ~fork_awaiter() {
    for (std::size_t i = num_started_; i < sizeof...(T); ++i) {
      children_[i].destroy();
    }
  }

  auto await_resume() {
    return std::apply(
        [](outcome<T>&... results) {
          (results.rethrow_if_failed(), ...);
          if constexpr (!(std::is_void_v<T> && ...)) {
            return std::tuple<joined_value<T>...>(take_value(results)...);
          }
        },
        results_);
  }

 private:
  friend basic_fork<fork_awaiter>;
  static constexpr bool may_lack_children = false;
  static constexpr bool is_offered_once = sizeof...(T) <= 2;

  template <class Result>
  static joined_value<Result> take_value(outcome<Result>& result) {
    if constexpr (std::is_void_v<Result>) {
      return {};
    } else {
      return result.take();
    }
  }

  coroutine start_next() noexcept { return children_[num_started_++]; }
  [[nodiscard]] bool is_at_end() const noexcept { return num_started_ == sizeof...(T); }

  std::array<coroutine, sizeof...(T)> children_;
  std::uint32_t num_started_ = 0;
  std::tuple<outcome<T>...> results_;
};

/// Tasks to be awaited together.
template <class... T>
class [[nodiscard]] forked_tasks {
 public:
  explicit forked_tasks(weft::lazy_task<T>&... tasks) noexcept : tasks_(std::move(tasks)...) {}

  auto operator co_await() && noexcept {
    return std::apply([](auto&... tasks) { return fork_awaiter<T...>(tasks...); }, tasks_);
  }
  using detaches_itself = void;

 private:
  std::tuple<weft::lazy_task<T>...> tasks_;
};

template <class Range>
struct task_range;
template <class Range>
  requires requires {
    typename std::remove_cvref_t<std::ranges::range_reference_t<Range>>::promise_type;
  }
struct task_range<Range> {
  using task_type = std::remove_cvref_t<std::ranges::range_reference_t<Range>>;
  using value = typename task_type::value_type;
  static constexpr bool is_of_tasks = std::same_as<task_type, weft::lazy_task<value>>;
};

/// A range whose elements are tasks that may be consumed: made on the fly, or in an rvalue.
template <class Range>
concept consumable_tasks = std::ranges::input_range<Range> && task_range<Range>::is_of_tasks &&
                           (!std::is_lvalue_reference_v<Range> ||
                            !std::is_lvalue_reference_v<std::ranges::range_reference_t<Range>>);

/// As many tasks as a view gives; each is made when it is started.
template <class View>
class fork_all_awaiter : public basic_fork<fork_all_awaiter<View>> {
  using value = typename task_range<View>::value;

 public:
  explicit fork_all_awaiter(View tasks, std::size_t count)
      : results_(count), view_(std::move(tasks)), next_(std::ranges::begin(view_)) {}

  [[nodiscard]] bool await_ready() const noexcept { return results_.empty(); }

  auto await_resume() {
    for (const auto& result : results_) {
      result.rethrow_if_failed();
    }
    if constexpr (!std::is_void_v<value>) {
      std::vector<value> values;
      values.reserve(results_.size());
      for (auto& result : results_) {
        values.push_back(result.take());
      }
      return values;
    }
  }

 private:
  friend basic_fork<fork_all_awaiter>;
  static constexpr bool may_lack_children = true;
  static constexpr bool is_offered_once = false;

  coroutine start_next() noexcept {
    outcome<value>& result = results_[num_started_++];
    try {
      if (num_started_ > 1) {
        ++next_;
      }
      weft::lazy_task<value> fresh(std::move(*next_));
      const coroutine child = release(fresh);
      child.promise().result = &result;
      return child;
    } catch (...) {
      result.set_error(std::current_exception());
      return nullptr;
    }
  }
  [[nodiscard]] bool is_at_end() const noexcept { return num_started_ == results_.size(); }

  std::size_t num_started_ = 0;
  std::vector<outcome<value>> results_;
  View view_;
  std::ranges::iterator_t<View> next_;
};

template <class View>
class [[nodiscard]] joined_view {
 public:
  joined_view(View tasks, std::size_t count) : tasks_(std::move(tasks)), count_(count) {}

  auto operator co_await() && { return fork_all_awaiter<View>(std::move(tasks_), count_); }
  using detaches_itself = void;

 private:
  View tasks_;
  std::size_t count_;
};

}  // namespace tasks::detail

/// Awaits all of `tasks` at once: `auto [x, y] = co_await weft::fork(f(1), g(2));`
///
/// The first task runs here, as if it were awaited alone. Another worker may take the rest of the
/// fork, and the code after it, meanwhile. A result of type void is std::monostate; if all are
/// void, nothing is returned.
/// Cost:    as awaiting one task after the other, and about ten instructions for each but the last;
///          no atomic read-modify-write unless another worker takes something.
/// Threads: to be awaited by coroutines. The code after it may run on another OS thread.
/// Errors:  all tasks run to their end; then the first exception in the order of the arguments is
///          rethrown.
/// Example: tests/tasks/coroutine_fork_test.cpp: returns_results_in_order
template <class... T>
  requires(sizeof...(T) > 0)
auto fork(lazy_task<T>... tasks) noexcept {
  return tasks::detail::forked_tasks<T...>(tasks...);
}

/// Awaits all tasks of a range at once, and returns their results in a vector; nothing for tasks
/// without a result. `co_await weft::fork_all(std::views::iota(0, n) | std::views::transform(f))`
/// makes each task only when it starts; a container of tasks must be moved in.
///
/// Cost:    as `fork`, and one allocation for the results.
/// Errors:  as `fork`; if making a task throws, those after it do not run.
/// Example: tests/tasks/coroutine_fork_test.cpp: fork_all_of_a_view_returns_results_in_order
template <class Range>
  requires tasks::detail::consumable_tasks<Range>
auto fork_all(Range&& tasks) {
  if constexpr (std::ranges::sized_range<Range>) {
    const auto count = static_cast<std::size_t>(std::ranges::size(tasks));
    using view = std::views::all_t<Range>;
    return tasks::detail::joined_view<view>(std::views::all(std::forward<Range>(tasks)), count);
  } else {
    std::vector<typename tasks::detail::task_range<Range>::task_type> all;
    for (auto&& each : tasks) {
      all.push_back(std::move(each));
    }
    return fork_all(std::move(all));
  }
}

}  // namespace weft
