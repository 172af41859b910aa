// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polls the progress sources of one runtime: one thread at a time, and some thread always.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "weft/tasks/progress.hpp"

namespace weft::tasks::detail {

class scheduler;

/// Threads: every member from any thread.
class progress_poller {
 public:
  using clock = std::chrono::steady_clock;

  explicit progress_poller(scheduler& home) noexcept : home_(home) {}
  progress_poller(const progress_poller&) = delete;
  progress_poller& operator=(const progress_poller&) = delete;
  ~progress_poller() { end_thread(); }

  /// Errors: std::bad_alloc, std::system_error.
  void add(progress_source& source);
  void remove(progress_source& source) noexcept;
  [[nodiscard]] bool has_sources() const noexcept {
    // acquire: pairs with the release in add()
    return num_sources_.load(std::memory_order_acquire) != 0;
  }
  /// True if a source may wake a task.
  [[nodiscard]] bool is_wanted() const noexcept {
    return has_sources() && is_wanted_.load(std::memory_order_relaxed);
  }

  /// Looks once at every source, unless another thread does. True: something happened.
  bool poll() noexcept;
  /// The same if nobody has for a while.
  void poll_if_due() noexcept;

  /// Makes the caller the one worker that polls instead of sleeping, if there is none.
  [[nodiscard]] bool begin_watch() noexcept {
    // acquire, release: only for the order of watchers
    return has_sources() && !is_watched_.load(std::memory_order_relaxed) &&
           !is_watched_.exchange(true, std::memory_order_acquire);
  }
  void end_watch() noexcept { is_watched_.store(false, std::memory_order_release); }
  /// True while the next event is likely to come before a sleep would have paid.
  [[nodiscard]] bool is_event_likely(clock::time_point now) const noexcept;

  /// The next event comes soon.
  void expect() noexcept;
  /// The same, of a source that wants polling already.
  void expect_more() noexcept;

 private:
  void lock() noexcept;
  bool try_lock() noexcept {
    return !is_polling_.load(std::memory_order_relaxed) &&
           !is_polling_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept { is_polling_.store(false, std::memory_order_release); }
  bool poll_locked() noexcept;
  void poll_surely() noexcept;
  void run() noexcept;
  void end_thread() noexcept;

  scheduler& home_;
  std::mutex changes_;                     // held by add() and remove()
  std::vector<progress_source*> sources_;  // changed and read by who holds `is_polling_`
  std::thread thread_;
  std::atomic<std::uint32_t> num_sources_{0};
  std::atomic<std::uint32_t> signal_{0};  // changes when the thread is to look again
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> sleeps_long_{false};  // the thread, until it is signalled
  alignas(128) std::atomic<bool> is_polling_{false};
  std::atomic<bool> is_watched_{false};
  std::atomic<bool> is_wanted_{false};        // relaxed: a hint, renewed by every poll
  std::atomic<clock::rep> polled_at_{0};      // relaxed: the last time
  std::atomic<clock::rep> last_event_at_{0};  // relaxed: as above
};

}  // namespace weft::tasks::detail
