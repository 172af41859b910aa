// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One message between the memories of two devices: in chunks through pinned host memory, or by an
// MPI that reads the device's memory itself.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "halo/device/device.hpp"
#include "halo/device/device_carrier.hpp"

namespace weft::halo::detail {

/// Bytes of a message that lie side by side in the memory of the device.
struct stretch {
  static constexpr std::size_t in_buffer = std::numeric_limits<std::size_t>::max();

  std::size_t field = in_buffer;
  std::ptrdiff_t offset = 0;  // bytes, from the field's first cell or in the buffer
  std::ptrdiff_t at = 0;      // bytes, in the message
  std::ptrdiff_t bytes = 0;
};

/// A message: what it consists of, and with whom it is exchanged.
struct leg_plan {
  partner with;
  std::ptrdiff_t bytes = 0;
  std::vector<stretch> cells = {};
};

/// Where this time's cells are.
struct leg_places {
  std::byte* buffer = nullptr;
  std::span<std::byte* const> fields = {};

  [[nodiscard]] std::byte* of(const stretch& what) const {
    return (what.field == stretch::in_buffer ? buffer : fields[what.field]) + what.offset;
  }
};

/// One way of one message.
///
/// Threads: the one that exchanges.
class leg {
 public:
  leg() = default;
  leg(const leg&) = delete;
  leg& operator=(const leg&) = delete;
  virtual ~leg() = default;

  /// `ready`: the cells are packed, or may be written; the leg's queue, if it has one, waits for
  /// it already.
  virtual void begin(const leg_places& where, device_mark* ready) = 0;
  /// Does what can be done without waiting. True once a message has left, or has arrived: then, or
  /// when what the queue holds now is done, all its bytes are in the memory of the device.
  [[nodiscard]] virtual bool advance() = 0;
  /// Bytes are with the carrier: it is the other rank, and not the device, that is waited for.
  [[nodiscard]] virtual bool waits_for_rank() const = 0;
};

/// Copies of all chunks are in flight at the same time as parcels of others: while one is sent, the
/// next is fetched from the device.
struct chunking {
  std::ptrdiff_t chunk_bytes;
  std::size_t num_slots = 2;
};

[[nodiscard]] std::unique_ptr<leg> make_staged_sender(
    device& on, carrier& by, device_queue* queue, leg_plan what, const chunking& how);
[[nodiscard]] std::unique_ptr<leg> make_staged_receiver(
    device& on, carrier& by, device_queue* queue, leg_plan what, const chunking& how);

/// Shape: `what` has one stretch.
[[nodiscard]] std::unique_ptr<leg> make_plain_sender(device& on, carrier& by, leg_plan what);
[[nodiscard]] std::unique_ptr<leg> make_plain_receiver(device& on, carrier& by, leg_plan what);

}  // namespace weft::halo::detail
