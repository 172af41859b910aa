// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting, changing the number of and ending workers, and where their next task comes from.
#include "tasks/scheduler/scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

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
#include "weft/tasks/timing_mode.hpp"

#include "tasks/counters/runtime_counters.hpp"
#include "tasks/counters/runtime_moment.hpp"
#include "tasks/deque/injection_queue.hpp"
#include "tasks/runtime/process_generation.hpp"
#include "tasks/scheduler/progress_poller.hpp"
#include "tasks/scheduler/visit_word.hpp"
#include "tasks/scheduler/worker_loop.hpp"
#include "tasks/stacks/stack_overflow.hpp"
#include "tasks/waiting/futex.hpp"
#include "tasks/waiting/standstill.hpp"

namespace weft::tasks::detail {
namespace {

// Every so many tasks a worker looks at the runtime's queue, at its own oldest task or at those of
// low priority first, so that none waits for ever behind tasks that start tasks, or behind those of
// high priority. A prime, to stay out of step.
constexpr std::uint32_t fairness_period = 61;
// With sources to be polled it looks at the clock every so many tasks.
constexpr std::uint32_t polling_period = 2;

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
      stacks_(options.stacks) {
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
  enlist_runtime(*this);
}

scheduler::~scheduler() {
  strike_runtime(*this);
  if (!is_of_this_process()) {
    hide_from_readers(*this);
    std::ranges::for_each(threads_, forget);
    let_go_of_held_places();
    return;
  }
  refuse_end_by_own_task();
  wait_until_quiescent();
  stop_threads();
  let_go_of_held_places();
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
  // Its time counts from here on; the thread may take a while to come.
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
  num_active_.store(count, std::memory_order_seq_cst);
  for (const auto& w : started().first(count)) {
    // seq_cst: pairs with retire(), which lies down before it looks at num_active_ again
    if (w->retire_word.exchange(0, std::memory_order_seq_cst) != 0) {
      futex_wake(w->retire_word);
    }
  }
}

/// Sleeps as long as there are enough workers without `w`, whose tasks others take meanwhile.
void scheduler::retire(worker& w) noexcept {
  w.tasks.publish_all();
  w.stacks.keep_at_most(0);
  wake_one();
  const counters::worker_state before = w.count->state();
  change_state(w, counters::worker_state::parked);
  w.retire_word.store(1, std::memory_order_seq_cst);
  num_retired_.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(num_asleep_);
  while (w.index >= num_active_.load(std::memory_order_seq_cst) &&
         !is_stopping_.load(std::memory_order_seq_cst)) {
    futex_wait(w.retire_word, 1);
  }
  w.retire_word.store(0, std::memory_order_relaxed);
  num_retired_.fetch_sub(1, std::memory_order_seq_cst);
  let_description_end();
  change_state(w, before);
}

void scheduler::refuse_in_fork() const {
  if (!is_of_this_process()) {
    throw error(
        "this runtime's workers live in the process that this one is a fork of: start a runtime "
        "after fork(), or call exec()");
  }
}

/// A mask that the kernel refuses (the CPU went offline) leaves the thread where it may run.
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
  external_begin();  // the task may end the runtime's work before its injector has left
  injection_queue& queue = priority == task_priority::normal ? injected_
                           : priority == task_priority::high ? high_
                                                             : low_;
  queue.push(t);
  disturb();
  if (!is_one_coming()) {
    wake_one();
  }
  external_end();
}

/// True if a worker that searches is sure to see what was queued before this call. It then wakes
/// the next one, if there is more.
bool scheduler::is_one_coming() const noexcept {
  // Pairs with the fence of who finds a task, and with lie_down() of who finds none.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Who only waits in place may be unable to run it.
  return num_fruitless_.load(std::memory_order_relaxed) == 0 && num_searching(1) != 0;
}

void scheduler::inject_optional(task& t, std::optional<unsigned> num_idle_before) noexcept {
  external_begin();
  note_offering_cpu();
  injected_.push(t);
  disturb();
  // seq_cst: a worker that lies down announces itself first, and looks into the queue then
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
  for (const auto& w : started()) {
    if (found == most) {
      break;
    }
    // Who has lain down is still said to search for a while.
    const bool is_up = w->park_word.load(std::memory_order_relaxed) == 0;
    found += is_up && w->count->state() == counters::worker_state::searching ? 1U : 0U;
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

/// Stamps what `w` does from now on, and counts what its deque did since the last change.
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

/// In turns: a task that yields over and over keeps the queue from ever being empty.
task* scheduler::take_in_turn(worker& w, std::uint32_t turn) noexcept {
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

/// Polls, if there is something to be polled, and looks for a task in turn when it is time to.
task* scheduler::look_between_tasks(worker& w) noexcept {
  w.num_taken += w.look_period;
  progress_poller* const polled = poller();
  const bool is_polled = polled != nullptr && polled->has_sources();
  w.look_period = is_polled ? polling_period : fairness_period;
  w.until_look = w.look_period;
  if (is_polled) {
    polled->poll_if_due();
  }
  if (w.num_taken < fairness_period) {
    return nullptr;
  }
  w.num_taken = 0;
  return take_in_turn(w, ++w.num_turns);
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
    if (num_searching(1) == 0) {
      wake_one();
    }
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
  static_cast<void>(w.clock.count_loop_run());  // counts what groups call, too
  if (w.visits_for == nullptr) {
    if (--w.until_look == 0) [[unlikely]] {
      if (task* t = look_between_tasks(w)) {
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
  w.clock.end_window();
  return search(w);
}

}  // namespace weft::tasks::detail
