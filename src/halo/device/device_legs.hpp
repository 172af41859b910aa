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

/// Bytes of a message that are contiguous in the memory of the device.
struct stretch {
  static constexpr std::size_t in_buffer = std::numeric_limits<std::size_t>::max();

  std::size_t field = in_buffer;
  std::ptrdiff_t offset = 0;  // bytes, from the field's first cell or in the buffer
  std::ptrdiff_t at = 0;      // bytes, in the message
  std::ptrdiff_t bytes = 0;
};

/// A message: its contents, and the rank it is exchanged with.
struct leg_plan {
  partner with;
  std::ptrdiff_t bytes = 0;
  std::vector<stretch> cells = {};
};

/// The addresses of this exchange's cells.
struct leg_places {
  std::byte* buffer = nullptr;
  std::span<std::byte* const> fields = {};

  [[nodiscard]] std::byte* of(const stretch& what) const {
    return (what.field == stretch::in_buffer ? buffer : fields[what.field]) + what.offset;
  }
};

/// One direction of one message.
///
/// Threads: the thread that exchanges.
class leg {
 public:
  leg() = default;
  leg(const leg&) = delete;
  leg& operator=(const leg&) = delete;
  virtual ~leg() = default;

  /// `ready`: the mark after which the cells are packed, or may be written. If the leg has a queue,
  /// that queue waits for the mark already.
  virtual void begin(const leg_places& where, device_mark* ready) = 0;
  /// Makes progress without waiting. Returns true once the message has been sent or has arrived. A
  /// received message is then in the memory of the device, or will be when the work now in the
  /// queue is done.
  [[nodiscard]] virtual bool advance() = 0;
  /// True if bytes are with the carrier: the leg then waits for the other rank, not for the device.
  [[nodiscard]] virtual bool waits_for_rank() const = 0;
};

/// Copies of some chunks overlap with parcels of others: while one chunk is sent, the next is
/// copied from the device.
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
