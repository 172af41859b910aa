// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of scopes on each stack, and the search for the scopes around an address.
#include "weft/tasks/detail/groups/task_scope.hpp"

#include <atomic>
#include <cstdint>

#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"

#include "tasks/stacks/stack_slab.hpp"

namespace weft::tasks::detail {

// relaxed: a thief that sees the forked task also sees the scopes around the fork. Other scopes
// that come and go meanwhile lie below the fork, and only their addresses are compared.

void task_scope::enter() noexcept {
  const worker* const w = self();
  if (w == nullptr) {
    return;
  }
  here_ = w->current;
  outer_ = here_->innermost_scope;
  here_->innermost_scope = this;
  if (outer_ != nullptr) {
    outer_->inner_.store(this, std::memory_order_relaxed);
  } else {
    std::atomic_ref(here_->outermost_scope).store(this, std::memory_order_relaxed);
  }
}

task_scope::~task_scope() {
  if (here_ == nullptr) {
    return;
  }
  here_->innermost_scope = outer_;
  if (outer_ != nullptr) {
    outer_->inner_.store(nullptr, std::memory_order_relaxed);
  } else {
    std::atomic_ref(here_->outermost_scope).store(nullptr, std::memory_order_relaxed);
  }
}

task_group* task_scope::current_group() noexcept {
  const worker* const w = self();
  task_scope* const innermost = w != nullptr ? w->current->innermost_scope : nullptr;
  return innermost != nullptr ? innermost->group() : nullptr;
}

task_group* task_scope::group() noexcept {
  std::uintptr_t known = group_.load(std::memory_order_relaxed);
  if (known == unknown) {
    known = reinterpret_cast<std::uintptr_t>(group_at(origin_));
    group_.store(known, std::memory_order_relaxed);
  }
  return reinterpret_cast<task_group*>(known);  // NOLINT(performance-no-int-to-ptr): a tagged word
}

task_group* task_scope::group_at(const void* address) noexcept {
  stack* const there = stack_slab::holding(address);
  if (there == nullptr) {
    return nullptr;  // the stack of an OS thread, or memory that is not a stack
  }
  task_scope* around = nullptr;
  task_scope* next = std::atomic_ref(there->outermost_scope).load(std::memory_order_relaxed);
  while (reinterpret_cast<std::uintptr_t>(next) > reinterpret_cast<std::uintptr_t>(address)) {
    around = next;
    next = around->inner_.load(std::memory_order_relaxed);
  }
  return around != nullptr ? around->group() : nullptr;
}

}  // namespace weft::tasks::detail
