// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which thread polls the progress sources, and how often.
#include "tasks/scheduler/progress_poller.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>

#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/progress.hpp"
#include "weft/tasks/runtime_types.hpp"

#include "tasks/runtime/process_generation.hpp"
#include "tasks/scheduler/scheduler.hpp"
#include "tasks/waiting/futex.hpp"

namespace weft::tasks {
namespace detail {
namespace {

using namespace std::chrono_literals;

// Workers poll between two tasks. An event then waits no longer than a short task takes.
constexpr auto poll_period = 20us;
constexpr auto longest_delay = 10ms;  // of a poll, because the last one was slow
// A worker polls instead of parking until parking and waking would have cost less.
constexpr auto longest_watch = 1ms;
// A thread that waits polls as long before it sleeps: several times what sleeping and waking costs.
constexpr auto longest_outside = 50us;

// An announced event ends a pause of the polling thread that is longer.
constexpr std::chrono::nanoseconds longest_kept_pause = 200us;

// While all workers run tasks, the polling thread shares a processor with one of them. A wake-up
// then costs the task several microseconds.
constexpr std::chrono::nanoseconds shortest_busy_pause = 500us;

thread_local scheduler* home_polled_here = nullptr;
thread_local bool polled_in_last_wait = false;

/// The pollers that have sources. A thread that is not a worker, and so belongs to no runtime, polls
/// the only one.
struct poller_list {
  std::mutex mutex;
  std::vector<progress_poller*> all;
  std::atomic<progress_poller*> only{nullptr};  // null: there is none, or several
  std::atomic<int> num_users{0};                // threads that may use `only`
  // a fork has a list of its own, since it has none of the threads that its parent's list counts
  const std::uint32_t generation = process_generation();
};

// Never destroyed: threads may wait after main() has ended.
constinit std::atomic<poller_list*> process_pollers{nullptr};

/// Null: no runtime of this process ever had sources.
poller_list* known_pollers() noexcept {
  poller_list* const known = process_pollers.load(std::memory_order_acquire);
  return known != nullptr && known->generation == known_process_generation() ? known : nullptr;
}

poller_list& pollers() {
  if (poller_list* const known = known_pollers()) {
    return *known;
  }
  auto fresh = std::make_unique<poller_list>();
  poller_list* before = process_pollers.load(std::memory_order_acquire);
  if (before == nullptr || before->generation != fresh->generation) {
    // release: pairs with known_pollers()
    if (process_pollers.compare_exchange_strong(before, fresh.get(), std::memory_order_acq_rel)) {
      return *fresh.release();
    }
  }
  return *before;
}

/// Returns how long the polling thread sleeps, given the time since the last event or the last
/// announcement of one. The next event may wait that long if no worker polls, but a quiet thread
/// takes little processor time.
std::chrono::nanoseconds pause_after(std::chrono::nanoseconds quiet) noexcept {
  return std::clamp<std::chrono::nanoseconds>(quiet / 64, 50us, 8ms);
}

progress_poller::clock::time_point moment(const std::atomic<std::chrono::steady_clock::rep>& at) {
  return progress_poller::clock::time_point(
      progress_poller::clock::duration(at.load(std::memory_order_relaxed)));
}

void note_now(std::atomic<std::chrono::steady_clock::rep>& at) noexcept {
  at.store(progress_poller::clock::now().time_since_epoch().count(), std::memory_order_relaxed);
}

}  // namespace

scheduler* polled_here() noexcept { return home_polled_here; }

progress_poller::~progress_poller() {
  leave_list();
  end_thread();
}

void progress_poller::enter_list() {
  poller_list& mine = pollers();
  const std::lock_guard guard(mine.mutex);
  if (std::ranges::find(mine.all, this) == mine.all.end()) {
    mine.all.push_back(this);
    mine.only.store(mine.all.size() == 1 ? this : nullptr, std::memory_order_seq_cst);
  }
}

/// Returns once no thread uses this poller from outside.
void progress_poller::leave_list() noexcept {
  poller_list* const mine = known_pollers();
  if (mine == nullptr) {
    return;
  }
  const std::lock_guard guard(mine->mutex);
  if (std::erase(mine->all, this) == 0) {
    return;
  }
  mine->only.store(nullptr, std::memory_order_seq_cst);
  // seq_cst: either the user sees null, or this sees the user
  while (mine->num_users.load(std::memory_order_seq_cst) != 0) {
    sched_yield();
  }
  mine->only.store(mine->all.size() == 1 ? mine->all.front() : nullptr, std::memory_order_seq_cst);
}

void progress_poller::lock() noexcept {
  while (!try_lock()) {
    sched_yield();  // a poll may take long, for example to unpack received data
  }
}

void progress_poller::add(progress_source& source) {
  const std::lock_guard guard(changes_);
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { run(); });
  }
  enter_list();
  lock();
  try {
    sources_.push_back(&source);
  } catch (...) {
    unlock();
    throw;
  }
  is_wanted_.store(true, std::memory_order_relaxed);
  // release: pairs with has_sources()
  num_sources_.fetch_add(1, std::memory_order_release);
  unlock();
  expect();
}

void progress_poller::remove(progress_source& source) noexcept {
  const std::lock_guard guard(changes_);
  lock();
  std::erase(sources_, &source);
  num_sources_.store(static_cast<std::uint32_t>(sources_.size()), std::memory_order_release);
  unlock();
  if (sources_.empty()) {
    leave_list();
    end_thread();
  }
}

void progress_poller::end_thread() noexcept {
  if (!thread_.joinable()) {
    return;
  }
  if (!home_.is_of_this_process()) {
    forget(thread_);
    return;
  }
  is_ending_.store(true, std::memory_order_seq_cst);
  signal_.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(signal_);
  thread_.join();
  is_ending_.store(false, std::memory_order_seq_cst);
}

bool progress_poller::poll_locked() noexcept {
  scheduler* const outer = std::exchange(home_polled_here, &home_);
  bool has_happened = false;
  bool is_wanted = false;
  for (progress_source* const each : sources_) {
    has_happened = each->poll() || has_happened;
    is_wanted = each->wants_polling() || is_wanted;
  }
  home_polled_here = outer;
  is_wanted_.store(is_wanted, std::memory_order_relaxed);
  return has_happened;
}

bool progress_poller::poll() noexcept {
  if (!is_wanted() || !try_lock()) {
    return false;
  }
  const bool has_happened = poll_locked();
  unlock();
  if (has_happened) {  // otherwise the caller reads the clock now and then
    const clock::time_point now = clock::now();
    note_polled(now);
    last_event_at_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  return has_happened;
}

progress_poller::due_poll progress_poller::poll_if_due() noexcept {
  const clock::time_point now = clock::now();
  return {.now = now, .has_happened = now - moment(polled_at_) >= poll_period && poll_several(now)};
}

/// Polls until nothing happens twice: the next poll may be much later, and a source may look for
/// different events in turn. Returns whether anything happened. After slow polls the next one is due
/// later: a source may yield its processor to another process.
bool progress_poller::poll_several(clock::time_point now) noexcept {
  constexpr int most_polls = 16;
  note_polled(now);
  bool has_any_happened = false;
  bool has_happened = true;
  for (int i = 0; i < most_polls; ++i) {
    const bool had_happened = std::exchange(has_happened, poll());
    has_any_happened = has_any_happened || has_happened;
    if (!has_happened && !had_happened) {
      break;
    }
  }
  const clock::time_point end = clock::now();
  const clock::time_point due = end + std::min<clock::duration>(end - now, longest_delay);
  note_polled(std::max(now, due - poll_period));
  return has_any_happened;
}

bool progress_poller::poll_until(const wait_end& end) noexcept {
  poller_list* const mine = known_pollers();
  if (mine == nullptr) {
    return false;
  }
  mine->num_users.fetch_add(1, std::memory_order_seq_cst);
  progress_poller* const only = mine->only.load(std::memory_order_seq_cst);
  polled_in_last_wait = only != nullptr && only->poll_outside(end);
  mine->num_users.fetch_sub(1, std::memory_order_seq_cst);
  return polled_in_last_wait;
}

bool progress_poller::takes_next_wait() noexcept {
  return std::exchange(polled_in_last_wait, false);
}

bool progress_poller::poll_outside(const wait_end& end) noexcept {
  constexpr unsigned polls_between_yields = 32;
  if (!is_wanted() || home_polled_here != nullptr || !home_.are_workers_idle()) {
    return false;
  }
  num_outside_.fetch_add(1, std::memory_order_relaxed);
  const clock::time_point last = clock::now() + longest_outside;
  bool is_over = false;
  for (unsigned round = 1; !is_over; ++round) {
    poll();
    is_over = end.is_over(end.context);
    if (!is_over && round % polls_between_yields == 0) {
      sched_yield();  // a worker, or another process of the same job, may share this processor
      const clock::time_point now = clock::now();
      note_polled(now);
      if (now > last || !home_.are_workers_idle()) {
        break;
      }
    }
  }
  num_outside_.fetch_sub(1, std::memory_order_relaxed);
  if (!is_over && is_event_likely(clock::now())) {
    home_.wake_to_watch();
  }
  return is_over;
}

bool progress_poller::is_event_likely(clock::time_point now) const noexcept {
  return is_wanted() && now - moment(last_event_at_) < longest_watch;
}

/// A poll in progress may still find that no source wants polling. The new value of `signal_` makes
/// the thread poll again after it.
void progress_poller::expect() noexcept {
  note_now(last_event_at_);
  is_wanted_.store(true, std::memory_order_relaxed);
  signal_.fetch_add(1, std::memory_order_seq_cst);
  if (is_to_be_woken_.load(std::memory_order_seq_cst)) {
    futex_wake(signal_);
  }
}

/// The thread may miss this while it begins a pause. It then polls after that pause.
void progress_poller::expect_more() noexcept {
  note_now(last_event_at_);
  if (sleeps_long_.load(std::memory_order_relaxed) &&
      sleeps_long_.exchange(false, std::memory_order_seq_cst)) {
    signal_.fetch_add(1, std::memory_order_seq_cst);
    futex_wake(signal_);
  }
}

void progress_poller::poll_surely() noexcept {
  lock();
  const bool has_happened = poll_locked();
  unlock();
  if (has_happened) {
    note_now(last_event_at_);
  }
}

void progress_poller::run() noexcept {
  std::uint32_t known = signal_.load(std::memory_order_seq_cst) - 1;
  for (;;) {
    // Read before `is_ending_`, which end_thread() sets before it changes the signal. In the other
    // order the thread could take the new signal for an old one, and sleep for ever.
    const std::uint32_t seen = signal_.load(std::memory_order_seq_cst);
    if (is_ending_.load(std::memory_order_seq_cst)) {
      return;
    }
    const clock::time_point now = clock::now();
    const std::chrono::nanoseconds pause = pause_after(now - moment(last_event_at_));
    if (seen != known) {
      poll_surely();
    } else if (now - moment(polled_at_) >=
               std::max<std::chrono::nanoseconds>(pause / 2, 5 * poll_period)) {
      poll_several(now);  // no other thread has polled for a while
    }
    known = seen;
    const bool is_wanted_now = is_wanted();
    const auto timeout = home_.are_workers_busy() ? std::max(pause, shortest_busy_pause) : pause;
    // seq_cst: either the wait sees the signal of expect(), or expect() sees this
    is_to_be_woken_.store(!is_wanted_now || timeout > longest_kept_pause,
                          std::memory_order_seq_cst);
    sleeps_long_.store(!is_wanted_now || pause > longest_kept_pause, std::memory_order_seq_cst);
    futex_wait(signal_, seen, is_wanted_now ? std::optional(timeout) : std::nullopt);
    sleeps_long_.store(false, std::memory_order_seq_cst);
    is_to_be_woken_.store(false, std::memory_order_seq_cst);
  }
}

}  // namespace detail

void add_progress_source(scheduler& home, progress_source& source) {
  home.add_progress_source(source);
}
void remove_progress_source(scheduler& home, progress_source& source) noexcept {
  home.remove_progress_source(source);
}
void expect_progress(scheduler& home) noexcept { home.expect_progress(); }
void expect_awaited_progress(scheduler& home) noexcept { home.expect_awaited_progress(); }
void expect_more_progress(scheduler& home) noexcept { home.expect_more_progress(); }
bool poll_progress(scheduler& home) noexcept { return home.poll_progress(); }
bool is_polling_progress() noexcept { return detail::polled_here() != nullptr; }

}  // namespace weft::tasks
