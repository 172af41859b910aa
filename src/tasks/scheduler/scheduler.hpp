// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that the workers of one runtime share: queues, parked workers, and visitors.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
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
#include "weft/tasks/runtime_knobs.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/timing_mode.hpp"

#include "tasks/deque/injection_queue.hpp"
#include "tasks/runtime/process_generation.hpp"
#include "tasks/scheduler/runtime_gate.hpp"
#include "tasks/scheduler/search_time.hpp"
#include "tasks/scheduler/visit_word.hpp"

namespace weft::tasks {
class progress_source;
}

namespace weft::tasks::detail {

class call_sites;
class progress_poller;

struct scheduler_options {
  std::string name = {};  // for counter names; empty: "pool-" and its number
  unsigned num_workers = 1;
  unsigned max_workers = 1024;  // the limit of `resize`
  stack_options stacks;
  bool use_membarrier = true;               // false: every claim passes a fence and a lock instead
  std::vector<std::vector<int>> cpus = {};  // for each worker; empty: all CPUs of the process
  /// For each worker its victims, nearest group first. None: all are equally near.
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
  /// Waits until no task is left, then ends the threads.
  ~scheduler();

  /// Returns how many workers take tasks.
  [[nodiscard]] unsigned num_workers() const noexcept {
    return num_active_.load(std::memory_order_relaxed);
  }
  /// Changes the number of workers. A surplus worker stops after its current task.
  /// Errors:  `weft::error` for less than 1 or more than `max_workers`; std::system_error when no
  ///          thread can be started.
  void resize(int wanted);
  /// Lets only so many workers take tasks, limited to 1 to `num_asked()`.
  worker_change use_workers(int wanted);
  /// Returns the number that `resize` or the constructor was last asked for.
  [[nodiscard]] int num_asked() const noexcept {
    return static_cast<int>(num_asked_.load(std::memory_order_relaxed));
  }
  /// Puts all workers back to use, before the runtime waits for its last tasks. Policies change
  /// nothing from then on.
  void begin_end();

  /// Returns what leads here until the runtime begins to end.
  [[nodiscard]] const std::shared_ptr<runtime_gate>& gate() const noexcept { return gate_; }
  /// The longest time that a worker searches before it parks, from its next wake on. Units: us.
  [[nodiscard]] std::uint32_t longest_search() const noexcept {
    return longest_search_us_.load(std::memory_order_relaxed);
  }
  void set_longest_search(std::uint32_t longest_us) noexcept {
    longest_search_us_.store(longest_us, std::memory_order_relaxed);
  }

  /// Queues a task from outside the workers, and wakes a worker for it.
  void inject(task& t) noexcept { inject(t, task_priority::normal); }
  void inject(task& t, task_priority priority) noexcept;
  /// Queues a task that need not run, for a thread that itself continues to work; see `work_offer`.
  ///
  /// `num_idle_before`: a searching worker will take the task. Wakes a worker only if all are
  /// parked, or more than that number, which was read before the searching ones were counted.
  void inject_optional(task& t, std::optional<unsigned> num_idle_before) noexcept;
  /// Counts `num_more` optional tasks as queued. False: so many are queued that workers have been
  /// busy elsewhere for a while, and more would waste memory.
  [[nodiscard]] bool may_queue_optional(std::size_t num_more) noexcept;
  void count_optional_in_queue() noexcept { num_optional_.fetch_add(1, std::memory_order_relaxed); }
  void optional_has_left_queue() noexcept { num_optional_.fetch_sub(1, std::memory_order_relaxed); }
  /// Returns a place in which the calling thread, which is not a worker, starts tasks that workers
  /// can steal. The thread holds the place until it visits there or gives it back. Null: no place
  /// is free, or it would gain nothing.
  ///
  /// The thread counts as visiting for up to two check periods (4 ms), and not while it visits
  /// elsewhere.
  /// Cost:    an atomic read-modify-write.
  [[nodiscard]] worker* hold_place() noexcept;
  /// Starts `t` in a place that the calling thread holds.
  void start_in(worker& held, task& t) noexcept;
  /// Leaves the tasks started there to the workers. The place's runtime may have ended before.
  static void give_back(worker& held) noexcept;
  /// Performs `root` on the calling thread, which is not a worker, and runs tasks that it started
  /// as long as there are some. `root` may have suspended afterwards. False: nothing was done,
  /// because a worker is free for it.
  ///
  /// `held`: the place that the thread holds; it visits there, and has given the place back
  /// afterwards in either case. Null: any free place.
  [[nodiscard]] bool visit(task& root, worker* held = nullptr) noexcept;

  /// Returns how many workers search at this moment, counting up to `most`. Without counters the
  /// number is unknown: 0.
  [[nodiscard]] std::size_t num_searching(std::size_t most) const noexcept;
  /// Queues a task behind all others in the runtime's queue. Wakes no worker.
  void put_last(task& t) noexcept { injected_.push(t); }
  /// Considers the queues of all priorities.
  [[nodiscard]] bool is_queue_empty() const noexcept {
    return injected_.is_empty() && high_.is_empty() && low_.is_empty();
  }
  /// True if a high-priority task waits. A worker that can choose begins it first.
  [[nodiscard]] bool has_high() const noexcept { return !high_.is_empty(); }

  /// Returns the next task for `w`, whose deque is empty, or is skipped for fairness. Parks until
  /// there is one. Null: the runtime stops.
  task* next_task(worker& w) noexcept;

  /// For `wait_in_place`: returns a task, or a ready waiter, if there is one now. After some failed
  /// searches in a row it asks others to publish their tasks.
  task* search_while_waiting(worker& w, unsigned num_failed) noexcept;
  /// As `search_while_waiting`, but returns waiters only; other tasks go to the runtime's queue.
  task* find_ready_waiter(worker& w) noexcept;
  /// Call these around a series of failed searches of `w`.
  void begin_failed_searches(worker& w) noexcept;
  void end_failed_searches(worker& w) noexcept;
  /// True if all workers wait in place, are parked or are retired, and no external work will end a
  /// wait.
  [[nodiscard]] bool is_stuck() const noexcept;

  /// Waits until no task is left. Not for workers.
  void wait_until_quiescent() noexcept;
  /// True if all workers are parked, nothing is queued, and no timer or blocking call will queue
  /// anything. Tasks may wait.
  [[nodiscard]] bool is_standing_still() const noexcept;
  /// True if no task of this runtime will run unless another runtime's task wakes it. Tasks that
  /// wait for the end of a runtime that stands still do not count as running.
  [[nodiscard]] bool cannot_progress() const noexcept;
  /// Call these around such a wait of one of this runtime's tasks, on a worker or in a blocking
  /// call.
  void begin_wait_for_end(bool is_on_worker) noexcept {
    (is_on_worker ? num_waiting_for_end_ : num_external_waiting_for_end_)
        .fetch_add(1, std::memory_order_seq_cst);
  }
  void end_wait_for_end(bool is_on_worker) noexcept {
    (is_on_worker ? num_waiting_for_end_ : num_external_waiting_for_end_)
        .fetch_sub(1, std::memory_order_seq_cst);
  }
  /// False in a fork of the process that started the runtime, since a fork has none of its threads.
  [[nodiscard]] bool is_of_this_process() const noexcept {
    return process_ == known_process_generation();
  }
  /// Returns how many tasks ever came from outside, other runtimes included. While the number does
  /// not change, an idle runtime stays idle.
  [[nodiscard]] std::uint64_t num_from_outside() const noexcept {
    return injected_.num_pushed() + high_.num_pushed() + low_.num_pushed() +
           num_started_in_places();
  }
  /// Ends the process if the caller is one of this runtime's tasks. Called by code that ends the
  /// runtime.
  void refuse_end_by_own_task() const noexcept;

  /// Returns how many workers are parked or about to park.
  [[nodiscard]] unsigned num_idle() const noexcept {
    return num_idle_.load(std::memory_order_relaxed);
  }
  /// Wakes the worker that parked last on another CPU than the caller's, else the last one.
  void wake_one(bool is_for_optional = false) noexcept;

  /// Records the calling thread's CPU. A woken worker that the kernel puts there moves to another
  /// CPU.
  void note_offering_cpu() noexcept;
  /// As `wake_one`, for published tasks, unless there are enough visitors.
  void wake_to_share(bool is_for_optional) noexcept;

  /// Call these around everything outside the workers that will resume a task: a timer, a blocking
  /// call. Meanwhile the runtime does not end, and a standstill is not a deadlock.
  /// `visit` counts visits by itself.
  void external_begin() noexcept { num_external_.fetch_add(1, std::memory_order_seq_cst); }
  void external_end() noexcept { num_external_.fetch_sub(1, std::memory_order_seq_cst); }

  /// See weft/tasks/progress.hpp.
  void add_progress_source(progress_source& source);
  void remove_progress_source(progress_source& source) noexcept;
  void expect_progress() noexcept;
  void expect_awaited_progress() noexcept;
  void expect_more_progress() noexcept;
  /// Wakes a worker that polls, unless one is awake and searches.
  void wake_to_watch() noexcept;
  /// True if all workers are parked or search.
  [[nodiscard]] bool are_workers_idle() const noexcept {
    return num_idle() + num_searching(num_workers()) >= num_workers();
  }
  /// True if each worker has work.
  [[nodiscard]] bool are_workers_busy() const noexcept {
    return num_idle() == 0 && num_searching(1) == 0;
  }
  bool poll_progress() noexcept;
  /// True if a source may wake a task at any time.
  [[nodiscard]] bool is_waiting_for_progress() const noexcept;

  stack_pool& stacks() noexcept { return stacks_; }
  [[nodiscard]] const stack_pool& stacks() const noexcept { return stacks_; }

  // For counters.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint32_t pool() const noexcept { return pool_; }
  /// The number of tasks in the runtime's own queues.
  [[nodiscard]] std::size_t queue_length() const noexcept {
    return injected_.size() + high_.size() + low_.size();
  }
  using worker_list = std::span<const std::unique_ptr<worker>>;
  /// Returns all workers that ever existed. Their number only grows, and the vector never moves.
  [[nodiscard]] worker_list started() const noexcept {
    // acquire: pairs with the release in add_worker()
    return {workers_.data(), num_started_.load(std::memory_order_acquire)};
  }
  /// Returns the workers that may have tasks: all up to the last one that has not retired.
  [[nodiscard]] worker_list present() const noexcept {
    // acquire: pairs with the release in resize()
    return {workers_.data(), num_present_.load(std::memory_order_acquire)};
  }
  /// Calls `see` for each place that a thread ever visited.
  template <class See>
  void for_each_visitor(See see) const {
    for (const auto& each : visitors()) {
      see(*each);
    }
  }
  [[nodiscard]] timing_mode timing() const noexcept { return timing_; }

  /// Errors: `weft::error` if this process is a fork of the one that started the runtime.
  void refuse_in_fork() const;

  /// Describes what all tasks wait for, one line each. Empty unless every worker is parked, nothing
  /// is queued, and no timer or blocking call will end a wait. With `sites`, the lines of the
  /// user's code replace lines in library headers.
  [[nodiscard]] std::string describe_standstill(call_sites* sites = nullptr);
  [[nodiscard]] deadlock_action on_deadlock() const noexcept { return deadlock_; }

 private:
  /// Whether the thread that holds a place counts as visiting.
  enum class hold_counted : std::uint8_t { no, fresh, since_last_check };
  /// The place of a visiting thread: a worker without its own thread.
  struct visitor : worker {
    using worker::worker;
    visitor(const visitor&) = delete;
    visitor& operator=(const visitor&) = delete;
    ~visitor();
    void release_stacks() noexcept;
    bool is_calibrated = false;
    std::atomic<std::uint64_t> holder{0};  // number of the holding thread; 0: none
    std::atomic<hold_counted> counted{hold_counted::no};
    // tasks started by the holding thread, which writes it
    std::atomic<std::uint64_t> num_started{0};
  };
  using visitor_list = std::span<const std::unique_ptr<visitor>>;
  /// Returns all places that ever existed. Their number only grows, and the vector never moves.
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
  /// True if there are at least as many visitors as parked workers: visitors replace them.
  [[nodiscard]] bool are_visitors_enough() const noexcept;
  /// Returns how many activities outside the workers may start or resume a task.
  [[nodiscard]] std::uint32_t num_outside() const noexcept {
    const std::uint32_t num_active = visits().num_active();  // first: see end_visit()
    return num_active + num_external_.load(std::memory_order_seq_cst);
  }
  /// True if a searching worker should park because a visitor replaces it.
  [[nodiscard]] bool has_surplus_searcher() const noexcept {
    // relaxed: yield_to_visitor() checks again
    return visit_word{visits_.load(std::memory_order_relaxed)}.num_visiting() >
           num_idle_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_any_worker_busy() const noexcept;
  [[nodiscard]] bool is_searcher_available() const noexcept;
  [[nodiscard]] bool defer_wake() noexcept;
  /// Calls `find` for each other owner of a deque until one call returns true. Returns whether one
  /// did.
  template <class Find>
  bool any_other(const worker& but, Find find) const {
    const auto is_found = [&](const auto& other) { return other.get() != &but && find(*other); };
    return std::ranges::any_of(present(), is_found) || std::ranges::any_of(visitors(), is_found);
  }

  void add_worker();
  void activate(unsigned count);
  void stop_threads() noexcept;
  void retire(worker& w) noexcept;
  [[nodiscard]] bool returns_to_work(worker& w) noexcept;
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
  task* poll_briefly(worker& w) noexcept;
  task* timed_search(worker& w, progress_poller* watch) noexcept;
  /// Null: the runtime has no progress sources.
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
  /// When a search began, the present time, and when it publishes for others.
  struct search_times {
    std::chrono::steady_clock::time_point begin;
    std::chrono::steady_clock::time_point now;
    std::chrono::steady_clock::time_point force_at;
  };
  [[nodiscard]] bool has_search_time(const worker& w,
                                     progress_poller* watch,
                                     const search_times& times) const noexcept;
  [[nodiscard]] bool ask_in_search(worker& w, progress_poller* watch, search_times& times) noexcept;
  task* timed_search(worker& w) noexcept;
  void back_off(worker& w) const noexcept;
  task* search_once(worker& w) noexcept;
  task* steal_from_others(worker& w) noexcept;
  void ask_others(const worker& but, std::uint32_t what) noexcept;
  void force_others(worker& w) noexcept;
  void wake_another(worker& w) noexcept;
  /// Parks unless there is work. True: the runtime stops.
  bool park(worker& w) noexcept;
  bool yield_to_visitor(worker& w) noexcept;
  bool sleep(worker& w) noexcept;
  void watch_held_places(worker& w) noexcept;
  static void note_park_latency(worker& w) noexcept;
  void leave_offering_cpu() noexcept;
  bool is_work_left(const worker& but) noexcept;
  void begin_park(worker& w) noexcept;
  void cancel_park(worker& w) noexcept;
  void unlink_idle(worker& w) noexcept;
  bool leave_idle_list(worker& w) noexcept;
  static void wake(worker& sleeper, bool is_for_optional) noexcept;
  void wake_surplus(unsigned count) noexcept;
  void note_sleep(std::uint32_t count) noexcept;
  /// Waits while waiting tasks are described. Called by a worker that no longer counts as parked,
  /// before it runs a task.
  void wait_for_description() noexcept { const std::lock_guard guard(description_mutex_); }

  const bool has_membarrier_;
  const std::uint32_t pool_;  // of counter blocks
  const std::string name_;
  void (*const barrier_)() noexcept;
  const std::vector<std::vector<int>> cpus_;
  const std::vector<std::vector<std::vector<int>>> victims_;
  const deadlock_action deadlock_;
  const timing_mode timing_;
  // how often the process was forked before, see process_generation()
  const std::uint32_t process_;
  stack_pool stacks_;
  std::mutex resize_mutex_;
  std::mutex description_mutex_;  // held while frames of waiting tasks are read
  std::vector<std::unique_ptr<worker>> workers_;
  std::atomic<unsigned> num_started_{0};
  std::atomic<unsigned> num_active_{0};
  std::atomic<unsigned> num_present_{0};  // see present(); written under resize_mutex_
  std::vector<std::unique_ptr<visitor>> visitors_;
  std::atomic<unsigned> num_visitors_{0};
  injection_queue injected_;
  std::atomic<bool> is_watching_places_{false};  // a parked worker checks the held places
  injection_queue high_;
  injection_queue low_;
  alignas(128) spin_lock idle_lock_;
  worker* idle_ = nullptr;  // workers that are parked or about to park, the last one first
  std::atomic<std::uint32_t> num_idle_{0};  // the length of that list
  // parked workers that found no work after begin_park()
  std::atomic<std::uint32_t> num_asleep_{0};
  std::atomic<std::uint32_t> num_retired_{0};
  std::atomic<std::uint32_t> num_failing_{0};  // workers that wait in place and find no task
  // workers whose task waits for a runtime's end
  std::atomic<std::uint32_t> num_waiting_for_end_{0};
  std::atomic<std::uint32_t> num_external_waiting_for_end_{0};  // those of `num_external_` that do
  std::atomic<std::uint64_t> visits_{0};                        // a visit_word
  std::atomic<int> offering_cpu_{
      -1};  // of the last thread that offered work, and may still run; relaxed: a hint
  std::atomic<bool> is_stopping_{false};
  std::unique_ptr<progress_poller> progress_owner_;
  std::atomic<progress_poller*> progress_{nullptr};
  // In a cache line of its own: it changes with every task from outside, and searching workers read
  // the members above.
  alignas(128) std::atomic<std::uint32_t> num_external_{0};
  alignas(128) std::atomic<std::uint32_t> num_optional_{0};  // relaxed: a bound, it orders nothing
  alignas(128) std::vector<std::thread> threads_;
  const std::shared_ptr<runtime_gate> gate_;
  std::atomic<std::uint32_t> longest_search_us_{longest_search_us};  // relaxed: it orders nothing
  std::atomic<unsigned> num_asked_{0};  // at least `num_active_`; written under resize_mutex_
};

/// Returns the runtime whose task, or whose task's blocking call, the calling thread runs; else
/// null.
scheduler* runtime_of_caller() noexcept;

}  // namespace weft::tasks::detail
