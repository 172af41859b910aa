// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Per-thread CPU clocks of this process, read before and after some calls.
#include "lab/harness/parallelism.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <thread>

#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "lab/harness/clock.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/sampler.hpp"

namespace weft::lab {
namespace {

constexpr double active_share = 0.05;

/// clockid_t; glibc declares that, and the constant, in headers of its own.
using clock_id = int;
constexpr clock_id process_cpu_clock = CLOCK_PROCESS_CPUTIME_ID;  // NOLINT(misc-include-cleaner)

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

std::map<pid_t, double> threads_cpu_s() {
  std::map<pid_t, double> cpu_s;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const std::string name = entry.path().filename();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    cpu_s[thread] = read_clock_s(thread_cpu_clock(thread));
  }
  return cpu_s;
}

/// Time used so far by the calls, by thread; a pseudo thread 0 collects what ended threads used.
struct usage {
  double wall_s = 0;
  double cpu_s = 0;
  std::map<pid_t, double> by_thread_s;

  [[nodiscard]] int num_active() const {
    double busiest_s = 0;
    for (const auto& [thread, used_s] : by_thread_s) {
      busiest_s = std::max(busiest_s, used_s);
    }
    int count = 0;
    for (const auto& [thread, used_s] : by_thread_s) {
      count += used_s > 0 && used_s >= active_share * busiest_s ? 1 : 0;
    }
    return count;
  }
};

void watch_batch(experiment& subject, std::size_t num_calls, usage& used) {
  subject.prepare(num_calls);
  const auto threads_before = threads_cpu_s();
  const double cpu_before_s = read_clock_s(process_cpu_clock);
  const double begin_s = wall_now_s();
  subject.run(num_calls);
  const double wall_s = wall_now_s() - begin_s;
  const double cpu_s = read_clock_s(process_cpu_clock) - cpu_before_s;
  double seen_s = 0;
  for (const auto& [thread, now_s] : threads_cpu_s()) {
    const auto before = threads_before.find(thread);
    const double grown_s = now_s - (before == threads_before.end() ? 0 : before->second);
    used.by_thread_s[thread] += grown_s;
    seen_s += grown_s;
  }
  used.by_thread_s[0] += std::max(0.0, cpu_s - seen_s);
  used.wall_s += wall_s;
  used.cpu_s += cpu_s;
}

/// Returns whether another thread of this process is running or waiting for a CPU. Unlike CPU time,
/// this is true of a spinning thread even where other processes keep it off the CPUs.
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

/// Returns whether all other threads fell asleep within the time workers are known to spin (libomp:
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

usage watch_calls(experiment& subject, const schedule& plan, int threads) {
  constexpr double enough_s = 5e-3;
  constexpr double enough_to_accuse_s = 20e-3;  // "sequential" needs more evidence
  constexpr double patience_s = 60e-3;
  const double deadline_s = wall_now_s() + patience_s;
  usage used;
  do {
    watch_batch(subject, plan.calls_per_batch, used);
    const bool may_be_sequential = threads > 1 && used.num_active() < 2;
    if (used.wall_s >= (may_be_sequential ? enough_to_accuse_s : enough_s)) {
      break;
    }
  } while (wall_now_s() < deadline_s);
  return used;
}

}  // namespace

parallelism probe_parallelism(experiment& subject, const schedule& plan, int threads) {
  constexpr double least_s = 1e-3;
  parallelism found;
  if (threads > 1 && !wait_until_quiet()) {
    found.reason = "idle worker threads kept spinning for 250 ms";
    return found;
  }
  const usage used = watch_calls(subject, plan, threads);
  if (used.wall_s < least_s) {
    found.reason = "the calls were too short to tell (less than 1 ms in all)";
    return found;
  }
  found.cpu_over_wall = used.cpu_s / used.wall_s;
  found.threads_active = used.num_active();
  found.is_sequential = threads > 1 && *found.threads_active < 2;
  return found;
}

}  // namespace weft::lab
