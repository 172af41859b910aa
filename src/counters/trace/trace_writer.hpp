// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a trace, independent of its file format.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace weft::counters::detail {

enum class event_category : std::uint8_t {
  task = 1,
  caller,
  spawn,
  wait,
  idle,
  steal,
  lost,
  annotation,
  decision
};
inline constexpr std::array<std::string_view, 9> category_names{
    "task", "caller", "spawn", "wait", "idle", "steal", "lost", "annotation", "decision"};

/// The number of an interned name; 0: none.
using name_id = std::uint64_t;

/// The description of an event. A flow connects the event that it leaves with the event that it
/// enters; 0: none.
struct event_label {
  event_category category = event_category::task;
  name_id name = 0;
  std::uint64_t outgoing_flow = 0;
  std::array<std::uint64_t, 2> incoming_flows = {};
};

/// One moment on several clocks.
struct clock_snapshot {
  std::int64_t steady_ns = 0;
  std::int64_t realtime_ns = 0;
  std::int64_t boottime_ns = 0;
};

/// A trace file being written. It gets its name when it is finished.
///
/// Shape:   tracks are numbers chosen by the caller, from 1. Times never decrease.
class trace_writer {
 public:
  struct moment {
    std::uint64_t track;
    std::int64_t steady_ns;
  };

  trace_writer() = default;
  trace_writer(const trace_writer&) = delete;
  trace_writer& operator=(const trace_writer&) = delete;
  virtual ~trace_writer() = default;

  virtual void add_process(std::uint64_t track, std::int64_t process_id, std::string_view name) = 0;
  virtual void add_track(std::uint64_t track,
                         std::uint64_t parent,
                         std::string_view name,
                         int rank) = 0;
  virtual void add_counter(std::uint64_t track,
                           std::uint64_t parent,
                           std::string_view name,
                           int rank) = 0;

  [[nodiscard]] virtual name_id intern(std::string_view name) = 0;

  virtual void begin(const moment& when, const event_label& what) = 0;
  virtual void end(const moment& when) = 0;
  virtual void instant(const moment& when, const event_label& what) = 0;
  virtual void count(const moment& when, std::int64_t value) = 0;

  /// Errors: `weft::error` if not all could be written; there is no file then.
  virtual void finish() = 0;
};

/// Makes a writer for the format that the name implies: Chrome's JSON for ".json", otherwise
/// Perfetto's.
///
/// Errors: `weft::error` if the file cannot be written.
[[nodiscard]] std::unique_ptr<trace_writer> make_trace_writer(
    const std::filesystem::path& destination, const clock_snapshot& start);

/// Called by `make_trace_writer` only.
[[nodiscard]] std::unique_ptr<trace_writer> make_chrome_writer(
    const std::filesystem::path& destination, const clock_snapshot& start);
[[nodiscard]] std::unique_ptr<trace_writer> make_perfetto_writer(
    const std::filesystem::path& destination, const clock_snapshot& start);

}  // namespace weft::counters::detail
