// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A field as exchanges see it: bytes at strides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "weft/halo/axis.hpp"
#include "weft/halo/layout.hpp"

namespace weft::halo::detail {

inline constexpr std::size_t max_dims = 4;

/// Everything of a field but where it lies.
struct shape {
  std::size_t num_dims = 0;
  std::array<axis, max_dims> axes{};               // those beyond num_dims have length 1
  std::array<std::ptrdiff_t, max_dims> strides{};  // bytes
  std::size_t element_bytes = 0;
  std::uint64_t type = 0;  // the same for the same type on all ranks

  bool operator==(const shape&) const = default;
};

/// How halo cells are added to the cells they are copies of; null: they are copied the other way.
struct combining {
  /// `into[i] = op(into[i], from[i])` for `count` elements, `from` at any address.
  using function = void (*)(const void* op,
                            std::byte* into,
                            const std::byte* from,
                            std::ptrdiff_t count);
  function combine = nullptr;
  const void* op = nullptr;
};

/// FNV-1a.
constexpr std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char each : text) {
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  }
  return hash;
}

template <class Value>
consteval std::uint64_t type_hash() {
  return hash_of(__PRETTY_FUNCTION__);
}

template <class Value, std::size_t num_dims>
constexpr shape shape_of(const axes<num_dims>& box, const element_strides<num_dims>& strides) {
  shape made{.num_dims = num_dims, .element_bytes = sizeof(Value), .type = type_hash<Value>()};
  for (std::size_t d = 0; d < num_dims; ++d) {
    made.axes[d] = box[d];
    made.strides[d] = wrapping_product(strides[d], static_cast<std::ptrdiff_t>(sizeof(Value)));
  }
  return made;
}

}  // namespace weft::halo::detail
