// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number for the way in which a type is serialised, so that a file of another type is refused.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/distributed/detail/aggregate.hpp"
#include "weft/distributed/detail/archive_kinds.hpp"

namespace weft::distributed::detail {

/// FNV-1a of 64 bits.
class signature {
 public:
  void add(std::uint64_t number) noexcept {
    for (int shift = 0; shift < 64; shift += 8) {
      hash_ = (hash_ ^ (number >> shift & 0xff)) * 0x100000001b3;
    }
  }
  void add_text(std::string_view text) noexcept {
    add(text.size());
    for (const char each : text) {
      hash_ = (hash_ ^ static_cast<unsigned char>(each)) * 0x100000001b3;
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

template <class T, class... Seen>
void add_type(signature& to);

template <class... Seen, class... Part>
void add_types(signature& to, type_list<Part...> /*parts*/) {
  to.add(sizeof...(Part));
  (add_type<std::remove_cv_t<Part>, Seen...>(to), ...);
}

/// Numbers by kind and size, aggregates by their members, and by its name what only its own function
/// knows. `Seen` are the types around `T`.
template <class T, class... Seen>
void add_type(signature& to) {
  constexpr kind form = kind_of<T>;
  to.add(static_cast<std::uint64_t>(form));
  if constexpr ((std::same_as<T, Seen> || ...)) {
    to.add(sizeof...(Seen));
  } else if constexpr (form == kind::scalar) {
    to.add(sizeof(T));
    to.add((std::is_floating_point_v<T> ? 1U : 0U) + (std::is_enum_v<T> ? 2U : 0U) +
           (std::is_signed_v<T> ? 4U : 0U));
  } else if constexpr (form == kind::user || form == kind::bitwise) {
    to.add_text(typeid(T).name());
  } else {
    if constexpr (std::is_array_v<T>) {
      to.add(std::extent_v<T>);
    } else if constexpr (form == kind::array) {
      to.add(std::tuple_size_v<T>);
    } else if constexpr (form == kind::bits) {
      to.add(T().size());
    } else if constexpr (form == kind::duration) {
      to.add(static_cast<std::uint64_t>(T::period::num));
      to.add(static_cast<std::uint64_t>(T::period::den));
    }
    add_types<T, Seen...>(to, typename parts_of<T>::type{});
  }
}

template <class... T>
std::uint64_t signature_of() {
  signature made;
  add_types<>(made, type_list<T...>{});
  return made.value();
}

}  // namespace weft::distributed::detail
