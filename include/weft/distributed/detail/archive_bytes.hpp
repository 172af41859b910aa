// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes that archives write and read, and the limits of what is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/distributed/archive_part.hpp"

namespace weft::distributed {

namespace detail {

/// In a count: the elements are a part.
inline constexpr std::uint64_t part_bit = std::uint64_t{1} << 63;

/// Arrays of a fixed size become parts from here on; their type decides whether a byte says so.
inline constexpr std::size_t least_fixed_part_bytes = 1024;

/// Elements are aligned from here on, so that a vector can take them without a loop.
inline constexpr std::size_t least_aligned_bytes = 64;

inline constexpr std::size_t most_alignment = 16;

/// Returns the alignment of elements of so many bytes together in an archive. Long ones have the
/// alignment of malloc: some processors copy slowly if source and target differ by 8 bytes.
[[nodiscard]] constexpr std::size_t alignment_in_archive(std::size_t size_bytes,
                                                         std::size_t element_alignment) noexcept {
  constexpr std::size_t long_bytes = 1024;
  return size_bytes >= long_bytes ? most_alignment : std::min(element_alignment, most_alignment);
}

/// A tree that is deeper could exhaust the stack, most of all of a task.
inline constexpr unsigned max_depth = 128;

/// Appends bytes to a vector, of which it keeps a small part ready. The first bytes are in `room`,
/// which the caller owns.
class byte_writer {
 public:
  explicit byte_writer(std::size_t part_threshold_bytes, std::span<std::byte> room = {})
      : begin_(room.data()),
        at_(begin_),
        end_(begin_ + room.size()),
        threshold_bytes_(part_threshold_bytes) {}
  byte_writer(byte_writer&& other) noexcept
      : bytes_(std::move(other.bytes_)),
        begin_(std::exchange(other.begin_, nullptr)),
        at_(std::exchange(other.at_, nullptr)),
        end_(std::exchange(other.end_, nullptr)),
        parts_(std::move(other.parts_)),
        threshold_bytes_(other.threshold_bytes_) {}
  byte_writer(const byte_writer&) = delete;
  byte_writer& operator=(const byte_writer&) = delete;
  byte_writer& operator=(byte_writer&&) = delete;
  ~byte_writer() = default;

  void put(const void* data, std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) [[unlikely]] {
      put_in_new_room(data, size);
    } else {
      std::memcpy(at_, data, size);
      at_ += size;
    }
  }
  void put_count(std::uint64_t count) { put(&count, sizeof count); }
  void put_byte(std::uint8_t value) { put(&value, 1); }

  /// Writes zeros up to a multiple of `alignment`.
  void align(std::size_t alignment) {
    static constexpr std::byte zeros[most_alignment] = {};
    const std::size_t size = (alignment - num_bytes() % alignment) % alignment;
    if (size != 0) {
      put(zeros, size);
    }
  }

  /// Tells whether these bytes become a part, and notes it.
  bool add_part(const void* data, std::size_t size) {
    if (size < threshold_bytes_ || num_copying_ != 0) {
      return false;
    }
    parts_.push_back({static_cast<const std::byte*>(data), size});
    return true;
  }

  void enter() {
    if (++depth_ > max_depth) {
      fail_too_deep();
    }
  }
  void leave() noexcept { --depth_; }
  void start_copying() noexcept { ++num_copying_; }
  void end_copying() noexcept { --num_copying_; }

  [[nodiscard]] std::size_t num_bytes() const noexcept {
    return static_cast<std::size_t>(at_ - begin_);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {begin_, num_bytes()}; }
  [[nodiscard]] std::span<const part> parts() const noexcept { return parts_; }
  std::vector<std::byte> take_bytes();
  void clear() noexcept;

 private:
  [[noreturn]] static void fail_too_deep();
  void put_in_new_room(const void* data, std::size_t size);
  void own_bytes();

  std::vector<std::byte> bytes_;  // empty while the caller's memory is enough
  std::byte* begin_;
  std::byte* at_;   // where the next byte goes
  std::byte* end_;  // of the memory that is ready
  std::vector<part> parts_;
  std::size_t threshold_bytes_;
  unsigned num_copying_ = 0;  // scopes that allow no parts
  unsigned depth_ = 0;
};

/// Reads bytes that nobody has checked.
class byte_reader {
 public:
  byte_reader(std::span<const std::byte> bytes, std::size_t max_part_bytes)
      : begin_(bytes.data()),
        at_(begin_),
        end_(begin_ + bytes.size()),
        part_bytes_left_(max_part_bytes) {}

  [[nodiscard]] std::size_t num_left() const noexcept {
    return static_cast<std::size_t>(end_ - at_);
  }

  /// Returns the next bytes, which are there.
  const std::byte* take(std::size_t size) {
    if (num_left() < size) [[unlikely]] {
      fail_truncated(size);
    }
    return std::exchange(at_, at_ + size);
  }
  void get(void* data, std::size_t size) { std::memcpy(data, take(size), size); }
  [[nodiscard]] std::uint8_t get_byte() { return static_cast<std::uint8_t>(*take(1)); }

  /// Reads a byte that is 0 or 1.
  [[nodiscard]] bool get_flag() {
    const std::uint8_t flag = get_byte();
    if (flag > 1) {
      fail("a 0 or 1");
    }
    return flag == 1;
  }

  /// Skips the zeros that byte_writer::align wrote.
  void align(std::size_t alignment);

  /// Reads a count of elements that take at least `least_bytes` each.
  [[nodiscard]] std::size_t get_count(std::size_t least_bytes);

  struct count_of_elements {
    std::size_t count;
    bool is_part;
  };
  /// The same for elements that are bytes here, or a part that is not too large.
  [[nodiscard]] count_of_elements get_part_count(std::size_t element_bytes);

  /// Reads whether an object of a fixed size is a part.
  [[nodiscard]] bool get_part_flag(std::size_t size);

  void add_part(void* data, std::size_t size) {
    parts_.push_back({static_cast<std::byte*>(data), size});
  }

  void enter() {
    if (++depth_ > max_depth) {
      fail("data that is nested at most 128 deep");
    }
  }
  void leave() noexcept { --depth_; }
  void start_copying() noexcept { ++num_copying_; }
  void end_copying() noexcept { --num_copying_; }

  [[nodiscard]] std::span<const part_to_fill> parts() const noexcept { return parts_; }
  void finish() const;

  /// Throws archive_error for the byte before the next one.
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  [[noreturn]] void fail_truncated(std::size_t size) const;
  void check_count(std::uint64_t count, std::size_t least_bytes) const;
  void reserve_part(std::uint64_t count, std::size_t element_bytes);

  const std::byte* begin_;
  const std::byte* at_;
  const std::byte* end_;
  std::vector<part_to_fill> parts_;
  std::size_t part_bytes_left_;
  unsigned num_copying_ = 0;
  unsigned depth_ = 0;
};

/// Allows no parts while it lives.
template <class Bytes>
class copying {
 public:
  explicit copying(Bytes& bytes) noexcept : bytes_(bytes) { bytes_.start_copying(); }
  copying(const copying&) = delete;
  copying& operator=(const copying&) = delete;
  ~copying() { bytes_.end_copying(); }

 private:
  Bytes& bytes_;
};

/// One level of nesting more while it lives.
template <class Bytes>
class nested {
 public:
  explicit nested(Bytes& bytes) : bytes_(bytes) { bytes_.enter(); }
  nested(const nested&) = delete;
  nested& operator=(const nested&) = delete;
  ~nested() { bytes_.leave(); }

 private:
  Bytes& bytes_;
};

}  // namespace detail

}  // namespace weft::distributed
