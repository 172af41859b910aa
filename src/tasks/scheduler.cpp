// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How workers find work, sleep and wake.
#include "tasks/scheduler.hpp"

#include <chrono>
#include <mutex>

#include <sched.h>

#include "weft/counters/block_registry.hpp"
#include "weft/tasks/detail/disturb.hpp"

#include "tasks/futex.hpp"
#include "tasks/stack_overflow.hpp"
#include "tasks/worker_loop.hpp"

namespace weft::tasks::detail {
namespace {

using clock = std::chrono::steady_clock;

// Every so many tasks a worker looks at the runtime's queue and at its own oldest task first, so
// that neither waits for ever behind tasks that start tasks. A prime, to stay out of step.
constexpr std::uint32_t fairness_period = 61;
// How long a thief waits for a victim to publish before it does so itself: above the answer of a
// running fine-grained program, below what an idle processor costs.
constexpr auto force_after = std::chrono::nanoseconds(1500);
// How long a worker searches before it sleeps: a few times what a sleep and a wake cost.
constexpr auto search_time = std::chrono::microseconds(50);
constexpr unsigned rounds_between_clock_reads = 8;

void fence_here() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace

scheduler::scheduler(const scheduler_options& options)
    : has_membarrier_(options.use_membarrier && enable_barrier_for_all()),
      pool_(counters::process_blocks().open_pool()),
      barrier_(has_membarrier_ ? barrier_for_all : fence_here),
      cpus_(options.cpus),
      stacks_(options.stacks) {
  const unsigned count = options.num_workers;
  for (unsigned i = 0; i < count; ++i) {
    workers_.push_back(
        std::make_unique<worker>(*this, i, *counters::process_blocks().acquire(pool_, i)));
    if (!has_membarrier_) {
      workers_.back()->tasks.ask(request::fenced);
    }
  }
  threads_.reserve(count);
  for (const auto& w : workers_) {
    threads_.emplace_back([this, &w] { thread_main(*w); });
  }
}

scheduler::~scheduler() {
  wait_until_quiescent();
  is_stopping_.store(true, std::memory_order_seq_cst);
  while (num_idle_.load(std::memory_order_seq_cst) != 0) {
    wake_one();
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
  for (const auto& w : workers_) {
    counters::process_blocks().release(w->count);
  }
  counters::process_blocks().close_pool(pool_);
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

void scheduler::thread_main(worker& w) {
  const overflow_handler_thread_scope overflow_handler;
  bind(w);
  set_self(&w);
  w.native = make_native_stack();
  w.current = &w.native;
  enter_loop(w);
  w.stacks.keep_at_most(0);
  set_self(nullptr);
}

void scheduler::inject(task& t) noexcept {
  injected_.push(t);
  disturb();
  wake_one();
}

task* scheduler::next_task(worker& w) noexcept {
  if (++w.tick % fairness_period == 0) {
    if (task* t = injected_.pop()) {
      return t;
    }
    if (task* t = w.tasks.take_oldest()) {
      return t;
    }
  }
  if (task* t = w.tasks.pop()) {
    return t;
  }
  if (task* t = injected_.pop()) {
    return t;
  }
  return search(w);
}

task* scheduler::search(worker& w) noexcept {
  for (;;) {
    const auto begin = clock::now();
    auto force_at = begin + force_after;
    auto now = begin;
    for (unsigned round = 1; now - begin < search_time; ++round) {
      if (task* t = look_around(w)) {
        share_the_good_news(w);
        return t;
      }
      if (round == 1) {
        ask_others(w, request::publish);
      }
      spin_pause();
      if (round % rounds_between_clock_reads == 0) {
        now = clock::now();
        if (now > force_at) {
          force_others(w);
          force_at = now + (now - begin);
        }
      }
    }
    if (park(w)) {
      return nullptr;
    }
  }
}

/// One look at every place where there may be a task.
task* scheduler::look_around(worker& w) noexcept {
  w.random = w.random * 1664525U + 1013904223U;  // Numerical Recipes' linear congruential generator
  const auto count = static_cast<unsigned>(workers_.size());
  const unsigned first = (w.random >> 16) % count;
  for (unsigned i = 0; i < count; ++i) {
    worker& victim = *workers_[(first + i) % count];
    if (&victim == &w || !victim.tasks.has_public()) {
      continue;
    }
    w.count->steals_tried.add(1);
    if (task* t = victim.tasks.steal()) {
      w.count->steals_won.add(1);
      return t;
    }
    w.count->steals_lost.add(1);
  }
  return injected_.pop();
}

void scheduler::ask_others(const worker& but, std::uint32_t what) noexcept {
  for (const auto& other : workers_) {
    if (other.get() != &but) {
      other->tasks.ask(what);
    }
  }
}

void scheduler::force_others(worker& w) noexcept {
  for (const auto& victim : workers_) {
    if (victim.get() != &w && victim->tasks.force_publish(barrier_)) {
      w.count->forced_publications.add(1);
      return;
    }
  }
}

/// A worker that found work wakes the next one: where there was some, there may be more.
void scheduler::share_the_good_news(worker& w) noexcept {
  if (num_idle_.load(std::memory_order_relaxed) == 0) {
    return;
  }
  ask_others(w, request::sleepers);
  w.tasks.ask(request::sleepers);
  for (const auto& other : workers_) {
    if (other->tasks.has_public()) {
      wake_one();
      return;
    }
  }
}

bool scheduler::park(worker& w) noexcept {
  lie_down(w);
  disturb();
  ask_others(w, request::sleepers);
  barrier_();
  disturb();
  // Whoever starts a task from here on sees the request and wakes a sleeper; what was started
  // before is seen now.
  if ((is_work_left(w) && !leaves_out(safety_step::park_recheck)) ||
      is_stopping_.load(std::memory_order_seq_cst)) {
    get_up(w);
    return is_stopping_.load(std::memory_order_seq_cst);
  }
  w.count->parks.add(1);
  note_sleep(1);
  while (w.park_word.load(std::memory_order_acquire) == 1) {
    futex_wait(w.park_word, 1);
  }
  num_asleep_.fetch_sub(1, std::memory_order_seq_cst);
  w.count->wakes.add(1);
  return is_stopping_.load(std::memory_order_seq_cst);
}

bool scheduler::is_work_left(const worker& but) noexcept {
  if (!injected_.is_empty()) {
    return true;
  }
  for (const auto& other : workers_) {
    if (other.get() != &but && !other->tasks.looks_empty()) {
      return true;
    }
  }
  return false;
}

void scheduler::lie_down(worker& w) noexcept {
  w.park_word.store(1, std::memory_order_relaxed);
  const std::lock_guard guard(idle_lock_);
  w.next_idle = idle_;
  idle_ = &w;
  num_idle_.fetch_add(1, std::memory_order_seq_cst);
}

void scheduler::get_up(worker& w) noexcept {
  {
    const std::lock_guard guard(idle_lock_);
    for (worker** link = &idle_; *link != nullptr; link = &(*link)->next_idle) {
      if (*link == &w) {
        *link = w.next_idle;
        num_idle_.fetch_sub(1, std::memory_order_seq_cst);
        w.park_word.store(0, std::memory_order_relaxed);
        return;
      }
    }
  }
  while (w.park_word.load(std::memory_order_acquire) == 1) {  // somebody is waking this worker
    spin_pause();
  }
}

void scheduler::wake_one() noexcept {
  if (num_idle_.load(std::memory_order_seq_cst) == 0) {
    return;
  }
  worker* sleeper = nullptr;
  {
    const std::lock_guard guard(idle_lock_);
    sleeper = idle_;
    if (sleeper == nullptr) {
      return;
    }
    idle_ = sleeper->next_idle;
    num_idle_.fetch_sub(1, std::memory_order_seq_cst);
  }
  disturb();
  sleeper->park_word.store(0, std::memory_order_release);
  futex_wake(sleeper->park_word);
  if (worker* w = self(); w != nullptr && w->home == this) {
    w->count->wakes_sent.add(1);
  }
}

void scheduler::note_sleep(std::uint32_t count) noexcept {
  num_asleep_.fetch_add(count, std::memory_order_seq_cst);
  futex_wake(num_asleep_);
}

/// Returns once all workers sleep and nothing is queued: then only outsiders could start a task.
void scheduler::wait_until_quiescent() noexcept {
  for (;;) {
    const std::uint32_t asleep = num_asleep_.load(std::memory_order_seq_cst);
    if (asleep == num_workers() && injected_.is_empty() && num_idle_ == num_workers() &&
        num_external_.load(std::memory_order_seq_cst) == 0) {
      return;
    }
    futex_wait(num_asleep_, asleep, std::chrono::milliseconds(10));
  }
}

}  // namespace weft::tasks::detail
