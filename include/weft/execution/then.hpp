// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function with what a sender sends, and sends what it returns.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"

namespace weft::execution {

struct then_t;
struct upon_error_t;
struct upon_stopped_t;

namespace detail {

/// The completion that an adaptor passes to its function, and the adaptor's name.
template <class Adaptor>
inline constexpr bool takes_values = std::is_same_v<Adaptor, then_t>;
template <class Adaptor>
inline constexpr bool takes_errors = std::is_same_v<Adaptor, upon_error_t>;
template <class Adaptor>
inline constexpr bool takes_stops = std::is_same_v<Adaptor, upon_stopped_t>;

/// The completions of a call; none if the call is invalid, so that one error is reported once.
template <class F, class... Args>
struct signatures_of_call : identity<completion_signatures<>> {};
template <class F, class... Args>
  requires std::is_invocable_v<F, Args...>
struct signatures_of_call<F, Args...>
    : identity<joined_signatures<typename value_signature<std::invoke_result_t<F, Args...>>::type,
                                 exception_if<!std::is_nothrow_invocable_v<F, Args...>>>> {};

template <class Adaptor, class F, class... Args>
struct call_signatures {
  // First: clang reads no more of a class than a failed assertion.
  using type = typename signatures_of_call<F, Args...>::type;
  static constexpr bool can_be_called = std::is_invocable_v<F, Args...>;
  static_assert(can_be_called || !takes_values<Adaptor>,
                "weft::execution::then: the function cannot be called with the values that the "
                "sender before it sends (set_value_t)");
  static_assert(can_be_called || !takes_errors<Adaptor>,
                "weft::execution::upon_error: the function cannot be called with an error that the "
                "sender before it sends (set_error_t)");
  static_assert(
      can_be_called || !takes_stops<Adaptor>,
      "weft::execution::upon_stopped: the function cannot be called without arguments, as "
      "is done for set_stopped_t");
};

/// The completions of an adaptor of this kind, computed from its child's.
template <class Adaptor, class F>
struct by_call : unchanged {
  template <class... Values>
  using value = typename std::conditional_t<takes_values<Adaptor>,
                                            call_signatures<Adaptor, F, Values...>,
                                            identity<unchanged::value<Values...>>>::type;
  template <class Error>
  using error = typename std::conditional_t<takes_errors<Adaptor>,
                                            call_signatures<Adaptor, F, Error>,
                                            identity<unchanged::error<Error>>>::type;
  using stopped = typename std::conditional_t<takes_stops<Adaptor>,
                                              call_signatures<Adaptor, F>,
                                              identity<unchanged::stopped>>::type;
};

template <class Adaptor, class Child, class Receiver, class F>
struct then_operation {
  using operation_state_concept = operation_state_tag;

  struct receiver {
    using receiver_concept = receiver_tag;
    template <class... Values>
    constexpr void set_value(Values&&... values) noexcept {
      if constexpr (takes_values<Adaptor>) {
        set_value_of_call(static_cast<Receiver&&>(owner->to),
                          static_cast<F&&>(owner->f),
                          static_cast<Values&&>(values)...);
      } else {
        static_cast<Receiver&&>(owner->to).set_value(static_cast<Values&&>(values)...);
      }
    }
    template <class Error>
    constexpr void set_error(Error&& error) noexcept {
      if constexpr (takes_errors<Adaptor>) {
        set_value_of_call(static_cast<Receiver&&>(owner->to),
                          static_cast<F&&>(owner->f),
                          static_cast<Error&&>(error));
      } else {
        static_cast<Receiver&&>(owner->to).set_error(static_cast<Error&&>(error));
      }
    }
    constexpr void set_stopped() noexcept {
      if constexpr (takes_stops<Adaptor>) {
        set_value_of_call(static_cast<Receiver&&>(owner->to), static_cast<F&&>(owner->f));
      } else {
        static_cast<Receiver&&>(owner->to).set_stopped();
      }
    }
    [[nodiscard]] constexpr forwarded_env_of<Receiver> get_env() const noexcept {
      return forward_env(execution::get_env(owner->to));
    }
    then_operation* owner;
  };

  constexpr then_operation(Child&& child, Receiver&& end, auto&& body) noexcept(
      noexcept(make_for<F>(end, static_cast<decltype(body)>(body))) &&
      noexcept(execution::connect(std::declval<Child>(), std::declval<receiver>())))
      : to(static_cast<Receiver&&>(end)),
        f(make_for<F>(to, static_cast<decltype(body)>(body))),
        inner(connect(static_cast<Child&&>(child), receiver{this})) {}
  then_operation(const then_operation&) = delete;
  then_operation& operator=(const then_operation&) = delete;
  ~then_operation() = default;
  constexpr void start() noexcept { inner.start(); }

  [[no_unique_address]] Receiver to;
  [[no_unique_address]] F f;
  connect_result_t<Child, receiver> inner;
};

template <class Adaptor, class Child, class F>
struct [[nodiscard]] then_sender : connects_as_it_is<then_sender<Adaptor, Child, F>> {
  using tag_type = Adaptor;
  using sender_concept = sender_tag;
  using child_type = Child;

  template <class Self, class... Env>
  static consteval auto get_completion_signatures()
      -> transformed_signatures<completion_signatures_of_t<child_of<Self>, Env...>,
                                by_call<Adaptor, F>> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) noexcept(
      std::is_nothrow_constructible_v<then_operation<Adaptor, child_of<Self>, Receiver, F>,
                                      child_of<Self>,
                                      Receiver,
                                      member_of<Self, F>>) {
    return then_operation<Adaptor, child_of<Self>, Receiver, F>(
        static_cast<Self&&>(self).child, static_cast<Receiver&&>(to), static_cast<Self&&>(self).f);
  }
  [[nodiscard]] constexpr auto get_env() const noexcept {
    return forward_env(execution::get_env(child));
  }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(self.f, self.child);
  }

  [[no_unique_address]] Child child;
  [[no_unique_address]] F f;
};

template <class Adaptor, class F>
struct check_of_call {
  using tag =
      std::conditional_t<takes_values<Adaptor>,
                         set_value_t,
                         std::conditional_t<takes_errors<Adaptor>, set_error_t, set_stopped_t>>;
  template <class... Args>
  using call = call_signatures<Adaptor, F, Args...>;
};

template <class Adaptor>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): the adaptors are aggregates
struct call_adaptor {
  template <sender Sender, class F>
  constexpr auto operator()(Sender&& sender, F&& f) const
      noexcept(std::is_nothrow_constructible_v<std::decay_t<Sender>, Sender> &&
               std::is_nothrow_constructible_v<std::decay_t<F>, F>) {
    check_calls_of<check_of_call<Adaptor, std::decay_t<F>>, std::decay_t<Sender>>();
    return then_sender<Adaptor, std::decay_t<Sender>, std::decay_t<F>>{
        {}, static_cast<Sender&&>(sender), static_cast<F&&>(f)};
  }
  template <class F>
  constexpr auto operator()(F&& f) const
      noexcept(std::is_nothrow_constructible_v<std::decay_t<F>, F>) {
    return bound_adaptor(Adaptor(), static_cast<F&&>(f));
  }
};

}  // namespace detail

/// `sender | then(f)` sends `f(values...)`; errors and stops pass by.
/// Errors:  what `f` throws is sent as std::exception_ptr, unless `f` is noexcept.
/// Example: tests/execution/adaptors_test.cpp: sends_what_the_function_returns.
struct then_t : detail::call_adaptor<then_t> {};
inline constexpr then_t then{};

/// `sender | upon_error(f)` sends `f(error)` as a value; values and stops pass by.
struct upon_error_t : detail::call_adaptor<upon_error_t> {};
inline constexpr upon_error_t upon_error{};

/// `sender | upon_stopped(f)` sends `f()` as a value; values and errors pass by.
struct upon_stopped_t : detail::call_adaptor<upon_stopped_t> {};
inline constexpr upon_stopped_t upon_stopped{};

}  // namespace weft::execution
