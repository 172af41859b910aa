// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many members an aggregate has, and a call with all of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace weft::distributed::detail {

/// Members that structured bindings here can name.
inline constexpr std::size_t most_members = 16;

/// Initialises a member of any type.
template <class Aggregate>
struct anything_but {
  template <class Other>
    requires(!std::same_as<Other, Aggregate>)
  operator Other() const noexcept;
};

template <class Aggregate>
struct any_base_of {
  template <class Base>
    requires(std::is_base_of_v<Base, Aggregate> && !std::same_as<Base, Aggregate>)
  operator Base() const noexcept;
};

/// Bases come before members in an initialiser, and structured bindings do not see them.
template <class Aggregate>
inline constexpr bool has_base = requires { Aggregate{any_base_of<Aggregate>{}}; };

/// Counts by `{}`, which is one member each time: `anything_but` would be one element of an array.
template <class Aggregate>
consteval std::size_t num_empty_braces() {
  if constexpr (requires {
                  Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                }) {
    return 17;
  } else if constexpr (requires {
                         Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       }) {
    return 16;
  } else if constexpr (requires {
                         Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       }) {
    return 15;
  } else if constexpr (requires {
                         Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       }) {
    return 14;
  } else if constexpr (requires {
                         Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       }) {
    return 13;
  } else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) {
    return 12;
  } else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) {
    return 11;
  } else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) {
    return 10;
  } else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}, {}}; }) {
    return 9;
  } else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}, {}}; }) {
    return 8;
  } else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}, {}}; }) {
    return 7;
  } else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}, {}}; }) {
    return 6;
  } else if constexpr (requires { Aggregate{{}, {}, {}, {}, {}}; }) {
    return 5;
  } else if constexpr (requires { Aggregate{{}, {}, {}, {}}; }) {
    return 4;
  } else if constexpr (requires { Aggregate{{}, {}, {}}; }) {
    return 3;
  } else if constexpr (requires { Aggregate{{}, {}}; }) {
    return 2;
  } else if constexpr (requires { Aggregate{{}}; }) {
    return 1;
  }
  return 0;
}

template <class Aggregate, std::size_t... i>
consteval std::size_t num_values(std::index_sequence<i...> /*as many*/) {
  if constexpr (sizeof...(i) == 0 ||
                requires { Aggregate{(static_cast<void>(i), anything_but<Aggregate>{})...}; }) {
    return sizeof...(i);
  } else {
    return num_values<Aggregate>(std::make_index_sequence<sizeof...(i) - 1>{});
  }
}

/// The number of members, or more than `most_members` if there are more.
template <class Aggregate>
consteval std::size_t count_members() {
  if constexpr (std::is_empty_v<Aggregate>) {
    return 0;
  } else if constexpr (requires { Aggregate{}; }) {
    return num_empty_braces<Aggregate>();
  } else {
    return num_values<Aggregate>(std::make_index_sequence<most_members + 1>{});
  }
}

template <class Aggregate>
inline constexpr std::size_t num_members = count_members<std::remove_cv_t<Aggregate>>();

/// Returns `function(member...)`, with the members as lvalues.
template <class Aggregate, class Function>
constexpr decltype(auto) with_members(Aggregate& value, Function&& function) {
  constexpr std::size_t count = num_members<Aggregate>;
  if constexpr (count == 0) {
    return function();
  } else if constexpr (count == 1) {
    auto& [a] = value;
    return function(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = value;
    return function(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = value;
    return function(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = value;
    return function(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = value;
    return function(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = value;
    return function(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    return function(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = value;
    return function(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = value;
    return function(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = value;
    return function(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
    return function(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
    return function(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
    return function(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = value;
    return function(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = value;
    return function(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = value;
    return function(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}

template <class...>
struct type_list {};

struct list_types {
  template <class... Member>
  constexpr type_list<Member...> operator()(Member&... /*members*/) const {
    return {};
  }
};

/// The types of the members, `const` included.
template <class Aggregate>
using member_types = decltype(with_members(std::declval<Aggregate&>(), list_types{}));

}  // namespace weft::distributed::detail
