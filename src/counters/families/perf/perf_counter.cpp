// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter of kernel events: on all threads of the process, on a worker's thread, or of the
// machine.
#include "counters/families/perf/perf_counter.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <linux/perf_event.h>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

#include "counters/core/thread_ids.hpp"
#include "counters/core/unavailable.hpp"
#include "counters/core/worker_threads.hpp"
#include "counters/families/perf/machine_facts.hpp"
#include "counters/families/perf/perf_event.hpp"
#include "counters/families/perf/perf_kernel.hpp"
#include "counters/families/perf/perf_machine.hpp"
#include "counters/families/perf/perf_plan.hpp"

namespace weft::counters::detail {
namespace {

/// The extrapolated part counts as uncertain, because the events may have come at any rate
/// meanwhile.
std::optional<sampling> sampling_of(const extrapolated_sum& sum, double unit) {
  if (sum.value <= sum.counted) {
    return std::nullopt;
  }
  return sampling{.one_in = sum.value / sum.counted,
                  .num_samples = static_cast<std::uint64_t>(sum.num_events),
                  .half_width = (sum.value - sum.counted) * unit};
}

}  // namespace

perf_counter::perf_counter(std::shared_ptr<perf_machine> machine,
                           perf_plan plan,
                           std::optional<counter_name> worker,
                           perf_reading reading)
    : machine_(std::move(machine)),
      plan_(std::move(plan)),
      worker_(std::move(worker)),
      reading_(reading) {}

counter_value perf_counter::evaluate(evaluation& now) {
  const bool has_begun = !events_.empty();
  open(now);
  if (!reason_.empty()) {
    return unavailable(reason_);
  }
  if (events_.empty()) {
    return unavailable("there is no such worker now, or its thread is not known yet");
  }
  if (!has_begun) {
    return unavailable("counting begins with this reading: read it again, or reset it first");
  }
  const auto end = paused_at_.value_or(now.time());
  return value_of(std::chrono::duration<double>(end - since_).count());
}

void perf_counter::reset(evaluation& now) {
  if (!reason_.empty()) {  // the obstacle may be gone
    reason_.clear();
    is_open_ = false;
  }
  paused_at_.reset();
  open(now);
  for (open_event& event : events_) {
    event.rebase(machine_->processor());
  }
  since_ = now.time();
}

bool perf_counter::pause(evaluation& now) {
  if (events_.empty()) {
    return false;
  }
  paused_at_ = now.time();
  for (open_event& event : events_) {
    event.pause(machine_->processor());
  }
  return true;
}

void perf_counter::resume(evaluation& now) {
  since_ += now.time() - paused_at_.value_or(now.time());
  paused_at_.reset();
  for (open_event& event : events_) {
    event.resume(machine_->processor());
  }
}

void perf_counter::open(evaluation& now) {
  if (!is_open_) {
    is_open_ = true;
    since_ = now.time();
    reason_ = machine_->refusal(plan_);
    if (!reason_.empty()) {
      return;
    }
    if (!plan_.places.empty()) {
      open_places();
    } else if (!worker_) {
      open_process(now);
    }
  }
  if (worker_ && reason_.empty() && !paused_at_) {
    follow(*worker_, now);
  }
}

void perf_counter::open_process(evaluation& now) {
  for (const int thread_id : thread_ids(machine_->root())) {
    open_thread(thread_id, descent::with_descendants, machine_->leaders(now));
  }
  if (reason_.empty() && events_.empty()) {
    fail("/proc/self/task lists no threads: is /proc mounted?");
  }
}

void perf_counter::open_places() {
  for (const event_place& place : plan_.places) {
    const int descriptor = machine_->kernel().open(
        describe(place.code, descent::alone), {.thread_id = place.thread_id, .cpu = place.cpu});
    if (descriptor < 0) {
      fail(explain_open_error(descriptor, privilege::whole_machine, machine_->facts()));
      return;
    }
    machine_->kernel().set(descriptor, event_state::counting);
    events_.emplace_back(machine_->kernel(), descriptor, place.unit_per_count, 0);
  }
}

void perf_counter::follow(const counter_name& worker, evaluation& now) {
  for (const worker_thread& each : *machine_->workers(now)) {
    const bool is_new =
        std::ranges::find(events_, each.thread_id, &open_event::thread_id) == events_.end();
    if (is_new && is_instance_of(worker, each)) {
      open_thread(each.thread_id, descent::alone, machine_->leaders(now));
    }
  }
}

void perf_counter::open_thread(int thread_id, descent whose, event_leaders& leaders) {
  for (const event_code& code : plan_.events) {
    const int descriptor = open_grouped(code, {thread_id, whose}, leaders);
    if (descriptor == -ESRCH) {
      return;  // the thread has just ended
    }
    if (descriptor < 0) {
      fail(explain_open_error(descriptor, needed_by(code), machine_->facts()));
      return;
    }
    machine_->kernel().set(descriptor, event_state::counting);
    events_.emplace_back(machine_->kernel(),
                         descriptor,
                         plan_.unit_per_count,
                         whose == descent::alone ? thread_id : 0);
  }
}

int perf_counter::open_grouped(const event_code& code,
                               const event_group_key& group,
                               event_leaders& leaders) {
  const perf_event_attr attributes = describe(code, group.whose);
  if (code.type == PERF_TYPE_SOFTWARE) {  // a software event never waits for a hardware counter
    return machine_->kernel().open(attributes, {.thread_id = group.thread_id});
  }
  if (const auto leader = leaders.find(group); leader != leaders.end()) {
    const int descriptor = machine_->kernel().open(
        attributes, {.thread_id = group.thread_id, .leader = leader->second});
    if (descriptor >= 0) {
      return descriptor;
    }
  }
  // Without a leader, or without room in its group, this event leads the following ones.
  const int descriptor = machine_->kernel().open(attributes, {.thread_id = group.thread_id});
  if (descriptor >= 0) {
    leaders[group] = descriptor;
  }
  return descriptor;
}

void perf_counter::fail(std::string reason) {
  reason_ = std::move(reason);
  events_.clear();
}

counter_value perf_counter::value_of(double elapsed_s) {
  extrapolated_sum sum;
  for (open_event& event : events_) {
    const std::optional<raw_count> raw = event.counted(machine_->processor());
    if (!raw) {
      return unavailable("the kernel no longer delivers it");
    }
    sum.add(*raw, event.unit_per_count());
  }
  if (!sum.is_complete) {
    return unavailable(
        "the kernel never scheduled it since counting began: too many events for "
        "the hardware, or too short a time");
  }
  if (reading_ == perf_reading::count) {
    return {.value = counter_value::number(static_cast<std::int64_t>(std::llround(sum.value))),
            .reason = {},
            .sampled = sampling_of(sum, 1)};
  }
  if (elapsed_s <= 0) {
    return unavailable("no time has passed since counting began");
  }
  return {.value = counter_value::number(sum.value / elapsed_s),
          .reason = {},
          .sampled = sampling_of(sum, 1 / elapsed_s)};
}

}  // namespace weft::counters::detail
