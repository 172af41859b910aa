// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the runtime interface that need the scheduler.
#include "weft/tasks/runtime_interface.hpp"

#include <cstddef>
#include <new>
#include <optional>

#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/runtime/runtime_access.hpp"
#include "tasks/scheduler/scheduler.hpp"

namespace weft::tasks {

scheduler& scheduler_of(runtime& home) noexcept { return detail::runtime_access::of(home); }

std::size_t num_workers(const scheduler& home) noexcept { return home.num_workers(); }

bool is_another_awake(const scheduler& home) noexcept {
  const unsigned num_callers = scheduler_here() == &home ? 1 : 0;
  return home.num_idle() + num_callers < home.num_workers();
}

void refuse_in_fork(const scheduler& home) { home.refuse_in_fork(); }

stack_bounds current_stack() noexcept {
  if (const worker* const w = self()) {
    return {w->current->low, w->current->high};
  }
  const detail::stack native = detail::make_native_stack();
  return {native.low, native.high};
}

void outside_work_begins(scheduler& home) noexcept { home.external_begin(); }
void outside_work_ends(scheduler& home) noexcept { home.external_end(); }

void optional_work::leave_queue() noexcept { self()->home->optional_has_left_queue(); }

work_offer::work_offer(scheduler& home, std::size_t num_shares) noexcept
    : home_(home),
      here_(scheduler_here() == &home ? self() : nullptr),
      is_refused_(here_ == nullptr && !home.may_queue_optional(num_shares)) {
  if (!is_refused_) {
    num_idle_ = home.num_idle();  // first, so that a worker that parks later is noticed
    num_searchers_ = here_ != nullptr ? 0 : home.num_searching(num_shares);
  }
}

void work_offer::add(optional_work& share) noexcept {
  if (here_ != nullptr) {
    try {
      share.place = start_here(*here_, share);
      return;
    } catch (const std::bad_alloc&) {  // the queue needs no memory
      home_.count_optional_in_queue();
    }
  }
  share.is_in_queue = true;
  // A searching worker takes the task at once. Waking another worker as well would only take its
  // CPU away.
  const bool is_searcher_available = num_searchers_ != 0;
  num_searchers_ -= is_searcher_available ? 1 : 0;
  home_.inject_optional(share, is_searcher_available ? std::optional(num_idle_) : std::nullopt);
}

const worker* work_offer::finish() noexcept {
  if (here_ != nullptr) {
    here_->tasks.publish_all();  // the caller may return to its deque much later
  }
  return here_;
}

bool withdraw(optional_work& share) noexcept {
  worker& w = *self();
  return share.place != nullptr &&
         (w.tasks.claim_top(share, share.place) ||
          detail::claim_slowly(w, share, share.place) == detail::claim::mine);
}

}  // namespace weft::tasks
