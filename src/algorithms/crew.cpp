// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How guests join a call, work, and leave. A guest is a worker that takes a share of the caller's
// work.
#include "weft/algorithms/detail/sharing/crew.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/executor.hpp"
#include "weft/base/message.hpp"
#include "weft/counters/algorithm_counts.hpp"
#include "weft/counters/ticks.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::algorithms {
namespace detail {

using tasks::waiter;
using tasks::worker;

namespace {

void raise_to(std::atomic<std::uint64_t>& highest, std::uint64_t value) noexcept {
  std::uint64_t before = highest.load(std::memory_order_relaxed);
  while (before < value &&
         !highest.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
}

[[nodiscard]] std::chrono::nanoseconds length_of(std::uint64_t ticks) noexcept {
  return std::chrono::nanoseconds(
      static_cast<std::int64_t>(static_cast<float>(ticks) * ns_per_tick()));
}

}  // namespace

crew::guest_task* crew::guests() noexcept {
  static_assert(alignof(guest_task) <= alignof(crew) && sizeof(crew) % alignof(guest_task) == 0);
  return reinterpret_cast<guest_task*>(this + 1);  // after the crew, in the same block
}

crew* crew::begin(crew_work work, std::size_t num_guests) noexcept {
  void* const memory = ::operator new(sizeof(crew) + num_guests * sizeof(guest_task), std::nothrow);
  return memory == nullptr ? nullptr : ::new (memory) crew(work, num_guests);
}

void crew::invite(tasks::scheduler& home) noexcept {
  tasks::work_offer offer(home, num_guests_);
  if (offer.is_refused()) {
    return;
  }
  num_references_.fetch_add(static_cast<std::uint32_t>(num_guests_), std::memory_order_relaxed);
  for (std::size_t i = 0; i < num_guests_; ++i) {
    auto* const g = ::new (static_cast<void*>(guests() + i)) guest_task;
    g->host = this;
    g->share = i + 1;
    offer.add(*g);
  }
  invited_by_ = offer.finish();
}

/// Takes the guest tasks that no worker took back from the own deque, so that the tasks beneath
/// them are on top again.
void crew::take_back() noexcept {
  for (std::size_t i = num_guests_; i-- > 0;) {
    if (tasks::withdraw(guests()[i])) {
      leave_memory();
    }
  }
}

void crew::keep(std::exception_ptr raised) noexcept {
  const std::lock_guard guard(error_lock_);
  if (error_ == nullptr) {
    error_ = std::move(raised);
  } else {
    counters::process_algorithms().count_dropped_exception();
  }
}

void crew::call(std::size_t share) noexcept {
  const std::uint64_t begun = counters::ticks_now();
  try {
    work_.call(work_.context, share);
  } catch (...) {
    keep(std::current_exception());
  }
  // A share that resumed on another processor may seem to have ended before it began.
  const std::uint64_t now = counters::ticks_now();
  const std::uint64_t ticks = now > begun ? now - begun : 0;
  num_shares_.fetch_add(1, std::memory_order_relaxed);
  all_shares_ticks_.fetch_add(ticks, std::memory_order_relaxed);
  raise_to(longest_share_ticks_, ticks);
}

void crew::count() const noexcept {
  const std::uint64_t num_shares = num_shares_.load(std::memory_order_relaxed);
  const loop_facts* const facts = work_.facts;
  counters::process_algorithms().count(
      {.num_elements = facts == nullptr ? 0 : facts->num_elements,
       .num_chunks =
           facts == nullptr ? num_shares : facts->num_chunks.load(std::memory_order_relaxed),
       .num_shares = num_shares,
       .longest_share = length_of(longest_share_ticks_.load(std::memory_order_relaxed)),
       .all_shares = length_of(all_shares_ticks_.load(std::memory_order_relaxed))});
}

/// Spins for a while until the last guest leaves; returns true if all have left. Guests work on
/// small pieces, and a task that suspends may resume on another processor, far from the data.
bool crew::will_leave_soon() const noexcept {
  constexpr float patience_ns =
      8'000;  // longer than most pieces take; the kernel may have stopped a guest's thread
  const float ns_of_a_tick = ns_per_tick();
  for (const tick_watch watch; watch.elapsed_ns(ns_of_a_tick) < patience_ns;) {
    // acquire: pairs with the release of guests that have left. The last guest completes
    // `all_left_` afterwards, in memory that this guest holds a reference to.
    if (inside_.load(std::memory_order_acquire) == closed) {
      return true;
    }
    tasks::spin_pause();
  }
  return false;
}

/// Returns when the last guest has left, even if waiting fails: guests use the caller's frame.
void crew::wait_for_guests() noexcept {
  const tasks::wait_reason why{.kind = "algorithm", .object = this};
  if (tasks::self() != nullptr) {
    tasks::wait_for_completion(all_left_, why);  // never fails on a worker
    return;
  }
  waiter node(why);
  auto enlist = [this](waiter& me) noexcept {
    std::uintptr_t expected = tasks::work_item::pending;
    // release: hands the node to complete(); acquire: pairs with the release of guests that left
    return all_left_.done.compare_exchange_strong(expected,
                                                  reinterpret_cast<std::uintptr_t>(&me),
                                                  std::memory_order_acq_rel,
                                                  std::memory_order_acquire);
  };
  tasks::enlist_call<decltype(enlist)> call(node, enlist);
  try {
    tasks::suspend(call);
  } catch (const std::exception& e) {  // deadlock: reported now, thrown when all guests have left
    send_message(e.what());
    keep(std::current_exception());
    tasks::wait_until_woken(node);
  }
}

void crew::close() noexcept {
  if (invited_by_ != nullptr && tasks::self() == invited_by_) {
    take_back();
  }
  // acq_rel: acquires the writes of guests that have left
  if (inside_.fetch_or(closed, std::memory_order_acq_rel) != 0 && !will_leave_soon()) {
    wait_for_guests();
  }
}

void crew::work_and_finish() {
  call(0);
  close();
  count();
  std::exception_ptr raised = std::move(error_);
  leave_memory();
  if (raised != nullptr) {
    std::rethrow_exception(std::move(raised));
  }
}

[[gnu::no_sanitize_address]] waiter* crew::attend(std::size_t share) noexcept {
  std::uint64_t before = inside_.load(std::memory_order_relaxed);
  do {
    if ((before & closed) != 0) {
      return nullptr;
    }
    // acquire: pairs with the thread that handed the guest over; the caller's frame exists until we
    // leave
  } while (!inside_.compare_exchange_weak(
      before, before + 1, std::memory_order_acquire, std::memory_order_relaxed));
  {
    const tasks::task_scope scope(static_cast<const void*>(work_.context));
    call(share);
  }
  // acq_rel: releases the share's writes to the caller; the last guest acquires the others' writes
  if (inside_.fetch_sub(1, std::memory_order_acq_rel) == closed + 1) {
    return tasks::complete(all_left_, tasks::work_item::finished);
  }
  return nullptr;
}

void crew::leave_memory() noexcept {
  // acq_rel: the thread that frees the memory does so after all others have used it
  if (num_references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    this->~crew();
    ::operator delete(this);
  }
}

waiter* crew::guest_task::run_guest(task& t) noexcept {
  auto& me = static_cast<guest_task&>(t);
  crew& host = *me.host;
  me.begin();
  waiter* const ready = host.attend(me.share);
  host.leave_memory();
  return ready;
}

}  // namespace detail

guest::guest(const guest& other) noexcept : host_(other.host_), share_(other.share_) {
  if (host_ != nullptr) {
    host_->enlist_one();
  }
}

guest::~guest() {
  if (host_ != nullptr) {
    host_->leave_memory();
  }
}

void guest::operator()() noexcept {
  if (host_ != nullptr) {
    if (tasks::waiter* const ready = host_->attend(share_)) {
      tasks::resume(*ready);
    }
  }
}

}  // namespace weft::algorithms
