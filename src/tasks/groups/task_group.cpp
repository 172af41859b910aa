// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task groups: counting the remaining tasks, and running those that were not stolen.
#include "weft/tasks/task_group.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <source_location>
#include <utility>
#include <vector>

#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/groups/task_scope.hpp"
#include "weft/tasks/detail/scheduler/delay_probe.hpp"
#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/nested_stack.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/stop_token.hpp"

#include "tasks/scheduler/scheduler.hpp"

namespace weft {

using tasks::detail::self;
using tasks::detail::task;
using tasks::detail::waiter;
using tasks::detail::worker;

namespace {

thread_local constinit char thread_tag = 0;  // its address identifies a thread that is not a worker

const void* current_task_or_thread() noexcept {
  const worker* w = self();
  return w == nullptr ? &thread_tag : w->current->identity;
}

}  // namespace

namespace tasks::detail {

std::size_t num_workers_here() { return current_scheduler().num_workers(); }
std::size_t most_workers_here() {
  return static_cast<std::size_t>(current_scheduler().num_asked());
}

const void* label_of(const task& t) noexcept {
  return t.run == task_group::run_taken
             ? reinterpret_cast<const void*>(static_cast<const task_group::member&>(t).body)
             : reinterpret_cast<const void*>(t.run);
}

}  // namespace tasks::detail

struct task_group::token_source {
  /// Requests a stop of the nested group's source when the outer group's token gets a stop request.
  struct stop_forwarder {
    stop_source source;
    void operator()() const noexcept { source.request_stop(); }
  };

  explicit token_source(stop_token outer) : from_outer(std::move(outer), stop_forwarder{source}) {}

  stop_source source;
  stop_callback<stop_forwarder> from_outer;
};

task_group::task_group(on_exception then, const std::source_location& where)
    : home_(current_task_or_thread()),
      scheduler_(&tasks::detail::current_scheduler()),
      on_exception_(then),
      where_(where) {
  nest();
}

/// Makes this group a member of the group whose task is calling, if there is one.
void task_group::nest() noexcept {
  outer_ = tasks::detail::task_scope::current_group();
  root_ = outer_ != nullptr ? outer_->root_ : this;
  if (outer_ != nullptr) {
    static_cast<void>(outer_->is_canceled());  // updates `seen_` of the outer group
    seen_.store(outer_->seen_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
}

/// Checks the enclosing groups, up to the first that was canceled itself or has checked since the
/// last of `changes`. A loop, because groups may be nested deeper than recursion on a stack allows.
bool task_group::look_for_cancellation(std::uint32_t changes) const noexcept {
  std::uint64_t found = std::uint64_t{changes} << 1;
  const task_group* end = this;
  for (; end != nullptr; end = end->outer_) {
    if (end->is_canceled_.load(std::memory_order_relaxed)) {
      found |= 1;
      break;
    }
    const std::uint64_t seen = end->seen_.load(std::memory_order_relaxed);
    if (end != this && (seen >> 1) == changes) {
      found = seen;
      break;
    }
  }
  // relaxed: a thread that sees another number of changes than the root's checks again
  seen_.store(found, std::memory_order_relaxed);
  for (const task_group* each = this; each != end; each = each->outer_) {
    each->seen_.store(found, std::memory_order_relaxed);
  }
  return (found & 1) != 0;
}

/// Returns the source of the group's tokens; without one, an empty source.
stop_source task_group::source_of_tokens() noexcept {
  const std::lock_guard guard(lock_);
  return tokens_ != nullptr ? tokens_->source : stop_source(nostopstate);
}

void task_group::cancel() noexcept {
  is_canceled_.store(true, std::memory_order_relaxed);
  // release: pairs with the acquire in is_canceled()
  root_->num_changes_.fetch_add(1, std::memory_order_release);
  // A token that is made after this check sees `is_canceled_`.
  source_of_tokens().request_stop();
}

/// Resets the cancellation before the group is used again. Returns whether it was canceled.
inline bool task_group::end_cancellation() noexcept {
  const bool was_canceled = is_canceled();
  if (was_canceled && is_canceled_.load(std::memory_order_relaxed)) {
    is_canceled_.store(false, std::memory_order_relaxed);
    root_->num_changes_.fetch_add(1, std::memory_order_release);  // as in cancel()
  }
  if (has_tokens_.load(std::memory_order_relaxed)) {
    std::unique_ptr<token_source> gone;
    const std::lock_guard guard(lock_);
    gone.swap(tokens_);
    has_tokens_.store(false, std::memory_order_relaxed);
  }
  return was_canceled;
}

stop_token task_group::get_stop_token() {
  // groups without a source of tokens, up to the first that has one
  std::vector<task_group*> without;
  stop_token outer;
  for (task_group* each = this; each != nullptr; each = each->outer_) {
    if (const stop_source source = each->source_of_tokens(); source.stop_possible()) {
      outer = source.get_token();
      break;
    }
    without.push_back(each);
  }
  for (; !without.empty(); without.pop_back()) {
    outer = without.back()->make_stop_token(std::move(outer));
  }
  return outer;
}

/// Makes the first token of this group.
stop_token task_group::make_stop_token(stop_token outer) {
  auto fresh = std::make_unique<token_source>(std::move(outer));
  stop_source source(nostopstate);
  {
    const std::lock_guard guard(lock_);
    if (tokens_ == nullptr) {
      tokens_ = std::move(fresh);
      has_tokens_.store(true, std::memory_order_relaxed);
    }
    source = tokens_->source;
  }
  // the cancellation may have come before the source existed
  if (is_canceled_.load(std::memory_order_relaxed)) {
    source.request_stop();
  }
  return source.get_token();
}

bool this_task::stop_requested() noexcept {
  const task_group* const group = tasks::detail::task_scope::current_group();
  return group != nullptr && group->is_canceled();
}

stop_token this_task::get_stop_token() {
  task_group* const group = tasks::detail::task_scope::current_group();
  return group != nullptr ? group->get_stop_token() : stop_token();
}

task_group::~task_group() {
  if (left_here() == 0 && is_nothing_left()) {
    give_place_back();
    return;
  }
  try {
    wait();
  } catch (...) {  // NOLINT(bugprone-empty-catch): documented: nobody asked for it
  }
}

/// True in the task that made the group, which counts without atomics.
bool task_group::is_at_home() const noexcept {
  const worker* w = self();
  return w != nullptr && home_ == w->current->identity;
}

/// True on the thread that made the group, if that is not a worker.
bool task_group::is_outside() const noexcept { return self() == nullptr && home_ == &thread_tag; }

/// Numbers `fresh` with the sum of the tasks started by the maker and by others. Both counts only
/// grow, and the caller's own count grows with each task. So tasks started after `fresh` have
/// larger numbers.
void task_group::start(member& fresh) {
  const bool is_from_outside = is_outside();
  const bool is_home = is_from_outside || is_at_home();
  // relaxed: this thread sees what happened before anyway
  const std::int64_t here = started_here_.load(std::memory_order_relaxed);
  if (is_home) {
    fresh.number = here + started_elsewhere_.load(std::memory_order_relaxed);
    started_here_.store(here + 1, std::memory_order_relaxed);
  } else {
    fresh.number = here + started_elsewhere_.fetch_add(1, std::memory_order_relaxed);
    balance_.fetch_add(1, std::memory_order_relaxed);
  }
  if (is_from_outside) {
    start_from_outside(fresh, here == 0);
    return;
  }
  try {
    tasks::detail::start(*scheduler_, fresh);
  } catch (...) {
    if (is_home) {
      started_here_.store(started_here_.load(std::memory_order_relaxed) - 1,
                          std::memory_order_relaxed);
    } else {
      balance_.fetch_sub(1, std::memory_order_relaxed);
    }
    fresh.destroy(fresh);
    throw;
  }
}

/// Starts `fresh` in a place that this thread holds until it waits. Workers can steal from the
/// place meanwhile.
void task_group::start_from_outside(member& fresh, bool is_first) noexcept {
  if (is_first && place_ == nullptr) {
    place_ = scheduler_->hold_place();
  }
  if (place_ != nullptr) {
    scheduler_->start_in(*place_, fresh);
  } else {
    scheduler_->inject(fresh);
  }
}

void task_group::keep(std::exception_ptr raised, std::int64_t number) noexcept {
  {
    const std::lock_guard guard(lock_);
    if (number < error_number_) {
      error_ = std::move(raised);
      error_number_ = number;
    }
  }
  if (on_exception_ == on_exception::cancel_others) {
    cancel();
  }
}

/// Runs `m`, stores its exception, and destroys it.
[[gnu::noinline, gnu::no_sanitize_address]] void task_group::perform(member& m) noexcept {
  const tasks::detail::task_scope scope(this);
  struct member_end {
    member& ended;
    ~member_end() { ended.destroy(ended); }
  };
  const std::int64_t number = m.number;
  try {
    [[maybe_unused]] const tasks::detail::lock_balance balance;
    const member_end end{m};
    if (!is_canceled()) {
      m.body(m);
    }
  } catch (...) {
    keep(std::current_exception(), number);
  }
}

/// The run function of a member. The last one returns the maker's waiter.
waiter* task_group::run_taken(task& t) noexcept {
  auto& m = static_cast<member&>(t);
  task_group& group = *m.group;
  group.perform(m);
  // acq_rel: releases what the task did to the maker; the last one acquires `waiter_`
  const bool is_last = group.balance_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  return is_last ? group.waiter_ : nullptr;
}

bool task_group::is_own(const task& t) const noexcept {
  return t.run == run_taken && static_cast<const member&>(t).group == this;
}

/// Runs the group's tasks that are on top of the calling worker's deque.
void task_group::run_own() noexcept {
  self()->clock.break_window();
  while (left_here() != 0) {
    worker* w = self();
    if (w->home->has_high() && w->visits_for == nullptr) [[unlikely]] {
      return;  // the following wait lets the worker's loop run the high-priority task first
    }
    task* t = w->tasks.pop();
    if (t == nullptr) {
      return;
    }
    if (!is_own(*t)) [[unlikely]] {
      task& followed = tasks::detail::delay_probe::behind(*t);
      if (&followed == t || !is_own(followed)) {
        tasks::detail::start_here(*w, *t);  // push it back: the deque has room for it
        return;
      }
      t = &static_cast<tasks::detail::delay_probe&>(*t).arrive();
    }
    auto& m = static_cast<member&>(*t);
    if (!tasks::detail::is_short_of_stack(*w)) {
      perform_counted(m);
    } else if (!perform_on_another_stack(m)) {
      tasks::detail::start_here(*self(), m);  // as above
      return;
    }
    ++ended_here_;
  }
  self()->clock.end_window();
}

/// Runs `m` from the loop in `run_own`, and times it if it has been drawn.
void task_group::perform_counted(member& m) noexcept {
  tasks::detail::worker& w = *self();
  w.clock.count_loop_run();
  if (w.clock.count()) [[unlikely]] {
    perform_timed(m);
  } else {
    perform(m);
  }
}

/// Times and runs `m`, which has already been counted.
[[gnu::noinline]] void task_group::perform_timed(member& m) noexcept {
  using namespace tasks::detail;
  worker& w = *self();
  timed_task timing{.subject = &m, .label = label_of(m), .kind = run_kind::grouped};
  const stack& here = *w.current;
  begin_timing(w, timing);
  perform(m);
  self()->clock.end(timing, here);
}

/// Runs `m` on another stack. False: no stack is left.
bool task_group::perform_on_another_stack(member& m) noexcept {
  try {
    tasks::detail::call_on_another_stack(
        *self(),
        [](void* context) {
          auto& short_of_stack = *static_cast<member*>(context);
          short_of_stack.group->perform_counted(short_of_stack);
        },
        &m);
    return true;
  } catch (...) {  // not an exception of `m`: those are stored
    return false;
  }
}

task_group_status task_group::wait() {
  if (is_at_home()) {
    run_own();
  }
  if (is_outside()) {
    wait_from_outside();
  } else if (!is_nothing_left()) {
    wait_for_others();
  }
  give_place_back();
  balance_.store(bias, std::memory_order_relaxed);
  started_here_.store(0, std::memory_order_relaxed);
  started_elsewhere_.store(0, std::memory_order_relaxed);
  ended_here_ = 0;
  const bool was_canceled = end_cancellation();
  error_number_ = std::numeric_limits<std::int64_t>::max();
  if (error_ != nullptr) {
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
  return was_canceled ? task_group_status::canceled : task_group_status::complete;
}

/// True if all tasks that others took have ended, so the maker need not wait.
bool task_group::is_nothing_left() const noexcept {
  // acquire: pairs with the release in run_taken()
  return balance_.load(std::memory_order_acquire) + left_here() == bias;
}

/// Waits on a thread that is not a worker: as a visitor if there is room, otherwise asleep.
void task_group::wait_from_outside() {
  if (is_nothing_left()) {
    return;
  }
  auto body = [this]() noexcept {
    run_own();
    if (!is_nothing_left()) {
      wait_for_others();
    }
  };
  tasks::detail::forked<decltype(body)> root(body, tasks::detail::from_outside());
  if (scheduler_->is_of_this_process() && scheduler_->visit(root, std::exchange(place_, nullptr))) {
    const tasks::detail::wait_reason why{"task_group", this, where_};
    tasks::detail::wait_for_completion(root, why);
    return;
  }
  wait_for_others();
}

void task_group::give_place_back() noexcept {
  if (place_ != nullptr) {
    tasks::detail::scheduler::give_back(*std::exchange(place_, nullptr));
  }
}

void task_group::wait_for_others() {
  const std::int64_t left_to_others = left_here();
  const tasks::detail::wait_reason why{"task_group", this, where_};
  tasks::detail::wait_surely(
      why,
      [&](waiter& node) noexcept {
        waiter_ = &node;
        // a copy: the frame of the waiting function may be gone afterwards
        const std::int64_t left = left_to_others;
        // acq_rel: publishes `waiter_` to the last task; acquires what ended tasks did
        return balance_.fetch_add(left - bias, std::memory_order_acq_rel) + left != bias;
      },
      [this]() noexcept { return is_nothing_left(); });
}

}  // namespace weft
