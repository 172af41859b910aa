// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns objects into bytes and back: messages between processes, and checkpoints.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/distributed/archive_access.hpp"  // IWYU pragma: export
#include "weft/distributed/archive_error.hpp"   // IWYU pragma: export
#include "weft/distributed/archive_part.hpp"    // IWYU pragma: export
#include "weft/distributed/detail/archive_bytes.hpp"
#include "weft/distributed/detail/archive_problems.hpp"
#include "weft/distributed/detail/archive_read.hpp"
#include "weft/distributed/detail/archive_write.hpp"
#include "weft/distributed/detail/foreign_wrappers.hpp"

namespace weft::distributed {

/// Types that can be written to an archive and read from one: no pointers, references or views, and
/// a default constructor.
///
/// Example: tests/distributed/archive_test.cpp: the_concept_says_what_can_be_sent.
template <class T>
concept serializable =
    std::is_object_v<T> &&
    detail::problem_of<T, detail::direction::reading>() == detail::problem::none &&
    std::default_initializable<T> && std::movable<T>;

/// Says how this program lays out numbers: archives are for programs of which this is the same.
[[nodiscard]] constexpr std::uint64_t archive_layout() noexcept {
  constexpr std::size_t sizes[] = {sizeof(short),
                                   sizeof(int),
                                   sizeof(long),
                                   sizeof(void*),
                                   sizeof(wchar_t),
                                   alignof(std::max_align_t),
                                   sizeof(long double),
                                   sizeof(bool)};
  constexpr bool traits[] = {std::endian::native == std::endian::little,
                             std::numeric_limits<char>::is_signed,
                             std::numeric_limits<double>::is_iec559};
  std::uint64_t word = std::numeric_limits<long double>::digits;
  for (const std::size_t each : sizes) {
    word = word << 6 | each;
  }
  for (const bool each : traits) {
    word = word << 1 | (each ? 1 : 0);
  }
  return word;
}

/// Writes objects as bytes.
///
/// Large contiguous data of standard containers and aggregates is not copied: it becomes a `part`.
/// A user's own function `serialize` is given copies, since it may look at data as it reads.
/// Cost:    one copy of all data but that of parts; allocates as it grows.
/// Threads: one at a time.
/// Errors:  `weft::error` for values that are nested more than 128 deep.
/// Example: tests/distributed/archive_test.cpp: large_vectors_are_parts.
class output_archive {
 public:
  // For functions in the form of Boost and cereal.
  using is_saving = std::true_type;
  using is_loading = std::false_type;

  /// Data of at least `part_threshold` bytes becomes a part.
  explicit output_archive(std::size_t part_threshold = 8192) : bytes_(part_threshold) {}
  /// Writes the first bytes into `room`, which lives longer than the archive, and so allocates
  /// nothing for a few of them.
  output_archive(std::size_t part_threshold, std::span<std::byte> room)
      : bytes_(part_threshold, room) {}

  template <class... T>
  output_archive& operator()(const T&... values) {
    (write(values), ...);
    return *this;
  }
  template <class T>
  output_archive& operator&(const T& value) {
    return (*this)(value);
  }
  template <class T>
  output_archive& operator<<(const T& value) {
    return (*this)(value);
  }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_.bytes(); }

  /// In the order in which reading notes them.
  [[nodiscard]] std::span<const part> parts() const noexcept { return bytes_.parts(); }

  /// Moves the bytes out; the archive is empty then.
  [[nodiscard]] std::vector<std::byte> take_bytes() { return bytes_.take_bytes(); }

  /// Forgets all that was written, but keeps the memory.
  void clear() noexcept { bytes_.clear(); }

 private:
  friend class archive_access;

  template <class T>
  void write(const T& value) {
    if constexpr (detail::foreign_wrapper<const T>) {
      write(detail::unwrapped(value));
    } else if constexpr (detail::explain<T, detail::direction::writing>()) {
      detail::write(*this, value);
    }
  }

  detail::byte_writer bytes_;
};

/// Reads objects from bytes that an `output_archive` wrote, or that are damaged.
///
/// No length is trusted: memory is allocated only for elements that the bytes, or the parts, hold.
/// Shape:   `bytes` are all bytes of one archive, from its first one.
/// Threads: one at a time.
/// Errors:  `archive_error`; objects that were read before, and the one at hand, keep valid values.
/// Example: tests/distributed/archive_test.cpp: large_vectors_are_parts.
class input_archive {
 public:
  using is_saving = std::false_type;
  using is_loading = std::true_type;

  /// Refuses parts that have more than `max_part_bytes` together.
  explicit input_archive(std::span<const std::byte> bytes, std::size_t max_part_bytes = 0)
      : bytes_(bytes, max_part_bytes) {}

  template <class... T>
  input_archive& operator()(T&&... values) {
    (read(values), ...);
    return *this;
  }
  template <class T>
  input_archive& operator&(T&& value) {
    return (*this)(value);
  }
  template <class T>
  input_archive& operator>>(T&& value) {
    return (*this)(value);
  }

  /// Memory of the objects read, to be received into, in this order, before the objects are used.
  [[nodiscard]] std::span<const part_to_fill> parts_to_fill() const noexcept {
    return bytes_.parts();
  }

  /// Throws archive_error if bytes are left over.
  void finish() const { bytes_.finish(); }

 private:
  friend class archive_access;

  template <class T>
  void read(T& value) {
    if constexpr (detail::foreign_wrapper<T>) {
      read(detail::unwrapped(value));
    } else if constexpr (detail::explain<T, detail::direction::reading>()) {
      detail::read(*this, value);
    }
  }

  detail::byte_reader bytes_;
};

}  // namespace weft::distributed
