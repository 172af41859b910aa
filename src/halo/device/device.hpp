// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a device that an exchange needs: memory, queues that work in order, and marks in
// queues. CUDA has them; tests implement them with host memory and threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "halo/device/device_moves.hpp"
#include "halo/transport/mpi_support.hpp"  // IWYU pragma: export

namespace weft::halo::detail {

/// A queue that works in order, asynchronously to the calling thread: a CUDA stream. Null: the
/// device's default queue.
struct device_queue;
/// A position in a queue that others can wait for: a CUDA event.
struct device_mark;

/// Descriptors of one launch in the memory of the device.
struct device_moves {
  const cell_move* moves = nullptr;
  const move_tile* tiles = nullptr;
  std::uint32_t num_tiles = 0;
};

/// Threads: one at a time. Everything but `allocate`, `upload` and `wait_here` returns at once.
/// Errors:  `halo::error` (`device_call`) with the call, the device's message, and the rank.
class device {
 public:
  device() = default;
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  virtual ~device() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual mpi_support support_of_mpi() const = 0;
  /// Returns an empty string if kernels of this device may use this address. Otherwise returns a
  /// sentence that names the kind of memory and the remedy.
  [[nodiscard]] virtual std::string trouble_with(const std::byte* field) const = 0;

  /// Allocates memory of the device, aligned to 256 bytes; and host memory that the device copies
  /// to and from asynchronously.
  [[nodiscard]] virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void release(std::byte* memory) noexcept = 0;
  [[nodiscard]] virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(std::byte* memory) noexcept = 0;
  /// Copies from ordinary memory to the device, and waits for the copy.
  virtual void upload(std::byte* into, const void* from, std::size_t bytes) = 0;

  [[nodiscard]] virtual device_queue* make_queue() = 0;
  /// The work already in the queue is still done.
  virtual void release_queue(device_queue* queue) noexcept = 0;
  [[nodiscard]] virtual device_mark* make_mark() = 0;
  virtual void release_mark(device_mark* mark) noexcept = 0;

  /// Moves the mark behind all work that is in the queue now.
  virtual void record(device_mark* mark, device_queue* in) = 0;
  /// Work added to the queue from now on waits for the mark's present position.
  virtual void wait(device_queue* queue, device_mark* until) = 0;
  /// Returns true also for a mark that was never recorded.
  [[nodiscard]] virtual bool is_reached(device_mark* mark) = 0;
  /// Blocks the calling thread.
  virtual void wait_here(device_mark* until) = 0;

  virtual void copy(std::byte* into,
                    const std::byte* from,
                    std::size_t bytes,
                    device_queue* in) = 0;
  virtual void move(const device_moves& what, const move_pointers& where, device_queue* in) = 0;
};

struct release_memory {
  device* owner = nullptr;
  void operator()(std::byte* memory) const noexcept { owner->release(memory); }
};
struct release_pinned_memory {
  device* owner = nullptr;
  void operator()(std::byte* memory) const noexcept { owner->release_pinned(memory); }
};
struct release_queue {
  device* owner = nullptr;
  void operator()(device_queue* queue) const noexcept { owner->release_queue(queue); }
};
struct release_mark {
  device* owner = nullptr;
  void operator()(device_mark* mark) const noexcept { owner->release_mark(mark); }
};

using device_memory = std::unique_ptr<std::byte, release_memory>;
using pinned_memory = std::unique_ptr<std::byte, release_pinned_memory>;
using owned_queue = std::unique_ptr<device_queue, release_queue>;
using owned_mark = std::unique_ptr<device_mark, release_mark>;

[[nodiscard]] inline device_memory allocate_on(device& where, std::size_t bytes) {
  return {where.allocate(bytes), {&where}};
}
[[nodiscard]] inline pinned_memory allocate_pinned_for(device& where, std::size_t bytes) {
  return {where.allocate_pinned(bytes), {&where}};
}
[[nodiscard]] inline owned_queue queue_of(device& where) { return {where.make_queue(), {&where}}; }
[[nodiscard]] inline owned_mark mark_of(device& where) { return {where.make_mark(), {&where}}; }

}  // namespace weft::halo::detail
