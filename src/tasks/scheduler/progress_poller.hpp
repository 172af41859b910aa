// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polls the progress sources of one runtime. One thread polls at a time, and there is always a
// thread that will poll.
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
  ~progress_poller();

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

  /// Polls every source once, unless another thread is polling. True: an event happened.
  bool poll() noexcept;
  /// Tells that a thread has just polled, even if nothing happened.
  void note_polled(clock::time_point now) noexcept {
    polled_at_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  struct due_poll {
    clock::time_point now;  // before the poll
    bool has_happened;      // an event
  };
  /// Polls if no thread has polled for a while, until nothing happens.
  due_poll poll_if_due() noexcept;

  /// The end of a wait of a thread that is not a worker.
  struct wait_end {
    bool (*is_over)(const void* context) noexcept;
    const void* context;
  };
  /// Polls the sources of the only runtime that has some, for a moment or until the wait is over.
  /// So an answer that comes soon wakes neither a worker nor the thread. Does nothing while workers
  /// run tasks. Returns whether the wait is over.
  static bool poll_until(const wait_end& end) noexcept;

  /// Makes the calling worker the one that polls instead of parking, unless there is one.
  [[nodiscard]] bool begin_watch() noexcept {
    // acquire, release: only order one watcher after another
    return has_sources() && !is_polled_outside() && !is_watched_.load(std::memory_order_relaxed) &&
           !is_watched_.exchange(true, std::memory_order_acquire);
  }
  void end_watch() noexcept { is_watched_.store(false, std::memory_order_release); }
  /// True while a thread that is not a worker polls all the time.
  [[nodiscard]] bool is_polled_outside() const noexcept {
    return num_outside_.load(std::memory_order_relaxed) != 0;
  }
  /// True while the next event is likely to come before parking would have saved time.
  [[nodiscard]] bool is_event_likely(clock::time_point now) const noexcept;

  /// Tells the poller that an event is expected soon.
  void expect() noexcept;
  /// Tells the same for a source that already wants polling.
  void expect_more() noexcept;
  /// True if the last wait of the calling thread ended while the thread polled. It then probably
  /// polls again in its next wait, and is believed once.
  [[nodiscard]] static bool takes_next_wait() noexcept;

 private:
  void lock() noexcept;
  bool try_lock() noexcept {
    return !is_polling_.load(std::memory_order_relaxed) &&
           !is_polling_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept { is_polling_.store(false, std::memory_order_release); }
  bool poll_locked() noexcept;
  bool poll_outside(const wait_end& end) noexcept;
  void enter_list();
  void leave_list() noexcept;
  void poll_surely() noexcept;
  bool poll_several(clock::time_point now) noexcept;
  void run() noexcept;
  void end_thread() noexcept;

  scheduler& home_;
  std::mutex changes_;  // held by add() and remove()
  // read and changed by the thread that holds `is_polling_`
  std::vector<progress_source*> sources_;
  std::thread thread_;
  std::atomic<std::uint32_t> num_sources_{0};
  std::atomic<std::uint32_t> signal_{0};  // changes when the polling thread must poll again
  std::atomic<bool> is_ending_{false};
  // true while the polling thread sleeps so long that an announced event wakes it
  std::atomic<bool> is_to_be_woken_{false};  // by expect()
  std::atomic<bool> sleeps_long_{false};
  alignas(128) std::atomic<bool> is_polling_{false};
  std::atomic<bool> is_watched_{false};
  std::atomic<int> num_outside_{0};           // threads in poll_outside()
  std::atomic<bool> is_wanted_{false};        // relaxed: a hint, renewed by every poll
  std::atomic<clock::rep> polled_at_{0};      // relaxed: the time of the last poll
  std::atomic<clock::rep> last_event_at_{0};  // relaxed: the time of the last event
};

}  // namespace weft::tasks::detail
