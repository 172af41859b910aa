// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a value of any serialisable type to an archive.
#pragma once

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <variant>

#include "weft/base/error.hpp"
#include "weft/distributed/archive_access.hpp"
#include "weft/distributed/detail/aggregate.hpp"
#include "weft/distributed/detail/archive_bytes.hpp"
#include "weft/distributed/detail/archive_kinds.hpp"

namespace weft::distributed::detail {

template <class Archive, class T>
void write(Archive& archive, const T& value);

template <class T>
void write_bitwise(byte_writer& out, const T& value) {
  if constexpr (sizeof(T) >= least_fixed_part_bytes) {
    const bool is_part = out.add_part(std::addressof(value), sizeof(T));
    out.put_byte(is_part ? 1 : 0);
    if (is_part) {
      return;
    }
  }
  out.put(std::addressof(value), sizeof(T));
}

/// Elements in one piece of memory, which are bytes.
template <class T>
void write_contiguous(byte_writer& out, const T* first, std::size_t count) {
  const std::size_t size = count * sizeof(T);
  if (count != 0 && out.add_part(first, size)) {
    out.put_count(count | part_bit);
    return;
  }
  out.put_count(count);
  if (size >= least_aligned_bytes) {
    out.align(alignment_in_archive(size, alignof(T)));
  }
  if (size != 0) {
    out.put(first, size);
  }
}

/// An element that may take no bytes gets one, so that a count says how much there must be.
template <class Archive, class T>
void write_element(Archive& archive, const T& value) {
  write(archive, value);
  if constexpr (least_bytes<T>() == 0) {
    archive_access::bytes_of(archive).put_byte(0);
  }
}

template <class Archive, class Range>
void write_elements(Archive& archive, const Range& range) {
  auto& out = archive_access::bytes_of(archive);
  const nested level(out);
  out.put_count(range.size());
  for (const auto& element : range) {
    write_element(archive, element);
  }
}

/// Reading needs whole keys before it can insert them, so they have no parts.
template <class Archive, class T>
void write_key(Archive& archive, const T& key) {
  const copying whole(archive_access::bytes_of(archive));
  write_element(archive, key);
}

template <class Archive, class Set>
void write_keys(Archive& archive, const Set& set) {
  auto& out = archive_access::bytes_of(archive);
  const nested level(out);
  out.put_count(set.size());
  for (const auto& key : set) {
    write_key(archive, key);
  }
}

template <class Archive, class Map>
void write_keyed(Archive& archive, const Map& map) {
  auto& out = archive_access::bytes_of(archive);
  const nested level(out);
  out.put_count(map.size());
  for (const auto& [key, value] : map) {
    write_key(archive, key);
    write(archive, value);
  }
}

/// `bits` has `size` bits; eight of them are a byte.
template <class Bits>
void write_bits(byte_writer& out, const Bits& bits) {
  for (std::size_t i = 0; i < bits.size(); i += CHAR_BIT) {
    unsigned byte = 0;
    const std::size_t last = std::min<std::size_t>(bits.size() - i, CHAR_BIT);
    for (std::size_t j = 0; j < last; ++j) {
      byte |= (bits[i + j] ? 1U : 0U) << j;
    }
    out.put_byte(static_cast<std::uint8_t>(byte));
  }
}

template <class Archive, class Variant>
void write_variant(Archive& archive, const Variant& value) {
  static_assert(std::variant_size_v<Variant> <= UINT8_MAX,
                "weft::distributed: a variant may have at most 255 alternatives");
  auto& out = archive_access::bytes_of(archive);
  if (value.valueless_by_exception()) {
    throw error(errc::bad_parameter,
                "a std::variant without a value cannot be serialised: assign a value to it");
  }
  const nested level(out);
  out.put_byte(static_cast<std::uint8_t>(value.index()));
  std::visit([&](const auto& held) { write(archive, held); }, value);
}

/// Optional values and owned objects.
template <class Archive, class Pointer>
void write_if_there(Archive& archive, const Pointer& value) {
  auto& out = archive_access::bytes_of(archive);
  const nested level(out);
  out.put_byte(value ? 1 : 0);
  if (value) {
    write(archive, *value);
  }
}

template <class Archive, class T>
void write_user(Archive& archive, const T& value) {
  auto& out = archive_access::bytes_of(archive);
  const nested level(out);
  const copying all(out);
  // cereal and Boost declare one function for both directions, which is not const.
  archive_access::call(archive, const_cast<T&>(value));
}

/// Types that hold others.
template <class Archive, class T>
void write_composed(Archive& archive, const T& value) {
  constexpr kind form = kind_of<T>;
  auto& out = archive_access::bytes_of(archive);
  if constexpr (form == kind::array) {
    for (const auto& element : value) {
      write(archive, element);
    }
  } else if constexpr (form == kind::sequence || form == kind::contiguous || form == kind::view) {
    if constexpr (form != kind::sequence && is_bitwise<typename T::value_type>) {
      write_contiguous(out, value.data(), value.size());
    } else {
      write_elements(archive, value);
    }
  } else if constexpr (form == kind::keys) {
    write_keys(archive, value);
  } else if constexpr (form == kind::keyed) {
    write_keyed(archive, value);
  } else if constexpr (form == kind::tuple) {
    std::apply([&](const auto&... part) { (write(archive, part), ...); }, value);
  } else if constexpr (form == kind::variant) {
    write_variant(archive, value);
  } else if constexpr (form == kind::optional || form == kind::owner) {
    write_if_there(archive, value);
  } else if constexpr (form == kind::user) {
    write_user(archive, value);
  } else if constexpr (form == kind::aggregate) {
    with_members(value, [&](const auto&... member) { (write(archive, member), ...); });
  }
}

template <class Archive, class T>
void write(Archive& archive, const T& value) {
  constexpr kind form = kind_of<T>;
  auto& out = archive_access::bytes_of(archive);
  if constexpr (is_bitwise<T>) {
    write_bitwise(out, value);
  } else if constexpr (form == kind::nothing) {
  } else if constexpr (form == kind::boolean) {
    out.put_byte(value ? 1 : 0);
  } else if constexpr (form == kind::extended) {
    out.put(std::addressof(value), extended_bytes);
  } else if constexpr (form == kind::number) {
    write(archive, value.real());
    write(archive, value.imag());
  } else if constexpr (form == kind::duration) {
    write(archive, value.count());
  } else if constexpr (form == kind::time_point) {
    write(archive, value.time_since_epoch());
  } else if constexpr (form == kind::bits) {
    write_bits(out, value);
  } else if constexpr (form == kind::flags) {
    out.put_count(value.size());
    write_bits(out, value);
  } else if constexpr (form == kind::path) {
    const copying whole(out);
    write(archive, value.native());
  } else {
    write_composed(archive, value);
  }
}

}  // namespace weft::distributed::detail
