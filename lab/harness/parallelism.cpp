// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Per-thread CPU clocks of this process, read before and after some calls.
#include "lab/harness/parallelism.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "lab/harness/clock.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/sampler.hpp"

namespace weft::lab {
namespace {

/// clockid_t; glibc declares the type and the constant in separate headers.
using clock_id = int;
constexpr clock_id process_cpu_clock = CLOCK_PROCESS_CPUTIME_ID;

constexpr const char* never_quiet_reason = "idle worker threads kept spinning for 250 ms";

double wall_now_s() { return seconds(monotonic_clock().now_ns()); }

double read_clock_s(clock_id clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) {
    return 0;  // the thread ended between listing and reading
  }
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The kernel's clock id for a thread's CPU time (what pthread_getcpuclockid computes). Unlike
/// /proc/.../schedstat it is exact for a thread that is running right now.
clock_id thread_cpu_clock(pid_t thread) {
  constexpr unsigned per_thread_scheduler_clock = 6;
  return static_cast<clock_id>((~static_cast<unsigned>(thread) << 3U) | per_thread_scheduler_clock);
}

/// The seconds that a thread has run, and the seconds that it was ready to run but waited for a
/// CPU.
struct thread_times {
  double cpu_s = 0;
  double waited_s = 0;
};

/// By thread id. Key 0 is the whole process, read first so that its time never exceeds the threads'
/// sum.
using times_by_thread = std::map<pid_t, thread_times>;

times_by_thread read_times() {
  times_by_thread times{{0, {.cpu_s = read_clock_s(process_cpu_clock), .waited_s = 0}}};
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const std::string name = entry.path().filename();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    // ns running, ns waiting, number of time slices
    std::ifstream schedstat(entry.path() / "schedstat");
    double running_ns = 0;
    double waiting_ns = 0;
    schedstat >> running_ns >> waiting_ns;
    times[thread] = {.cpu_s = read_clock_s(thread_cpu_clock(thread)),
                     .waited_s = 1e-9 * waiting_ns};
  }
  return times;
}

thread_times growth(const times_by_thread& before, pid_t thread, const thread_times& now) {
  const auto found = before.find(thread);
  const thread_times old = found == before.end() ? thread_times{} : found->second;
  return {.cpu_s = now.cpu_s - old.cpu_s, .waited_s = now.waited_s - old.waited_s};
}

/// The time that some calls used, by thread; key 0 sums the time of ended threads.
struct usage {
  double wall_s = 0;
  double cpu_s = 0;
  times_by_thread by_thread;

  void add(double elapsed_s, const times_by_thread& before, const times_by_thread& after) {
    wall_s += elapsed_s;
    const double process_s = after.at(0).cpu_s - before.at(0).cpu_s;
    cpu_s += process_s;
    double seen_s = 0;
    for (const auto& [thread, now] : after) {
      if (thread != 0) {
        const double used_s = growth(before, thread, now).cpu_s;
        by_thread[thread].cpu_s += used_s;
        seen_s += used_s;
      }
    }
    by_thread[0].cpu_s += std::max(0.0, process_s - seen_s);
  }

  void merge(const usage& other) {
    wall_s += other.wall_s;
    cpu_s += other.cpu_s;
    for (const auto& [thread, times] : other.by_thread) {
      by_thread[thread].cpu_s += times.cpu_s;
    }
  }

  [[nodiscard]] int num_active() const {
    constexpr double active_share = 0.05;
    const double least_s = active_share * nth_busiest_s(0, &cpu_only);
    return static_cast<int>(
        std::count_if(by_thread.begin(), by_thread.end(), [&](const auto& each) {
          return each.second.cpu_s > 0 && each.second.cpu_s >= least_s;
        }));
  }

  static double cpu_only(const thread_times& times) { return times.cpu_s; }
  static double cpu_and_waiting(const thread_times& times) { return times.cpu_s + times.waited_s; }

  /// Returns the thread with the `n`-th largest `measure`, from 0; 0 s if there are fewer threads.
  [[nodiscard]] double nth_busiest_s(std::size_t n, double (*measure)(const thread_times&)) const {
    std::vector<double> descending;
    for (const auto& [thread, times] : by_thread) {
      descending.push_back(measure(times));
    }
    std::ranges::sort(descending, std::greater<>());
    return n < descending.size() ? descending[n] : 0;
  }
};

usage watch_batch(experiment& subject, std::size_t num_calls) {
  usage used;
  subject.prepare(num_calls);
  const times_by_thread before = read_times();
  const double begin_s = wall_now_s();
  subject.run(num_calls);
  const double elapsed_s = wall_now_s() - begin_s;
  used.add(elapsed_s, before, read_times());
  return used;
}

/// Returns whether another thread of this process is running or waiting for a CPU. Unlike CPU time,
/// this also finds a spinning thread that other processes keep off the CPUs.
bool is_another_runnable() {
  const std::string self = std::to_string(gettid());
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream in(entry.path() / "stat");
    std::string stat;
    std::getline(in, stat);
    const std::size_t state_at = stat.rfind(')') + 2;  // "123 (name) R ..."
    if (entry.path().filename() != self && state_at < stat.size() && stat[state_at] == 'R') {
      return true;
    }
  }
  return false;
}

/// Returns whether all other threads fell asleep within the known spinning time of workers (libomp:
/// 200 ms).
bool wait_until_quiet() {
  constexpr double patience_s = 0.25;
  constexpr int enough_quiet_looks = 2;
  const double deadline_s = wall_now_s() + patience_s;
  int quiet_looks = 0;
  while (wall_now_s() < deadline_s) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    quiet_looks = is_another_runnable() ? 0 : quiet_looks + 1;
    if (quiet_looks == enough_quiet_looks) {
      return true;
    }
  }
  return false;
}

/// The result of one look at the threads, from a state in which all others slept.
enum class look : std::uint8_t { parallel, sequential, unclear, never_quiet };

/// Only calls much longer than a wake-up are watched one by one. A thread that spins after its
/// share of the work sleeps when a look begins.
std::size_t calls_per_look(const experiment& subject, double call_s) {
  constexpr double single_call_s = 300e-6;
  constexpr double look_s = 1e-3;
  if (call_s >= single_call_s) {
    return 1;
  }
  const double wanted = std::ceil(look_s / std::max(call_s, 1e-9));
  return std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, subject.max_calls());
}

/// Shape:   all other threads sleep, before and (unless `never_quiet`) afterwards.
look look_once(experiment& subject, std::size_t num_calls, usage& total) {
  constexpr double working_share = 0.5;
  constexpr double idle_share = 0.1;
  // for an idle thread that wakes at the end, and for reading the clocks
  constexpr double waking_s = 50e-6;
  const times_by_thread before = read_times();
  usage seen = watch_batch(subject, num_calls);
  total.merge(seen);
  if (seen.nth_busiest_s(1, &usage::cpu_only) >= working_share * seen.wall_s) {
    return look::parallel;
  }
  // The kernel records the wait for a CPU when the wait ends, which may be after the call.
  if (!wait_until_quiet()) {
    return look::never_quiet;
  }
  for (const auto& [thread, now] : read_times()) {
    seen.by_thread[thread].waited_s = thread == 0 ? 0 : growth(before, thread, now).waited_s;
  }
  const bool was_idle =
      seen.nth_busiest_s(1, &usage::cpu_and_waiting) <= idle_share * seen.wall_s + waking_s;
  return was_idle ? look::sequential : look::unclear;
}

/// The verdict is "sequential" only if every look says so. A worker that gets no CPU on a busy
/// machine, or that works a little, makes the verdict unknown.
void judge(experiment& subject, double call_s, usage& total, parallelism& found) {
  constexpr int num_looks = 5;
  const std::size_t num_calls = calls_per_look(subject, call_s);
  bool is_unclear = false;
  for (int i = 0; i < num_looks; ++i) {
    switch (look_once(subject, num_calls, total)) {
      case look::parallel:
        found.is_sequential = false;
        return;
      case look::never_quiet:
        found.reason = never_quiet_reason;
        return;
      case look::unclear:
        is_unclear = true;
        break;
      case look::sequential:
        break;
    }
  }
  if (is_unclear) {
    found.reason = "a second thread worked little, or waited for a CPU that other programs used";
  } else {
    found.is_sequential = true;
  }
}

}  // namespace

parallelism probe_parallelism(experiment& subject, const schedule& plan, int threads) {
  constexpr double enough_s = 5e-3;
  constexpr double least_s = 1e-3;
  parallelism found;
  usage used;
  if (threads > 1) {
    if (!wait_until_quiet()) {
      found.reason = never_quiet_reason;
      return found;
    }
    judge(subject, plan.call_s, used, found);
  } else {
    found.is_sequential = false;
  }
  const double deadline_s = wall_now_s() + 4 * enough_s;  // watching short calls takes longer
  while (used.wall_s < enough_s && wall_now_s() < deadline_s) {
    used.merge(watch_batch(subject, plan.calls_per_batch));
  }
  if (used.wall_s < least_s) {
    return {.cpu_over_wall = std::nullopt,
            .threads_active = std::nullopt,
            .is_sequential = std::nullopt,
            .reason = "the calls were too short to tell (less than 1 ms in all)"};
  }
  found.cpu_over_wall = used.cpu_s / used.wall_s;
  found.threads_active = used.num_active();
  return found;
}

}  // namespace weft::lab
