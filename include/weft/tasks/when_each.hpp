// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles several futures one by one, in the order in which they become ready.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/gate.hpp"

namespace weft {

namespace tasks::detail {

/// Calls `visit` with future number `index` of `inputs`.
template <class Inputs, class Visit>
void visit_future(Inputs& inputs, std::size_t index, Visit& visit) {
  if constexpr (tuple_of_futures<Inputs> && !range_of_futures<Inputs>) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((i == index ? visit(std::get<i>(inputs)) : void()), ...);
    }(std::make_index_sequence<std::tuple_size_v<Inputs>>());
  } else {
    visit(*std::next(std::ranges::begin(inputs), static_cast<std::ptrdiff_t>(index)));
  }
}

/// A task that is queued whenever futures are ready which it has not handled.
template <class F, class Inputs>
class when_each_block final : public result_state<void> {
 public:
  template <class G>
  when_each_block(G&& g, Inputs&& inputs, std::size_t num_futures)
      : result_state<void>(run, calls),
        f_(std::forward<G>(g)),
        inputs_(std::move(inputs)),
        nodes_(std::make_unique<node[]>(num_futures + 1)),
        num_left_(num_futures + 1),
        home_(self() != nullptr ? self()->home : nullptr) {}

  void begin() noexcept {
    node* unused = nodes_.get();
    auto attach_one = [&](auto& each) {
      unused->owner = this;
      unused->index = static_cast<std::size_t>(unused - nodes_.get());
      future_state& state = *future_access::state_of(each);
      start_unstarted(state);
      if (!attach(state, *unused)) {
        arrive(*unused);
      }
      ++unused;
    };
    for_each_future(inputs_, attach_one);
    unused->owner = this;
    unused->index = end_of_begin;
    arrive(*unused);
  }

 private:
  static constexpr std::size_t end_of_begin = ~std::size_t{0};

  struct node : dependent {
    node() noexcept
        : dependent([](dependent& d, completions& /*all*/) noexcept {
            auto& me = static_cast<node&>(d);
            me.owner->arrive(me);
          }) {}
    when_each_block* owner = nullptr;
    std::size_t index = 0;
  };

  void arrive(node& ready) noexcept {
    dependent* first = arrived_.load(std::memory_order_relaxed);
    do {
      ready.next = first;
      // release: pairs with the acquire in take_arrived()
    } while (!arrived_.compare_exchange_weak(
        first, &ready, std::memory_order_release, std::memory_order_relaxed));
    // acq_rel: passes the block from one run to the next
    if (num_unhandled_.fetch_add(1, std::memory_order_acq_rel) == 0) {
      start_surely(home_, *this);
    }
  }

  node& take_arrived() noexcept {
    if (in_order_ == nullptr) {
      dependent* last = arrived_.exchange(nullptr, std::memory_order_acquire);
      while (last != nullptr) {
        dependent* const rest = last->next;
        last->next = in_order_;
        in_order_ = last;
        last = rest;
      }
    }
    auto& first = static_cast<node&>(*in_order_);
    in_order_ = first.next;
    return first;
  }

  static waiter* run(task& t) noexcept {
    auto& me = static_cast<when_each_block&>(static_cast<future_state&>(t));
    do {
      const node& ready = me.take_arrived();
      if (ready.index != end_of_begin && me.raised_ == nullptr) {
        me.handle(ready.index);
      }
      if (--me.num_left_ == 0) {
        return finish(me, me.raised_ ? me.fail(me.raised_) : me.emplace());
      }
    } while (me.num_unhandled_.fetch_sub(1, std::memory_order_acq_rel) != 1);
    return nullptr;
  }

  void handle(std::size_t index) noexcept {
    auto call = [this, index](auto& ready) {
      if constexpr (std::invocable<F&, std::size_t, decltype(own_future(ready))>) {
        f_(index, own_future(ready));
      } else {
        f_(own_future(ready));
      }
    };
    try {
      visit_future(inputs_, index, call);
    } catch (...) {
      raised_ = std::current_exception();
    }
  }

  static void call(result_state<void>& state) {
    const state_owner<void> owner(&state);
    run_here(state, false);
    wait_until_final(state, wait_reason{"when_each", &state});
    state.take();
  }
  static future_state* drop(future_state& state) noexcept {
    auto& me = static_cast<when_each_block&>(state);
    me.destroy_result();
    destroy_block(me);
    return nullptr;
  }
  static constexpr typed_operations calls{{drop}, call};

  F f_;
  Inputs inputs_;
  std::unique_ptr<node[]> nodes_;
  std::atomic<dependent*> arrived_{nullptr};   // last first
  std::atomic<std::size_t> num_unhandled_{0};  // whoever raises it from 0 queues the task
  dependent* in_order_ = nullptr;              // the task's own, as all that follows
  std::size_t num_left_;
  std::exception_ptr raised_;
  scheduler* home_;
};

template <class F, class Inputs>
future<void> when_each_of(F&& f, Inputs inputs) {
  require_all_valid(inputs);
  std::size_t num_futures = 0;
  auto count = [&num_futures](auto& /*future*/) { ++num_futures; };
  for_each_future(inputs, count);
  using block_type = when_each_block<std::decay_t<F>, Inputs>;
  auto* block = make_block<block_type>(self(), std::forward<F>(f), std::move(inputs), num_futures);
  future<void> result = future_access::make<void>(block);
  block->begin();
  return result;
}

}  // namespace tasks::detail

/// Calls `f(future)`, or `f(index, future)`, for each of these futures as soon as it is ready, one
/// call at a time. The future that is returned is ready after the last call.
///
/// The calls run as tasks of the runtime at hand. After a call has thrown, there are no more.
/// Errors:  `future_error` (no_state) if one is not valid. The first exception that `f` throws is
///          for the returned future's owner, once all futures are ready.
/// Example: tests/tasks/when_any_test.cpp:
///          when_each_calls_in_the_order_of_readiness.
template <class F, any_future... Futures>
  requires(!any_future<F>)
future<void> when_each(F&& f, Futures&&... futures) {
  return tasks::detail::when_each_of(
      std::forward<F>(f),
      std::tuple<std::decay_t<Futures>...>(tasks::detail::own_future(futures)...));
}
template <class F, tasks::detail::owned_range_of_futures Range>
future<void> when_each(F&& f, Range&& futures) {
  return tasks::detail::when_each_of(std::forward<F>(f),
                                     tasks::detail::own_futures(std::forward<Range>(futures)));
}
template <class F, std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel>
  requires any_future<std::iter_value_t<Iterator>>
future<void> when_each(F&& f, Iterator first, Sentinel last) {
  return tasks::detail::when_each_of(
      std::forward<F>(f), tasks::detail::collect_futures(std::move(first), std::move(last)));
}

}  // namespace weft
