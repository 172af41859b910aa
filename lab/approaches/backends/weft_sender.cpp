// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach weft_sender: schedule | bulk | then | sync_wait on weft's workers.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "weft/execution/bulk.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/then.hpp"
#include "weft/tasks/runtime.hpp"

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/weft_pool.hpp"
#include "lab/approaches/backends/weft_sender_bodies.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"

namespace weft::lab::approaches {
namespace {

struct each_its_own {
  static auto over(std::size_t count, auto body) {
    return execution::bulk_unchunked(count, std::move(body));
  }
};

struct weft_schedules : weft_pool {
  static std::uint64_t value_of(auto body) {
    const auto answer = execution::sync_wait(execution::schedule(tasks::workers->get_scheduler()) |
                                             execution::then(std::move(body)));
    return answer ? std::get<0>(*answer) : 0;  // nobody stops it
  }
};

operations offered() {
  operations rows;
  bodies::offer_series<weft_senders<each_its_own>>(rows);
  bodies::offer_units<weft_senders<each_its_own>>(rows);
  rows.schedule_then_wait = bodies::schedule_then_wait<weft_schedules>;
  rows.schedule_from_outside = bodies::schedule_from_outside<weft_schedules>;
  rows.nested_wait = bodies::nested_wait<weft_schedules>;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_sender = weft_backend("weft_sender", offered());
  return weft_sender;
}

}  // namespace weft::lab::approaches
