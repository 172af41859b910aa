// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that begin when what they depend on is ready.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/future_access.hpp"

namespace weft::tasks::detail {

/// Empty base of continuations that depend on one future.
struct no_gate {};

/// A task with result T that a notification starts. `Body` returns the result, or a future for it.
/// `Gate` holds the nodes that notify the task.
template <class T, class Body, class Gate = no_gate>
struct continuation_block final : result_state<T>, dependent, Gate {
  using returned = std::remove_cv_t<std::invoke_result_t<Body>>;
  static constexpr bool is_nested = is_future<returned>::value;
  using inner_future = std::conditional_t<is_nested, returned, nothing>;

  template <class... Args>
  explicit continuation_block(launch when, Args&&... args) noexcept(
      std::is_nothrow_constructible_v<Body, Args...>)
      : result_state<T>(run, calls),
        dependent(notification_for(when)),
        home(self() != nullptr ? self()->home : nullptr),
        body(std::forward<Args>(args)...) {}
  ~continuation_block() {}

  /// Starts the task, for a caller that has found all inputs ready.
  void begin_here() noexcept {
    completions all;
    this->notify(*this, all);
    if (waiter* ready = all.drain()) {
      resume(*ready);
    }
  }

  scheduler* home;  // null: the runtime of the notifying thread
  [[no_unique_address]] inner_future inner;
  union {
    Body body;
  };

  /// Undoes the construction, for a caller that has not passed it on.
  void discard() noexcept {
    std::destroy_at(std::addressof(body));
    destroy_block(*this);
  }

 private:
  static continuation_block& of(dependent& d) noexcept {
    return static_cast<continuation_block&>(d);
  }
  static continuation_block& of(task& t) noexcept {
    return static_cast<continuation_block&>(static_cast<future_state&>(t));
  }

  static notify_function notification_for(launch when) noexcept {
    if (when == launch::sync) {
      return &call_queued;
    }
    switch (when.priority()) {
      case task_priority::high:
        return &queue<task_priority::high>;
      case task_priority::low:
        return &queue<task_priority::low>;
      case task_priority::normal:
        break;
    }
    return &queue<task_priority::normal>;
  }
  template <task_priority priority>
  static void queue(dependent& d, completions& /*all*/) noexcept {
    start_surely(of(d).home, of(d), priority);
  }
  static void call_queued(dependent& d, completions& all) noexcept {
    if (scheduler* const polled = polled_here()) {  // a polling thread must not wait
      start_surely(of(d).home != nullptr ? of(d).home : polled, of(d));
      return;
    }
    d.notify = [](dependent& me, completions& rest) noexcept { of(me).produce(rest); };
    all.call_later(d);
  }

  static waiter* run(task& t) noexcept {
    completions all;
    of(t).produce(all);
    return all.drain();
  }
  static T call(result_state<T>& state) {
    const state_owner<T> owner(&state);
    run_here(state, false);
    wait_until_final(state, wait_reason{"future", &state});
    return state.take();
  }

  void produce(completions& all) noexcept {
    if constexpr (is_nested) {
      std::exception_ptr raised;
      try {
        const body_end end{*this};
        inner = std::move(body)();
        if (!inner.valid()) {
          throw_future_error(future_errc::no_state);
        }
      } catch (...) {
        raised = std::current_exception();
      }
      if (raised != nullptr) {  // after the handler, so that only the future has the exception
        all.finish(*this, this->fail(std::move(raised)));
        return;
      }
      follow(all);
    } else {
      all.finish(*this, this->fill([this]() -> T {
        const body_end end{*this};
        return std::move(body)();
      }));
    }
  }

  void follow(completions& all) noexcept {
    future_state& state = *future_access::state_of(inner);
    start_unstarted(state);
    this->notify = &pass_on;
    if (!attach(state, *this)) {
      pass_on(*this, all);
    }
  }
  static void pass_on(dependent& d, completions& all) noexcept {
    if constexpr (is_nested) {
      continuation_block& me = of(d);
      const std::uintptr_t outcome = me.fill([&me]() -> T {
        const inner_future taken = std::move(me.inner);
        return const_cast<inner_future&>(taken).get();
      });
      all.finish(me, outcome);
    }
  }

  static future_state* drop(future_state& state) noexcept {
    auto& me = static_cast<continuation_block&>(state);
    me.destroy_result();
    destroy_block(me);
    return nullptr;
  }

  struct body_end {
    continuation_block& block;
    ~body_end() { std::destroy_at(std::addressof(block.body)); }
  };
  static constexpr typename result_state<T>::typed_operations calls{{drop}, call};
};

/// Calls `f(source)` once. The callable is copied first: if that throws, the source is unchanged.
template <class Source, class F>
struct bound_continuation {
  template <class G>
  bound_continuation(G&& g, Source&& from) noexcept(std::is_nothrow_constructible_v<F, G>)
      : f(std::forward<G>(g)), source(std::move(from)) {}

  decltype(auto) operator()() {
    return std::apply(std::move(f), std::tuple<Source>(std::move(source)));
  }

  [[no_unique_address]] F f;
  Source source;
};

/// For launch::deferred: waits for the source, and for the inner future if there is one.
template <class T, class Source, class F>
struct deferred_continuation : bound_continuation<Source, F> {
  using bound_continuation<Source, F>::bound_continuation;

  T operator()() {
    this->source.wait();
    using base = bound_continuation<Source, F>;
    if constexpr (is_future<std::remove_cv_t<std::invoke_result_t<base>>>::value) {
      return base::operator()().get();
    } else {
      return base::operator()();
    }
  }

  /// Returns the state whose future this task holds, for code that drops the task.
  future_state* release_source() noexcept {
    if constexpr (std::copyable<Source>) {
      return nullptr;  // other futures share it
    } else {
      return future_access::release(this->source);
    }
  }
};

template <class Source, class F>
future<continuation_value<F, Source>> continue_with(launch policy, Source source, F&& f) {
  using value_type = continuation_value<F, Source>;
  using callable = std::decay_t<F>;
  if (policy == launch::deferred) {
    using body_type = deferred_continuation<value_type, Source, callable>;
    auto* block = make_block<task_block<value_type, body_type>>(
        self(), std::forward<F>(f), std::move(source));
    block->done.store(future_state::unstarted, std::memory_order_relaxed);
    return future_access::make<value_type>(block);
  }
  future_state& state = *future_access::state_of(source);
  using block_type = continuation_block<value_type, bound_continuation<Source, callable>>;
  auto* block = make_block<block_type>(self(), policy, std::forward<F>(f), std::move(source));
  future<value_type> result = future_access::make<value_type>(block);
  start_unstarted(state);
  if (!attach(state, *block)) {
    block->begin_here();
  }
  return result;
}

}  // namespace weft::tasks::detail
