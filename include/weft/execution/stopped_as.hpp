// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a stop into a value or an error.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/let.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"

namespace weft::execution {

struct stopped_as_optional_t;
namespace detail {

template <class List>
struct sole_value {
  static_assert(num_signatures<List> != num_signatures<List>,
                "weft::execution::stopped_as_optional: the sender must complete with exactly one "
                "value (set_value_t(T))");
};
template <class Value>
struct sole_value<completion_signatures<set_value_t(Value)>> : identity<std::decay_t<Value>> {};

template <class Child, class... Env>
using optional_of = std::optional<typename sole_value<
    signatures_of_tag<set_value_t, completion_signatures_of_t<Child, Env...>>>::type>;

template <class Optional>
struct by_optional : unchanged {
  template <class... Values>
  using value = joined_signatures<completion_signatures<set_value_t(Optional)>,
                                  exception_if<!nothrow_decay_copy<Values...>>>;
  using stopped = completion_signatures<set_value_t(Optional)>;
};

template <class Optional, class Receiver>
struct optional_receiver {
  using receiver_concept = receiver_tag;
  template <class Value>
  void set_value(Value&& value) noexcept {
    set_value_of_call(static_cast<Receiver&&>(to), [&]() noexcept(nothrow_decay_copy<Value>) {
      return Optional(std::in_place, static_cast<Value&&>(value));
    });
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    static_cast<Receiver&&>(to).set_error(static_cast<Error&&>(error));
  }
  void set_stopped() noexcept { static_cast<Receiver&&>(to).set_value(Optional()); }
  [[nodiscard]] forwarded_env_of<Receiver> get_env() const noexcept {
    return forward_env(execution::get_env(to));
  }
  [[no_unique_address]] Receiver to;
};

template <class Child>
struct [[nodiscard]] optional_sender : connects_as_it_is<optional_sender<Child>> {
  using tag_type = stopped_as_optional_t;
  using sender_concept = sender_tag;
  using child_type = Child;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures()
      -> transformed_signatures<completion_signatures_of_t<child_of<Self>, Env...>,
                                by_optional<optional_of<child_of<Self>, Env...>>> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    using optional = optional_of<child_of<Self>, forwarded_env_of<Receiver>>;
    return execution::connect(static_cast<Self&&>(self).child,
                              optional_receiver<optional, Receiver>{static_cast<Receiver&&>(to)});
  }
  [[nodiscard]] auto get_env() const noexcept { return forward_env(execution::get_env(child)); }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(no_data, self.child);
  }
  [[no_unique_address]] Child child;
};

}  // namespace detail

/// `sender | stopped_as_optional()` sends std::optional: the value, or nothing after a stop.
/// Example: tests/execution/adaptors_test.cpp: stopped_as_optional_sends_nothing_after_a_stop.
struct stopped_as_optional_t {
  template <sender Sender>
  constexpr auto operator()(Sender&& sender) const {
    return detail::optional_sender<std::decay_t<Sender>>{{}, static_cast<Sender&&>(sender)};
  }
  constexpr auto operator()() const { return detail::bound_adaptor(stopped_as_optional_t()); }
};
inline constexpr stopped_as_optional_t stopped_as_optional{};

/// `sender | stopped_as_error(e)` sends `e` as an error after a stop.
struct stopped_as_error_t {
  template <sender Sender, class Error>
  constexpr auto operator()(Sender&& sender, Error&& error) const {
    return let_stopped(static_cast<Sender&&>(sender),
                       [e = std::decay_t<Error>(static_cast<Error&&>(error))]() mutable noexcept(
                           std::is_nothrow_move_constructible_v<std::decay_t<Error>>) {
                         return just_error(std::move(e));
                       });
  }
  template <class Error>
  constexpr auto operator()(Error&& error) const {
    return detail::bound_adaptor(stopped_as_error_t(), static_cast<Error&&>(error));
  }
};
inline constexpr stopped_as_error_t stopped_as_error{};

}  // namespace weft::execution
