// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts workers' records, in the order of their times, to slices, flows and counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "weft/counters/trace_ring.hpp"

#include "counters/trace/trace_writer.hpp"

namespace weft::counters::detail {

/// A worker's track shows its tasks, within them the tasks that they ran as calls, and between them
/// the time without work. A task that waits leaves its worker's track, and resumes on another one.
/// If it runs as a call within other tasks, they move with it, as slices of the category `caller`.
/// So there is one slice of the category `task` for each task begun and each one resumed.
class slice_builder {
 public:
  struct plan {
    std::size_t num_rings = 0;
    std::optional<std::int64_t> first_ns;  // earlier events are not written
    bool is_complete = true;               // no record was lost before the first one
    std::function<std::string(std::uint64_t label)> name_of;
    std::function<std::string(std::uint64_t number)> annotation_of;
  };
  static constexpr std::uint64_t first_worker_track = 16;
  static constexpr std::uint64_t busy_workers_track = 2;
  static constexpr std::uint64_t waiting_tasks_track = 3;

  slice_builder(trace_writer& writer, plan what);

  void add(std::size_t ring, std::int64_t steady_ns, const trace_record& record);
  /// Returns the task that `record` runs if no spawn of the task has been seen. Its spawn was
  /// recorded later than its run, or it came from outside.
  [[nodiscard]] std::optional<std::uint64_t> unspawned_task(const trace_record& record) const;
  /// Ends all slices that are not tasks. Unfinished tasks are left without an end.
  void finish();

  [[nodiscard]] std::uint64_t num_slices() const noexcept { return num_slices_; }
  [[nodiscard]] std::uint64_t num_unmatched() const noexcept { return num_unmatched_; }

 private:
  struct worker_track {
    std::vector<name_id> open;  // running tasks, the innermost last
    name_id idle = 0;           // 0: not idle
    bool is_busy = false;
  };
  struct suspended_task {
    std::vector<name_id> open;
    std::uint64_t flow = 0;        // begins at its wait
    std::uint64_t ready_flow = 0;  // begins at the event that made it ready
    std::uint64_t ready_task = 0;  // the task that is queued to resume it
  };

  void start_writing();
  void begin(std::size_t ring, const trace_record& record);
  void annotate(std::size_t ring, const trace_record& record);
  void decide(std::size_t ring, const trace_record& record);
  [[nodiscard]] name_id annotation(const trace_record& record, const char* otherwise);
  void end(std::size_t ring);
  void suspend(std::size_t ring, const trace_record& record);
  void resume(std::size_t ring, const trace_record& record);
  void spawn(std::size_t ring, const trace_record& record);
  void make_ready(std::size_t ring, const trace_record& record);
  void open_task(std::size_t ring, const event_label& what);
  void close_all(worker_track& track, std::size_t ring);
  void go_idle(std::size_t ring, const char* how);
  void stop_idling(std::size_t ring);
  void set_busy(worker_track& track, bool is_busy);
  void count_waiting();
  void write_waiting();
  [[nodiscard]] name_id task_name(std::uint64_t label);
  [[nodiscard]] std::uint64_t new_flow();
  [[nodiscard]] trace_writer::moment at(std::size_t ring) const;

  trace_writer& writer_;
  plan plan_;
  bool is_writing_ = false;
  std::int64_t now_ns_ = 0;
  std::int64_t waiting_written_ = 0;
  std::int64_t waiting_written_ns_ = 0;
  std::vector<worker_track> tracks_;
  std::unordered_map<std::uint64_t, std::uint64_t> spawned_;     // flows by task
  std::unordered_map<std::uint64_t, suspended_task> suspended_;  // by stack
  std::unordered_set<std::uint64_t> ready_;                      // queued to resume, not new tasks
  std::unordered_map<std::uint64_t, name_id> task_names_;
  std::uint64_t num_flows_ = 0;
  std::int64_t num_busy_ = 0;
  std::uint64_t num_slices_ = 0;
  std::uint64_t num_unmatched_ = 0;
};

}  // namespace weft::counters::detail
