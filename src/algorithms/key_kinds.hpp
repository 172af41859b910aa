// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts the kind of a key, known at run time, to its type.
#pragma once

#include <cstdint>
#include <type_traits>

#include "weft/algorithms/detail/kernels/vector_sort.hpp"

namespace weft::algorithms::detail {

/// The type of keys of a kind.
template <key_kind kind>
struct key_type;
template <>
struct key_type<key_kind::i16> : std::type_identity<std::int16_t> {};
template <>
struct key_type<key_kind::u16> : std::type_identity<std::uint16_t> {};
template <>
struct key_type<key_kind::i32> : std::type_identity<std::int32_t> {};
template <>
struct key_type<key_kind::u32> : std::type_identity<std::uint32_t> {};
template <>
struct key_type<key_kind::i64> : std::type_identity<std::int64_t> {};
template <>
struct key_type<key_kind::u64> : std::type_identity<std::uint64_t> {};
template <>
struct key_type<key_kind::f32> : std::type_identity<float> {};
template <>
struct key_type<key_kind::f64> : std::type_identity<double> {};
template <key_kind kind>
using key_of = typename key_type<kind>::type;

/// Calls `f.operator()<T>()` with the type `T` of keys of that kind. Every kind but `none` has a
/// type.
template <class F>
auto with_key_type(key_kind kind, F f) {
  switch (kind) {
    case key_kind::i16:
      return f.template operator()<std::int16_t>();
    case key_kind::u16:
      return f.template operator()<std::uint16_t>();
    case key_kind::i32:
      return f.template operator()<std::int32_t>();
    case key_kind::u32:
      return f.template operator()<std::uint32_t>();
    case key_kind::i64:
      return f.template operator()<std::int64_t>();
    case key_kind::u64:
      return f.template operator()<std::uint64_t>();
    case key_kind::f32:
      return f.template operator()<float>();
    case key_kind::f64:
    case key_kind::none:
      break;
  }
  return f.template operator()<double>();
}

}  // namespace weft::algorithms::detail
