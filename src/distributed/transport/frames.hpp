// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/distributed/detail/message.hpp"

namespace weft::distributed::detail {

/// Returns the size of a frame in bytes, with padding: frames begin at multiples of 8.
[[nodiscard]] constexpr std::size_t padded(std::size_t size_bytes) noexcept {
  return (size_bytes + 7) / 8 * 8;
}

/// Returns the size of the frame of a message, without padding.
[[nodiscard]] inline std::size_t frame_size(const outgoing& message) noexcept {
  return sizeof(frame_header) + message.parts.size() * sizeof(std::uint64_t) + message.bytes.size();
}

/// Appends the frame of `message` and padding.
/// Errors:  std::bad_alloc; `weft::error` for more than 65535 parts, or 4 GiB of other data.
void append_frame(std::vector<std::byte>& to, const outgoing& message, std::uint32_t first_body);

/// Writes the number of the first body that follows the frame into the frame at the front of
/// `frame`.
void set_first_body(std::span<std::byte> frame, std::uint32_t first_body) noexcept;

/// Reads frames from the front of received bytes.
class frame_reader {
 public:
  /// `bytes` begins at a multiple of 8.
  frame_reader(int source, std::span<const std::byte> bytes) noexcept
      : source_(source), rest_(bytes) {}

  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
  /// Returns the next frame. Errors: `archive_error` if its sizes are wrong.
  [[nodiscard]] incoming next();

 private:
  int source_;
  std::span<const std::byte> rest_;
  std::size_t offset_bytes_ = 0;
};

}  // namespace weft::distributed::detail
