// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts, resizes and stops the workers of a runtime, and finds their next tasks.
#include "tasks/scheduler/scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <sched.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/counters/block_registry.hpp"
#include "weft/counters/ticks.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/disturb.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/progress.hpp"
#include "weft/tasks/runtime_knobs.hpp"
#include "weft/tasks/timing_mode.hpp"

#include "tasks/counters/runtime_counters.hpp"
#include "tasks/counters/runtime_moment.hpp"
#include "tasks/deque/injection_queue.hpp"
#include "tasks/runtime/process_generation.hpp"
#include "tasks/scheduler/progress_poller.hpp"
#include "tasks/scheduler/runtime_gate.hpp"
#include "tasks/scheduler/search_time.hpp"
#include "tasks/scheduler/visit_word.hpp"
#include "tasks/scheduler/worker_loop.hpp"
#include "tasks/stacks/stack_overflow.hpp"
#include "tasks/waiting/futex.hpp"
#include "tasks/waiting/standstill.hpp"

namespace weft::tasks::detail {
namespace {

// After so many tasks a worker checks the runtime's queue, its own oldest task, or the low-priority
// tasks. So no task waits for ever behind tasks that start tasks, or behind high-priority tasks. A
// prime number avoids resonance with the program's own periods.
constexpr std::uint32_t fairness_period = 61;
// If there are sources to be polled, the worker reads the clock after about this time.
constexpr std::chrono::nanoseconds clock_period = std::chrono::microseconds(10);
constexpr std::uint32_t most_tasks_unpolled = 16;

/// Returns after how many tasks to read the clock again, if the last `num_tasks` took `elapsed`.
/// At most twice as many: the next tasks may take longer.
std::uint32_t tasks_until_clock(std::uint32_t num_tasks,
                                std::chrono::nanoseconds elapsed) noexcept {
  const std::uint32_t most = std::min(2 * num_tasks, most_tasks_unpolled);
  if (elapsed * most <= clock_period * num_tasks) {
    return most;
  }
  return std::max(static_cast<std::uint32_t>(clock_period * num_tasks / elapsed), 1U);
}

void fence_here() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace

scheduler::scheduler(const scheduler_options& options)
    : has_membarrier_(options.use_membarrier && enable_barrier_for_all()),
      pool_(counters::process_blocks().open_pool()),
      name_(options.name.empty() ? "pool-" + std::to_string(pool_) : options.name),
      barrier_(has_membarrier_ ? barrier_for_all : fence_here),
      cpus_(options.cpus),
      victims_(options.victims),
      deadlock_(options.deadlock),
      timing_(options.timing),
      process_(process_generation()),
      stacks_(options.stacks),
      gate_(std::make_shared<runtime_gate>(*this, name_)) {
  workers_.reserve(std::max(options.max_workers, options.num_workers));
  threads_.reserve(workers_.capacity());
  visitors_.reserve(visit_word::most_places);
  try {
    resize(static_cast<int>(options.num_workers));
    register_runtime_counters();
    show_to_readers(*this);
  } catch (...) {
    stop_threads();
    throw;
  }
  register_runtime(*this);
}

scheduler::~scheduler() {
  unregister_runtime(*this);
  if (!is_of_this_process()) {
    hide_from_readers(*this);
    std::ranges::for_each(threads_, forget);
    detach_held_places();
    return;
  }
  refuse_end_by_own_task();
  gate_->close();
  wait_until_quiescent();
  stop_threads();
  detach_held_places();
}

void scheduler::refuse_end_by_own_task() const noexcept {
  if (runtime_of_caller() == this) {
    send_message(
        "weft: a runtime was destroyed by one of its own tasks, for which it would wait for ever; "
        "destroy it where it was made, after its tasks have returned.\n");
    std::abort();
  }
}

void scheduler::stop_threads() noexcept {
  is_stopping_.store(true, std::memory_order_seq_cst);
  for (const auto& w : started()) {
    w->retire_word.store(0, std::memory_order_seq_cst);
    futex_wake(w->retire_word);
  }
  while (num_idle_.load(std::memory_order_seq_cst) != 0) {
    wake_one();
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
  hide_from_readers(*this);
  const auto finish = [](const auto& w) {
    w->clock.finish();
    counters::process_blocks().release(w->count);
  };
  std::ranges::for_each(started(), finish);
  std::ranges::for_each(visitors(), finish);
  counters::process_blocks().close_pool(pool_);
}

void scheduler::add_worker() {
  const auto index = static_cast<unsigned>(workers_.size());
  workers_.push_back(
      std::make_unique<worker>(*this, index, *counters::process_blocks().acquire(pool_, index)));
  worker& w = *workers_.back();
  // The worker's time counts from here on, though its thread may start later.
  w.count->start(counters::worker_state::parked, counters::ticks_now());
  if (!has_membarrier_) {
    w.tasks.ask(request::fenced);
  }
  stack* base = nullptr;
  try {
    base = stacks_.acquire();
    threads_.emplace_back([this, &w, base] { thread_main(w, *base); });
  } catch (...) {
    if (base != nullptr) {
      stacks_.release(base);
    }
    change_state(w, counters::worker_state::absent);
    w.clock.finish();
    counters::process_blocks().release(w.count);
    workers_.pop_back();
    throw;
  }
  // release: pairs with the acquire in started()
  num_started_.store(index + 1, std::memory_order_release);
}

void scheduler::resize(int wanted) {
  const auto count = static_cast<unsigned>(wanted);
  if (wanted < 1 || count > workers_.capacity()) {
    throw error("a runtime cannot have " + std::to_string(wanted) + " workers: ask for 1 to " +
                std::to_string(workers_.capacity()) + ", for example runtime.resize(2)");
  }
  if (count > stacks_.max_stacks()) {
    throw error("a runtime cannot have " + std::to_string(count) + " workers with " +
                std::to_string(stacks_.max_stacks()) +
                " stacks: each worker runs on one, and each task that waits keeps one; allow more "
                "with --weft:max-stacks or WEFT_MAX_STACKS");
  }
  const std::lock_guard guard(resize_mutex_);
  while (workers_.size() < count) {
    add_worker();
  }
  num_asked_.store(count, std::memory_order_relaxed);
  activate(count);
}

worker_change scheduler::use_workers(int wanted) {
  const std::lock_guard guard(resize_mutex_);
  const auto most = num_asked();
  const worker_change change{.before = static_cast<int>(num_workers()),
                             .after = std::clamp(wanted, 1, most)};
  if (change.before != change.after) {
    activate(static_cast<unsigned>(change.after));
  }
  return change;
}

void scheduler::begin_end() {
  gate_->close();
  use_workers(std::numeric_limits<int>::max());
}

/// Lets the first `count` workers take tasks. Call it with `resize_mutex_` held.
void scheduler::activate(unsigned count) {
  // release: pairs with the acquire in present()
  num_present_.store(std::max(num_present_.load(std::memory_order_relaxed), count),
                     std::memory_order_release);
  num_active_.store(count, std::memory_order_seq_cst);
  for (const auto& w : started().first(count)) {
    // seq_cst: pairs with retire(), which sets its word before it checks num_active_ again
    if (w->retire_word.exchange(0, std::memory_order_seq_cst) != 0) {
      futex_wake(w->retire_word);
    }
  }
  wake_surplus(count);
}

/// Sleeps as long as there are enough workers without `w`. Other workers take its tasks from the
/// queue.
void scheduler::retire(worker& w) noexcept {
  while (task* t = w.tasks.pop()) {
    injected_.push(*t);
  }
  w.stacks.keep_at_most(0);
  const counters::worker_state before = w.count->state();
  change_state(w, counters::worker_state::parked);
  num_retired_.fetch_add(1, std::memory_order_seq_cst);
  disturb();
  // After the state: a thread that saw this worker search, and so woke none, has queued its task by
  // now. Pairs with the fence in is_searcher_available().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wake_one();
  futex_wake(num_asleep_);
  for (;;) {
    // Each time: resize() may have cleared the word, and then lowered the number again.
    w.retire_word.store(1, std::memory_order_seq_cst);
    if (returns_to_work(w) || is_stopping_.load(std::memory_order_seq_cst)) {
      break;
    }
    futex_wait(w.retire_word, 1);
  }
  w.retire_word.store(0, std::memory_order_relaxed);
  num_retired_.fetch_sub(1, std::memory_order_seq_cst);
  w.tasks.ask(request::sleepers);  // workers that parked meanwhile could not ask
  wait_for_description();
  change_state(w, before);
}

/// True if `w` is to work again. Else the list of present workers ends after the last one that has
/// not retired. Both under one lock: a worker that runs tasks stays in the list.
bool scheduler::returns_to_work(worker& w) noexcept {
  const std::lock_guard guard(resize_mutex_);
  if (w.index < num_active_.load(std::memory_order_seq_cst)) {
    w.retire_word.store(0, std::memory_order_seq_cst);
    return true;
  }
  unsigned count = num_present_.load(std::memory_order_relaxed);
  while (count > num_active_.load(std::memory_order_relaxed) &&
         workers_[count - 1]->retire_word.load(std::memory_order_seq_cst) != 0) {
    --count;
  }
  num_present_.store(count, std::memory_order_release);
  return false;
}

void scheduler::refuse_in_fork() const {
  if (!is_of_this_process()) {
    throw error(
        "this runtime's workers live in the process that this one is a fork of: start a runtime "
        "after fork(), or call exec()");
  }
}

/// If the kernel refuses the mask, for example because the CPU went offline, the thread keeps its
/// mask.
void scheduler::bind(const worker& w) const noexcept {
  if (w.index >= cpus_.size()) {
    return;
  }
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int cpu : cpus_[w.index]) {
    CPU_SET(static_cast<std::size_t>(cpu), &mask);
  }
  sched_setaffinity(0, sizeof mask, &mask);
}

void scheduler::thread_main(worker& w, stack& base) {
  const overflow_handler_thread_scope overflow_handler;
  bind(w);
  set_self(&w);
  w.count->thread_id.set(static_cast<std::uint64_t>(gettid()));
  if (w.clock.is_traced()) {
    w.tasks.ask(request::traced);
  }
  w.native = make_native_stack();
  w.current = &w.native;
  w.search_us = shortest_search_here_us();
  if (timing_ != timing_mode::counts) {
    w.clock.calibrate();
  }
  change_state(w, counters::worker_state::executing);
  enter_loop(w, base);
  w.stacks.keep_at_most(0);
  change_state(w, counters::worker_state::absent);
  set_self(nullptr);
}

void scheduler::inject(task& t, task_priority priority) noexcept {
  external_begin();  // the task may end the runtime's work before this call has returned
  if (priority == task_priority::normal && polled_here() == this) {
    priority = task_priority::high;  // a busy worker's next task, as if the worker had polled
  }
  injection_queue& queue = priority == task_priority::normal ? injected_
                           : priority == task_priority::high ? high_
                                                             : low_;
  queue.push(t);
  disturb();
  if (!is_searcher_available()) {
    wake_one();
  }
  external_end();
}

/// True if a searching worker is sure to see what was queued before this call. It then wakes the
/// next worker if there is more work.
bool scheduler::is_searcher_available() const noexcept {
  // Pairs with the fence of a worker that finds a task, and with begin_park() of one that finds
  // none.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // A worker that waits in place may be unable to run the task.
  return num_failing_.load(std::memory_order_relaxed) == 0 && num_searching(1) != 0;
}

void scheduler::inject_optional(task& t, std::optional<unsigned> num_idle_before) noexcept {
  external_begin();
  note_offering_cpu();
  injected_.push(t);
  disturb();
  // seq_cst: a parking worker adds itself to num_idle_ first, and then checks the queue
  const std::uint32_t num_idle = num_idle_.load(std::memory_order_seq_cst);
  if (!num_idle_before || num_idle > *num_idle_before || num_idle >= num_workers()) {
    constexpr bool is_for_optional = true;
    wake_one(is_for_optional);
  }
  external_end();
}

bool scheduler::may_queue_optional(std::size_t num_more) noexcept {
  constexpr std::uint32_t most_per_worker = 8;
  const std::uint32_t most = 64 + most_per_worker * num_workers();
  const auto more = static_cast<std::uint32_t>(num_more);
  if (num_optional_.fetch_add(more, std::memory_order_relaxed) < most) {
    return true;
  }
  num_optional_.fetch_sub(more, std::memory_order_relaxed);
  return false;
}

std::size_t scheduler::num_searching(std::size_t most) const noexcept {
  std::size_t found = 0;
  for (const auto& w : present()) {
    if (found == most) {
      break;
    }
    // For a while after `begin_park` a worker's state is still `searching`.
    const bool is_awake = w->park_word.load(std::memory_order_relaxed) == 0;
    found += is_awake && w->count->state() == counters::worker_state::searching ? 1U : 0U;
  }
  return found;
}

task* scheduler::take_from(injection_queue& queue, worker& w) noexcept {
  task* t = queue.pop();
  if (t != nullptr) {
    w.count->injected.add(1);
  }
  return t;
}

/// Stamps the new state of `w`, and records what its deque counted since the last change.
void scheduler::change_state(worker& w,
                             counters::worker_state next,
                             std::size_t queue_length) noexcept {
#if defined(WEFT_COUNTERS_OFF)
  static_cast<void>(w);
  static_cast<void>(next);
  static_cast<void>(queue_length);
#else
  w.clock.break_window();
  w.clock.publish();
  w.count->queue_length.set(queue_length);
  w.count->enter(next, counters::ticks_now());
  w.count->publications.set(w.tasks.num_publications());
  w.count->tasks_published.set(w.tasks.num_published());
#endif
}

/// Alternates between the queues and the deque, because a task that yields all the time keeps the
/// queue from ever being empty.
task* scheduler::take_for_fairness(worker& w, std::uint32_t turn) noexcept {
  if (turn % 3 == 2 && !low_.is_empty()) {
    return take_from(low_, w);
  }
  const bool is_queue_turn = turn % 2 == 0;
  task* const t = is_queue_turn ? take_injected(w) : w.tasks.take_oldest();
  if (t != nullptr || !has_high()) {
    return t;
  }
  return is_queue_turn ? w.tasks.take_oldest() : take_injected(w);
}

/// Polls if there are sources. After every `fairness_period` tasks it also looks for a task
/// elsewhere. After a poll that found an event this is left to a later check, for as many tasks again.
/// The event's task is the newest one of the worker's deque, and comes first.
task* scheduler::check_between_tasks(worker& w) noexcept {
  w.num_taken += w.check_period;
  progress_poller* const polled = poller();
  const bool is_polled = polled != nullptr && polled->has_sources();
  std::uint32_t period = fairness_period;
  if (!is_polled) {
    w.check_period = fairness_period;
  } else {
    const auto [now, has_happened] = polled->poll_if_due();
    const std::chrono::nanoseconds now_ns = now.time_since_epoch();
    const std::int64_t before_ns = std::exchange(w.clock_read_at_ns, now_ns.count());
    w.check_period =
        tasks_until_clock(w.check_period, now_ns - std::chrono::nanoseconds(before_ns));
    period = has_happened ? 2 * fairness_period : fairness_period;
  }
  w.until_check = w.check_period;
  if (w.num_taken < period) {
    return nullptr;
  }
  w.num_taken = 0;
  return take_for_fairness(w, ++w.num_turns);
}

void scheduler::add_progress_source(progress_source& source) {
  {
    const std::lock_guard guard(resize_mutex_);
    if (progress_owner_ == nullptr) {
      progress_owner_ = std::make_unique<progress_poller>(*this);
      progress_.store(progress_owner_.get(), std::memory_order_release);
    }
  }
  poller()->add(source);
}

void scheduler::remove_progress_source(progress_source& source) noexcept {
  if (progress_poller* const mine = poller()) {
    mine->remove(source);
  }
}

void scheduler::expect_progress() noexcept {
  if (progress_poller* const mine = poller()) {
    mine->expect();
    wake_to_watch();
  }
}

void scheduler::expect_awaited_progress() noexcept {
  if (progress_poller* const mine = poller()) {
    mine->expect();
    if (!progress_poller::takes_next_wait()) {
      wake_to_watch();
    }
  }
}

void scheduler::wake_to_watch() noexcept {
  if (num_searching(1) == 0) {
    wake_one();
  }
}

void scheduler::expect_more_progress() noexcept {
  if (progress_poller* const mine = poller()) {
    mine->expect_more();
  }
}

bool scheduler::poll_progress() noexcept {
  progress_poller* const mine = poller();
  return mine != nullptr && mine->poll();
}

bool scheduler::is_waiting_for_progress() const noexcept {
  const progress_poller* const mine = poller();
  return mine != nullptr && mine->is_wanted();
}

task* scheduler::next_task(worker& w) noexcept {
  if (must_retire(w)) [[unlikely]] {
    retire(w);
  }
  if (is_visit_over(w)) [[unlikely]] {
    return nullptr;
  }
  static_cast<void>(w.clock.count_loop_run());  // includes the tasks that groups run as calls
  if (w.visits_for == nullptr) {
    if (--w.until_check == 0) [[unlikely]] {
      if (task* t = check_between_tasks(w)) {
        return t;
      }
    }
    if (has_high()) [[unlikely]] {
      if (task* t = take_from(high_, w)) {
        return t;
      }
    }
  }
  if (task* t = w.tasks.pop()) {
    return t;
  }
  if (w.visits_for == nullptr) {
    if (task* t = take_injected(w)) {
      return t;
    }
  }
  if (w.visits_for == nullptr) {
    if (task* t = poll_briefly(w)) {
      return t;
    }
  }
  w.clock.end_window();
  return search(w);
}

/// Polls for about as long as the start of a search takes. An answer often comes soon.
task* scheduler::poll_briefly(worker& w) noexcept {
  constexpr int num_polls = 8;
  progress_poller* const polled = poller();
  for (int i = 0; polled != nullptr && i < num_polls && polled->is_wanted(); ++i) {
    if (polled->poll()) {
      if (task* t = w.tasks.pop()) {
        return t;
      }
    }
  }
  return nullptr;
}

}  // namespace weft::tasks::detail
