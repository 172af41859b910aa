// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a type cannot be serialised, and the sentence that the compiler says then.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/distributed/archive_access.hpp"
#include "weft/distributed/detail/aggregate.hpp"
#include "weft/distributed/detail/archive_kinds.hpp"

namespace weft::distributed::detail {

enum class problem : std::uint8_t {
  none,
  pointer,
  reference,
  view,
  constant,
  not_constructible,
  polymorphic,
  base_class,
  too_many_members,
  private_serialize,
  inherited_serialize,
  unknown_class,
};

/// Which of the two an archive does with a type.
enum class direction : std::uint8_t { writing, reading };

template <class T, direction way, class... Seen>
consteval problem problem_of();

template <direction way, class... Seen, class... Part>
consteval problem first_problem(type_list<Part...> /*parts*/) {
  problem found = problem::none;
  static_cast<void>(
      ((found == problem::none ? found = problem_of<Part, way, Seen...>() : found), ...));
  return found;
}

template <class... Part>
consteval bool can_construct(type_list<Part...> /*parts*/) {
  return (std::default_initializable<std::remove_cv_t<Part>> && ...);
}

template <class T>
consteval problem problem_of_aggregate() {
  if constexpr (has_base<T>) {
    return problem::base_class;
  } else if constexpr (!std::default_initializable<T>) {
    return problem::not_constructible;
  } else if constexpr (num_members<T> > most_members) {
    return problem::too_many_members;
  }
  return problem::none;
}

template <class T, direction way, class... Seen>
consteval problem problem_of_parts() {
  using parts = typename parts_of<T>::type;
  constexpr problem inner = first_problem<way, T, Seen...>(parts{});
  if constexpr (inner == problem::none && way == direction::reading && standard<T>::constructs) {
    return can_construct(parts{}) ? problem::none : problem::not_constructible;
  }
  return inner;
}

consteval problem problem_of_user(user_form called) {
  return called == user_form::cannot_be_called ? problem::private_serialize
         : called == user_form::inherited      ? problem::inherited_serialize
                                               : problem::none;
}

/// The problem of a type itself, regardless of its parts.
template <class T, direction way>
consteval problem problem_of_whole() {
  constexpr kind form = kind_of<T>;
  if constexpr (form == kind::pointer) {
    return problem::pointer;
  } else if constexpr (form == kind::unknown) {
    return problem::unknown_class;
  } else if constexpr (form == kind::view && way == direction::reading) {
    return problem::view;
  } else if constexpr (form == kind::user) {
    return problem_of_user(user_form_of<T>);
  } else if constexpr (form == kind::aggregate) {
    return problem_of_aggregate<T>();
  } else if constexpr (form == kind::owner) {
    return std::is_polymorphic_v<typename T::element_type> ? problem::polymorphic : problem::none;
  }
  return problem::none;
}

/// `Seen` are the types around `T`: a tree has a vector of trees.
template <class T, direction way, class... Seen>
consteval problem problem_of() {
  using bare = std::remove_cv_t<T>;
  if constexpr (std::is_reference_v<T>) {
    return problem::reference;
  } else if constexpr (std::is_const_v<T> && way == direction::reading) {
    return problem::constant;
  } else if constexpr ((std::same_as<bare, Seen> || ...)) {
    return problem::none;
  } else if constexpr (constexpr problem own = problem_of_whole<bare, way>();
                       own != problem::none) {
    return own;
  } else {
    return problem_of_parts<bare, way, Seen...>();
  }
}

/// Ends the compilation with a sentence if `T` cannot be written or read.
template <class T, direction way>
consteval bool explain() {
  constexpr problem found = problem_of<T, way>();
  static_assert(
      found != problem::pointer,
      "weft::distributed: a pointer, or what shares an object, cannot be sent: an address "
      "means nothing in another process; send the object, as value or std::unique_ptr");
  static_assert(found != problem::reference,
                "weft::distributed: a reference cannot be sent: send the object by value");
  static_assert(found != problem::view,
                "weft::distributed: a span or string_view cannot be received, since it owns "
                "nothing: receive a std::vector or std::string");
  static_assert(found != problem::constant,
                "weft::distributed: a const object cannot be read into: take away its const");
  static_assert(
      found != problem::not_constructible,
      "weft::distributed: a type that is read needs a default constructor, and no members "
      "that are references: an object is made first and then filled");
  static_assert(found != problem::polymorphic,
                "weft::distributed: a std::unique_ptr to a class with virtual functions cannot be "
                "sent, since it may own an object of a derived class: send a std::variant");
  static_assert(found != problem::base_class,
                "weft::distributed: an aggregate with a base class needs a function "
                "serialize(archive): its members cannot be listed");
  static_assert(found != problem::too_many_members,
                "weft::distributed: an aggregate of more than 16 members needs a function "
                "serialize(archive): its members cannot be listed");
  static_assert(found != problem::private_serialize,
                "weft::distributed: the member serialize cannot be called as serialize(archive): "
                "make it public, or befriend weft::distributed::archive_access");
  static_assert(found != problem::inherited_serialize,
                "weft::distributed: the function serialize is a base class's, and leaves out the "
                "members of the derived class: give the derived class one, too");
  static_assert(found != problem::unknown_class,
                "weft::distributed: this class cannot be sent: give it a function "
                "serialize(archive), or make is_bitwise_serializable true for it");
  return found == problem::none;
}

}  // namespace weft::distributed::detail
