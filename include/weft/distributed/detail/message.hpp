// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data that ranks send: frames, and large parts beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/distributed/archive.hpp"

namespace weft::distributed::detail {

enum class frame_kind : std::uint8_t {
  call,     // its sender awaits an answer
  post,     // nobody does
  answer,   // a result
  failure,  // an exception
  large,    // of the transport: a frame too large for a slab follows as a body
};

/// What a frame begins with. After it come the sizes of the parts, 8 bytes each, and the archive.
struct frame_header {
  std::uint32_t size_bytes = 0;  // of the whole frame
  frame_kind kind = frame_kind::call;
  std::uint8_t reserved = 0;
  std::uint16_t num_parts = 0;
  std::uint32_t module = 0;      // of the handler: hash of the module's build-id
  std::uint32_t first_body = 0;  // number of the first part among all bodies of this pair of ranks
  std::uint64_t offset = 0;      // of the handler in its module
  std::uint64_t request = 0;     // number of the call at the rank that awaits the answer
};
static_assert(sizeof(frame_header) == 32);

/// A message to be sent. `bytes` is copied by the call that sends it; the parts are read later.
struct outgoing {
  frame_header header;  // without sizes and `first_body`, which the transport knows
  std::span<const std::byte> bytes;
  std::span<const part> parts;
  std::shared_ptr<const void> owner;  // keeps the parts alive until they have left
};

/// A message that has come, without its parts. Valid during the call.
struct incoming {
  int source;
  frame_header header;
  std::span<const std::uint64_t> part_sizes;
  std::span<const std::byte> bytes;
};

/// The transport calls `arrived` when all parts of a message have come.
class part_arrival {
 public:
  part_arrival() = default;
  part_arrival(const part_arrival&) = delete;
  part_arrival& operator=(const part_arrival&) = delete;
  virtual void arrived() noexcept = 0;

 protected:
  ~part_arrival() = default;
};

}  // namespace weft::distributed::detail
