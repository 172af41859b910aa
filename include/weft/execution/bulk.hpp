// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function for every index of a range, on all workers if they are weft's.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/inline_scheduler.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"
#include "weft/execution/task_scheduler.hpp"

namespace weft::execution {

struct bulk_t;
struct bulk_chunked_t;
struct bulk_unchunked_t;

namespace detail {

/// weft's execution policies, and whatever else says whether it allows calls in parallel.
template <class Policy>
concept bulk_policy = requires {
  { std::remove_cvref_t<Policy>::is_parallel } -> std::convertible_to<bool>;
};

/// For calls without a policy.
struct in_parallel {
  static constexpr bool is_parallel = true;
};

/// Calls of `run(first, last)` that cover a range.
struct chunk_call {
  void (*run)(void* context, std::size_t first, std::size_t last);
  void* context;
};

/// Covers [0, n) with calls, on all workers of the calling task's runtime; without a worker, in one
/// call here. Returns when all have ended.
/// `grain`: indices per call; 0: chosen from n and the workers.
/// Errors:  rethrows what calls throw, that of the least index among the calls that were made.
void run_chunks(std::size_t n, std::size_t grain, const chunk_call& call);

/// True if what completes on this scheduler may go on on all workers, if it is one that completes.
template <class Scheduler>
inline constexpr bool is_bulk_parallel =
    is_any_workers<Scheduler> || std::same_as<Scheduler, task_scheduler>;

/// A scheduler that is not weft's keeps its work to itself.
template <class Child, class Env>
constexpr bool keeps_to_its_scheduler() {
  if constexpr (knows_where<Child, Env>) {
    return !is_bulk_parallel<std::remove_cvref_t<decltype(get_completion_scheduler<set_value_t>(
        get_env(std::declval<const std::remove_cvref_t<Child>&>()), std::declval<const Env&>()))>>;
  } else {
    return false;
  }
}

/// False for what only now is known to complete on a scheduler that is not weft's.
template <class Child, class Env>
bool may_share(const Child& child, const Env& environment) noexcept {
  if constexpr (knows_where<Child, Env>) {
    const auto where = get_completion_scheduler<set_value_t>(get_env(child), environment);
    if constexpr (std::same_as<std::remove_cvref_t<decltype(where)>, task_scheduler>) {
      return where.is_wefts();
    }
  }
  return true;
}

template <class Adaptor>
inline constexpr bool takes_chunks = std::is_same_v<Adaptor, bulk_chunked_t>;

template <class Adaptor, class F, class Shape, class... Values>
struct bulk_value_signatures {
  using type = completion_signatures<set_value_t(Values...), set_error_t(std::exception_ptr)>;
  static constexpr bool can_be_called = [] {
    if constexpr (takes_chunks<Adaptor>) {
      return std::is_invocable_v<F&, Shape, Shape, Values&...>;
    } else {
      return std::is_invocable_v<F&, Shape, Values&...>;
    }
  }();
  static_assert(can_be_called || takes_chunks<Adaptor>,
                "weft::execution::bulk: the function cannot be called with an index and lvalues of "
                "what the sender before it sends (set_value_t)");
  static_assert(can_be_called || !takes_chunks<Adaptor>,
                "weft::execution::bulk_chunked: the function cannot be called with the two ends of "
                "a chunk and lvalues of what the sender before it sends (set_value_t)");
};

template <class Adaptor, class F, class Shape>
struct by_bulk : unchanged {
  template <class... Values>
  using value = typename bulk_value_signatures<Adaptor, F, Shape, Values...>::type;
};

template <class Adaptor, bool is_parallel, class Shape, class F, class... Values>
void run_bulk(Shape shape, bool is_shared, F& f, Values&... values) {
  auto body = [&](std::size_t first, std::size_t last) {
    if constexpr (takes_chunks<Adaptor>) {
      if constexpr (std::is_invocable_v<F&, Shape, Shape, Values&...>) {
        call(f, static_cast<Shape>(first), static_cast<Shape>(last), values...);
      }
    } else {
      for (; first != last; ++first) {
        if constexpr (std::is_invocable_v<F&, Shape, Values&...>) {  // else it has been reported
          call(f, static_cast<Shape>(first), values...);
        }
      }
    }
  };
  if (!(shape > Shape{})) {
    return;
  }
  const auto n = static_cast<std::size_t>(shape);
  if (is_parallel && is_shared) {
    constexpr std::size_t grain = std::is_same_v<Adaptor, bulk_unchunked_t> ? 1 : 0;
    run_chunks(n,
               grain,
               {[](void* context, std::size_t first, std::size_t last) {
                  (*static_cast<decltype(body)*>(context))(first, last);
                },
                &body});
  } else {
    body(0, n);
  }
}

template <class Adaptor, bool is_parallel, class Shape, class F, class Receiver>
struct bulk_receiver {
  using receiver_concept = receiver_tag;
  template <class... Values>
  void set_value(Values&&... values) noexcept {
    try {
      run_bulk<Adaptor, is_parallel>(shape, is_shared, *f, values...);
    } catch (...) {
      static_cast<Receiver&&>(*to).set_error(std::current_exception());
      return;
    }
    static_cast<Receiver&&>(*to).set_value(static_cast<Values&&>(values)...);
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    static_cast<Receiver&&>(*to).set_error(static_cast<Error&&>(error));
  }
  void set_stopped() noexcept { static_cast<Receiver&&>(*to).set_stopped(); }
  [[nodiscard]] forwarded_env_of<Receiver> get_env() const noexcept {
    return forward_env(execution::get_env(*to));
  }
  Shape shape;
  bool is_shared;
  F* f;
  Receiver* to;
};

template <class Adaptor, class Policy, class Child, class Receiver, class Shape, class F>
struct bulk_operation {
  using operation_state_concept = operation_state_tag;
  static constexpr bool is_parallel =
      Policy::is_parallel && !keeps_to_its_scheduler<Child, forwarded_env_of<Receiver>>();
  using receiver = bulk_receiver<Adaptor, is_parallel, Shape, F, Receiver>;

  bulk_operation(Child&& child, Receiver&& end, Shape shape, auto&& body)
      : to(static_cast<Receiver&&>(end)),
        f(make_for<F>(to, static_cast<decltype(body)>(body))),
        inner(connect(static_cast<Child&&>(child), make_receiver(child, shape))) {}
  bulk_operation(const bulk_operation&) = delete;
  bulk_operation& operator=(const bulk_operation&) = delete;
  ~bulk_operation() = default;
  void start() noexcept { inner.start(); }

  receiver make_receiver(const std::remove_cvref_t<Child>& child, Shape shape) noexcept {
    return {shape, may_share(child, forward_env(execution::get_env(to))), &f, &to};
  }

  Receiver to;
  F f;
  connect_result_t<Child, receiver> inner;
};

template <class Adaptor, class Policy, class Child, class Shape, class F>
struct [[nodiscard]] bulk_sender
    : connects_as_it_is<bulk_sender<Adaptor, Policy, Child, Shape, F>> {
  using tag_type = Adaptor;
  using sender_concept = sender_tag;
  using child_type = Child;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures()
      -> transformed_signatures<completion_signatures_of_t<child_of<Self>, Env...>,
                                by_bulk<Adaptor, F, Shape>> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    return bulk_operation<Adaptor, Policy, child_of<Self>, Receiver, Shape, F>(
        static_cast<Self&&>(self).child,
        static_cast<Receiver&&>(to),
        self.shape,
        static_cast<Self&&>(self).f);
  }
  [[nodiscard]] auto get_env() const noexcept { return forward_env(execution::get_env(child)); }

  [[no_unique_address]] Child child;
  Shape shape;
  [[no_unique_address]] F f;
};

template <class Adaptor>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): the adaptors are aggregates
struct bulk_adaptor {
  template <class Shape, class F>
  struct check {
    using tag = set_value_t;
    template <class... Args>
    using call = bulk_value_signatures<Adaptor, F, Shape, Args...>;
  };
  template <sender Sender, bulk_policy Policy, std::integral Shape, class F>
  constexpr auto operator()(Sender&& sender, const Policy& /*policy*/, Shape shape, F&& f) const {
    check_calls_of<check<Shape, std::decay_t<F>>, std::decay_t<Sender>>();
    return bulk_sender<Adaptor, std::decay_t<Policy>, std::decay_t<Sender>, Shape, std::decay_t<F>>{
        {}, static_cast<Sender&&>(sender), shape, static_cast<F&&>(f)};
  }
  template <sender Sender, std::integral Shape, class F>
  constexpr auto operator()(Sender&& sender, Shape shape, F&& f) const {
    return (*this)(static_cast<Sender&&>(sender), in_parallel(), shape, static_cast<F&&>(f));
  }
  template <bulk_policy Policy, std::integral Shape, class F>
  constexpr auto operator()(const Policy& policy, Shape shape, F&& f) const {
    return bound_adaptor(Adaptor(), policy, shape, static_cast<F&&>(f));
  }
  template <std::integral Shape, class F>
  constexpr auto operator()(Shape shape, F&& f) const {
    return bound_adaptor(Adaptor(), in_parallel(), shape, static_cast<F&&>(f));
  }
};

}  // namespace detail

/// `sender | bulk(policy, n, f)` calls `f(i, values&...)` for every i in [0, n), then sends the
/// values on. With a parallel policy, or none, calls run on all workers of the runtime on whose
/// worker the values arrive, wherever in a chain the adaptor stands; on a scheduler that is not
/// weft's, and on a thread that is no worker, one after the other.
///
/// Cost:    a fork per piece, of which there are a few per worker; no allocation.
/// Errors:  of those that calls throw, the one of the least index is sent as std::exception_ptr;
///          the calls after it may or may not have been made.
/// Example: tests/execution/schedulers_test.cpp: calls_every_index_once.
struct bulk_t : detail::bulk_adaptor<bulk_t> {};
inline constexpr bulk_t bulk{};

/// As `bulk`, but calls `f(first, last, values&...)` for pieces that cover [0, n).
struct bulk_chunked_t : detail::bulk_adaptor<bulk_chunked_t> {};
inline constexpr bulk_chunked_t bulk_chunked{};

/// As `bulk`, with each call a task of its own.
struct bulk_unchunked_t : detail::bulk_adaptor<bulk_unchunked_t> {};
inline constexpr bulk_unchunked_t bulk_unchunked{};

}  // namespace weft::execution
