// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a value of any serialisable type from an archive, whose bytes may be damaged.
#pragma once

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "weft/distributed/archive_access.hpp"
#include "weft/distributed/detail/aggregate.hpp"
#include "weft/distributed/detail/archive_bytes.hpp"
#include "weft/distributed/detail/archive_kinds.hpp"

namespace weft::distributed::detail {

template <class Archive, class T>
void read(Archive& archive, T& value);

template <class T>
void read_bitwise(byte_reader& in, T& value) {
  if constexpr (sizeof(T) >= least_fixed_part_bytes) {
    if (in.get_part_flag(sizeof(T))) {
      in.add_part(std::addressof(value), sizeof(T));
      return;
    }
  }
  in.get(std::addressof(value), sizeof(T));
}

#if defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG) && !defined(_GLIBCXX_SANITIZE_VECTOR)
/// Gives a vector elements without values: filling them would cost as much as receiving them.
template <class T>
struct vector_of_any_values : std::vector<T> {
  static void resize(std::vector<T>& value, std::size_t count) {
    value.clear();
    value.reserve(count);
    auto& ends = value.*&vector_of_any_values::_M_impl;
    ends._M_finish = ends._M_start + count;
  }
};
template <class T>
  requires std::is_trivially_copyable_v<T>
void resize_for_part(std::vector<T>& value, std::size_t count) {
  vector_of_any_values<T>::resize(value, count);
}
#endif
template <class Container>
void resize_for_part(Container& value, std::size_t count) {
  value.clear();
  value.resize(count);
}

template <class Container>
void read_contiguous(byte_reader& in, Container& value) {
  using element = typename Container::value_type;
  const auto [count, is_part] = in.get_part_count(sizeof(element));
  const std::size_t size = count * sizeof(element);
  if (is_part) {
    resize_for_part(value, count);
    in.add_part(value.data(), size);
    return;
  }
  if (size >= least_aligned_bytes) {
    in.align(alignment_in_archive(size, alignof(element)));
  }
  const std::byte* const bytes = in.take(size);
  if (size >= least_aligned_bytes && std::bit_cast<std::uintptr_t>(bytes) % alignof(element) == 0) {
    const auto* const first = reinterpret_cast<const element*>(bytes);
    value.assign(first, first + count);  // copies the bytes, without filling the memory before
    return;
  }
  value.resize(count);
  if (size != 0) {
    std::memcpy(value.data(), bytes, size);
  }
}

template <class Archive, class T>
void read_element(Archive& archive, T& value) {
  read(archive, value);
  if constexpr (least_bytes<T>() == 0) {
    static_cast<void>(archive_access::bytes_of(archive).get_byte());
  }
}

template <class T>
inline constexpr std::size_t least_element_bytes = std::max<std::size_t>(least_bytes<T>(), 1);

/// Vectors, whose elements must have their places before parts of them are noted.
template <class Archive, class Vector>
void read_vector(Archive& archive, Vector& value) {
  auto& in = archive_access::bytes_of(archive);
  const nested level(in);
  const std::size_t count = in.get_count(least_element_bytes<typename Vector::value_type>);
  value.clear();
  value.resize(count);
  for (auto& element : value) {
    read_element(archive, element);
  }
}

template <class Archive, class Sequence>
void read_sequence(Archive& archive, Sequence& value) {
  auto& in = archive_access::bytes_of(archive);
  const nested level(in);
  const std::size_t count = in.get_count(least_element_bytes<typename Sequence::value_type>);
  value.clear();
  for (std::size_t i = 0; i < count; ++i) {
    read_element(archive, value.emplace_back());
  }
}

template <class Archive, class T>
void read_key(Archive& archive, T& key) {
  const copying whole(archive_access::bytes_of(archive));
  read_element(archive, key);
}

template <class Archive, class Set>
void read_keys(Archive& archive, Set& set) {
  using key_type = typename Set::key_type;
  auto& in = archive_access::bytes_of(archive);
  const nested level(in);
  const std::size_t count = in.get_count(least_element_bytes<key_type>);
  set.clear();
  for (std::size_t i = 0; i < count; ++i) {
    key_type key{};
    read_key(archive, key);
    set.emplace_hint(set.end(), std::move(key));
    if (set.size() != i + 1) {
      in.fail("no key twice");
    }
  }
}

template <class Archive, class Map>
void read_keyed(Archive& archive, Map& map) {
  using key_type = typename Map::key_type;
  using mapped_type = typename Map::mapped_type;
  constexpr std::size_t least = least_element_bytes<key_type> + least_bytes<mapped_type>();
  auto& in = archive_access::bytes_of(archive);
  const nested level(in);
  const std::size_t count = in.get_count(least);
  map.clear();
  for (std::size_t i = 0; i < count; ++i) {
    key_type key{};
    read_key(archive, key);
    const auto place = map.emplace_hint(
        map.end(), std::piecewise_construct, std::forward_as_tuple(std::move(key)), std::tuple<>{});
    if (map.size() != i + 1) {
      in.fail("no key twice");
    }
    read(archive, place->second);
  }
}

template <class Bits>
void read_bits(byte_reader& in, Bits& bits) {
  for (std::size_t i = 0; i < bits.size(); i += CHAR_BIT) {
    const unsigned byte = in.get_byte();
    const std::size_t last = std::min<std::size_t>(bits.size() - i, CHAR_BIT);
    for (std::size_t j = 0; j < last; ++j) {
      bits[i + j] = (byte >> j & 1U) != 0;
    }
  }
}

template <class Flags>
void read_flags(byte_reader& in, Flags& flags) {
  const std::size_t count = in.get_count(0);
  if (count / CHAR_BIT + (count % CHAR_BIT != 0 ? 1 : 0) > in.num_left()) {
    in.fail("as many bits as are counted");
  }
  flags.assign(count, false);
  read_bits(in, flags);
}

template <std::size_t i, class Archive, class Variant>
void read_alternative(Archive& archive, Variant& value) {
  read(archive, value.template emplace<i>());
}

template <class Archive, class Variant>
void read_variant(Archive& archive, Variant& value) {
  auto& in = archive_access::bytes_of(archive);
  const nested level(in);
  const std::size_t index = in.get_byte();
  if (index >= std::variant_size_v<Variant>) {
    in.fail("the index of an alternative");
  }
  [&]<std::size_t... i>(std::index_sequence<i...> /*alternatives*/) {
    static_cast<void>(((index == i && (read_alternative<i>(archive, value), true)) || ...));
  }(std::make_index_sequence<std::variant_size_v<Variant>>{});
}

template <class Archive, class Optional>
void read_optional(Archive& archive, Optional& value) {
  auto& in = archive_access::bytes_of(archive);
  const nested level(in);
  value.reset();
  if (in.get_flag()) {
    read(archive, value.emplace());
  }
}

template <class Archive, class Owner>
void read_owner(Archive& archive, Owner& value) {
  auto& in = archive_access::bytes_of(archive);
  const nested level(in);
  value.reset();
  if (in.get_flag()) {
    value = std::make_unique<typename Owner::element_type>();
    read(archive, *value);
  }
}

template <class Archive, class T>
void read_user(Archive& archive, T& value) {
  auto& in = archive_access::bytes_of(archive);
  const nested level(in);
  const copying all(in);
  archive_access::call(archive, value);
}

/// Types that hold others.
template <class Archive, class T>
void read_composed(Archive& archive, T& value) {
  constexpr kind form = kind_of<T>;
  auto& in = archive_access::bytes_of(archive);
  if constexpr (form == kind::array) {
    for (auto& element : value) {
      read(archive, element);
    }
  } else if constexpr (form == kind::contiguous) {
    if constexpr (is_bitwise<typename T::value_type>) {
      read_contiguous(in, value);
    } else {
      read_vector(archive, value);
    }
  } else if constexpr (form == kind::sequence) {
    read_sequence(archive, value);
  } else if constexpr (form == kind::keys) {
    read_keys(archive, value);
  } else if constexpr (form == kind::keyed) {
    read_keyed(archive, value);
  } else if constexpr (form == kind::tuple) {
    std::apply([&](auto&... part) { (read(archive, part), ...); }, value);
  } else if constexpr (form == kind::variant) {
    read_variant(archive, value);
  } else if constexpr (form == kind::optional) {
    read_optional(archive, value);
  } else if constexpr (form == kind::owner) {
    read_owner(archive, value);
  } else if constexpr (form == kind::user) {
    read_user(archive, value);
  } else if constexpr (form == kind::aggregate) {
    with_members(value, [&](auto&... member) { (read(archive, member), ...); });
  }
}

template <class Archive, class T>
void read(Archive& archive, T& value) {
  constexpr kind form = kind_of<T>;
  auto& in = archive_access::bytes_of(archive);
  if constexpr (is_bitwise<T>) {
    read_bitwise(in, value);
  } else if constexpr (form == kind::nothing) {
  } else if constexpr (form == kind::boolean) {
    value = in.get_flag();
  } else if constexpr (form == kind::extended) {
    value = 0;
    in.get(std::addressof(value), extended_bytes);
  } else if constexpr (form == kind::number) {
    typename T::value_type real{};
    typename T::value_type imaginary{};
    read(archive, real);
    read(archive, imaginary);
    value = T(real, imaginary);
  } else if constexpr (form == kind::duration) {
    typename T::rep count{};
    read(archive, count);
    value = T(count);
  } else if constexpr (form == kind::time_point) {
    typename T::duration since_epoch{};
    read(archive, since_epoch);
    value = T(since_epoch);
  } else if constexpr (form == kind::bits) {
    read_bits(in, value);
  } else if constexpr (form == kind::flags) {
    read_flags(in, value);
  } else if constexpr (form == kind::path) {
    typename T::string_type text;
    const copying whole(in);
    read(archive, text);
    value = T(std::move(text));
  } else {
    read_composed(archive, value);
  }
}

}  // namespace weft::distributed::detail
