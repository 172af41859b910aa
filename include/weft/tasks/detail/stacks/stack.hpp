// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stacks that code can leave and return to: the switch between them, and their pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

namespace weft::tasks::detail {

struct stack;
struct held_lock;
class stack_slab;
class task_scope;

/// The first function that runs on a switch's destination. `left` no longer runs, so it may be
/// published to other threads or released here.
struct arrival {
  void (*run)(arrival& self, stack& left) noexcept;
};

/// The C++ runtime's exception data of a thread, laid out as `__cxa_eh_globals` (Itanium C++ ABI,
/// 2.2.2).
struct exception_state {
  void* caught = nullptr;
  unsigned int num_uncaught = 0;
};

/// Describes one stack. A pooled one lies at the high end of the memory it describes.
struct alignas(64) stack {
  std::byte* low = nullptr;              // lowest usable address
  std::byte* soft_limit = nullptr;       // code that needs more stack takes another one
  void* saved_sp = nullptr;              // valid while the stack is not running
  stack* next = nullptr;                 // for use by the stack's current owner
  void* user = nullptr;                  // for use by the runtime
  const void* identity = nullptr;        // of the task that runs here, shared by linked stacks
  exception_state* of_thread = nullptr;  // the running thread's; passed on by each switch
  exception_state exceptions;            // valid while the stack is not running

  std::byte* high = nullptr;   // end of the usable part
  stack_slab* home = nullptr;  // null: a thread's native stack
  void* asan_fake_stack = nullptr;
  void* tsan_fiber = nullptr;
  unsigned int valgrind_id = 0;
  std::uint64_t paused_ticks = 0;  // how long timed tasks on this stack were suspended
  unsigned int num_beneath = 0;    // tasks that wait below the running one, see wait_in_place()
  task_scope* innermost_scope = nullptr;  // of the scopes whose frames lie on this stack
  task_scope* outermost_scope = nullptr;  // accessed by std::atomic_ref: thieves read it, too

  // In debug builds, the locks that the task which runs here holds, shared by linked stacks; see
  // held_locks.hpp.
  held_lock** held = nullptr;
  held_lock* held_here = nullptr;  // its list, unless this stack is linked to another

  /// True if two descriptions of native stacks describe the same stack.
  [[nodiscard]] bool is_same_place(const stack& other) const noexcept {
    return low == other.low && high == other.high && of_thread == other.of_thread &&
           tsan_fiber == other.tsan_fiber;
  }
};

/// Saves this context in `from`, and continues on `to`, where `first` (may be null) runs first.
/// Returns when a thread switches back to `from`, after that thread's arrival has run.
///
/// The caller may resume on another OS thread. It must not keep data of the thread across the call,
/// such as the address of a thread_local object. Exceptions being handled and the floating-point
/// control (rounding, flush to zero, masks) stay with the stack.
/// Cost:    about 40 instructions, no system call, no access to thread-local storage.
/// Threads: `from` is the stack this thread is running on; no other thread touches `to`.
void switch_stack(stack& from, stack& to, arrival* first) noexcept;

/// Describes the stack that the calling OS thread was started with, to switch away from it and
/// back.
///
/// Threads: call it on that stack; the descriptor is good for this OS thread only.
[[nodiscard]] stack make_native_stack(std::size_t head_room_bytes = std::size_t{32} << 10);

/// The method that catches an overflow of a stack.
enum class guard_method : std::uint8_t {
  automatic,  // madvise where the kernel has it, else mprotect
  madvise,    // MADV_GUARD_INSTALL, Linux 6.13: costs no kernel mapping, so every stack has one
  mprotect,   // two kernel mappings a stack: limited by vm.max_map_count
  none,
};

struct stack_options {
  std::size_t size_bytes = std::size_t{1} << 20;
  std::size_t head_room_bytes = std::size_t{32} << 10;
  std::size_t guard_bytes = std::size_t{64} << 10;  // below `size_bytes`, address space only
  std::size_t num_kept_free = 64;                   // free stacks whose memory `trim` keeps
  std::size_t max_stacks = std::numeric_limits<std::size_t>::max();  // in use at once
  guard_method guard = guard_method::automatic;
};

/// Provides stacks, the most recently released first. Memory is committed when it is first used.
///
/// Threads: every member may be called from any thread, except the destructor.
class stack_pool {
 public:
  /// Errors: weft::error when an option is out of range or the guard method is not available.
  explicit stack_pool(const stack_options& options = {});
  /// Every stack must have been released.
  ~stack_pool();
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;

  /// Errors: weft::error when there are `max_stacks`, or the address space is exhausted.
  [[nodiscard]] stack* acquire() {
    stack* const taken = try_acquire();
    if (taken == nullptr) {
      throw_shortage();
    }
    return taken;
  }
  /// As `acquire`, but returns null instead of an error; `errno` is 0 if `max_stacks` is reached.
  [[nodiscard]] stack* try_acquire() noexcept;
  /// Throws an error that says why `try_acquire` returned null, and what to do.
  [[noreturn]] void throw_shortage() const;
  void release(stack* unused) noexcept;

  /// Makes the first switch to `fresh` call `entry(argument)` on it, after the arrival. `entry`
  /// never returns. It switches away for good, and the destination of that switch then releases the
  /// stack.
  void prepare(stack& fresh, void (*entry)(void*) noexcept, void* argument) noexcept;

  /// Returns the memory of free stacks to the system, except for the `num_kept_free` last used.
  void trim() noexcept;

  /// Calls `visit` for every stack that was ever used and still has its control block. Holds the
  /// pool's lock.
  void for_each_taken(void (*visit)(stack& taken, void* context), void* context);

  /// Stacks acquired and not released, including those in a `stack_cache`. Takes no lock.
  [[nodiscard]] std::size_t num_live() const noexcept {
    return num_live_.load(std::memory_order_relaxed);
  }
  /// The most stacks that were ever live at once. Takes no lock.
  [[nodiscard]] std::size_t high_water() const noexcept {
    return high_water_.load(std::memory_order_relaxed);
  }
  /// The number of stacks that were ever made. Takes no lock.
  [[nodiscard]] std::size_t num_made() const noexcept {
    return num_made_.load(std::memory_order_relaxed);
  }
  /// The number of stacks without a guard, whose overflow is not caught.
  [[nodiscard]] std::size_t num_unguarded() const noexcept;
  /// The method in use, never `automatic`.
  [[nodiscard]] guard_method guard() const noexcept { return options_.guard; }
  [[nodiscard]] std::size_t max_stacks() const noexcept { return options_.max_stacks; }

 private:
  stack* take_fresh() noexcept;
  bool add_slab() noexcept;
  stack* cut_surplus() noexcept;

  stack_options options_;
  std::uint64_t float_control_;  // every stack starts with the constructor's floating-point control
  mutable std::mutex mutex_;     // protects all members below
  stack* free_ = nullptr;        // used before, linked by `next`
  std::size_t num_free_ = 0;
  // These three are written under the lock; code that only reads them for statistics takes no lock.
  std::atomic<std::size_t> num_live_{0};
  std::atomic<std::size_t> high_water_{0};
  std::atomic<std::size_t> num_made_{0};
  std::size_t num_unguarded_ = 0;
  stack_slab* slabs_ = nullptr;      // all, linked by `next`
  stack_slab* with_room_ = nullptr;  // linked by `next_with_room`
};

/// A worker's own few stacks, in front of the pool.
///
/// Threads: only its owner; `acquire` and `release` take no lock until it is empty or full.
class stack_cache {
 public:
  explicit stack_cache(stack_pool& pool) noexcept
      : pool_(pool), capacity_(std::min(most_cached, pool.max_stacks() / least_share)) {}
  ~stack_cache() { keep_at_most(0); }
  stack_cache(const stack_cache&) = delete;
  stack_cache& operator=(const stack_cache&) = delete;

  /// Errors: as `stack_pool::acquire`.
  [[nodiscard]] stack* acquire() {
    stack* const taken = try_acquire();
    if (taken == nullptr) {
      pool_.throw_shortage();
    }
    return taken;
  }
  [[nodiscard]] stack* try_acquire() noexcept {
    if (top_ == nullptr) {
      return pool_.try_acquire();
    }
    stack* const taken = top_;
    top_ = taken->next;
    --num_cached_;
    return taken;
  }

  /// Makes sure that the next `acquire` succeeds.
  /// Errors:  as `acquire`.
  void reserve_one() {
    if (top_ == nullptr) {
      top_ = pool_.acquire();
      top_->next = nullptr;
      num_cached_ = 1;
    }
  }

  void release(stack* unused) noexcept {
    unused->next = top_;
    top_ = unused;
    if (++num_cached_ > capacity_) {
      keep_at_most(capacity_ / 2);
    }
  }

  /// False if stacks are so few that all unused ones belong to the pool.
  [[nodiscard]] bool keeps_some() const noexcept { return capacity_ != 0; }

  /// Returns all but the `num_kept` last used to the pool, for example before the worker parks.
  void keep_at_most(std::size_t num_kept) noexcept;

 private:
  static constexpr std::size_t most_cached = 32;
  static constexpr std::size_t least_share =
      64;  // if there are few stacks, a worker may keep little of them

  stack_pool& pool_;
  const std::size_t capacity_;
  stack* top_ = nullptr;
  std::size_t num_cached_ = 0;
};

}  // namespace weft::tasks::detail
