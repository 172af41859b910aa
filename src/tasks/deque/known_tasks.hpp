// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks whose duration is known.
#pragma once

#include <atomic>
#include <cstdint>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/block_memory.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/task_group.hpp"

namespace weft::tasks::detail {

/// The least work of a task: a chain of operations, each of which waits for the previous one.
struct known_work {
  void operator()() const noexcept {
    std::uint64_t last = *product;
    for (int i = 0; i < 16; ++i) {
      last = last * 6364136223846793005U + 1442695040888963407U;
      asm volatile("" : "+r"(last));  // keeps compilers from computing all steps at once
    }
    *product = last;
  }
  std::uint64_t* product;
};

/// Known work that decrements a counter when it has been done, as posted tasks do.
struct known_posted_work {
  void operator()() const noexcept {
    work();
    num_left->fetch_sub(1, std::memory_order_acq_rel);
  }
  known_work work;
  std::atomic<std::int64_t>* num_left;
};

/// A group whose tasks the caller runs one by one.
class known_group {
 public:
  /// Errors: std::bad_alloc.
  task& make(known_work work) {
    return *make_block<task_group::member_of<known_work>>(self(), group_, work);
  }
  /// Runs and frees `t`, which `make` returned.
  void run(task& t) noexcept { group_.perform(static_cast<task_group::member&>(t)); }

 private:
  task_group group_;
};

}  // namespace weft::tasks::detail
