// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of archives: their growth, and the checks when they are read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/distributed/archive_error.hpp"
#include "weft/distributed/detail/archive_bytes.hpp"

namespace weft::distributed {

archive_error::archive_error(std::size_t offset_bytes, std::string_view expected)
    : error(errc::invalid_data,
            "the serialised data cannot be read: expected " + std::string(expected) + " at byte " +
                std::to_string(offset_bytes)),
      offset_bytes_(offset_bytes) {}

namespace detail {

namespace {

constexpr std::size_t least_room_bytes = 256;
constexpr std::size_t most_room_bytes = 4096;  // the vector fills new bytes with zeros

}  // namespace

void byte_writer::put_in_new_room(const void* data, std::size_t size) {
  const std::size_t used = num_bytes();
  const auto* const first = static_cast<const std::byte*>(data);
  own_bytes();
  bytes_.reserve(
      std::max(used + size + least_room_bytes, used + size > bytes_.capacity() ? 2 * used : 0));
  bytes_.insert(bytes_.end(), first, first + size);
  const std::size_t room = std::min(bytes_.capacity() - bytes_.size(), most_room_bytes);
  bytes_.resize(bytes_.size() + room);
  begin_ = bytes_.data();
  end_ = begin_ + bytes_.size();
  at_ = end_ - room;
}

/// Makes the vector hold exactly the bytes that were written.
void byte_writer::own_bytes() {
  if (begin_ == bytes_.data()) {
    bytes_.resize(num_bytes());
  } else {
    bytes_.assign(begin_, at_);
  }
}

std::vector<std::byte> byte_writer::take_bytes() {
  own_bytes();
  begin_ = nullptr;
  at_ = nullptr;
  end_ = nullptr;
  return std::exchange(bytes_, {});
}

void byte_writer::clear() noexcept {
  at_ = begin_;
  parts_.clear();
}

void byte_writer::fail_too_deep() {
  throw error(errc::bad_parameter,
              "objects that hold one another cannot be serialised deeper than " +
                  std::to_string(max_depth) + " levels: store a list of nodes instead");
}

void byte_reader::align(std::size_t alignment) {
  const auto offset = static_cast<std::size_t>(at_ - begin_);
  const std::byte* const zeros = at_;
  const std::size_t count = (alignment - offset % alignment) % alignment;
  if (std::any_of(zeros, take(count) + count, [](std::byte each) { return each != std::byte{}; })) {
    fail("zeros before aligned elements");
  }
}

std::size_t byte_reader::get_count(std::size_t least_bytes) {
  std::uint64_t count = 0;
  get(&count, sizeof count);
  check_count(count, least_bytes);
  return count;
}

byte_reader::count_of_elements byte_reader::get_part_count(std::size_t element_bytes) {
  std::uint64_t count = 0;
  get(&count, sizeof count);
  const bool is_part = (count & part_bit) != 0;
  count &= ~part_bit;
  if (is_part) {
    reserve_part(count, element_bytes);
  } else {
    check_count(count, element_bytes);
  }
  return {.count = count, .is_part = is_part};
}

bool byte_reader::get_part_flag(std::size_t size) {
  const bool is_part = get_flag();
  if (is_part) {
    reserve_part(1, size);
  }
  return is_part;
}

void byte_reader::check_count(std::uint64_t count, std::size_t least_bytes) const {
  if (count >= part_bit || (least_bytes != 0 && count > num_left() / least_bytes)) {
    fail("a count of elements that the " + std::to_string(num_left()) +
         " bytes behind it can hold, not " + std::to_string(count) + ",");
  }
}

void byte_reader::reserve_part(std::uint64_t count, std::size_t element_bytes) {
  if (num_copying_ != 0) {
    fail("no part inside a key or an object with its own serialize");
  }
  if (count == 0 || count > part_bytes_left_ / element_bytes) {
    fail("parts of at most " + std::to_string(part_bytes_left_) + " bytes more (max_part_bytes)");
  }
  part_bytes_left_ -= count * element_bytes;
}

void byte_reader::finish() const {
  if (at_ != end_) {
    throw archive_error(static_cast<std::size_t>(at_ - begin_),
                        "the end, not " + std::to_string(num_left()) + " bytes more,");
  }
}

void byte_reader::fail(std::string_view expected) const {
  throw archive_error(static_cast<std::size_t>(at_ - begin_), expected);
}

void byte_reader::fail_truncated(std::size_t size) const {
  fail(std::to_string(size) + " bytes, not the end,");
}

}  // namespace detail

}  // namespace weft::distributed
