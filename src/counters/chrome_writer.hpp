// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a trace as Chrome's JSON, for chrome://tracing and scripts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "counters/trace_output.hpp"
#include "counters/trace_writer.hpp"

namespace weft::counters::detail {

/// One event a line. A track is a thread whose id is the track's number; a counter is the
/// process's.
///
/// A flow connects slices only: one that goes out of a mark begins at the slice around that mark.
/// Units:   `ts` in microseconds of the steady clock, with three decimals.
/// Source:  "Trace Event Format", the document that chrome://tracing refers to.
class chrome_writer final : public trace_writer {
 public:
  /// Errors: `weft::error` if the file cannot be written.
  chrome_writer(const std::filesystem::path& destination, const clock_snapshot& start);

  void add_process(std::uint64_t track, std::int64_t process_id, std::string_view name) override;
  void add_track(std::uint64_t track,
                 std::uint64_t parent,
                 std::string_view name,
                 int rank) override;
  void add_counter(std::uint64_t track,
                   std::uint64_t parent,
                   std::string_view name,
                   int rank) override;

  [[nodiscard]] name_id intern(std::string_view name) override;

  void begin(const moment& when, const event_label& what) override;
  void end(const moment& when) override;
  void instant(const moment& when, const event_label& what) override;
  void count(const moment& when, std::int64_t value) override;

  void finish() override;

 private:
  /// `rest`: members behind those that every event has.
  void write_event(char phase, const moment& when, std::string_view rest);
  void write_flow(char phase, const moment& when, std::uint64_t flow);
  void write_flows(const moment& when, const event_label& what);
  void write_metadata(std::string_view kind, std::uint64_t track, std::string_view value);
  [[nodiscard]] std::string label(const event_label& what) const;

  trace_output file_;
  std::string process_id_ = "0";
  bool is_first_ = true;
  std::unordered_map<std::string, name_id> names_;
  std::vector<std::string> texts_;                           // of names, as JSON
  std::unordered_map<std::uint64_t, std::string> counters_;  // by track, as JSON
};

}  // namespace weft::counters::detail
