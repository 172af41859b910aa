// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are known by their type alone: what is called on another rank, and with which
// types of arguments.
#pragma once

#include <concepts>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/handler.hpp"
#include "weft/tasks/future.hpp"

namespace weft::distributed::detail {

/// The parameters of a function, if it is not a template.
template <class F>
struct parameters_of {
  static constexpr bool is_known = false;
};
template <class... Parameters>
struct known_parameters {
  static constexpr bool is_known = true;
  using types = std::tuple<Parameters...>;
};
template <class R, class... P>
struct parameters_of<R (*)(P...)> : known_parameters<P...> {};
template <class R, class... P>
struct parameters_of<R (*)(P...) noexcept> : known_parameters<P...> {};
template <class T, class R, class... P>
struct parameters_of<R (T::*)(P...)> : known_parameters<T&, P...> {};
template <class T, class R, class... P>
struct parameters_of<R (T::*)(P...) const> : known_parameters<T&, P...> {};
template <class T, class R, class... P>
struct parameters_of<R (T::*)(P...) noexcept> : known_parameters<T&, P...> {};
template <class T, class R, class... P>
struct parameters_of<R (T::*)(P...) const noexcept> : known_parameters<T&, P...> {};

template <class Tuple>
struct without_first;
template <class First, class... Rest>
struct without_first<std::tuple<First, Rest...>> {
  using type = std::tuple<Rest...>;
};

/// A lambda's parameters are those of its call operator, without the object.
template <class L>
struct lambda_parameters {
  static constexpr bool is_known = false;
};
template <class L>
  requires requires { &L::operator(); } && parameters_of<decltype(&L::operator())>::is_known
struct lambda_parameters<L> {
  static constexpr bool is_known = true;
  using types =
      typename without_first<typename parameters_of<decltype(&L::operator())>::types>::type;
};

template <auto f>
struct function_callee {
  using parameters = parameters_of<decltype(f)>;
  template <class... Args>
  static constexpr bool is_callable = std::is_invocable_v<decltype(f), Args...>;
  template <class... Args>
  static decltype(auto) call(Args&&... args) {
    return std::invoke(f, std::forward<Args>(args)...);
  }
};

/// Lambdas are passed by type: pointers to two lambdas of one function are no different arguments
/// of a template for every compiler.
template <class L>
struct lambda_callee {
  using parameters = lambda_parameters<L>;
  template <class... Args>
  static constexpr bool is_callable = std::is_invocable_v<const L&, Args...>;
  template <class... Args>
  static decltype(auto) call(Args&&... args) {
    return std::invoke(L(), std::forward<Args>(args)...);
  }
};

template <class L>
concept captureless =
    std::is_class_v<L> && std::is_empty_v<L> && std::is_default_constructible_v<L>;

/// The types that are sent: those of the parameters, or else of the arguments.
template <class Parameters, class Given>
struct sent_types {
  using type = Given;
};
template <class Parameters, class... Given>
  requires(Parameters::is_known &&
           std::tuple_size_v<typename Parameters::types> == sizeof...(Given))
struct sent_types<Parameters, std::tuple<Given...>> {
  template <class Tuple>
  struct decayed;
  template <class... P>
  struct decayed<std::tuple<P...>> {
    using type = std::tuple<std::decay_t<P>...>;
  };
  using type = typename decayed<typename Parameters::types>::type;
};

template <class T>
struct plain_result {
  using type = std::decay_t<T>;
};
template <class T>
struct plain_result<future<T>> : plain_result<T> {};
template <class T>
struct plain_result<shared_future<T>> : plain_result<T> {};

/// Says for each type why it cannot be sent.
template <class Tuple>
struct sendable;
template <class... T>
struct sendable<std::tuple<T...>> {
  static consteval bool check() { return (explain<T, direction::reading>() && ...); }
};
template <class T>
consteval bool check_result() {
  if constexpr (!std::is_void_v<T>) {
    return explain<T, direction::reading>();
  } else {
    return true;
  }
}

}  // namespace weft::distributed::detail
