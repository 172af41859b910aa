// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the process's threads were ready to run, but waited for a CPU.
#include "counters/run_delay.hpp"

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "weft/base/text_file.hpp"

#include "counters/thread_ids.hpp"

namespace weft::counters::detail {

run_delay_window::run_delay_window(std::filesystem::path root)
    : root_(std::move(root)), begin_(take()) {}

void run_delay_window::begin() { begin_ = take(); }

delay_result run_delay_window::elapsed() const {
  const sample now = take();
  if (now.num_timeslices == 0) {  // the thread that reads this has had at least one
    return {.seconds = std::nullopt,
            .reason =
                "/proc/self/task/*/schedstat is missing or reads 0: this kernel keeps no run "
                "delay (CONFIG_SCHED_INFO)"};
  }
  int num_ended = 0;
  double sum_s = 0;
  for (const auto& [id, delay_s] : begin_.delay_s) {
    num_ended += now.delay_s.contains(id) ? 0 : 1;
  }
  if (num_ended > 0) {
    return {.seconds = std::nullopt,
            .reason = std::to_string(num_ended) +
                      " threads ended since counting began and took their run delay along; keep "
                      "them until it is read, or reset to count from now on"};
  }
  for (const auto& [id, delay_s] : now.delay_s) {
    const auto before = begin_.delay_s.find(id);
    sum_s += delay_s - (before == begin_.delay_s.end() ? 0 : before->second);
  }
  return {.seconds = sum_s, .reason = {}};
}

run_delay_window::sample run_delay_window::take() const {
  sample result;
  for (const int id : thread_ids(root_)) {
    const auto text = read_text(root_ / "proc/self/task" / std::to_string(id) / "schedstat");
    std::istringstream fields(text.value_or(""));  // ns running, ns waiting, times run
    double running_ns = 0;
    double waiting_ns = 0;
    double timeslices = 0;
    if (fields >> running_ns >> waiting_ns >> timeslices) {
      result.delay_s[id] = 1e-9 * waiting_ns;
      result.num_timeslices += timeslices;
    }
  }
  return result;
}

}  // namespace weft::counters::detail
