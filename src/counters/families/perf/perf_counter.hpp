// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter of kernel events: on all threads of the process, on a worker's thread, or of the
// machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

#include "counters/families/perf/perf_event.hpp"
#include "counters/families/perf/perf_kernel.hpp"
#include "counters/families/perf/perf_machine.hpp"
#include "counters/families/perf/perf_plan.hpp"

namespace weft::counters::detail {

enum class perf_reading : std::uint8_t { count, rate_per_s };

/// Opens its events when first evaluated or reset, together with all others opened in the same
/// evaluation. Follows its worker to another thread.
class perf_counter final : public counter {
 public:
  /// Without `worker`, counts on all threads, including threads that they start later.
  perf_counter(std::shared_ptr<perf_machine> machine,
               perf_plan plan,
               std::optional<counter_name> worker,
               perf_reading reading);

  [[nodiscard]] counter_value evaluate(evaluation& now) override;
  void reset(evaluation& now) override;
  bool pause(evaluation& now) override;
  void resume(evaluation& now) override;

 private:
  void open(evaluation& now);
  void open_process(evaluation& now);
  void open_places();
  void follow(const counter_name& worker, evaluation& now);
  void open_thread(int thread_id, descent whose, event_leaders& leaders);
  /// Returns a descriptor, or the negative error code.
  int open_grouped(const event_code& code, const event_group_key& group, event_leaders& leaders);
  void fail(std::string reason);
  [[nodiscard]] counter_value value_of(double elapsed_s);

  std::shared_ptr<perf_machine> machine_;
  perf_plan plan_;
  std::optional<counter_name> worker_;
  perf_reading reading_;

  bool is_open_ = false;
  std::string reason_;  // why it is unavailable until the next reset
  std::vector<open_event> events_;
  std::chrono::steady_clock::time_point since_;
  std::optional<std::chrono::steady_clock::time_point> paused_at_;
};

}  // namespace weft::counters::detail
