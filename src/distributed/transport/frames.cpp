// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes frames. Frames are checked before any of their contents are used.
#include "distributed/transport/frames.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/distributed/archive_error.hpp"
#include "weft/distributed/archive_part.hpp"
#include "weft/distributed/detail/message.hpp"

namespace weft::distributed::detail {

void append_frame(std::vector<std::byte>& to, const outgoing& message, std::uint32_t first_body) {
  const std::size_t size = frame_size(message);
  if (message.parts.size() > std::numeric_limits<std::uint16_t>::max() ||
      padded(size) > std::numeric_limits<std::uint32_t>::max()) {
    throw error(errc::length_error,
                "a message has " + std::to_string(message.parts.size()) + " large parts and " +
                    std::to_string(message.bytes.size()) +
                    " bytes of other data; it may have 65535 and 4 GiB: send it in several calls");
  }
  frame_header header = message.header;
  header.size_bytes = static_cast<std::uint32_t>(size);
  header.num_parts = static_cast<std::uint16_t>(message.parts.size());
  header.first_body = first_body;
  const std::size_t begin = to.size();
  to.resize(begin + padded(size));
  std::byte* place = to.data() + begin;
  std::memcpy(place, &header, sizeof header);
  place += sizeof header;
  for (const part& each : message.parts) {
    const std::uint64_t part_size = each.size;
    std::memcpy(place, &part_size, sizeof part_size);
    place += sizeof part_size;
  }
  if (!message.bytes.empty()) {
    std::memcpy(place, message.bytes.data(), message.bytes.size());
  }
}

void set_first_body(std::span<std::byte> frame, std::uint32_t first_body) noexcept {
  std::memcpy(frame.data() + offsetof(frame_header, first_body), &first_body, sizeof first_body);
}

incoming frame_reader::next() {
  if (rest_.size() < sizeof(frame_header)) {
    throw archive_error(offset_bytes_, "the header of a message");
  }
  incoming found{.source = source_, .header = {}, .part_sizes = {}, .bytes = {}};
  std::memcpy(&found.header, rest_.data(), sizeof(frame_header));
  const std::size_t size = found.header.size_bytes;
  const std::size_t sizes_end =
      sizeof(frame_header) + found.header.num_parts * sizeof(std::uint64_t);
  if (size < sizes_end || padded(size) > rest_.size()) {
    throw archive_error(offset_bytes_, "a message as large as its header says");
  }
  if (found.header.kind > frame_kind::large) {
    throw archive_error(offset_bytes_, "a message of a known kind");
  }
  found.part_sizes = {reinterpret_cast<const std::uint64_t*>(rest_.data() + sizeof(frame_header)),
                      found.header.num_parts};
  found.bytes = rest_.subspan(sizes_end, size - sizes_end);
  rest_ = rest_.subspan(padded(size));
  offset_bytes_ += padded(size);
  return found;
}

}  // namespace weft::distributed::detail
