// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A calling thread that works, and workers that help as long as it does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <source_location>

#include "weft/algorithms/executor.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::algorithms::detail {

/// The facts of a loop, for counters.
struct loop_facts {
  std::size_t num_elements = 0;
  std::atomic<std::size_t> num_chunks{0};  // relaxed: a sum orders nothing
};

/// The work of the members of a crew: `call(context, share)`.
struct crew_work {
  void (*call)(void* context, std::size_t share);
  void* context;            // in the caller's frame, as all here
  const loop_facts* facts;  // null: none
};

/// The data that helping workers need, in memory that outlives the call.
///
/// A helper that arrives while the caller still works joins; after `finish` has begun none does. So
/// the caller waits for helpers that work, and never for one that has not begun.
/// Threads: `begin`, `invite` and `finish` by the caller, `attend` and `leave_memory` by helpers.
class crew {
 public:
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  /// For up to `num_guests` helpers with shares 1, 2, ... Null: no memory.
  static crew* begin(crew_work work, std::size_t num_guests) noexcept;
  /// Queues a task for every helper; none if the caller is not a worker and very many tasks of
  /// former calls are still queued.
  void invite(tasks::scheduler& home) noexcept;
  /// Adds a reference for a helper that other code will call.
  void enlist_one() noexcept { num_references_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t num_guests() const noexcept { return num_guests_; }

  /// Share 0, then `finish`. The crew is gone afterwards.
  /// Errors: the first exception of any share; the others are counted.
  void work_and_finish();

  /// Share `share` if the caller still works.
  [[nodiscard]] tasks::waiter* attend(std::size_t share) noexcept;
  /// Gives one reference up.
  void leave_memory() noexcept;

 private:
  struct guest_task final : tasks::optional_work {
    guest_task() noexcept : optional_work(run_guest) {}
    static tasks::waiter* run_guest(task& t) noexcept;
    crew* host = nullptr;
    std::size_t share = 0;
  };

  crew(crew_work work, std::size_t num_guests) noexcept : work_(work), num_guests_(num_guests) {}
  ~crew() = default;
  [[nodiscard]] guest_task* guests() noexcept;
  void call(std::size_t share) noexcept;
  void keep(std::exception_ptr raised) noexcept;
  void take_back() noexcept;
  void close() noexcept;
  void wait_for_guests() noexcept;
  [[nodiscard]] bool will_leave_soon() const noexcept;
  void count() const noexcept;

  static constexpr std::uint64_t closed = std::uint64_t{1} << 63;

  crew_work work_;
  std::size_t num_guests_;
  const tasks::worker* invited_by_ = nullptr;  // whose deque the guests lie on, if any
  std::atomic<std::uint64_t> inside_{0};       // guests that work, and `closed`
  std::atomic<std::uint32_t> num_references_{1};
  tasks::work_item all_left_{nullptr};  // completed by the last guest to leave after closing
  tasks::spin_lock error_lock_;
  std::exception_ptr error_;
  // relaxed: for counters
  std::atomic<std::uint64_t> num_shares_{0};
  std::atomic<std::uint64_t> longest_share_ticks_{0};
  std::atomic<std::uint64_t> all_shares_ticks_{0};
};

}  // namespace weft::algorithms::detail
