// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a sender, for domains that replace it: `auto& [tag, data, child] = sender`.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft::execution::detail {

/// Senders with a static `parts(self)`, a tuple of the data and the children behind the tag.
template <class Sender>
concept has_parts = std::is_class_v<Sender> && std::same_as<Sender, std::remove_cv_t<Sender>> &&
                    requires(Sender& sender) {
                      typename Sender::tag_type;
                      Sender::parts(sender);
                    };

/// The data of a sender that has none.
inline constexpr std::tuple<> no_data;

template <class Sender>
using parts_of = decltype(std::remove_cv_t<Sender>::parts(std::declval<Sender&>()));

/// The tag, the data, a child.
template <std::size_t i, class Sender>
  requires has_parts<std::remove_cvref_t<Sender>>
constexpr decltype(auto) get(Sender&& sender) noexcept {
  using plain = std::remove_cvref_t<Sender>;
  if constexpr (i == 0) {
    return typename plain::tag_type();
  } else {
    using part = std::tuple_element_t<i - 1, parts_of<std::remove_reference_t<Sender>>>;
    return static_cast<part>(std::get<i - 1>(plain::parts(sender)));
  }
}

/// Converts to whatever a member of `Aggregate` is made of, but to no base of it.
template <class Aggregate>
struct any_member {
  template <class Member>
    requires(!std::is_base_of_v<Member, Aggregate>)
  operator Member() const noexcept;  // NOLINT(*-explicit-constructor): it stands for any member
};

template <class Aggregate, std::size_t... i>
consteval bool has_members(std::index_sequence<i...> /*which*/) {
  return requires { Aggregate{(static_cast<void>(i), any_member<Aggregate>())...}; } ||
         requires { Aggregate{{}, (static_cast<void>(i), any_member<Aggregate>())...}; };
}

/// How many members an aggregate has, if `most` or fewer.
template <class Aggregate, std::size_t most = 6>
consteval std::size_t num_members() {
  if constexpr (most == 0) {
    return 0;
  } else if constexpr (has_members<Aggregate>(std::make_index_sequence<most>())) {
    return most;
  } else {
    return num_members<Aggregate, most - 1>();
  }
}

}  // namespace weft::execution::detail

// For weft's own senders alone, so that a structured binding finds their parts.
// NOLINTBEGIN(bugprone-std-namespace-modification): the standard lets programs specialise these two
// for types of their own.
template <class Sender>
  requires weft::execution::detail::has_parts<Sender>
struct std::tuple_size<Sender>
    : std::integral_constant<std::size_t,
                             1 + std::tuple_size_v<weft::execution::detail::parts_of<Sender>>> {};
template <std::size_t i, class Sender>
  requires weft::execution::detail::has_parts<Sender>
struct std::tuple_element<i, Sender> {
  using type =
      std::remove_reference_t<decltype(weft::execution::detail::get<i>(std::declval<Sender&>()))>;
};
// NOLINTEND(bugprone-std-namespace-modification)
