// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting at a latch, and opening it.
#include "weft/tasks/latch.hpp"

#include <atomic>
#include <cstdint>
#include <source_location>

#include "weft/tasks/detail/waiting/wait_queue.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft {

using tasks::detail::wait_queue;
using tasks::detail::wait_reason;
using tasks::detail::waiter;

void latch::open_gate() noexcept {
  // acq_rel: releases what all arriving threads did, and acquires the waiters. The latch is not
  // used afterwards.
  const std::uintptr_t last = gate_.exchange(open, std::memory_order_acq_rel);
  wait_queue in_order;
  for (auto* node = reinterpret_cast<waiter*>(last);  // NOLINT(performance-no-int-to-ptr)
       node != nullptr;) {
    waiter* const earlier = node->next;
    in_order.push_front(*node);
    node = earlier;
  }
  in_order.resume_all();
}

void latch::wait_slowly(const std::source_location& where) const {
  const wait_reason why{.kind = "latch", .object = this, .where = where};
  tasks::detail::wait(why, [this](waiter& node) noexcept {
    std::uintptr_t last = gate_.load(std::memory_order_acquire);
    do {
      if (last == open) {
        return false;
      }
      node.next = reinterpret_cast<waiter*>(last);  // NOLINT(performance-no-int-to-ptr)
      // release: pairs with the exchange in open_gate(); acquire: pairs with it, too, if the gate
      // is open
    } while (!gate_.compare_exchange_weak(last,
                                          reinterpret_cast<std::uintptr_t>(&node),
                                          std::memory_order_acq_rel,
                                          std::memory_order_acquire));
    return true;
  });
}

}  // namespace weft
