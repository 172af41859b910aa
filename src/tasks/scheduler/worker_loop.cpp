// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop at the base of every pooled stack, and the ways to leave a stack and come back.
#include "tasks/scheduler/worker_loop.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>

#include "weft/base/error.hpp"
#include "weft/counters/ticks.hpp"
#include "weft/counters/trace_ring.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/groups/task_scope.hpp"
#include "weft/tasks/detail/scheduler/disturb.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/launch.hpp"

#include "tasks/scheduler/scheduler.hpp"
#include "tasks/waiting/futex.hpp"
#include "tasks/waiting/standstill.hpp"

constinit thread_local weft::tasks::detail::worker* weft_current_worker = nullptr;

namespace weft::tasks::detail {

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
[[gnu::noinline]] worker* self() noexcept { return weft_current_worker; }
#endif

[[gnu::noinline]] void set_self(worker* current) noexcept { weft_current_worker = current; }

worker::worker(scheduler& owner, unsigned number, counters::worker_block& block)
    : clock(block, owner.timing(), number),
      index(number),
      home(&owner),
      count(&block),
      random(number + 1),
      stacks(owner.stacks()) {}

delay_probe::delay_probe() noexcept : task(run_followed) {}

task& delay_probe::arrive() noexcept {
  task& followed = *followed_;
  const std::uint64_t since_ticks = since_ticks_;
  is_on_its_way_.store(false, std::memory_order_release);  // pairs with follow()
  self()->clock.note_delay(since_ticks);
  return followed;
}

waiter* delay_probe::run_followed(task& t) noexcept {
  task& followed = static_cast<delay_probe&>(t).arrive();
  return followed.run(followed);
}

void delay_probe::follow(split_deque& tasks, task& t) noexcept {
  // acquire: pairs with arrive(), whose worker has done with this
  const bool is_free = !tasks.has_replaced() || !is_on_its_way_.load(std::memory_order_acquire);
  if (!is_free) {
    return;
  }
  followed_ = &t;
  since_ticks_ = counters::ticks_now();
  // relaxed: whoever takes the probe sees what was stored before its place was filled
  is_on_its_way_.store(true, std::memory_order_relaxed);
  if (!tasks.replace_top(t, *this, [](const task& there) { return !is_ready_waiter(there); })) {
    is_on_its_way_.store(false, std::memory_order_relaxed);
  }
}

void delay_probe::come_back(task_clock& clock) noexcept {
  is_on_its_way_.store(false, std::memory_order_relaxed);
  clock.note_delay(since_ticks_);
}

claim claim_slowly(worker& w, task& t, split_deque::slot* place) noexcept {
  const bool has_replaced = w.tasks.has_replaced();
  const claim result = w.tasks.claim_slowly(t, place);
  if (has_replaced && !w.tasks.has_replaced()) {
    w.probe.come_back(w.clock);
  }
  return result;
}

void begin_timing(worker& w, timed_task& body) noexcept {
  w.count->queue_length.set(w.tasks.size_estimate());
  if (w.clock.take_wish_for_delay()) {
    w.tasks.ask(request::follow);
  }
  w.clock.begin(body, *w.current);
}

waiter* run_timed(worker& w, task& t, run_kind kind) noexcept {
  const task& seen = delay_probe::behind(t);
  timed_task timing{.subject = &seen, .label = label_of(seen), .kind = kind};
  const stack& here = *w.current;
  begin_timing(w, timing);
  waiter* const ready = t.run(t);
  self()->clock.end(timing, here);
  return ready;
}

namespace {

/// Recycles the stack that was left for good.
void release_left(arrival& /*self*/, stack& left) noexcept { self()->stacks.release(&left); }
constinit arrival recycle{release_left};

/// Continues on `to`. Returns, perhaps on another thread, when somebody continues on this stack.
[[gnu::noinline]] void move_to(worker& w, stack& to, arrival* first) noexcept {
  stack& from = *w.current;
  w.current = &to;
  w.stack_limit = to.soft_limit;
  w.count->stack_switches.add(1);
  switch_stack(from, to, first);
}

/// Goes on as `ready`, from the base of a stack that nothing needs any more.
void go_on_as(worker& w, waiter& ready) noexcept {
  w.count->resumes.add(1);
  move_to(w, *ready.fiber, &recycle);
}

/// True if `ready` fell asleep on this worker and another one could wake it, for tests.
bool must_migrate(const worker& now, const waiter& ready) noexcept {
  return ready.fiber != nullptr && ready.home == now.home && ready.asleep_on == now.index &&
         now.home->num_workers() > 1;
}

}  // namespace

void check_nothing_is_held() {
  if constexpr (tracks_locks) {
    if (num_held_locks() != 0) {
      report_kept_locks(0, "a task ended, or a coroutine was suspended,");
    }
  }
}

namespace {

/// Runs `t`, and then whoever waited for it alone.
[[gnu::always_inline]] inline void run_from_loop(worker& w, task& t) noexcept {
  waiter* const ready =
      is_ready_waiter(t) ? waiter::as_waiter(t) : run_counted(w, t, run_kind::looped);
  check_nothing_is_held();
  if (ready != nullptr) {
    worker& now = *self();
    if (forces_migration() && must_migrate(now, *ready)) {
      now.home->inject(ready->ready);
    } else if (ready->fiber != nullptr && ready->home == now.home) {
      now.count->direct_resumes.add(1);
      go_on_as(now, *ready);
    } else {
      resume(*ready);
    }
  }
}

[[gnu::noinline]] void loop(void* /*unused*/) noexcept {
  for (;;) {
    worker& w = *self();
    task* t = w.home->next_task(w);
    if (t == nullptr) {
      move_to(w, w.native, &recycle);
    }
    run_from_loop(w, *t);
  }
}

/// The loop, with `first` as its first task.
[[gnu::noinline]] void loop_from(void* first) noexcept {
  worker& w = *self();
  w.clock.count_loop_run();
  run_from_loop(w, *static_cast<task*>(first));
  loop(nullptr);
}

stack& prepared(worker& w, stack& fresh, void (*entry)(void*) noexcept, void* argument) noexcept {
  w.count->stacks_acquired.add(1);
  fresh.identity = &fresh;
  if constexpr (tracks_locks) {
    fresh.held = &fresh.held_here;
  }
  fresh.num_beneath = 0;
  w.home->stacks().prepare(fresh, entry, argument);
  return fresh;
}

/// Errors: `weft::error`.
[[gnu::noinline, gnu::cold]] void refuse_to_wait_above_another() {
  throw error(
      "weft: a task cannot wait where it runs as a call within another one that waits, since that "
      "one had found all stacks in use; suspend fewer tasks at a time, or allow more with "
      "--weft:max-stacks, a smaller --weft:stack-size, or ulimit -v");
}

void run_enlist(arrival& a, stack& /*left*/) noexcept {
  auto& e = static_cast<enlistment&>(a);
  waiter& node = *e.node;
  if (!e.enlist(e, node)) {
    resume(node);
  }
}

/// Sleeps until `node` is woken; looks a little while first, since a system call costs more.
/// Errors: `weft::deadlock_error`, see look_for_standstill_of_thread().
void sleep_until_woken(waiter& node) {
  constexpr int num_looks = 100;
  for (int i = 0; i < num_looks && node.is_woken.load(std::memory_order_acquire) == 0; ++i) {
    spin_pause();
  }
  const waiting_thread counted;
  const auto since = std::chrono::steady_clock::now();
  bool is_explained = false;
  while (node.is_woken.load(std::memory_order_acquire) == 0) {
    if (is_explained) {
      futex_wait(node.is_woken, 0);
    } else if (!futex_wait(node.is_woken, 0, standstill_patience)) {
      is_explained = look_for_standstill_of_thread(node, since);
    }
  }
}

}  // namespace

void enter_loop(worker& w, stack& base) noexcept {
  move_to(w, prepared(w, base, loop, nullptr), nullptr);
}

void enter_loop_with(worker& w, stack& base, task& first) noexcept {
  move_to(w, prepared(w, base, loop_from, &first), nullptr);
}

stack* loop_stack(worker& w) noexcept {
  stack* const fresh = w.stacks.try_acquire();
  return fresh == nullptr ? nullptr : &prepared(w, *fresh, loop, nullptr);
}

waiter::waiter(const wait_reason& reason) noexcept : why(&reason) {}

waiter* waiter::as_waiter(task& t) noexcept {
  static_assert(offsetof(waiter, ready) == 0);
  return reinterpret_cast<waiter*>(&t);
}

enlistment::enlistment(waiter& who, enlist_function call) noexcept
    : arrival{run_enlist}, node(&who), enlist(call) {}

[[gnu::noinline]] void suspend(enlistment& e) {
  waiter& node = *e.node;
  worker* w = self();
  if (w == nullptr) {
    if (e.enlist(e, node)) {
      sleep_until_woken(node);
    }
    return;
  }
  if (w->current->num_beneath != 0) [[unlikely]] {
    refuse_to_wait_above_another();
  }
  leave_for(*w, prepared(*w, *w->stacks.acquire(), loop, nullptr), e);
}

[[gnu::noinline]] void require_way_to_wait() {
  worker* w = self();
  if (w != nullptr) {
    if (w->current->num_beneath != 0) {
      refuse_to_wait_above_another();
    }
    w->stacks.keep_one_at_hand();
  }
}

[[gnu::noinline]] void suspend_surely(enlistment& e, const end_check& end) {
  worker* w = self();
  if (w == nullptr) {
    suspend(e);
  } else if (stack* next = loop_stack(*w)) {
    leave_for(*w, *next, e);
  } else {
    wait_in_place(e, end);
  }
}

[[gnu::noinline]] void leave_for(worker& w, stack& next, enlistment& e) noexcept {
  waiter& node = *e.node;
  node.fiber = w.current;
  node.home = w.home;
  node.asleep_on = w.index;
  w.current->user = &node;
  w.count->suspensions.add(1);
  const task_clock::pause timing = w.clock.begin_pause(*w.current);
  move_to(w, next, &e);
  self()->clock.end_pause(timing, *node.fiber);
  node.fiber->user = nullptr;
}

void resume(waiter& ready) noexcept {
  if (ready.fiber == nullptr) {
    std::atomic<std::uint32_t>& word = ready.is_woken;
    word.store(1, std::memory_order_release);  // release: pairs with sleep_until_woken()
    futex_wake(word);  // `ready` may be gone: the kernel only compares the address
    return;
  }
  if (worker* const w = self()) {
    w->clock.trace(
        counters::trace_kind::ready, reinterpret_cast<std::uintptr_t>(ready.fiber), &ready.ready);
  }
  scheduler& home = *ready.home;
  try {
    start(home, ready.ready);
  } catch (const std::bad_alloc&) {
    home.inject(ready.ready);  // the deque could not grow; the queue needs no memory
  }
}

bool resume_later(waiter& ready) noexcept {
  ready.home->inject(ready.ready);
  return true;
}

[[gnu::noinline]] void answer(worker& w, task* queued) noexcept {
  if (queued != nullptr) {
    w.clock.trace(counters::trace_kind::spawn, reinterpret_cast<std::uintptr_t>(queued));
    if (w.tasks.is_asked_to(request::follow)) {
      w.tasks.withdraw(request::follow);
      w.probe.follow(w.tasks, *queued);
    }
  }
  if (w.tasks.answer()) {
    w.home->wake_to_share(false);
  }
}

split_deque::slot* inject(scheduler& home, task& t) noexcept {
  home.inject(t);
  return nullptr;
}

split_deque::slot* start_as(task_priority priority, scheduler& home, task& t) {
  if (priority == task_priority::normal) {
    return start(home, t);
  }
  home.inject(t, priority);
  return nullptr;
}

void wait_for_completion(task& t, const wait_reason& why) {
  // Whoever runs it is often nearly done, and a look costs less than two switches.
  constexpr int num_looks = 20;
  for (int i = 0; i < num_looks; ++i) {
    if (task::is_final(t.done.load(std::memory_order_acquire))) {
      return;
    }
    spin_pause();
  }
  wait_surely(
      why,
      [&t](waiter& node) noexcept {
        std::uintptr_t expected = task::pending;
        // release: hands the node to complete(); acquire: if it is done, so is its result
        return t.done.compare_exchange_strong(expected,
                                              reinterpret_cast<std::uintptr_t>(&node),
                                              std::memory_order_acq_rel,
                                              std::memory_order_acquire);
      },
      // acquire: pairs with complete()
      [&t]() noexcept { return task::is_final(t.done.load(std::memory_order_acquire)); });
}

[[gnu::noinline]] bool take_back_or_wait(task& t,
                                         split_deque::slot* place,
                                         const wait_reason& why) {
  worker& w = *self();
  if (claim_slowly(w, t, place) == claim::mine) {
    return true;
  }
  w.last_join = {.begun = std::chrono::steady_clock::now(), .loop_runs = w.clock.num_loop_runs()};
  wait_for_completion(t, why);
  self()->last_join = {};  // whoever it goes on with does not wait there
  return false;
}

void run_and_wait(scheduler& home, task& t) {
  home.refuse_in_fork();
  home.inject(t);
  const wait_reason why{.kind = "run", .object = &t};
  wait_for_completion(t, why);
}

namespace {

struct linked_call {
  void (*body)(void*);
  void* context;
  stack* caller;
  std::exception_ptr error;
  [[no_unique_address]] frame_mark mark;
};

[[gnu::noinline, gnu::no_sanitize_address]] void make_linked_call(linked_call& call) noexcept {
  const task_scope scope(call.mark.address());
  try {
    call.body(call.context);
  } catch (...) {
    call.error = std::current_exception();
  }
}

[[gnu::noinline]] void run_linked(void* argument) noexcept {
  auto& call = *static_cast<linked_call*>(argument);
  make_linked_call(call);
  worker& w = *self();
  call.caller->paused_ticks = w.current->paused_ticks;
  move_to(w, *call.caller, &recycle);
}

}  // namespace

[[gnu::noinline]] void call_on_another_stack(worker& w, void (*body)(void*), void* context) {
  linked_call call{body, context, w.current, nullptr, {}};
  stack& next = prepared(w, *w.stacks.acquire(), run_linked, &call);
  next.identity = call.caller->identity;
  next.held = call.caller->held;
  next.num_beneath = call.caller->num_beneath;
  next.paused_ticks = call.caller->paused_ticks;
  move_to(w, next, nullptr);
  if (call.error) {
    std::rethrow_exception(call.error);
  }
}

}  // namespace weft::tasks::detail
