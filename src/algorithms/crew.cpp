// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How guests come, work, and leave.
#include "weft/algorithms/detail/crew.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "weft/algorithms/executor.hpp"
#include "weft/tasks/detail/self.hpp"
#include "weft/tasks/detail/split_deque.hpp"
#include "weft/tasks/detail/task.hpp"
#include "weft/tasks/detail/waiter.hpp"
#include "weft/tasks/detail/worker.hpp"

namespace weft::algorithms {
namespace detail {

using tasks::detail::waiter;
using tasks::detail::worker;

namespace {

constinit std::atomic<std::uint64_t> num_dropped{0};  // relaxed: a sum orders nothing

}  // namespace

std::uint64_t num_dropped_exceptions() noexcept {
  return num_dropped.load(std::memory_order_relaxed);
}

crew::guest_task* crew::guests() noexcept {
  static_assert(alignof(guest_task) <= alignof(crew) && sizeof(crew) % alignof(guest_task) == 0);
  return reinterpret_cast<guest_task*>(this + 1);  // behind the crew, in the same block
}

crew* crew::begin(crew_work work, std::size_t num_guests) noexcept {
  void* const memory = ::operator new(sizeof(crew) + num_guests * sizeof(guest_task), std::nothrow);
  return memory == nullptr ? nullptr : ::new (memory) crew(work, num_guests);
}

void crew::invite(tasks::detail::scheduler& home) noexcept {
  num_references_.fetch_add(static_cast<std::uint32_t>(num_guests_), std::memory_order_relaxed);
  worker* const w = tasks::detail::self();
  const bool is_at_home = w != nullptr && w->home == &home;
  for (std::size_t i = 0; i < num_guests_; ++i) {
    auto* const g = ::new (static_cast<void*>(guests() + i)) guest_task;
    g->host = this;
    g->share = i + 1;
    if (is_at_home) {
      try {
        g->place = tasks::detail::start_here(*w, *g);
        continue;
      } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the queue needs no memory
      }
    }
    tasks::detail::inject(home, *g);
  }
  invited_by_ = is_at_home ? w : nullptr;
}

/// Takes those that nobody took from the own deque, so that what lies beneath is on top again.
void crew::take_back() noexcept {
  for (std::size_t i = num_guests_; i-- > 0;) {
    guest_task& g = guests()[i];
    if (g.place == nullptr) {
      continue;
    }
    worker& w = *tasks::detail::self();
    if (w.tasks.claim_top(g, g.place) ||
        tasks::detail::claim_slowly(w, g, g.place) == tasks::detail::claim::mine) {
      leave_memory();
    }
  }
}

void crew::keep(std::exception_ptr raised) noexcept {
  const std::lock_guard guard(error_lock_);
  if (error_ == nullptr) {
    error_ = std::move(raised);
  } else {
    num_dropped.fetch_add(1, std::memory_order_relaxed);
  }
}

void crew::call(std::size_t share) noexcept {
  try {
    work_.call(work_.context, share);
  } catch (...) {
    keep(std::current_exception());
  }
}

void crew::close() {
  if (invited_by_ != nullptr && tasks::detail::self() == invited_by_) {
    take_back();
  }
  // acq_rel: what guests that have left did happened before this
  if (inside_.fetch_or(closed, std::memory_order_acq_rel) != 0) {
    const tasks::detail::wait_reason why{.kind = "algorithm", .object = this};
    tasks::detail::wait_for_completion(all_left_, why);
  }
}

void crew::work_and_finish() {
  call(0);
  close();
  std::exception_ptr raised = std::move(error_);
  leave_memory();
  if (raised != nullptr) {
    std::rethrow_exception(std::move(raised));
  }
}

waiter* crew::attend(std::size_t share) noexcept {
  std::uint64_t before = inside_.load(std::memory_order_relaxed);
  do {
    if ((before & closed) != 0) {
      return nullptr;
    }
    // acquire: pairs with who handed the guest over; the caller's frame is there until we leave
  } while (!inside_.compare_exchange_weak(
      before, before + 1, std::memory_order_acquire, std::memory_order_relaxed));
  call(share);
  // acq_rel: releases what the share did to the caller; the last one acquires it of the others
  if (inside_.fetch_sub(1, std::memory_order_acq_rel) == closed + 1) {
    return tasks::detail::complete(all_left_, tasks::detail::task::finished);
  }
  return nullptr;
}

void crew::leave_memory() noexcept {
  // acq_rel: whoever frees the memory does so after all others have done with it
  if (num_references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    this->~crew();
    ::operator delete(this);
  }
}

waiter* crew::guest_task::run_guest(task& t) noexcept {
  const auto& me = static_cast<guest_task&>(t);
  crew& host = *me.host;
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
    if (tasks::detail::waiter* const ready = host_->attend(share_)) {
      tasks::detail::resume(*ready);
    }
  }
}

}  // namespace weft::algorithms
