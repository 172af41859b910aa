// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function on a stack of its own that tests leave and come back to by hand.
#pragma once

#include <functional>
#include <utility>

#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {

class fiber {
 public:
  using body = std::function<void(fiber&)>;

  fiber(stack_pool& pool, body run) : pool_(pool), run_(std::move(run)), own_(pool.acquire()) {
    pool_.prepare(*own_, &enter, this);
  }
  ~fiber() { pool_.release(own_); }
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// Runs it until it suspends or ends; `here` describes the calling thread's stack.
  void resume(stack& here, arrival* first = nullptr) {
    resumer_ = &here;
    switch_stack(here, *own_, first);
  }

  void resume() {
    stack here = make_native_stack();
    resume(here);
  }

  /// Returns to whoever resumed it.
  void suspend(arrival* first = nullptr) { switch_stack(*own_, *resumer_, first); }

  [[nodiscard]] bool is_done() const { return is_done_; }
  [[nodiscard]] stack& own() const { return *own_; }

 private:
  static void enter(void* self) noexcept {
    auto& me = *static_cast<fiber*>(self);
    me.run_(me);
    me.is_done_ = true;
    me.suspend();
  }

  stack_pool& pool_;
  body run_;
  stack* own_;
  stack* resumer_ = nullptr;
  bool is_done_ = false;
};

}  // namespace weft::tasks::detail
