// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a trace as Chrome's JSON, for chrome://tracing and scripts.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "counters/print/number_text.hpp"
#include "counters/trace/trace_output.hpp"
#include "counters/trace/trace_writer.hpp"

namespace weft::counters::detail {
namespace {

namespace phase {
constexpr char begin = 'B';
constexpr char end = 'E';
constexpr char instant = 'i';
constexpr char counter = 'C';
constexpr char flow_start = 's';
constexpr char flow_end = 'f';
}  // namespace phase

/// Returns "1234.567" for 1234567: exact, where a double would round.
std::string microseconds(std::int64_t ns) {
  const std::string sign = ns < 0 ? "-" : "";
  const std::uint64_t size =
      ns < 0 ? ~static_cast<std::uint64_t>(ns) + 1 : static_cast<std::uint64_t>(ns);
  const std::string decimals = std::to_string(size % 1000);
  return sign + std::to_string(size / 1000) + '.' + std::string(3 - decimals.size(), '0') +
         decimals;
}

/// Writes one event a line. A track is a thread whose id is the track's number; a counter belongs
/// to the process.
///
/// A flow connects slices only. A flow that leaves a mark begins at the slice around that mark.
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
  /// `rest`: the members after those that every event has.
  void write_event(char phase, const moment& when, std::string_view rest);
  void write_flow(char phase, const moment& when, std::uint64_t flow);
  void write_flows(const moment& when, const event_label& what);
  void write_metadata(std::string_view kind, std::uint64_t track, std::string_view value);
  [[nodiscard]] std::string label(const event_label& what) const;

  trace_output file_;
  std::string process_id_ = "0";
  bool is_first_ = true;
  std::unordered_map<std::string, name_id> names_;
  std::vector<std::string> texts_;                           // the names as JSON
  std::unordered_map<std::uint64_t, std::string> counters_;  // by track, as JSON
};

chrome_writer::chrome_writer(const std::filesystem::path& destination, const clock_snapshot& start)
    : file_(destination) {
  file_.write("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"steady_ns\":" +
              std::to_string(start.steady_ns) +
              ",\"realtime_ns\":" + std::to_string(start.realtime_ns) +
              ",\"boottime_ns\":" + std::to_string(start.boottime_ns) + "},\n\"traceEvents\":[");
}

void chrome_writer::write_event(char phase, const moment& when, std::string_view rest) {
  std::string line = is_first_ ? "\n" : ",\n";
  is_first_ = false;
  line += "{\"ph\":\"";
  line += phase;
  line += "\",\"pid\":" + process_id_ + ",\"tid\":" + std::to_string(when.track) +
          ",\"ts\":" + microseconds(when.steady_ns);
  line += rest;
  file_.write(line += '}');
}

void chrome_writer::write_metadata(std::string_view kind,
                                   std::uint64_t track,
                                   std::string_view value) {
  std::string rest = ",\"name\":";
  rest.append(json_string(kind)).append(",\"args\":{").append(value).append("}");
  write_event('M', {.track = track, .steady_ns = 0}, rest);
}

void chrome_writer::add_process(std::uint64_t track,
                                std::int64_t process_id,
                                std::string_view name) {
  process_id_ = std::to_string(process_id);
  write_metadata("process_name", track, "\"name\":" + json_string(name));
}

void chrome_writer::add_track(std::uint64_t track,
                              std::uint64_t /*parent*/,
                              std::string_view name,
                              int rank) {
  write_metadata("thread_name", track, "\"name\":" + json_string(name));
  write_metadata("thread_sort_index", track, "\"sort_index\":" + std::to_string(rank));
}

void chrome_writer::add_counter(std::uint64_t track,
                                std::uint64_t /*parent*/,
                                std::string_view name,
                                int /*rank*/) {
  counters_.insert_or_assign(track, json_string(name));
}

name_id chrome_writer::intern(std::string_view name) {
  const auto [known, is_new] = names_.try_emplace(std::string(name), names_.size() + 1);
  if (is_new) {
    texts_.push_back(json_string(name));
  }
  return known->second;
}

std::string chrome_writer::label(const event_label& what) const {
  const auto category = static_cast<std::size_t>(what.category) - 1;
  return ",\"cat\":" + json_string(category_names[category]) + ",\"name\":" + texts_[what.name - 1];
}

void chrome_writer::write_flow(char phase, const moment& when, std::uint64_t flow) {
  if (flow != 0) {
    write_event(phase,
                when,
                ",\"cat\":\"flow\",\"name\":\"flow\",\"bp\":\"e\",\"id\":" + std::to_string(flow));
  }
}

void chrome_writer::write_flows(const moment& when, const event_label& what) {
  for (const std::uint64_t flow : what.incoming_flows) {
    write_flow(phase::flow_end, when, flow);
  }
  write_flow(phase::flow_start, when, what.outgoing_flow);
}

void chrome_writer::begin(const moment& when, const event_label& what) {
  write_event(phase::begin, when, label(what));
  write_flows(when, what);
}

void chrome_writer::end(const moment& when) { write_event(phase::end, when, {}); }

void chrome_writer::instant(const moment& when, const event_label& what) {
  write_event(phase::instant, when, label(what) + ",\"s\":\"t\"");
  write_flows(when, what);
}

void chrome_writer::count(const moment& when, std::int64_t value) {
  write_event(
      phase::counter,
      when,
      ",\"name\":" + counters_[when.track] + ",\"args\":{\"value\":" + std::to_string(value) + '}');
}

void chrome_writer::finish() {
  file_.write("\n]}\n");
  file_.finish();
}

}  // namespace

std::unique_ptr<trace_writer> make_chrome_writer(const std::filesystem::path& destination,
                                                 const clock_snapshot& start) {
  return std::make_unique<chrome_writer>(destination, start);
}

}  // namespace weft::counters::detail
