// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function for every index of a range, on all workers if they are weft's.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/inline_scheduler.hpp"
#include "weft/execution/parallel_scheduler.hpp"
#include "weft/execution/parallel_scheduler_replacement.hpp"
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
  bool is_nothrow = false;  // without memory for forks, calls are made one after the other
};

/// Covers [0, n) with calls, on all workers of the calling task's runtime; without a worker, in one
/// call here. Returns when all have ended.
/// `grain`: indices per call; none: chosen from n and the workers.
/// Errors:  rethrows what calls throw, that of the least index among the calls that were made; and
///          std::bad_alloc, unless calls are nothrow.
void run_chunks(std::size_t n, const std::optional<std::size_t>& grain, const chunk_call& call);

/// True if bulk work on this scheduler may run on all workers.
template <class Scheduler>
inline constexpr bool is_bulk_parallel =
    is_any_workers<Scheduler> || std::same_as<Scheduler, task_scheduler> ||
    std::same_as<Scheduler, parallel_scheduler>;

/// Where a child completes that completes on the parallel scheduler.
template <class Child, class Env>
concept completes_in_parallel =
    knows_where<Child, Env> && requires(const std::remove_cvref_t<Child>& child, const Env& env) {
      {
        get_completion_scheduler<set_value_t>(get_env(child), env)
      } -> std::same_as<parallel_scheduler>;
    };

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
  static constexpr bool is_nothrow = [] {
    if constexpr (takes_chunks<Adaptor>) {
      return std::is_nothrow_invocable_v<F&, Shape, Shape, Values&...>;
    } else {
      return std::is_nothrow_invocable_v<F&, Shape, Values&...>;
    }
  }();
  using type =
      joined_signatures<completion_signatures<set_value_t(Values...)>, exception_if<!is_nothrow>>;
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
void run_bulk(Shape shape, bool is_shared, F& f, Values&... values) noexcept(
    bulk_value_signatures<Adaptor, F, Shape, Values...>::is_nothrow) {
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
    constexpr std::optional<std::size_t> grain =
        std::is_same_v<Adaptor, bulk_unchunked_t> ? std::optional<std::size_t>(1) : std::nullopt;
    run_chunks(n,
               grain,
               {[](void* context, std::size_t first, std::size_t last) {
                  (*static_cast<decltype(body)*>(context))(first, last);
                },
                &body,
                bulk_value_signatures<Adaptor, F, Shape, Values...>::is_nothrow});
  } else {
    body(0, n);
  }
}

/// The receiver of bulk work that a program's own backend does: keeps the values until all calls
/// have ended, and the first exception of one.
template <class Adaptor, bool is_parallel, class Shape, class F, class Receiver, class Signatures>
class replaced_bulk final
    : public receiver_proxy_of<Receiver&,
                               parallel_scheduler_replacement::bulk_item_receiver_proxy> {
  using base =
      receiver_proxy_of<Receiver&, parallel_scheduler_replacement::bulk_item_receiver_proxy>;

 public:
  replaced_bulk(Shape shape, F& f, Receiver& end, parallel_place where) noexcept
      : base(end), shape_(shape), f_(&f), where_(std::move(where)) {}

  [[nodiscard]] bool is_needed() const noexcept { return where_.backend != nullptr; }

  template <class... Values>
  void start(Values&&... values) noexcept {
    try {
      values_.keep(set_value_t(), static_cast<Values&&>(values)...);
    } catch (...) {
      base::set_error(std::current_exception());
      return;
    }
    using kept = decayed<set_value_t, Values...>;
    run_ = [](replaced_bulk& me, std::size_t first, std::size_t last) {
      me.values_.template visit_as<kept>(
          [&](set_value_t /*tag*/, auto&... each) { me.run_piece(first, last, each...); });
    };
    send_ = [](replaced_bulk& me) noexcept { me.values_.template send<kept>(std::move(me.to)); };
    this->follow();
    const bool is_empty = !(shape_ > Shape{});
    const std::size_t n = is_empty ? 0 : is_parallel ? static_cast<std::size_t>(shape_) : 1;
    if constexpr (std::is_same_v<Adaptor, bulk_unchunked_t>) {
      where_.backend->schedule_bulk_unchunked(n, *this, std::span(storage_));
    } else {
      where_.backend->schedule_bulk_chunked(n, *this, std::span(storage_));
    }
  }
  void execute(std::size_t first, std::size_t last) noexcept override {
    try {
      if constexpr (is_parallel) {
        run_(*this, first, last);
      } else {
        run_(*this, 0, static_cast<std::size_t>(shape_));
      }
    } catch (...) {
      // acq_rel: the backend's own order makes the exception visible to the completing thread
      if (!has_failed_.exchange(true, std::memory_order_acq_rel)) {
        error_ = std::current_exception();
      }
    }
  }
  void set_value() noexcept override {
    this->stop_following();
    if (error_ != nullptr) {
      static_cast<Receiver&&>(this->to).set_error(std::move(error_));
    } else {
      send_(*this);
    }
  }

 private:
  template <class... Values>
  void run_piece(std::size_t first, std::size_t last, Values&... values) {
    if constexpr (takes_chunks<Adaptor>) {
      if constexpr (std::is_invocable_v<F&, Shape, Shape, Values&...>) {
        call(*f_, static_cast<Shape>(first), static_cast<Shape>(last), values...);
      }
    } else {
      for (; first != last; ++first) {
        if constexpr (std::is_invocable_v<F&, Shape, Values&...>) {  // else it has been reported
          call(*f_, static_cast<Shape>(first), values...);
        }
      }
    }
  }

  Shape shape_;
  F* f_;
  parallel_place where_;
  void (*run_)(replaced_bulk& me, std::size_t first, std::size_t last) = nullptr;
  void (*send_)(replaced_bulk& me) noexcept = nullptr;
  kept_completion<Signatures> values_;
  std::atomic<bool> has_failed_{false};
  std::exception_ptr error_;
  alignas(std::max_align_t) std::array<std::byte, backend_storage_bytes> storage_;
};

struct never_replaced {};

template <class Adaptor, bool is_parallel, class Shape, class F, class Receiver, class Replaced>
struct bulk_receiver {
  using receiver_concept = receiver_tag;
  template <class... Values>
  void set_value(Values&&... values) noexcept {
    if constexpr (!std::is_same_v<Replaced, never_replaced>) {
      if (replaced->is_needed()) {
        replaced->start(static_cast<Values&&>(values)...);
        return;
      }
    }
    if constexpr (bulk_value_signatures<Adaptor, F, Shape, Values...>::is_nothrow) {
      run_bulk<Adaptor, is_parallel>(shape, is_shared, *f, values...);
    } else {
      try {
        run_bulk<Adaptor, is_parallel>(shape, is_shared, *f, values...);
      } catch (...) {
        static_cast<Receiver&&>(*to).set_error(std::current_exception());
        return;
      }
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
  Replaced* replaced;
};

/// The policy, the number of indices and the function, which is what a structured binding finds.
template <class Policy, class Shape, class F>
struct bulk_data {
  [[no_unique_address]] Policy policy;
  Shape shape;
  [[no_unique_address]] F f;
};

/// A function of a piece of [0, n) made of one of an index.
template <class Shape, class F>
struct call_of_each {
  template <class... Values>
    requires std::is_invocable_v<F&, Shape, Values&...>
  constexpr void operator()(Shape first, Shape last, Values&... values) noexcept(
      std::is_nothrow_invocable_v<F&, Shape, Values&...>) {
    for (; first != last; ++first) {
      call(f, Shape(first), values...);
    }
  }
  [[no_unique_address]] F f;
};

template <class Adaptor, class Policy, class Child, class Receiver, class Shape, class F>
struct bulk_operation {
  using operation_state_concept = operation_state_tag;
  static constexpr bool is_parallel =
      Policy::is_parallel && !keeps_to_its_scheduler<Child, forwarded_env_of<Receiver>>();
  static constexpr bool may_be_replaced = completes_in_parallel<Child, forwarded_env_of<Receiver>>;
  using kept_values =
      transformed_signatures<completion_signatures_of_t<Child, forwarded_env_of<Receiver>>,
                             by_copy>;
  using replaced_work = std::conditional_t<
      may_be_replaced,
      identity<replaced_bulk<Adaptor, is_parallel, Shape, F, Receiver, kept_values>>,
      identity<never_replaced>>::type;
  using receiver = bulk_receiver<Adaptor, is_parallel, Shape, F, Receiver, replaced_work>;

  bulk_operation(Child&& child, Receiver&& end, Shape shape, auto&& body)
      : to(static_cast<Receiver&&>(end)),
        f(make_for<F>(to, static_cast<decltype(body)>(body))),
        replaced(make_replaced(child, shape)),
        inner(connect(static_cast<Child&&>(child), make_receiver(child, shape))) {}
  bulk_operation(const bulk_operation&) = delete;
  bulk_operation& operator=(const bulk_operation&) = delete;
  ~bulk_operation() = default;
  void start() noexcept { inner.start(); }

  receiver make_receiver(const std::remove_cvref_t<Child>& child, Shape shape) noexcept {
    return {shape, may_share(child, forward_env(execution::get_env(to))), &f, &to, &replaced};
  }
  replaced_work make_replaced(const std::remove_cvref_t<Child>& child, Shape shape) noexcept {
    if constexpr (may_be_replaced) {
      return replaced_work(shape,
                           f,
                           to,
                           get_completion_scheduler<set_value_t>(
                               execution::get_env(child), forward_env(execution::get_env(to)))
                               .place());
    } else {
      return {};
    }
  }

  Receiver to;
  F f;
  replaced_work replaced;  // not moved: no overlap is allowed
  connect_result_t<Child, receiver> inner;
};

template <class Adaptor, class Policy, class Child, class Shape, class F>
struct [[nodiscard]] bulk_sender
    : connects_as_it_is<bulk_sender<Adaptor, Policy, Child, Shape, F>> {
  using tag_type = Adaptor;
  using sender_concept = sender_tag;
  using child_type = Child;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures() -> joined_signatures<
      transformed_signatures<completion_signatures_of_t<child_of<Self>, Env...>,
                             by_bulk<Adaptor, F, Shape>>,
      std::conditional_t<(completes_in_parallel<child_of<Self>, Env> || ...),
                         completion_signatures<set_error_t(std::exception_ptr), set_stopped_t()>,
                         completion_signatures<>>> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    return bulk_operation<Adaptor, Policy, child_of<Self>, Receiver, Shape, F>(
        static_cast<Self&&>(self).child,
        static_cast<Receiver&&>(to),
        self.data.shape,
        static_cast<Self&&>(self).data.f);
  }
  [[nodiscard]] auto get_env() const noexcept { return forward_env(execution::get_env(child)); }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(self.data, self.child);
  }

  [[no_unique_address]] Child child;
  [[no_unique_address]] bulk_data<Policy, Shape, F> data;
};

template <class Sender>
inline constexpr bool is_bulk = false;
template <class Policy, class Child, class Shape, class F>
inline constexpr bool is_bulk<bulk_sender<bulk_t, Policy, Child, Shape, F>> = true;

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
  constexpr auto operator()(Sender&& sender, const Policy& policy, Shape shape, F&& f) const {
    check_calls_of<check<Shape, std::decay_t<F>>, std::decay_t<Sender>>();
    return bulk_sender<Adaptor, std::decay_t<Policy>, std::decay_t<Sender>, Shape, std::decay_t<F>>{
        {}, static_cast<Sender&&>(sender), {policy, shape, static_cast<F&&>(f)}};
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
/// values on. With a parallel policy, or none, calls run on all workers of the runtime on which the
/// values arrive, at any place of a chain. On another library's scheduler, and on a thread that is
/// not a worker, they run one after the other.
///
/// Cost:    a fork per piece, of which there are a few per worker; no allocation.
/// Errors:  if calls throw, sends the exception of the lowest index as std::exception_ptr. Calls
///          with higher indices may or may not have been made.
/// Example: tests/execution/schedulers_test.cpp: calls_every_index_once.
struct bulk_t : detail::bulk_adaptor<bulk_t> {
  /// The same work as `bulk_chunked`, which a domain that has no bulk of its own may replace.
  template <class Sender, class Env>
    requires detail::is_bulk<std::remove_cvref_t<Sender>>
  static constexpr auto transform_sender(set_value_t /*when*/, Sender&& sender, const Env& env);
};
inline constexpr bulk_t bulk{};

/// As `bulk`, but calls `f(first, last, values&...)` for pieces that cover [0, n).
struct bulk_chunked_t : detail::bulk_adaptor<bulk_chunked_t> {};
inline constexpr bulk_chunked_t bulk_chunked{};

/// As `bulk`, but each call is a separate task.
struct bulk_unchunked_t : detail::bulk_adaptor<bulk_unchunked_t> {};
inline constexpr bulk_unchunked_t bulk_unchunked{};

template <class Sender, class Env>
  requires detail::is_bulk<std::remove_cvref_t<Sender>>
constexpr auto bulk_t::transform_sender(set_value_t /*when*/, Sender&& sender, const Env& /*env*/) {
  auto [tag, data, child] = static_cast<Sender&&>(sender);
  using shape_type = decltype(data.shape);
  using each = detail::call_of_each<shape_type, decltype(data.f)>;
  return bulk_chunked(std::move(child), data.policy, data.shape, each{std::move(data.f)});
}

}  // namespace weft::execution
