// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Detects that all tasks wait, and describes what they wait for.
#include "tasks/waiting/standstill.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <ostream>
#include <source_location>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "weft/base/message.hpp"
#include "weft/tasks/deadlock.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "tasks/runtime/runtime_options.hpp"
#include "tasks/scheduler/scheduler.hpp"
#include "tasks/waiting/call_sites.hpp"
#include "tasks/waiting/futex.hpp"

namespace weft::tasks::detail {
namespace {

using clock = std::chrono::steady_clock;

/// A runtime, and since when every check has found it standing still without a new task from
/// outside.
struct listed {
  scheduler* home;
  std::uint64_t num_from_outside = 0;
  clock::time_point since = clock::now();
  bool is_reported = false;

  void look(clock::time_point now) {
    const std::uint64_t num_now = home->num_from_outside();
    if (!home->is_standing_still() || home->is_waiting_for_progress() ||
        num_now != num_from_outside) {
      *this = {.home = home, .num_from_outside = num_now, .since = now};
    }
  }
};

struct runtimes {
  std::mutex mutex;
  std::vector<listed> all;

  /// Removes runtimes that a fork inherited, whose state never changes.
  void remove_inherited() {
    std::erase_if(all, [](const listed& each) { return !each.home->is_of_this_process(); });
  }
  [[nodiscard]] std::uint64_t num_from_outside() const {
    std::uint64_t sum = 0;
    for (const listed& each : all) {
      sum += each.home->num_from_outside();
    }
    return sum;
  }
  /// True if no runtime could proceed at one moment. They are checked one after the other, and none
  /// got a task from another meanwhile.
  [[nodiscard]] bool none_can_progress() const {
    const std::uint64_t before = num_from_outside();
    return std::ranges::all_of(all,
                               [](const listed& each) { return each.home->cannot_progress(); }) &&
           num_from_outside() == before;
  }
  [[nodiscard]] std::size_t num_workers() const {
    std::size_t sum = 0;
    for (const listed& each : all) {
      sum += each.home->started().size();
    }
    return sum;
  }
  /// Returns the names of the runtimes that can proceed, for a sentence; empty: none can.
  [[nodiscard]] std::string names_of_active() const {
    std::string names;
    for (const listed& each : all) {
      if (!each.home->cannot_progress()) {
        names += (names.empty() ? "\"" : ", \"") + each.home->name() + '"';
      }
    }
    return names;
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

/// Returns the text for a standstill while other runtimes run. It may not be a deadlock, so it is
/// only logged.
std::string explain_while_others_run(const std::string& names, const std::string& waits) {
  return "weft: of one runtime no task has gone on for long: its workers sleep, nothing is queued "
         "there, and no timer or blocking call of its own will end a wait.\n" +
         waits + "weft: unless a task of runtime " + names +
         ", which goes on, wakes them, this is a deadlock.\n";
}

/// Returns the source line where `node` waits. If that is in a library header, the user's line, if
/// `sites` finds one.
std::string place_of(const waiter& node, call_sites* sites) {
  const std::source_location& where = node.why->where;
  if (sites != nullptr && is_library_header(where.file_name())) {
    std::string line =
        node.fiber == nullptr ? sites->of_caller() : sites->of_suspended(*node.fiber);
    if (!line.empty()) {
      return line;
    }
  }
  return std::string(where.file_name()) + ':' + std::to_string(where.line()) + " (" +
         where.function_name() + ')';
}

void describe(std::ostream& to, const waiter& node, call_sites* sites) {
  const bool is_of_thread = node.fiber == nullptr && self() == nullptr;
  to << (is_of_thread ? "weft:   a thread" : "weft:   a task") << " waits for " << node.why->kind
     << " at " << node.why->object << ", since " << place_of(node, sites) << '\n';
}

}  // namespace

void register_runtime(scheduler& home) {
  runtimes& known = process_runtimes();
  const std::lock_guard guard(known.mutex);
  known.all.push_back({.home = &home});
}

void unregister_runtime(scheduler& home) noexcept {
  runtimes& known = process_runtimes();
  const std::lock_guard guard(known.mutex);
  std::erase_if(known.all, [&home](const listed& each) { return each.home == &home; });
}

namespace {

/// Returns the text about a standstill of all runtimes, and raises `action` to the strongest of
/// their options.
std::string text_of_all(const runtimes& known, deadlock_action& action) {
  std::string text;
  call_sites sites;
  for (const listed& each : known.all) {
    const std::string waits = each.home->describe_standstill(&sites);
    if (!waits.empty()) {
      text += explain(waits);
      action = std::max(action, each.home->on_deadlock());
    }
  }
  return text;
}

/// Returns the text about runtimes that have stood still for long, once for each standstill.
std::string text_of_some(runtimes& known, clock::time_point now) {
  const std::string names = known.names_of_active();
  std::string text;
  if (names.empty()) {
    return text;
  }
  call_sites sites;
  for (listed& each : known.all) {
    if (each.is_reported || now - each.since < standstill_timeout_with_others) {
      continue;
    }
    const std::string waits = each.home->describe_standstill(&sites);
    if (!waits.empty()) {
      text += explain_while_others_run(names, waits);
      each.is_reported = true;
    }
  }
  return text;
}

/// Logs `text`, throws it, or ends the program, as `action` says.
/// Errors:  `weft::deadlock_error`.
void act(deadlock_action action, const std::string& text) {
  if (action == deadlock_action::raise) {
    throw deadlock_error(text);
  }
  send_message(text);
  if (action == deadlock_action::abort) {
    std::abort();
  }
}

}  // namespace

bool look_for_standstill(clock::time_point now) {
  std::string text;
  deadlock_action action = deadlock_action::log;
  bool is_of_all = false;
  {
    runtimes& known = process_runtimes();
    const std::lock_guard guard(known.mutex);
    known.remove_inherited();
    for (listed& each : known.all) {
      each.look(now);
    }
    is_of_all = known.none_can_progress();
    text = is_of_all ? text_of_all(known, action) : text_of_some(known, now);
  }
  if (text.empty()) {
    return false;
  }
  act(action, text);
  return is_of_all;
}

namespace {

constinit std::atomic<std::size_t> num_waiting_threads{0};

/// Without procfs the number is unknown: returns the largest one.
std::size_t num_threads_of_process() {
  std::error_code failed;
  const std::filesystem::directory_iterator first("/proc/self/task", failed);
  return failed ? std::numeric_limits<std::size_t>::max()
                : static_cast<std::size_t>(std::distance(first, {}));
}

}  // namespace

waiting_thread::waiting_thread() noexcept {
  num_waiting_threads.fetch_add(1, std::memory_order_relaxed);
}
waiting_thread::~waiting_thread() { num_waiting_threads.fetch_sub(1, std::memory_order_relaxed); }

bool look_for_standstill_of_thread(const waiter& node, clock::time_point since) {
  const clock::time_point now = clock::now();
  if (look_for_standstill(now)) {
    return true;
  }
  if (node.is_timed) {
    return false;
  }
  std::optional<deadlock_action> action;
  std::size_t num_known = 0;
  {
    runtimes& known = process_runtimes();
    const std::lock_guard guard(known.mutex);
    known.remove_inherited();
    if (!known.none_can_progress()) {
      return false;
    }
    for (const listed& each : known.all) {
      action = std::max(action.value_or(deadlock_action::log), each.home->on_deadlock());
    }
    num_known = known.num_workers();
  }
  num_known += num_waiting_threads.load(std::memory_order_relaxed);
  if (num_threads_of_process() > num_known) {
    if (now - since < standstill_timeout_with_others) {
      return false;
    }
    action = deadlock_action::log;
  }
  std::ostringstream wait;
  call_sites sites;
  describe(wait, node, &sites);
  act(action ? *action : default_deadlock_action(),
      "weft: a thread waits, and no task can wake it: all workers sleep, nothing is queued, and no "
      "timer or blocking call will end the wait.\n" +
          wait.str() + advice);
  return true;
}

void explain_stuck(const scheduler& home, const waiter& node) noexcept try {
  std::ostringstream text;
  text << "weft: no task can go on: all stacks are in use, no worker finds anything that it could "
          "run on the one it is on, and no timer or blocking call will end a wait.\n";
  call_sites sites;
  describe(text, node, &sites);
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
  return num_failing_.load(std::memory_order_seq_cst) +
                 num_asleep_.load(std::memory_order_seq_cst) +
                 num_retired_.load(std::memory_order_seq_cst) ==
             num_started_.load(std::memory_order_seq_cst) &&
         num_outside() == 0 && !is_waiting_for_progress();
}

bool scheduler::is_standing_still() const noexcept {
  return num_asleep_.load(std::memory_order_seq_cst) +
                 num_retired_.load(std::memory_order_seq_cst) ==
             num_started_.load(std::memory_order_seq_cst) &&
         num_idle_.load(std::memory_order_seq_cst) == num_asleep_.load(std::memory_order_seq_cst) &&
         is_queue_empty() && num_outside() == 0;
}

bool scheduler::cannot_progress() const noexcept {
  if (is_waiting_for_progress()) {
    return false;
  }
  const std::uint32_t asleep = num_asleep_.load(std::memory_order_seq_cst);
  return asleep + num_retired_.load(std::memory_order_seq_cst) +
                 num_waiting_for_end_.load(std::memory_order_seq_cst) ==
             num_started_.load(std::memory_order_seq_cst) &&
         num_idle_.load(std::memory_order_seq_cst) == asleep && (is_queue_empty() || asleep == 0) &&
         num_outside() == num_external_waiting_for_end_.load(std::memory_order_seq_cst);
}

/// A worker that wakes meanwhile counts as awake, and then waits for `description_mutex_`. So while
/// all workers count as parked, no task can resume and leave the frames that are read here. A
/// worker that was just started counts after `resize` has ended.
std::string scheduler::describe_standstill(call_sites* sites) {
  const std::scoped_lock guard(resize_mutex_, description_mutex_);
  if (!is_standing_still()) {
    return {};
  }
  struct report {
    call_sites* sites;
    std::ostringstream text = {};
  } mine{sites};
  stacks_.for_each_taken(
      [](stack& taken, void* context) {
        const auto* node = static_cast<const waiter*>(taken.user);
        if (node != nullptr) {
          auto& to = *static_cast<report*>(context);
          describe(to.text, *node, to.sites);
          describe_held_locks(to.text, taken);
        }
      },
      &mine);
  return is_standing_still() ? mine.text.str() : std::string();
}

namespace {

/// While this object lives, the calling task, if it is one, counts as unable to proceed.
class wait_for_end_scope {
 public:
  wait_for_end_scope() noexcept : home_(runtime_of_caller()), is_on_worker_(self() != nullptr) {
    if (home_ != nullptr) {
      home_->begin_wait_for_end(is_on_worker_);
    }
  }
  wait_for_end_scope(const wait_for_end_scope&) = delete;
  wait_for_end_scope& operator=(const wait_for_end_scope&) = delete;
  ~wait_for_end_scope() {
    if (home_ != nullptr) {
      home_->end_wait_for_end(is_on_worker_);
    }
  }

 private:
  scheduler* const home_;
  const bool is_on_worker_;
};

/// Watches a runtime that ends. Reports at most once that it cannot end because of waiting tasks,
/// and at most once that only other runtimes could wake them.
class end_watch {
 public:
  explicit end_watch(const scheduler& home) noexcept : home_(home) {}

  /// The runtime has made progress: the timeout starts again.
  void restart_timeout() noexcept {
    waiting_task_.reset();
    since_ = clock::now();
    num_from_outside_ = home_.num_from_outside();
  }

  /// The runtime cannot proceed now. True: for longer than the timeout, so the task that waits for
  /// its end cannot proceed either.
  bool cannot_progress() noexcept {
    if (home_.num_from_outside() != num_from_outside_) {
      restart_timeout();
    }
    if (clock::now() - since_ <= standstill_timeout) {
      return false;
    }
    if (!waiting_task_) {
      waiting_task_.emplace();
    }
    return true;
  }

  void on_standstill(scheduler& home) {
    if (!cannot_progress()) {
      return;
    }
    const auto names = others();
    if (!names) {
      say(is_explained_, home, explain);
      if (home_.on_deadlock() == deadlock_action::abort) {
        std::abort();
      }
    } else if (!names->empty() && clock::now() - since_ > standstill_timeout_with_others) {
      say(is_reported_, home, [&](const std::string& waits) {
        return explain_while_others_run(*names, waits);
      });
    }
  }

 private:
  /// Returns the names of the runtimes that can proceed at this moment; nothing: none can.
  static std::optional<std::string> others() {
    runtimes& known = process_runtimes();
    const std::lock_guard guard(known.mutex);
    known.remove_inherited();
    if (known.none_can_progress()) {
      return std::nullopt;
    }
    return known.names_of_active();
  }
  template <class Explain>
  static void say(bool& is_said, scheduler& home, Explain explain_waits) {
    if (!is_said) {
      call_sites sites;
      const std::string waits = home.describe_standstill(&sites);
      is_said = !waits.empty();
      if (is_said) {
        send_message("weft: a runtime ends, but tasks still wait.\n" + explain_waits(waits));
      }
    }
  }

  const scheduler& home_;
  clock::time_point since_ = clock::now();
  std::uint64_t num_from_outside_ = home_.num_from_outside();
  // exists after the ending runtime has stood still for a while
  std::optional<wait_for_end_scope> waiting_task_;
  bool is_explained_ = false;
  bool is_reported_ = false;
};

}  // namespace

/// Returns once all workers are parked, nothing is queued and no task waits: then only other
/// threads could start a task.
void scheduler::wait_until_quiescent() noexcept {
  end_watch watch(*this);
  for (;;) {
    const std::uint32_t asleep = num_asleep_.load(std::memory_order_seq_cst);
    if (is_standing_still()) {
      const std::string waits = describe_standstill();
      if (waits.empty() && is_standing_still()) {
        return;
      }
      if (!waits.empty() && !is_waiting_for_progress()) {
        watch.on_standstill(*this);
      }
    } else if (cannot_progress()) {
      static_cast<void>(watch.cannot_progress());
    } else {
      watch.restart_timeout();
    }
    futex_wait(num_asleep_, asleep, std::chrono::milliseconds(10));
  }
}

}  // namespace weft::tasks::detail
