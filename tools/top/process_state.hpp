// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a snapshot says, in the terms of this build.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/segment_format.hpp"
#include "weft/counters/worker_block.hpp"

#include "top/layout.hpp"
#include "top/snapshot.hpp"

namespace weft::top {

struct label_time {
  std::uint64_t address = 0;
  double num = 0;    // tasks, estimated
  double ticks = 0;  // in their bodies, estimated
};

struct worker_state_now {
  counters::block_owner owner = counters::block_owner::nobody;
  std::uint32_t pool = 0;
  std::uint32_t worker = 0;
  std::uint64_t thread_id = 0;  // 0: not known
  counters::worker_state state = counters::worker_state::absent;
  std::uint64_t state_since_ticks = 0;
  std::uint64_t queue_length = 0;
  std::uint64_t sample_period = 0;
  std::uint64_t current_label = 0;       // of the timed task that began last; 0: none yet
  counters::block_reading reading = {};  // up to the moment of the snapshot
  std::vector<label_time> labels = {};
};

enum class process_status : std::uint8_t {
  running,
  ended,   // as processes should
  killed,  // by a signal, or it left without its exit handlers
};

struct process_state {
  header_facts header = {};
  process_status status = process_status::running;
  process_facts process;
  counters::clock_pair now;
  std::int64_t realtime_ns = 0;
  double seconds_per_tick = 0;
  std::uint64_t last_sign_ticks = 0;           // the last moment at which it is known to have lived
  std::vector<worker_state_now> workers = {};  // those that are there
  counters::block_reading gone = {};      // sums of those who left, and of pools that are closed
  std::vector<std::string> missing = {};  // numbers that the program's weft does not count

  [[nodiscard]] double seconds(double ticks) const { return ticks * seconds_per_tick; }
  [[nodiscard]] bool has(std::string_view field) const;
};

/// Says what a snapshot means. `alive_ticks`: when the process was last seen alive, if it was.
/// Errors: `weft::error` if the copy contradicts itself.
[[nodiscard]] process_state decode(const snapshot& taken, std::uint64_t alive_ticks = 0);

}  // namespace weft::top
