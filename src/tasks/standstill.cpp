// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who waits for what when nothing moves any more.
#include "tasks/standstill.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "weft/base/message.hpp"
#include "weft/tasks/deadlock.hpp"
#include "weft/tasks/detail/held_locks.hpp"
#include "weft/tasks/detail/stack.hpp"
#include "weft/tasks/detail/waiter.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "tasks/futex.hpp"
#include "tasks/scheduler.hpp"

namespace weft::tasks::detail {
namespace {

struct runtimes {
  std::mutex mutex;
  std::vector<scheduler*> all;

  [[nodiscard]] std::uint64_t num_from_outside() const {
    std::uint64_t sum = 0;
    for (const scheduler* home : all) {
      sum += home->num_from_outside();
    }
    return sum;
  }
  /// At one moment: each of them is looked at in turn, and none got a task from another meanwhile.
  [[nodiscard]] bool all_stand_still() const {
    const std::uint64_t before = num_from_outside();
    return std::ranges::all_of(all, &scheduler::is_standing_still) && num_from_outside() == before;
  }
};

runtimes& process_runtimes() {
  // Never destroyed: the default runtime may end after the statics of this file.
  static runtimes& instance = *new runtimes;
  return instance;
}

constexpr const char* advice =
    "weft: if a thread outside weft is to wake them, this is no deadlock; "
    "--weft:deadlock=log|throw|abort says what to do.\n";

std::string explain(const std::string& waits) {
  return "weft: no task can go on: all workers sleep, nothing is queued, and no timer or blocking "
         "call will end a wait.\n" +
         waits + advice;
}

void describe(std::ostream& to, const waiter& node) {
  to << "weft:   a task waits for " << node.why->kind << " at " << node.why->object << ", since "
     << node.why->where.file_name() << ':' << node.why->where.line() << " ("
     << node.why->where.function_name() << ")\n";
}

}  // namespace

void enlist_runtime(scheduler& home) {
  runtimes& known = process_runtimes();
  const std::lock_guard guard(known.mutex);
  known.all.push_back(&home);
}

void strike_runtime(scheduler& home) noexcept {
  runtimes& known = process_runtimes();
  const std::lock_guard guard(known.mutex);
  std::erase(known.all, &home);
}

bool do_all_stand_still() {
  runtimes& known = process_runtimes();
  const std::lock_guard guard(known.mutex);
  return known.all_stand_still();
}

bool look_for_standstill() {
  std::string text;
  deadlock_action action = deadlock_action::log;
  {
    runtimes& known = process_runtimes();
    const std::lock_guard guard(known.mutex);
    if (!known.all_stand_still()) {
      return false;
    }
    for (scheduler* home : known.all) {
      const std::string waits = home->describe_standstill();
      if (!waits.empty()) {
        text += explain(waits);
        action = std::max(action, home->on_deadlock());
      }
    }
  }
  if (text.empty()) {
    return false;
  }
  if (action == deadlock_action::raise) {
    throw deadlock_error(text);
  }
  send_message(text);
  if (action == deadlock_action::abort) {
    std::abort();
  }
  return true;
}

void explain_stuck(const scheduler& home, const waiter& node) noexcept try {
  std::ostringstream text;
  text << "weft: no task can go on: all stacks are in use, no worker finds anything that it could "
          "run on the one it is on, and no timer or blocking call will end a wait.\n";
  describe(text, node);
  text << "weft: suspend fewer tasks at a time, or allow more stacks with --weft:max-stacks, a "
          "smaller --weft:stack-size, or ulimit -v.\n"
       << advice;
  send_message(text.str());
  if (home.on_deadlock() == deadlock_action::abort) {
    std::abort();
  }
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): no memory to say it with
}

bool scheduler::is_stuck() const noexcept {
  return num_fruitless_.load(std::memory_order_seq_cst) +
                 num_asleep_.load(std::memory_order_seq_cst) +
                 num_retired_.load(std::memory_order_seq_cst) ==
             num_started_.load(std::memory_order_seq_cst) &&
         num_external_.load(std::memory_order_seq_cst) == 0;
}

bool scheduler::is_standing_still() const noexcept {
  return num_asleep_.load(std::memory_order_seq_cst) +
                 num_retired_.load(std::memory_order_seq_cst) ==
             num_started_.load(std::memory_order_seq_cst) &&
         num_idle_.load(std::memory_order_seq_cst) == num_asleep_.load(std::memory_order_seq_cst) &&
         injected_.is_empty() && num_external_.load(std::memory_order_seq_cst) == 0;
}

/// A worker that wakes meanwhile counts as awake and then waits for the mutex: while all count as
/// asleep, no waiting task can go on and leave the frames that are read here. A worker that was
/// just started counts once `resize` has ended.
std::string scheduler::describe_standstill() {
  const std::scoped_lock guard(resize_mutex_, description_mutex_);
  if (!is_standing_still()) {
    return {};
  }
  std::ostringstream text;
  stacks_.for_each_taken(
      [](stack& taken, void* context) {
        const auto* node = static_cast<const waiter*>(taken.user);
        if (node != nullptr) {
          auto& to = *static_cast<std::ostringstream*>(context);
          describe(to, *node);
          describe_held_locks(to, taken);
        }
      },
      &text);
  return is_standing_still() ? text.str() : std::string();
}

/// Returns once all workers sleep and nothing is queued or waits: then only outsiders could start
/// a task.
void scheduler::wait_until_quiescent() noexcept {
  auto since = std::chrono::steady_clock::now();
  bool is_explained = false;
  for (;;) {
    const std::uint32_t asleep = num_asleep_.load(std::memory_order_seq_cst);
    if (is_standing_still()) {
      const std::string waits = describe_standstill();
      if (waits.empty() && is_standing_still()) {
        return;
      }
      if (!is_explained && std::chrono::steady_clock::now() - since > standstill_patience &&
          do_all_stand_still()) {
        is_explained = true;
        send_message("weft: a runtime ends, but tasks still wait.\n" + explain(waits));
        if (deadlock_ == deadlock_action::abort) {
          std::abort();
        }
      }
    } else {
      since = std::chrono::steady_clock::now();
    }
    futex_wait(num_asleep_, asleep, std::chrono::milliseconds(10));
  }
}

}  // namespace weft::tasks::detail
