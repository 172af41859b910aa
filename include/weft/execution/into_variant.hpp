// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends one variant of tuples instead of one of several kinds of values.
#pragma once

#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"

namespace weft::execution {

struct into_variant_t;
namespace detail {

/// std::variant of a tuple for each kind of values that a sender sends.
template <class Sender, class... Env>
using variant_of_values = gathered_signatures<set_value_t,
                                              completion_signatures_of_t<Sender, Env...>,
                                              decayed_tuple,
                                              variant_or_empty>;

template <class Variant>
struct by_variant : unchanged {
  template <class... Values>
  using value = joined_signatures<completion_signatures<set_value_t(Variant)>,
                                  exception_if<!nothrow_decay_copy<Values...>>>;
};

template <class Variant, class Receiver>
struct variant_receiver {
  using receiver_concept = receiver_tag;
  template <class... Values>
  void set_value(Values&&... values) noexcept {
    using chosen = decayed_tuple<Values...>;
    set_value_of_call(static_cast<Receiver&&>(to), [&]() noexcept(nothrow_decay_copy<Values...>) {
      return Variant(std::in_place_type<chosen>, static_cast<Values&&>(values)...);
    });
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    static_cast<Receiver&&>(to).set_error(static_cast<Error&&>(error));
  }
  void set_stopped() noexcept { static_cast<Receiver&&>(to).set_stopped(); }
  [[nodiscard]] forwarded_env_of<Receiver> get_env() const noexcept {
    return forward_env(execution::get_env(to));
  }
  [[no_unique_address]] Receiver to;
};

template <class Child>
struct [[nodiscard]] variant_sender : connects_as_it_is<variant_sender<Child>> {
  using tag_type = into_variant_t;
  using sender_concept = sender_tag;
  using child_type = Child;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures()
      -> transformed_signatures<completion_signatures_of_t<child_of<Self>, Env...>,
                                by_variant<variant_of_values<child_of<Self>, Env...>>> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    using sent = variant_of_values<child_of<Self>, forwarded_env_of<Receiver>>;
    return execution::connect(static_cast<Self&&>(self).child,
                              variant_receiver<sent, Receiver>{static_cast<Receiver&&>(to)});
  }
  [[nodiscard]] auto get_env() const noexcept { return forward_env(execution::get_env(child)); }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(no_data, self.child);
  }
  [[no_unique_address]] Child child;
};

}  // namespace detail

/// `sender | into_variant()` sends a std::variant of std::tuple.
/// Example: tests/execution/adaptors_test.cpp: into_variant_sends_one_kind_of_value.
struct into_variant_t {
  template <sender Sender>
  constexpr auto operator()(Sender&& sender) const {
    return detail::variant_sender<std::decay_t<Sender>>{{}, static_cast<Sender&&>(sender)};
  }
  constexpr auto operator()() const { return detail::bound_adaptor(into_variant_t()); }
};
inline constexpr into_variant_t into_variant{};

}  // namespace weft::execution
