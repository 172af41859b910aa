// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the workers of one runtime share: tasks from outside, who sleeps, and how to stop.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/timing_mode.hpp"

#include "tasks/deque/injection_queue.hpp"
#include "tasks/runtime/process_generation.hpp"
#include "tasks/scheduler/visit_word.hpp"

namespace weft::tasks {
class progress_source;
}

namespace weft::tasks::detail {

class call_sites;
class progress_poller;

struct scheduler_options {
  std::string name = {};  // in its counters' names; empty: "pool-" and its number
  unsigned num_workers = 1;
  unsigned max_workers = 1024;  // that `resize` may ask for
  stack_options stacks;
  bool use_membarrier = true;               // false: every claim passes a fence and a lock instead
  std::vector<std::vector<int>> cpus = {};  // of each worker; empty: wherever the process may run
  /// Of each worker: whom to steal from, nearest group first; none: all are equally near.
  std::vector<std::vector<std::vector<int>>> victims = {};
  deadlock_action deadlock = deadlock_action::log;
  timing_mode timing = timing_mode::sampled;
};

/// Threads: every member but the constructor and the destructor may be called from any thread.
class scheduler {
 public:
  explicit scheduler(const scheduler_options& options);
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;
  /// Waits until nothing is left to do, then ends the threads.
  ~scheduler();

  /// How many workers take tasks.
  [[nodiscard]] unsigned num_workers() const noexcept {
    return num_active_.load(std::memory_order_relaxed);
  }
  /// Changes that number; workers that are too many leave after the task they are in.
  /// Errors: `weft::error` for less than 1 or more than `max_workers`; std::system_error when no
  ///         thread can be started.
  void resize(int wanted);

  /// Queues a task from outside and wakes a worker for it.
  void inject(task& t) noexcept { inject(t, task_priority::normal); }
  void inject(task& t, task_priority priority) noexcept;
  /// The same for a task that need not run, of a thread that goes on working itself; see
  /// `work_offer`.
  ///
  /// `num_idle_before`: a worker that searches will find it; wakes one only if all sleep, or more
  /// than so many, read before those that search were counted.
  void inject_optional(task& t, std::optional<unsigned> num_idle_before) noexcept;
  /// Counts so many more of those in the queue, unless there are so many that workers have been
  /// busy elsewhere for a while: more would keep memory for nothing.
  [[nodiscard]] bool may_queue_optional(std::size_t num_more) noexcept;
  void count_optional_in_queue() noexcept { num_optional_.fetch_add(1, std::memory_order_relaxed); }
  void optional_has_left_queue() noexcept { num_optional_.fetch_sub(1, std::memory_order_relaxed); }
  /// A place in which the calling thread, which is no worker, starts tasks that workers may steal,
  /// until it visits there or gives it back. Null: there is none, or it would gain nothing.
  ///
  /// The thread counts as one that works there, but no longer than about two naps of a worker (4
  /// ms), and not while it visits elsewhere.
  /// Cost:    an atomic read-modify-write.
  [[nodiscard]] worker* hold_place() noexcept;
  /// Starts `t` in a place that the calling thread holds.
  void start_in(worker& held, task& t) noexcept;
  /// Leaves what was started there to workers. The place's runtime may have ended before.
  static void give_back(worker& held) noexcept;
  /// Performs `root` on the calling thread, which is no worker, and helps with what it started for
  /// as long as there is some; `root` may then have suspended. False: nothing was done, since there
  /// is a worker for it.
  ///
  /// `held`: a place that the thread holds, where it visits, and which it has given back afterwards
  /// in either case; null: any that is free.
  [[nodiscard]] bool visit(task& root, worker* held = nullptr) noexcept;

  /// How many workers look for tasks at this moment; counts no further than `most`. Without
  /// counters nobody knows: 0.
  [[nodiscard]] std::size_t num_searching(std::size_t most) const noexcept;
  /// Queues a task behind all others that wait in the runtime's queue; wakes nobody.
  void put_last(task& t) noexcept { injected_.push(t); }
  /// Of all priorities.
  [[nodiscard]] bool is_queue_empty() const noexcept {
    return injected_.is_empty() && high_.is_empty() && low_.is_empty();
  }
  /// True if a task of high priority waits: where a worker can choose, it begins that one.
  [[nodiscard]] bool has_high() const noexcept { return !high_.is_empty(); }

  /// The next task for `w`, whose deque the caller found empty or skips for fairness; sleeps until
  /// there is one. Null: the runtime stops.
  task* next_task(worker& w) noexcept;

  /// For `wait_in_place`: a task, or a waiter that became ready, if there is one now. What others
  /// keep for themselves they are asked for, now and then in a row of fruitless looks.
  task* search_while_waiting(worker& w, unsigned num_failed) noexcept;
  /// The same for waiters only; other tasks go to the runtime's queue.
  task* find_ready_waiter(worker& w) noexcept;
  /// Around a row of looks in which `w` found nothing for a while.
  void begin_failed_searches(worker& w) noexcept;
  void end_failed_searches(worker& w) noexcept;
  /// True if workers only wait in place, sleep or are retired, and nothing outside will end a wait.
  [[nodiscard]] bool is_stuck() const noexcept;

  /// Waits until nothing is left to do. Not for workers.
  void wait_until_quiescent() noexcept;
  /// True if all workers sleep and nothing is queued or will be by a timer or a blocking call.
  /// Tasks may wait.
  [[nodiscard]] bool is_standing_still() const noexcept;
  /// True if none of its tasks will do anything unless another runtime's wakes it: it stands still
  /// but for those that wait for the end of a runtime which stands still.
  [[nodiscard]] bool cannot_progress() const noexcept;
  /// Around such a wait of one of this runtime's tasks, on a worker or in a blocking call.
  void begin_wait_for_end(bool is_on_worker) noexcept {
    (is_on_worker ? num_waiting_for_end_ : num_external_waiting_for_end_).fetch_add(1, std::memory_order_seq_cst);
  }
  void end_wait_for_end(bool is_on_worker) noexcept {
    (is_on_worker ? num_waiting_for_end_ : num_external_waiting_for_end_).fetch_sub(1, std::memory_order_seq_cst);
  }
  /// False in a fork of the process that started it, where none of its threads are.
  [[nodiscard]] bool is_of_this_process() const noexcept {
    return process_ == known_process_generation();
  }
  /// How many tasks ever came from outside, other runtimes included: while that does not change,
  /// one that had nothing left to do has nothing to do.
  [[nodiscard]] std::uint64_t num_from_outside() const noexcept {
    return injected_.num_pushed() + high_.num_pushed() + low_.num_pushed() +
           num_started_in_places();
  }
  /// Ends the process if one of this runtime's tasks calls it, which is about to end the runtime.
  void refuse_end_by_own_task() const noexcept;

  /// How many workers sleep or are about to.
  [[nodiscard]] unsigned num_idle() const noexcept {
    return num_idle_.load(std::memory_order_relaxed);
  }
  /// Wakes the worker that went to sleep last on another CPU than the caller's, else the last one.
  void wake_one(bool is_for_optional = false) noexcept;

  /// A worker that the kernel puts on the calling thread's CPU goes elsewhere.
  void note_offering_cpu() noexcept;
  /// As `wake_one`, for what workers share, unless visitors are enough.
  void wake_to_share(bool is_for_optional) noexcept;

  /// Around everything outside the workers that will resume a task: a timer, a blocking call. While
  /// there is one, the runtime does not end, and standing still is no deadlock.
  /// For visits see `visit`, which counts by itself.
  void external_begin() noexcept { num_external_.fetch_add(1, std::memory_order_seq_cst); }
  void external_end() noexcept { num_external_.fetch_sub(1, std::memory_order_seq_cst); }

  /// See weft/tasks/progress.hpp.
  void add_progress_source(progress_source& source);
  void remove_progress_source(progress_source& source) noexcept;
  void expect_progress() noexcept;
  void expect_more_progress() noexcept;
  bool poll_progress() noexcept;
  /// True if a source may wake a task at any time.
  [[nodiscard]] bool is_waiting_for_progress() const noexcept;

  stack_pool& stacks() noexcept { return stacks_; }
  [[nodiscard]] const stack_pool& stacks() const noexcept { return stacks_; }

  // For counters.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint32_t pool() const noexcept { return pool_; }
  /// Of the runtime's own queue.
  [[nodiscard]] std::size_t queue_length() const noexcept {
    return injected_.size() + high_.size() + low_.size();
  }
  using worker_list = std::span<const std::unique_ptr<worker>>;
  /// All there ever were. Their number only grows, and the vector never moves.
  [[nodiscard]] worker_list started() const noexcept {
    // acquire: pairs with the release in add_worker()
    return {workers_.data(), num_started_.load(std::memory_order_acquire)};
  }
  /// Calls `see` for the place of every thread that ever visited.
  template <class See>
  void for_each_visitor(See see) const {
    for (const auto& each : visitors()) {
      see(*each);
    }
  }
  [[nodiscard]] timing_mode timing() const noexcept { return timing_; }

  /// Errors: `weft::error` if this process is a fork of the one that started the runtime.
  void refuse_in_fork() const;

  /// What all tasks wait for, one line each, if every worker sleeps, nothing is queued, and no
  /// timer or blocking call will end a wait; empty otherwise. With `sites`, lines in headers of
  /// libraries are replaced by those of their users.
  [[nodiscard]] std::string describe_standstill(call_sites* sites = nullptr);
  [[nodiscard]] deadlock_action on_deadlock() const noexcept { return deadlock_; }

 private:
  /// Whether the thread that holds a place counts as visiting.
  enum class hold_counted : std::uint8_t { no, fresh, since_last_check };
  /// The place of a thread that visits: a worker without a thread of its own.
  struct visitor : worker {
    using worker::worker;
    visitor(const visitor&) = delete;
    visitor& operator=(const visitor&) = delete;
    ~visitor();
    void release_stacks() noexcept;
    bool is_calibrated = false;
    std::atomic<std::uint64_t> holder{0};  // number of the thread that holds it; 0: none
    std::atomic<hold_counted> counted{hold_counted::no};
    std::atomic<std::uint64_t> num_started{0};  // while held; written by who holds it
  };
  using visitor_list = std::span<const std::unique_ptr<visitor>>;
  /// All places there ever were. Their number only grows, and the vector never moves.
  [[nodiscard]] visitor_list visitors() const noexcept {
    // acquire: pairs with the release in add_visitor()
    return {visitors_.data(), num_visitors_.load(std::memory_order_acquire)};
  }
  [[nodiscard]] visit_word visits() const noexcept {
    return {visits_.load(std::memory_order_seq_cst)};
  }
  [[nodiscard]] bool has_room_for_visitor(visit_word visits) const noexcept;
  [[nodiscard]] visitor* begin_visit() noexcept;
  [[nodiscard]] visitor* add_visitor();
  [[nodiscard]] visitor* place_held_by(std::uint64_t thread, std::size_t index) const noexcept;
  [[nodiscard]] bool begin_visit_in(visitor& held) noexcept;
  static bool stop_counting(visitor& place) noexcept;
  bool stop_counting_late_holders() noexcept;
  [[nodiscard]] std::uint64_t num_started_in_places() const noexcept;
  [[nodiscard]] bool is_any_place_held() const noexcept;
  [[nodiscard]] bool is_any_holder_counted() const noexcept;
  [[nodiscard]] bool may_defer_wakes() const noexcept;
  void leave_place(visitor& place, bool is_counted) noexcept;
  void leave(std::uint64_t what) noexcept;
  void end_visit(visitor& place) noexcept;
  std::size_t publish_remaining(visitor& place) noexcept;
  void detach_held_places() noexcept;
  /// True if there are as many as workers that sleep: they work in their places.
  [[nodiscard]] bool are_visitors_enough() const noexcept;
  /// How much there is outside the workers that may start or resume something.
  [[nodiscard]] std::uint32_t num_outside() const noexcept {
    const std::uint32_t num_active = visits().num_active();  // first: see end_visit()
    return num_active + num_external_.load(std::memory_order_seq_cst);
  }
  /// True if a worker that searches should sleep, since there is a visitor for its place.
  [[nodiscard]] bool has_surplus_searcher() const noexcept {
    // relaxed: yield_to_visitor() looks again
    return visit_word{visits_.load(std::memory_order_relaxed)}.num_visiting() >
           num_idle_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_any_worker_busy() const noexcept;
  [[nodiscard]] bool is_searcher_available() const noexcept;
  [[nodiscard]] bool defer_wake() noexcept;
  /// Calls `find` for everybody else who has a deque until it says true; returns whether it did.
  template <class Find>
  bool any_other(const worker& but, Find find) const {
    const auto is_found = [&](const auto& other) { return other.get() != &but && find(*other); };
    return std::ranges::any_of(started(), is_found) || std::ranges::any_of(visitors(), is_found);
  }

  void add_worker();
  void stop_threads() noexcept;
  void retire(worker& w) noexcept;
  [[nodiscard]] bool must_retire(const worker& w) const noexcept {
    return w.index >= num_active_.load(std::memory_order_relaxed) && w.visits_for == nullptr;
  }
  /// True for a visitor whose task has ended.
  [[nodiscard]] static bool is_visit_over(const worker& w) noexcept {
    return w.visits_for != nullptr &&
           // acquire: pairs with complete()
           task::is_final(w.visits_for->done.load(std::memory_order_acquire));
  }
  task* steal_from(worker& w, worker& victim) noexcept;
  task* take_injected(worker& w) noexcept { return take_from(injected_, w); }
  static task* take_from(injection_queue& queue, worker& w) noexcept;
  task* take_for_fairness(worker& w, std::uint32_t turn) noexcept;
  task* check_between_tasks(worker& w) noexcept;
  task* poll_and_take(worker& w, progress_poller* polled) noexcept;
  task* timed_search(worker& w, progress_poller* watch) noexcept;
  /// Null: it has no sources.
  [[nodiscard]] progress_poller* poller() const noexcept {
    // acquire: pairs with the release in add_progress_source()
    return progress_.load(std::memory_order_acquire);
  }
  void thread_main(worker& w, stack& base);
  void bind(const worker& w) const noexcept;
  static void change_state(worker& w, counters::worker_state next) noexcept {
    change_state(w, next, w.tasks.size_estimate());
  }
  static void change_state(worker& w,
                           counters::worker_state next,
                           std::size_t queue_length) noexcept;
  task* search(worker& w) noexcept;
  task* timed_search(worker& w) noexcept;
  void back_off(worker& w) const noexcept;
  task* search_once(worker& w) noexcept;
  task* steal_from_others(worker& w) noexcept;
  void ask_others(const worker& but, std::uint32_t what) noexcept;
  void force_others(worker& w) noexcept;
  void wake_another(worker& w) noexcept;
  /// Sleeps unless there is work to be found. True: the runtime stops.
  bool park(worker& w) noexcept;
  bool yield_to_visitor(worker& w) noexcept;
  bool sleep(worker& w) noexcept;
  void watch_held_places(worker& w) noexcept;
  static void note_park_latency(worker& w) noexcept;
  void leave_offering_cpu() noexcept;
  bool is_work_left(const worker& but) noexcept;
  void begin_park(worker& w) noexcept;
  void cancel_park(worker& w) noexcept;
  void note_sleep(std::uint32_t count) noexcept;
  /// Called by who no longer counts as asleep, before it runs a task.
  void wait_for_description() noexcept { const std::lock_guard guard(description_mutex_); }

  const bool has_membarrier_;
  const std::uint32_t pool_;  // of counter blocks
  const std::string name_;
  void (*const barrier_)() noexcept;
  const std::vector<std::vector<int>> cpus_;
  const std::vector<std::vector<std::vector<int>>> victims_;
  const deadlock_action deadlock_;
  const timing_mode timing_;
  const std::uint32_t process_;  // forks of the process that came before, see process_generation()
  stack_pool stacks_;
  std::mutex resize_mutex_;
  std::mutex description_mutex_;  // held while frames of waiting tasks are read
  std::vector<std::unique_ptr<worker>> workers_;
  std::atomic<unsigned> num_started_{0};
  std::atomic<unsigned> num_active_{0};
  std::vector<std::unique_ptr<visitor>> visitors_;
  std::atomic<unsigned> num_visitors_{0};
  injection_queue injected_;
  std::atomic<bool> is_watching_places_{false};  // and looks after places that are held
  injection_queue high_;
  injection_queue low_;
  alignas(128) spin_lock idle_lock_;
  worker* idle_ = nullptr;                    // those who sleep or are about to, last first
  std::atomic<std::uint32_t> num_idle_{0};    // how many those are
  std::atomic<std::uint32_t> num_asleep_{0};  // who found nothing to do after lying down
  std::atomic<std::uint32_t> num_retired_{0};
  std::atomic<std::uint32_t> num_failing_{0};  // who waits in place and finds nothing to do
  std::atomic<std::uint32_t> num_waiting_for_end_{0};    // workers in a task that waits for a runtime's end
  std::atomic<std::uint32_t> num_external_waiting_for_end_{0};  // of `num_external_`, who does the same
  std::atomic<std::uint64_t> visits_{0};                // a visit_word
  std::atomic<int> offering_cpu_{
      -1};  // of the last to offer work, who may work on; relaxed: a hint
  std::atomic<bool> is_stopping_{false};
  std::unique_ptr<progress_poller> progress_owner_;
  std::atomic<progress_poller*> progress_{nullptr};
  // Alone: changed for every task from outside, while those who search read what is above.
  alignas(128) std::atomic<std::uint32_t> num_external_{0};
  alignas(128) std::atomic<std::uint32_t> num_optional_{0};  // relaxed: a bound, it orders nothing
  alignas(128) std::vector<std::thread> threads_;
};

/// The runtime whose task, or whose task's blocking call, the calling thread runs; else null.
scheduler* runtime_of_caller() noexcept;

}  // namespace weft::tasks::detail
