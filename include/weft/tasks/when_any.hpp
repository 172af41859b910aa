// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A future for several: ready when one, or some, of them are.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tasks/detail/futures/gate.hpp"

namespace weft {

/// The result of `when_any_ready`: all futures, and which of them was ready first.
template <class Sequence>
struct when_any_result {
  static constexpr std::size_t none = ~std::size_t{0};

  std::size_t index = none;  // `none` if there are no futures
  Sequence futures;
};

/// The result of `when_some_ready`: all futures, and which of them were ready first, in that order.
template <class Sequence>
struct when_some_result {
  std::vector<std::size_t> indices;
  Sequence futures;
};

namespace tasks::detail {

[[noreturn]] void throw_too_many_needed(std::size_t num_needed, std::size_t num_futures);

/// Notes the first few of several futures, and outlives them: those that are late find it, too.
template <class Result>
class selection {
 public:
  selection(plain_block<Result>& target, std::size_t num_futures, std::size_t num_needed)
      : nodes_(std::make_unique<node[]>(num_futures)),
        order_(num_needed),
        num_needed_(num_needed),
        num_missing_(num_needed + 1),
        target_(&target) {}

  /// Attaches itself to the target's futures until enough are ready; frees itself some day.
  void begin() noexcept {
    std::size_t index = 0;
    std::size_t num_begun = 0;
    auto attach_one = [&](auto& each) {
      if (num_arrived_.load(std::memory_order_relaxed) >= num_needed_) {
        return;
      }
      node& mine = nodes_[index];
      mine.owner = this;
      mine.index = index++;
      future_state& state = *future_access::state_of(each);
      if (state.is_unstarted()) {
        if (num_begun == num_needed_) {
          return;
        }
        ++num_begun;
        start_unstarted(state);
      }
      num_users_.fetch_add(1, std::memory_order_relaxed);
      if (!attach(state, mine)) {
        num_users_.fetch_sub(1, std::memory_order_relaxed);
        static_cast<void>(note(mine.index));  // never the last: this function counts down itself
      }
    };
    for_each_future(target_->value.futures, attach_one);
    if (count_down()) {
      finish_and_resume(*target_, complete());
    }
    release();
  }

 private:
  struct node : dependent {
    node() noexcept : dependent(&arrive) {}
    selection* owner = nullptr;
    std::size_t index = 0;
  };

  static void arrive(dependent& d, completions& all) noexcept {
    auto& arrived = static_cast<node&>(d);
    selection& me = *arrived.owner;
    if (me.note(arrived.index)) {
      all.finish(*me.target_, me.complete());
    }
    me.release();
  }

  /// True for the last one that is needed; those that come later count nothing.
  bool note(std::size_t index) noexcept {
    const std::size_t position = num_arrived_.fetch_add(1, std::memory_order_relaxed);
    if (position >= num_needed_) {
      return false;
    }
    order_[position] = index;
    return count_down();
  }
  // acq_rel: the last one sees what all others wrote
  bool count_down() noexcept { return num_missing_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

  std::uintptr_t complete() noexcept {
    Result& result = target_->value;
    if constexpr (requires { result.index; }) {
      result.index = order_.empty() ? Result::none : order_.front();
    } else {
      result.indices = std::move(order_);
    }
    return task::finished;
  }

  void release() noexcept {
    if (num_users_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

  std::unique_ptr<node[]> nodes_;
  std::vector<std::size_t> order_;
  const std::size_t num_needed_;
  std::atomic<std::size_t> num_arrived_{0};
  std::atomic<std::size_t> num_missing_;  // arrivals, and `begin`
  std::atomic<std::size_t> num_users_{1};
  plain_block<Result>* target_;
};

template <template <class> class Result, class Inputs>
future<Result<Inputs>> when_selected(Inputs inputs, std::size_t num_needed) {
  require_all_valid(inputs);
  std::size_t num_futures = 0;
  auto count = [&num_futures](auto& /*future*/) { ++num_futures; };
  for_each_future(inputs, count);
  if (num_needed > num_futures) {
    throw_too_many_needed(num_needed, num_futures);
  }
  using result_type = Result<Inputs>;
  auto* block = make_block<plain_block<result_type>>(self());
  future<result_type> result = future_access::make<result_type>(block);
  std::unique_ptr<selection<result_type>> select;
  try {
    select = std::make_unique<selection<result_type>>(*block, num_futures, num_needed);
  } catch (...) {
    finish_and_resume(*block, block->fail(std::current_exception()));
    throw;
  }
  block->emplace(result_type{{}, std::move(inputs)});
  select.release()->begin();
  return result;
}

}  // namespace tasks::detail

/// A future that is ready when one of these futures is: for all of them, and which it was. Futures
/// are moved in, lvalues too; shared futures are copied. Of those that are deferred it starts the
/// first, and no more than are needed.
///
/// Errors:  `future_error` (no_state) if one is not valid.
/// Example: tests/tasks/when_any_test.cpp: tells_the_first_that_is_ready.
template <any_future... Futures>
auto when_any_ready(Futures&&... futures) {
  using inputs = std::tuple<std::decay_t<Futures>...>;
  return tasks::detail::when_selected<when_any_result>(
      inputs(tasks::detail::own_future(futures)...), sizeof...(Futures) == 0 ? 0 : 1);
}
/// The same for a container of futures, which keeps its type, or another range (std::vector). A
/// named container keeps its size, and its futures are no longer valid.
template <tasks::detail::owned_range_of_futures Range>
auto when_any_ready(Range&& futures) {
  auto inputs = tasks::detail::own_futures(std::forward<Range>(futures));
  const std::size_t num_needed = std::ranges::empty(inputs) ? 0 : 1;
  return tasks::detail::when_selected<when_any_result>(std::move(inputs), num_needed);
}
template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel>
  requires any_future<std::iter_value_t<Iterator>>
auto when_any_ready(Iterator first, Sentinel last) {
  return when_any_ready(tasks::detail::collect_futures(std::move(first), std::move(last)));
}

/// A future that is ready when `num_needed` of these futures are; else as `when_any_ready`.
/// Errors:  `weft::error` if there are fewer futures.
template <any_future... Futures>
auto when_some_ready(std::size_t num_needed, Futures&&... futures) {
  using inputs = std::tuple<std::decay_t<Futures>...>;
  return tasks::detail::when_selected<when_some_result>(
      inputs(tasks::detail::own_future(futures)...), num_needed);
}
template <tasks::detail::owned_range_of_futures Range>
auto when_some_ready(std::size_t num_needed, Range&& futures) {
  return tasks::detail::when_selected<when_some_result>(
      tasks::detail::own_futures(std::forward<Range>(futures)), num_needed);
}
template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel>
  requires any_future<std::iter_value_t<Iterator>>
auto when_some_ready(std::size_t num_needed, Iterator first, Sentinel last) {
  return when_some_ready(num_needed,
                         tasks::detail::collect_futures(std::move(first), std::move(last)));
}

}  // namespace weft
