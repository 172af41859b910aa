// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `sender | adaptor(arguments)`.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/sender.hpp"

namespace weft::execution {

/// The base of what may stand behind a `|`.
template <class Derived>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): as in the draft, whoever derives is free
struct sender_adaptor_closure {};

namespace detail {

template <class T>
concept closure =
    std::derived_from<std::remove_cvref_t<T>, sender_adaptor_closure<std::remove_cvref_t<T>>>;

template <class First, class Second>
struct composed : sender_adaptor_closure<composed<First, Second>> {
  constexpr composed(First one, Second other)
      : first(static_cast<First&&>(one)), second(static_cast<Second&&>(other)) {}
  template <sender Sender>
  constexpr auto operator()(Sender&& sender) && {
    return std::move(second)(std::move(first)(static_cast<Sender&&>(sender)));
  }
  template <sender Sender>
  constexpr auto operator()(Sender&& sender) const& {
    return second(first(static_cast<Sender&&>(sender)));
  }
  [[no_unique_address]] First first;
  [[no_unique_address]] Second second;
};

/// `Adaptor()(sender, arguments...)` with the sender still to come.
template <class Adaptor, class... Args>
struct bound_adaptor : sender_adaptor_closure<bound_adaptor<Adaptor, Args...>> {
  template <class... Given>
  constexpr explicit bound_adaptor(Adaptor /*adaptor*/, Given&&... given) noexcept(
      (std::is_nothrow_constructible_v<Args, Given> && ...))
      : arguments(static_cast<Given&&>(given)...) {}

  template <sender Sender>
  constexpr auto operator()(Sender&& sender) && noexcept(
      noexcept(Adaptor()(static_cast<Sender&&>(sender), std::declval<Args>()...))) {
    return std::apply(
        [&](Args&&... args) {
          return Adaptor()(static_cast<Sender&&>(sender), static_cast<Args&&>(args)...);
        },
        std::move(arguments));
  }
  template <sender Sender>
  constexpr auto operator()(Sender&& sender) const& {
    return std::apply(
        [&](const Args&... args) { return Adaptor()(static_cast<Sender&&>(sender), args...); },
        arguments);
  }
  [[no_unique_address]] std::tuple<Args...> arguments;
};
template <class Adaptor, class... Given>
bound_adaptor(Adaptor, Given&&...) -> bound_adaptor<Adaptor, std::decay_t<Given>...>;

}  // namespace detail

template <sender Sender, detail::closure Closure>
constexpr auto operator|(Sender&& sender, Closure&& adaptor) noexcept(
    noexcept(static_cast<Closure&&>(adaptor)(static_cast<Sender&&>(sender)))) {
  return static_cast<Closure&&>(adaptor)(static_cast<Sender&&>(sender));
}
/// An error with a message of its own.
template <class Sender, detail::closure Closure>
  requires(!sender<Sender&> && sender<Sender>)
void operator|(Sender& /*sender*/, Closure&& /*adaptor*/) {
  static_assert(!sender<Sender>,
                "weft::execution: the sender before | can only be moved; pass it by std::move");
}
template <detail::closure First, detail::closure Second>
constexpr auto operator|(First&& first, Second&& second) {
  return detail::composed<std::decay_t<First>, std::decay_t<Second>>(static_cast<First&&>(first),
                                                                     static_cast<Second&&>(second));
}

}  // namespace weft::execution
