// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits for the first of several senders, and says which it was.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/then.hpp"
#include "weft/execution/when_any.hpp"

namespace weft::execution {
namespace detail {

/// The representation of the values of one sender: the value, std::monostate for none, a tuple of
/// several.
template <class List>
struct selected {
  static_assert(num_signatures<List> <= 1,
                "weft::execution::select: a sender may complete with several kinds of values "
                "(set_value_t); use into_variant before it");
};
template <>
struct selected<completion_signatures<>> : identity<std::monostate> {};
template <>
struct selected<completion_signatures<set_value_t()>> : identity<std::monostate> {};
template <class Value>
struct selected<completion_signatures<set_value_t(Value)>> : identity<std::decay_t<Value>> {};
template <class First, class Second, class... Rest>
struct selected<completion_signatures<set_value_t(First, Second, Rest...)>>
    : identity<std::tuple<std::decay_t<First>, std::decay_t<Second>, std::decay_t<Rest>...>> {};

template <class Child, class... Env>
using selected_of = typename selected<
    signatures_of_tag<set_value_t, completion_signatures_of_t<Child, Env...>>>::type;

template <class Variant, std::size_t i>
struct to_alternative {
  template <class... Values>
  Variant operator()(Values&&... values) const
      noexcept(std::is_nothrow_constructible_v<std::variant_alternative_t<i, Variant>, Values...>) {
    return Variant(std::in_place_index<i>, static_cast<Values&&>(values)...);
  }
};

template <class... Children>
struct [[nodiscard]] select_sender : connects_as_it_is<select_sender<Children...>> {
  using sender_concept = sender_tag;

  template <class Variant, class Self, std::size_t... i>
  static constexpr auto made(Self&& self, std::index_sequence<i...> /*all*/) {
    return when_any(then(static_cast<member_of<Self, Children>&&>(std::get<i>(self.children)),
                         to_alternative<Variant, i>())...);
  }
  template <class Self, class... Env>
  using whole = decltype(made<std::variant<selected_of<member_of<Self, Children>, Env...>...>>(
      std::declval<Self>(), std::index_sequence_for<Children...>()));

  template <class Self, class... Env>
    requires(sender_in<member_of<Self, Children>, when_any_env<Env>...> && ...)
  static consteval auto get_completion_signatures() {
    return completion_signatures_of_t<whole<Self, when_any_env<Env>...>, Env...>();
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    using variant =
        std::variant<selected_of<member_of<Self, Children>, when_any_env<env_of_t<Receiver>>>...>;
    return execution::connect(
        made<variant>(static_cast<Self&&>(self), std::index_sequence_for<Children...>()),
        static_cast<Receiver&&>(to));
  }

  [[no_unique_address]] std::tuple<Children...> children;
};

}  // namespace detail

/// `select(senders...)` waits for the first of them, requests the others to stop, and sends a
/// std::variant. Its `index()` is the sender's position; `std::get<i>` is the value that it sent
/// (std::monostate for none, a tuple for several). Everything else is as in `when_any`. A channel
/// operation that loses has taken no message. An error that comes first is sent. A stop request
/// stops all.
///
/// Of several that can complete at once the first wins: put messages before timeouts.
/// Cost:    no allocation; a stop callback, and a start, for each sender.
/// Example: tests/execution/waiting_test.cpp: a_message_a_timeout_or_a_stop.
template <sender... Senders>
  requires(sizeof...(Senders) != 0)
constexpr auto select(Senders&&... senders) {  // no object: POSIX has a function of this name
  return detail::select_sender<std::decay_t<Senders>...>{{}, {static_cast<Senders&&>(senders)...}};
}

}  // namespace weft::execution

namespace weft {
using execution::select;
}  // namespace weft
