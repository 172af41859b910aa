// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses which tasks are timed, and records the times.
#include "weft/tasks/detail/counters/task_clock.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sys/resource.h>

#include "weft/counters/ticks.hpp"
#include "weft/counters/trace.hpp"
#include "weft/counters/trace_ring.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/timing_mode.hpp"

#include "tasks/counters/calibration.hpp"

namespace weft::tasks::detail {
namespace {

// Timing may take 1/1000 of a worker's time. It costs the tasks after it several times as much,
// because it evicts their code, data and branch history.
constexpr std::uint64_t inverse_budget = 1000;
constexpr std::uint32_t longest_period = 1U << 18U;
constexpr std::uint64_t never = std::uint64_t{1} << 62U;
// Limits the calls that are timed within one drawn task, so that a task with many calls does not
// cost much.
constexpr std::uint32_t most_timed_calls = 16;
// After one in so many drawn tasks of the loop, the gap behind the task is measured.
constexpr std::uint32_t tasks_per_gap = 8;
// If all tasks are drawn, one in so many queued tasks is followed to measure its delay.
constexpr std::uint64_t tasks_per_delay = 8;
// If so many tasks take less time than timing one task costs, no delay is measured. Otherwise AMD's
// predictive store forwarding mispredicts the next task, and slows the worker for a long time.
constexpr std::uint64_t tasks_per_cost = 2;
// A longer gap is ignored, because the thread has lost its CPU.
constexpr double longest_gap_ticks = 1 << 14;

std::uint64_t less(std::uint64_t from, std::uint64_t amount) noexcept {
  return from > amount ? from - amount : 0;
}

long num_preemptions_now() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

void add(counters::duration_sums<counters::real_cell>& sums, double weight, double ticks) noexcept {
  sums.num.add(1);
  sums.weight.add(weight);
  sums.ticks.add(weight * ticks);
  sums.weight2.add(weight * weight);
  sums.ticks_w2.add(weight * weight * ticks);
  sums.ticks2_w2.add(weight * weight * ticks * ticks);
}

bool is_looped(const timed_task& body) noexcept { return body.kind != run_kind::called; }

}  // namespace

task_clock::task_clock(counters::worker_block& block, timing_mode mode, std::uint32_t seed) noexcept
    : task_clock(block, mode, seed, counters::ring_for(block)) {}

task_clock::task_clock(counters::worker_block& block,
                       timing_mode mode,
                       std::uint32_t seed,
                       counters::trace_ring* ring) noexcept
    : block_(block),
      ring_(ring),
      random_(seed * 2654435761U + 1),
      mode_(ring_ != nullptr ? timing_mode::exact : mode) {
  block_.begin_change();
  block_.tasks_issued.set(block_.tasks_executed.value());  // a worker that left and came back
  block_.tasks_left.store(&left_, std::memory_order_relaxed);
  block_.end_change();
  if (mode_ == timing_mode::counts) {
    set_left(never);
    return;
  }
  period_ = mode_ == timing_mode::exact ? 1 : period_;
  draw(0);
  set_left(until_draw_);
}

void task_clock::finish() noexcept {
  publish();
  block_.begin_change();
  block_.tasks_left.store(nullptr, std::memory_order_relaxed);
  block_.end_change();
}

void task_clock::uncount() noexcept {
  const std::atomic_ref<std::uint64_t> left(left_);
  left.store(left.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// The number of tasks counted stays as it is.
void task_clock::set_left(std::uint64_t left) noexcept {
  block_.begin_change();
  block_.tasks_issued.add(left - left_);
  std::atomic_ref<std::uint64_t>(left_).store(left, std::memory_order_relaxed);
  block_.end_change();
}

/// Lets the next task be timed in any case, or only when it is drawn.
void task_clock::hold(bool is_next_timed) noexcept {
  const std::uint64_t until = is_holding_ ? until_draw_ : left_;
  is_holding_ = is_next_timed;
  until_draw_ = until;
  set_left(is_next_timed ? 1 : until);
}

void task_clock::publish() noexcept {
  block_.loop_runs.add(loop_runs_ - loop_runs_published_);
  loop_runs_published_ = loop_runs_;
  block_.tasks_executed.set(block_.tasks_issued.value() - left_);
}

void task_clock::begin(timed_task& body, const stack& here) noexcept {
  body.arrival_ticks = counters::ticks_now();
  body.outer = innermost_;
  if (is_looped(body)) {
    note_gap(body.arrival_ticks);
  }
  if (body.outer != nullptr && body.outer->times_calls && --body.outer->calls_left == 0) {
    stop_timing_calls(*body.outer, body.arrival_ticks);
  }
  innermost_ = &body;
  until_draw_ = is_holding_ ? until_draw_ - 1 : 0;
  is_holding_ = until_draw_ == 0;
  if (is_holding_) {
    body.weight = period_;
    body.times_calls = true;
    body.calls_left = mode_ == timing_mode::exact ? ~std::uint32_t{0} : most_timed_calls;
    draw(body.arrival_ticks);
  }
  set_left(is_holding_ ? 1 : until_draw_);
  block_.current_label.set(reinterpret_cast<std::uintptr_t>(body.label));
  publish();
  if (ring_ != nullptr) {
    write_trace(counters::trace_kind::begin,
                body.arrival_ticks,
                reinterpret_cast<std::uintptr_t>(body.subject),
                body.label);
  }
  body.paused_before_ticks = here.paused_ticks;
  body.begin_ticks = ticks_between();
}

void task_clock::end(timed_task& body, const stack& here) noexcept {
  const std::uint64_t now = ticks_between();
  const std::uint64_t paused = here.paused_ticks - body.paused_before_ticks;
  if (body.weight != 0) {
    record(body, less(now - body.begin_ticks, paused + cost_.added_to(body.kind)));
  }
  if (ring_ != nullptr) {
    write_trace(counters::trace_kind::end, now, 0, nullptr);
  }
  innermost_ = body.outer;
  const bool was_looped = is_looped(body);
  const bool is_gap_next = was_looped && body.weight != 0 && num_looped_++ % tasks_per_gap == 0;
  hold(is_gap_next || (innermost_ != nullptr && innermost_->times_calls));
  const std::uint64_t departure = counters::ticks_now();
  if (innermost_ != nullptr) {
    innermost_->called_ticks += less(departure - body.arrival_ticks, paused);
  }
  last_end_ticks_ = was_looped ? departure : 0;
  loop_runs_at_end_ = loop_runs_;
}

/// Stops timing the calls within `of`. The rest of the task is assumed to spend the same share of
/// its time in calls.
void task_clock::stop_timing_calls(timed_task& of, std::uint64_t now_ticks) const noexcept {
  of.times_calls = false;
  of.covered_ticks = std::max<std::uint64_t>(1, less(now_ticks, of.begin_ticks));
}

task_clock::pause task_clock::begin_pause(const stack& here) noexcept {
  break_window();
  trace(counters::trace_kind::suspend, reinterpret_cast<std::uintptr_t>(&here));
  if (innermost_ == nullptr) {
    return {};
  }
  pause left{.body = innermost_, .since_ticks = counters::ticks_now()};
  innermost_ = nullptr;
  last_end_ticks_ = left.since_ticks;
  loop_runs_at_end_ = loop_runs_;
  hold(num_looped_++ % tasks_per_gap == 0);
  return left;
}

void task_clock::end_pause(const pause& from, stack& here) noexcept {
  end_window();
  trace(counters::trace_kind::resume, reinterpret_cast<std::uintptr_t>(&here));
  if (from.body == nullptr) {
    return;
  }
  innermost_ = from.body;
  hold(innermost_->times_calls);
  here.paused_ticks += less(counters::ticks_now(), from.since_ticks);
}

/// Draws the next task to be timed, on average one task in `period_`.
void task_clock::draw(std::uint64_t now_ticks) noexcept {
  if (mode_ == timing_mode::exact) {
    until_draw_ = 1;
    block_.sample_period.set(1);
    is_delay_requested_ = ++num_drawn_from_ % tasks_per_delay == 0;
    return;
  }
  adapt_period(now_ticks);
  random_ = random_ * 1664525U + 1013904223U;  // Numerical Recipes' linear congruential generator
  const std::uint64_t most = std::uint64_t{2} * period_ - 1;
  until_draw_ = 1 + ((std::uint64_t{random_} * most) >> 32U);
  num_drawn_from_ = until_draw_;
  last_draw_ticks_ = now_ticks;
  block_.sample_period.set(period_);
  is_delay_requested_ = are_delays_affordable_;
}

void task_clock::adapt_period(std::uint64_t now_ticks) noexcept {
  if (last_draw_ticks_ == 0 || now_ticks <= last_draw_ticks_) {
    return;
  }
  // Includes idle time: a worker that was idle in between can afford more timing.
  const std::uint64_t ticks_per_task = (now_ticks - last_draw_ticks_) / num_drawn_from_ + 1;
  // twice: for each drawn task about one more task is timed
  const std::uint64_t wanted = 2 * cost_.cost_ticks * inverse_budget / ticks_per_task + 1;
  const auto least = std::max<std::uint64_t>(1, period_ / 2);
  const auto most = std::min<std::uint64_t>(longest_period, std::uint64_t{4} * period_);
  period_ = static_cast<std::uint32_t>(std::clamp(wanted, std::min(least, most), most));
  are_delays_affordable_ = ticks_per_task * tasks_per_cost >= cost_.cost_ticks;
}

void task_clock::note_gap(std::uint64_t now_ticks) noexcept {
  if (last_end_ticks_ == 0) {
    return;
  }
  const auto num_gaps = static_cast<double>(loop_runs_ - loop_runs_at_end_);
  const auto ticks = static_cast<double>(less(now_ticks, last_end_ticks_));
  if (num_gaps < 1) {
    return;
  }
  block_.begin_change();
  if (num_gaps == 1 && ticks < longest_gap_ticks) {
    block_.samples.num_gaps.add(1);
    block_.samples.gap_ticks.add(ticks);
  } else if (num_gaps > 1) {
    note_window(num_gaps, ticks);
  }
  block_.end_change();
}

void task_clock::note_window(double num_gaps, double ticks) noexcept {
  block_.samples.window_gaps.add(num_gaps);
  block_.samples.window_tasks.add(num_gaps - 1);
  block_.samples.window_ticks.add(ticks);
}

/// Closes the window. Its last loop run may have found no task, which changes little among many.
void task_clock::close_window() noexcept {
  constexpr std::uint32_t many = 64;
  const std::uint32_t num_gaps = loop_runs_ - loop_runs_at_end_;
  if (num_gaps >= many) {
    const std::uint64_t ticks = less(counters::ticks_now(), last_end_ticks_);
    block_.begin_change();
    note_window(num_gaps, static_cast<double>(ticks));
    block_.end_change();
  }
  last_end_ticks_ = 0;
}

/// True if the thread lost its CPU during a sample that is far longer than usual.
bool task_clock::was_disturbed(std::uint64_t ticks) noexcept {
  constexpr double unusual = 32;
  constexpr double least_ticks = 1 << 16;  // a preemption takes longer
  constexpr double share_of_new = 1.0 / 16;
  const auto length = static_cast<double>(ticks);
  const bool is_unusual = mean_ticks_ > 0 && length > unusual * mean_ticks_;
  if (mode_ == timing_mode::sampled && length > least_ticks && is_unusual) {
    const long before = num_preemptions_;
    num_preemptions_ = num_preemptions_now();
    if (num_preemptions_ != before) {
      return true;
    }
  }
  mean_ticks_ += share_of_new * (length - mean_ticks_);
  return false;
}

void task_clock::record(const timed_task& body, std::uint64_t all_ticks) noexcept {
  const std::uint64_t measured = body.covered_ticks != 0 ? body.covered_ticks : all_ticks;
  std::uint64_t own_ticks = less(measured, body.called_ticks);
  if (body.covered_ticks != 0) {
    own_ticks =
        static_cast<std::uint64_t>(static_cast<double>(own_ticks) / static_cast<double>(measured) *
                                   static_cast<double>(all_ticks));
  }
  if (was_disturbed(all_ticks)) {
    block_.samples.disturbed.add(1);
    return;
  }
  const auto weight = static_cast<double>(body.weight);
  block_.begin_change();
  add(block_.samples.task, weight, static_cast<double>(own_ticks));
  if (is_looped(body)) {
    add(block_.samples.loop, weight, static_cast<double>(all_ticks));
  }
  block_.end_change();
  using histogram = counters::tick_histogram<counters::cell>;
  block_.histograms.task_duration.weight[histogram::bucket_of(own_ticks)].add(body.weight);
  record_label(body, own_ticks);
}

/// Adds the sample to its label's slot. The last slot is shared by all labels that found no free
/// slot.
void task_clock::record_label(const timed_task& body, std::uint64_t own_ticks) noexcept {
  constexpr std::size_t num_slots = counters::worker_block::num_labels;
  const auto label = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(body.label));
  const auto is_for_it = [&](const counters::label_slot& slot) {
    return slot.function.value() == label || slot.function.value() == 0;
  };
  constexpr std::uint64_t golden = 11400714819323198485U;  // Knuth's multiplicative hashing
  std::size_t place = (label * golden >> 32U) % (num_slots - 1);
  std::size_t num_tried = 0;
  while (num_tried < num_slots - 1 && !is_for_it(block_.labels[place])) {
    place = (place + 1) % (num_slots - 1);
    ++num_tried;
  }
  const bool has_place = num_tried < num_slots - 1;
  counters::label_slot& mine = block_.labels[has_place ? place : num_slots - 1];
  mine.function.set(has_place ? label : counters::label_slot::others);
  mine.weight.add(body.weight);
  mine.ticks.add(static_cast<double>(body.weight) * static_cast<double>(own_ticks));
}

void task_clock::note_delay(std::uint64_t since_ticks) noexcept {
  using histogram = counters::tick_histogram<counters::cell>;
  const std::uint64_t delay = less(counters::ticks_now(), since_ticks);
  block_.histograms.queue_delay.weight[histogram::bucket_of(delay)].add(1);
}

void task_clock::write_trace(counters::trace_kind kind,
                             std::uint64_t ticks,
                             std::uint64_t subject,
                             const void* label) noexcept {
  ring_->write({.ticks = ticks,
                .subject = subject,
                .label = reinterpret_cast<std::uintptr_t>(label),
                .kind = kind});
}

void task_clock::calibrate() { cost_ = timing_cost_of_process(); }

}  // namespace weft::tasks::detail
