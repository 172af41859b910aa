// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that do what streams do.
#include "halo/emulated_device.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <sched.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

#include "halo/device/cuda_device.hpp"
#include "halo/device/device.hpp"
#include "halo/device/device_moves.hpp"

namespace weft::halo::test {
namespace {

using detail::device_mark;
using detail::device_queue;

constexpr std::align_val_t memory_alignment{256};

/// How often it was recorded, and the last of those that was reached. Jobs share it, as a mark may
/// go while it still stands in queues.
struct emulated_mark {
  std::uint64_t recorded = 0;  // of the thread that exchanges alone
  std::shared_ptr<std::atomic<std::uint64_t>> reached =
      std::make_shared<std::atomic<std::uint64_t>>(0);
};

emulated_mark& mark_of(device_mark* which) { return *reinterpret_cast<emulated_mark*>(which); }

void wait_for(std::atomic<std::uint64_t>& reached, std::uint64_t least) {
  for (;;) {
    const std::uint64_t now = reached.load();
    if (now >= least) {
      return;
    }
    reached.wait(now);
  }
}

std::byte* filled_memory(std::size_t bytes) {
  void* const made = ::operator new(bytes, memory_alignment);
  std::memset(made, 0xcd, bytes);
  return static_cast<std::byte*>(made);
}

bool lies_in(const std::map<const std::byte*, std::size_t>& all,
             const std::byte* first,
             std::size_t bytes) {
  auto found = all.upper_bound(first);
  if (found == all.begin()) {
    return false;
  }
  --found;
  return first + bytes <= found->first + found->second;
}

}  // namespace

emulated_queue::~emulated_queue() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_one();
  worker_.join();
}

void emulated_queue::submit(std::function<void()> job) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void emulated_queue::work() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_ending_ || !jobs_.empty(); });
      if (jobs_.empty()) {
        return;
      }
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    sched_yield();  // others go first whenever they can
    job();
  }
}

emulated_device::~emulated_device() = default;

emulated_queue& emulated_device::queue_of(device_queue* which) {
  if (which != nullptr) {
    return *reinterpret_cast<emulated_queue*>(which);
  }
  if (default_queue_ == nullptr) {
    default_queue_ = std::make_unique<emulated_queue>();
  }
  return *default_queue_;
}

void emulated_device::run(device_queue* in, std::function<void()> kernel) {
  queue_of(in).submit(std::move(kernel));
}

void emulated_device::drain(device_queue* queue) {
  std::atomic<std::uint64_t> reached = 0;
  queue_of(queue).submit([&reached] {
    reached.store(1);
    reached.notify_all();
  });
  wait_for(reached, 1);
}

void emulated_device::drain_all_but(device_queue* queue) {
  for (device_queue* const each : queues_) {
    if (each != queue) {
      drain(each);
    }
  }
}

bool emulated_device::holds(const std::byte* first, std::size_t bytes) const {
  return lies_in(device_memory_, first, bytes);
}

std::string emulated_device::trouble_with(const std::byte* field) const {
  return holds(field, 1) ? "" : "lies in host memory; pass memory of the device";
}

void emulated_device::count_allocation() {
  if (++num_allocations_ == faults_.fail_at_allocation) {
    throw error(errc::device_call, "allocation: the test says no (errorOfTest)");
  }
}

std::byte* emulated_device::allocate(std::size_t bytes) {
  count_allocation();
  std::byte* const made = filled_memory(bytes);
  device_memory_[made] = bytes;
  return made;
}

void emulated_device::release(std::byte* memory) noexcept {
  device_memory_.erase(memory);
  ::operator delete(memory, memory_alignment);
}

std::byte* emulated_device::allocate_pinned(std::size_t bytes) {
  count_allocation();
  std::byte* const made = filled_memory(bytes);
  pinned_memory_[made] = bytes;
  return made;
}

void emulated_device::release_pinned(std::byte* memory) noexcept {
  pinned_memory_.erase(memory);
  ::operator delete(memory, memory_alignment);
}

void emulated_device::upload(std::byte* into, const void* from, std::size_t bytes) {
  if (!holds(into, bytes)) {
    throw std::logic_error("upload to what is not memory of the device");
  }
  std::memcpy(into, from, bytes);
}

device_queue* emulated_device::make_queue() {
  auto made = std::make_unique<emulated_queue>();
  auto* const named = reinterpret_cast<device_queue*>(made.get());
  queues_.insert(named);
  static_cast<void>(made.release());
  return named;
}

void emulated_device::release_queue(device_queue* queue) noexcept {
  queues_.erase(queue);
  delete &queue_of(queue);
}

device_mark* emulated_device::make_mark() {
  return reinterpret_cast<device_mark*>(new emulated_mark);
}
void emulated_device::release_mark(device_mark* mark) noexcept { delete &mark_of(mark); }

void emulated_device::record(device_mark* mark, device_queue* in) {
  emulated_mark& recorded = mark_of(mark);
  queue_of(in).submit([reached = recorded.reached, number = ++recorded.recorded] {
    reached->store(number);
    reached->notify_all();
  });
}

void emulated_device::wait(device_queue* queue, device_mark* until) {
  if (faults_.queues_do_not_wait) {
    return;
  }
  const emulated_mark& awaited = mark_of(until);
  queue_of(queue).submit(
      [reached = awaited.reached, least = awaited.recorded] { wait_for(*reached, least); });
}

bool emulated_device::is_reached(device_mark* mark) {
  const emulated_mark& asked = mark_of(mark);
  if (asked.reached->load() >= asked.recorded) {
    return true;
  }
  sched_yield();  // to the queues
  return false;
}

void emulated_device::wait_here(device_mark* until) {
  const emulated_mark& awaited = mark_of(until);
  wait_for(*awaited.reached, awaited.recorded);
}

/// One end is on the device, the other pinned: what CUDA copies without anybody waiting.
void emulated_device::check_ends(const std::byte* into,
                                 const std::byte* from,
                                 std::size_t bytes) const {
  const bool goes_out = lies_in(pinned_memory_, into, bytes) && holds(from, bytes);
  const bool comes_in = holds(into, bytes) && lies_in(pinned_memory_, from, bytes);
  if (!goes_out && !comes_in) {
    throw std::logic_error("a copy that is not between the device and pinned memory");
  }
}

void emulated_device::copy(std::byte* into,
                           const std::byte* from,
                           std::size_t bytes,
                           device_queue* in) {
  check_ends(into, from, bytes);
  if (++num_copies_ == faults_.fail_at_copy) {
    throw error(errc::device_call, "rank 0: copy: the test says no (errorOfTest)", 0);
  }
  queue_of(in).submit([=] { std::memcpy(into, from, bytes); });
}

void emulated_device::move(const detail::device_moves& what,
                           const detail::move_pointers& where,
                           device_queue* in) {
  ++num_launches_;
  queue_of(in).submit([=] {
    for (std::uint32_t n = 0; n < what.num_tiles; ++n) {
      const detail::move_tile tile = what.tiles[n];
      for (std::uint32_t thread = 0; thread < detail::threads_per_tile; ++thread) {
        detail::move_part(what.moves[tile.move], where, tile.first_word, thread);
      }
    }
  });
}

std::shared_ptr<emulated_device>& current_emulated_device() {
  static auto current = std::make_shared<emulated_device>();
  return current;
}

}  // namespace weft::halo::test

namespace weft::halo::detail {

// In place of the one in src/halo/device/cuda_device.cpp.
std::shared_ptr<device> current_cuda_device(const grid& /*processes*/) {
  return test::current_emulated_device();
}

}  // namespace weft::halo::detail
