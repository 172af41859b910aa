// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which form of serialisation each type has.
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <climits>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/distributed/archive_access.hpp"
#include "weft/distributed/detail/aggregate.hpp"
#include "weft/distributed/detail/archive_bytes.hpp"

namespace weft::distributed::detail {

enum class kind : std::uint8_t {
  unknown,
  nothing,   // std::monostate
  scalar,    // numbers, enumerations
  boolean,   // a byte that must be 0 or 1
  extended,  // long double, whose padding is not sent
  bitwise,   // a class that says so
  number,    // std::complex
  duration,
  time_point,
  bits,        // std::bitset
  flags,       // std::vector<bool>
  array,       // of a fixed size
  contiguous,  // std::vector, std::basic_string
  sequence,    // std::list, std::deque
  keys,        // sets
  keyed,       // maps
  tuple,
  optional,
  variant,
  owner,  // std::unique_ptr
  path,
  view,  // can be written only
  pointer,
  user,  // has a function `serialize`
  aggregate,
};

/// The form of a standard type, the types it consists of, and whether reading constructs these.
template <kind form, bool constructs_parts, class... Part>
struct described {
  static constexpr kind value = form;
  static constexpr bool constructs = constructs_parts;
  using parts = type_list<Part...>;
};

template <class T>
struct standard : described<kind::unknown, false> {};

// clang-format off
template <> struct standard<bool> : described<kind::boolean, false> {};
template <> struct standard<long double> : described<kind::extended, false> {};
template <> struct standard<std::monostate> : described<kind::nothing, false> {};
template <> struct standard<std::nullptr_t> : described<kind::pointer, false> {};
template <class T> struct standard<std::complex<T>> : described<kind::number, false, T> {};
template <class T, class P> struct standard<std::chrono::duration<T, P>> : described<kind::duration, false, T> {};
template <class C, class D> struct standard<std::chrono::time_point<C, D>> : described<kind::time_point, false, D> {};
template <std::size_t n> struct standard<std::bitset<n>> : described<kind::bits, false> {};
template <class T, std::size_t n> struct standard<std::array<T, n>> : described<kind::array, false, T> {};
template <class T, std::size_t n> struct standard<T[n]> : described<kind::array, false, T> {};
template <class A> struct standard<std::vector<bool, A>> : described<kind::flags, false> {};
template <class T, class A> struct standard<std::vector<T, A>> : described<kind::contiguous, true, T> {};
template <class C, class T, class A> struct standard<std::basic_string<C, T, A>> : described<kind::contiguous, true, C> {};
template <class T, class A> struct standard<std::deque<T, A>> : described<kind::sequence, true, T> {};
template <class T, class A> struct standard<std::list<T, A>> : described<kind::sequence, true, T> {};
template <class K, class C, class A> struct standard<std::set<K, C, A>> : described<kind::keys, true, K> {};
template <class K, class C, class A> struct standard<std::multiset<K, C, A>> : described<kind::keys, true, K> {};
template <class K, class H, class E, class A> struct standard<std::unordered_set<K, H, E, A>> : described<kind::keys, true, K> {};
template <class K, class H, class E, class A> struct standard<std::unordered_multiset<K, H, E, A>> : described<kind::keys, true, K> {};
template <class K, class T, class C, class A> struct standard<std::map<K, T, C, A>> : described<kind::keyed, true, K, T> {};
template <class K, class T, class C, class A> struct standard<std::multimap<K, T, C, A>> : described<kind::keyed, true, K, T> {};
template <class K, class T, class H, class E, class A> struct standard<std::unordered_map<K, T, H, E, A>> : described<kind::keyed, true, K, T> {};
template <class K, class T, class H, class E, class A> struct standard<std::unordered_multimap<K, T, H, E, A>> : described<kind::keyed, true, K, T> {};
template <class A, class B> struct standard<std::pair<A, B>> : described<kind::tuple, false, A, B> {};
template <class... T> struct standard<std::tuple<T...>> : described<kind::tuple, false, T...> {};
template <class T> struct standard<std::optional<T>> : described<kind::optional, true, T> {};
template <class... T> struct standard<std::variant<T...>> : described<kind::variant, true, T...> {};
template <class T> struct standard<std::unique_ptr<T>> : described<kind::owner, true, T> {};
template <class T, class D> struct standard<std::unique_ptr<T, D>> : described<kind::pointer, false> {};
template <class T> struct standard<std::unique_ptr<T[]>> : described<kind::pointer, false> {};
template <class T> struct standard<std::shared_ptr<T>> : described<kind::pointer, false> {};
template <class T> struct standard<std::weak_ptr<T>> : described<kind::pointer, false> {};
template <class T> struct standard<std::reference_wrapper<T>> : described<kind::pointer, false> {};
template <class C, class T> struct standard<std::basic_string_view<C, T>> : described<kind::view, false, C> {};
template <class T, std::size_t n> struct standard<std::span<T, n>> : described<kind::view, false, std::remove_cv_t<T>> {};
// clang-format on

/// <filesystem> takes long to compile, so std::filesystem::path is known by its members.
template <class T>
concept path_like = std::is_class_v<T> && requires(const T& value) {
  typename T::string_type;
  { T::preferred_separator } -> std::convertible_to<typename T::value_type>;
  { value.native() } -> std::same_as<const typename T::string_type&>;
  T(value.native());
};

template <class T>
consteval kind find_kind() {
  if constexpr (standard<T>::value != kind::unknown) {
    return standard<T>::value;
  } else if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T> ||
                       std::is_function_v<T>) {
    return kind::pointer;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return kind::scalar;
  } else if constexpr (path_like<T>) {
    return kind::path;
  } else if constexpr (user_form_of<T> != user_form::none) {
    return kind::user;
  } else if constexpr (is_bitwise_serializable<T>) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "weft::distributed: is_bitwise_serializable is true for a class that is not "
                  "trivially copyable: give the class a function serialize(archive) instead");
    return kind::bitwise;
  } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T>) {
    return kind::aggregate;
  }
  return kind::unknown;
}

template <class T>
inline constexpr kind kind_of = find_kind<std::remove_cv_t<T>>();

/// The types that an object of a standard type or an aggregate consists of.
template <class T>
struct parts_of {
  using type = typename standard<T>::parts;
};
template <class T>
  requires(kind_of<T> == kind::aggregate && !has_base<T> && num_members<T> <= most_members)
struct parts_of<T> {
  using type = member_types<T>;
};

template <class T>
consteval bool find_bitwise();

/// Objects are sent as the bytes they occupy: they have no padding, and every value is valid.
template <class T>
inline constexpr bool is_bitwise = find_bitwise<std::remove_cv_t<T>>();

template <class T, class... Member>
consteval bool fills(type_list<Member...> /*members*/) {
  return (is_bitwise<Member> && ... && (sizeof(T) == (sizeof(Member) + ... + 0)));
}

template <class T>
consteval bool find_bitwise() {
  constexpr kind form = kind_of<T>;
  if constexpr (form == kind::scalar || form == kind::bitwise) {
    return true;
  } else if constexpr (form == kind::number) {
    return is_bitwise<typename T::value_type>;
  } else if constexpr (form == kind::duration || form == kind::time_point) {
    return std::is_trivially_copyable_v<T> && sizeof(T) == sizeof(typename T::rep) &&
           is_bitwise<typename T::rep>;
  } else if constexpr (form == kind::array && std::is_array_v<T>) {
    return is_bitwise<std::remove_extent_t<T>>;
  } else if constexpr (form == kind::array) {
    return std::tuple_size_v<T> != 0 && is_bitwise<typename T::value_type>;
  } else if constexpr (form == kind::aggregate && std::is_trivially_copyable_v<T>) {
    if constexpr (!has_base<T> && num_members<T> <= most_members) {
      return fills<T>(member_types<T>{});
    }
  }
  return false;
}

/// Sent of a long double: the 80-bit format of x86 has 6 or 2 bytes of padding.
inline constexpr std::size_t extended_bytes =
    std::numeric_limits<long double>::digits == 64 ? 10 : sizeof(long double);

template <class... Part>
consteval std::size_t sum_of_least(type_list<Part...> parts);

/// The fewest bytes that a value takes, so that a damaged count cannot ask for much memory.
template <class T>
consteval std::size_t least_bytes() {
  constexpr kind form = kind_of<T>;
  if constexpr (is_bitwise<T>) {
    return sizeof(T) < least_fixed_part_bytes ? sizeof(T) : 1;
  } else if constexpr (form == kind::boolean || form == kind::optional || form == kind::variant ||
                       form == kind::owner) {
    return 1;
  } else if constexpr (form == kind::extended) {
    return extended_bytes;
  } else if constexpr (form == kind::bits) {
    return (T().size() + CHAR_BIT - 1) / CHAR_BIT;
  } else if constexpr (form == kind::array) {
    if constexpr (std::is_array_v<T>) {
      return std::extent_v<T> * least_bytes<std::remove_cv_t<std::remove_extent_t<T>>>();
    } else {
      return std::tuple_size_v<T> * least_bytes<std::remove_cv_t<typename T::value_type>>();
    }
  } else if constexpr (form == kind::tuple || form == kind::aggregate || form == kind::number ||
                       form == kind::duration || form == kind::time_point) {
    return sum_of_least(typename parts_of<T>::type{});
  } else if constexpr (form == kind::nothing || form == kind::user) {
    return 0;
  } else {
    return sizeof(std::uint64_t);
  }
}

template <class... Part>
consteval std::size_t sum_of_least(type_list<Part...> /*parts*/) {
  return (least_bytes<std::remove_cv_t<Part>>() + ... + 0);
}

}  // namespace weft::distributed::detail
