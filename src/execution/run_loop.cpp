// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queue of a loop: one word, which also says which task or thread waits for work.
#include "weft/execution/run_loop.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <source_location>

#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution {
namespace {

using tasks::waiter;

std::uintptr_t bits_of(const void* object) noexcept {
  return reinterpret_cast<std::uintptr_t>(object);
}

template <class T>
T* pointer_in(std::uintptr_t word, std::uintptr_t flags) noexcept {
  return reinterpret_cast<T*>(word & ~flags);  // NOLINT(performance-no-int-to-ptr): a tagged word
}

}  // namespace

run_loop::~run_loop() {
  if (is_running_ || (word_.load(std::memory_order_relaxed) & ~is_finished) != 0) {
    std::terminate();
  }
}

void run_loop::push(detail::loop_item& item) noexcept {
  // the most frequent value; a load first would only fetch the cache line once more
  std::uintptr_t before = 0;
  std::uintptr_t wanted = 0;
  do {
    const bool is_awaited = (before & is_waiter) != 0;
    item.next = is_awaited ? nullptr : pointer_in<detail::loop_item>(before, flags);
    wanted = bits_of(&item) | (before & is_finished);
    // acq_rel: releases the item to the thread that takes it; acquires the waiter
  } while (!word_.compare_exchange_weak(before, wanted, std::memory_order_acq_rel));
  if ((before & is_waiter) != 0) {
    tasks::resume(*pointer_in<waiter>(before, flags));
  }
}

void run_loop::finish() noexcept {
  std::uintptr_t before = 0;  // as in push()
  std::uintptr_t wanted = 0;
  do {
    wanted = (before & is_waiter) != 0 ? is_finished : before | is_finished;
    // acq_rel: as in push(). From here on, the thread that runs the loop may destroy it.
  } while (!word_.compare_exchange_weak(before, wanted, std::memory_order_acq_rel));
  if ((before & is_waiter) != 0) {
    tasks::resume(*pointer_in<waiter>(before, flags));
  }
}

/// Returns the queued items, the oldest first.
detail::loop_item* run_loop::take_all() noexcept {
  // acq_rel: acquires what push() wrote
  const std::uintptr_t before = word_.fetch_and(is_finished, std::memory_order_acq_rel);
  auto* last = pointer_in<detail::loop_item>(before, flags);
  detail::loop_item* first = nullptr;
  while (last != nullptr) {
    detail::loop_item* const earlier = last->next;
    last->next = first;
    first = last;
    last = earlier;
  }
  return first;
}

void run_loop::wait(const std::source_location& where) {
  // For an OS thread, spinning costs less than sleeping and being woken, which takes some
  // microseconds.
  constexpr int num_looks_of_threads = 2000;
  constexpr int num_looks_of_tasks = 20;
  constexpr int num_looks_at_once = 500;  // a pause takes as long as half a round trip
  const int num_looks = tasks::self() == nullptr ? num_looks_of_threads : num_looks_of_tasks;
  for (int i = 0; i < num_looks; ++i) {
    if (!is_idle()) {
      return;
    }
    if (i >= num_looks_at_once || num_looks == num_looks_of_tasks) {
      tasks::spin_pause();
    }
  }
  const tasks::wait_reason why{.kind = "run_loop", .object = this, .where = where};
  // outside the try block: a thread that took the node may still wake it after an exception
  waiter me(why);
  const auto enlist = [this](waiter& node) noexcept {
    std::uintptr_t nothing = 0;
    // release: hands the node over; acquire: if the queue has an item, its contents are visible
    return word_.compare_exchange_strong(
        nothing, bits_of(&node) | is_waiter, std::memory_order_acq_rel, std::memory_order_acquire);
  };
  tasks::enlist_call call(me, enlist);
  try {
    tasks::suspend_surely(
        call,
        {.is_over = [](void* asked) noexcept { return !static_cast<run_loop*>(asked)->is_idle(); },
         .context = this});
  } catch (...) {  // the runtime reported a deadlock to an OS thread
    std::uintptr_t mine = bits_of(&me) | is_waiter;
    if (word_.compare_exchange_strong(mine, 0, std::memory_order_acq_rel)) {
      throw;
    }
    // Not a deadlock: another thread has just pushed an item or finished the loop.
    tasks::wait_until_woken(me);
  }
}

void run_loop::run(const std::source_location& where) {
  struct running {
    explicit running(bool& told) noexcept : flag(told) { flag = true; }
    running(const running&) = delete;
    running& operator=(const running&) = delete;
    ~running() { flag = false; }
    bool& flag;
  };
  const running now_running(is_running_);
  for (;;) {
    // acquire: pairs with finish()
    const std::uintptr_t now = word_.load(std::memory_order_acquire);
    if (now == is_finished) {
      return;
    }
    if (now == 0) {
      wait(where);
      continue;
    }
    for (detail::loop_item* item = take_all(); item != nullptr;) {
      detail::loop_item* const next = item->next;  // the item may be destroyed afterwards
      item->run(*item);
      item = next;
    }
  }
}

}  // namespace weft::execution
