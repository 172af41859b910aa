// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a trace as Perfetto reads it: tracks, slices on them, instants, flows and counters.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>

#include "counters/trace_proto.hpp"

namespace weft::counters::detail {

enum class event_category : std::uint8_t {
  task = 1,
  caller,
  spawn,
  wait,
  idle,
  steal,
  lost,
  annotation
};

/// A name that was interned; 0: none.
using name_id = std::uint64_t;

/// What an event is. Flows connect the event they go out of with the one they come in at; 0: none.
struct event_label {
  event_category category = event_category::task;
  name_id name = 0;
  std::uint64_t outgoing_flow = 0;
  std::array<std::uint64_t, 2> incoming_flows = {};
};

/// The same moment on several clocks.
struct clock_snapshot {
  std::int64_t steady_ns = 0;
  std::int64_t realtime_ns = 0;
  std::int64_t boottime_ns = 0;
};

/// One file under construction; it gets its name when it is finished.
///
/// Shape:   tracks are numbers of the caller's choice, from 1. Times never go down.
/// Source:  Perfetto's protos/perfetto/trace/trace_packet.proto and track_event/track_event.proto.
class perfetto_writer {
 public:
  /// Errors: `weft::error` if the file cannot be written.
  perfetto_writer(std::filesystem::path destination, const clock_snapshot& start);

  void add_process(std::uint64_t track, std::int64_t process_id, std::string_view name);
  void add_track(std::uint64_t track, std::uint64_t parent, std::string_view name, int rank);
  void add_counter(std::uint64_t track, std::uint64_t parent, std::string_view name, int rank);

  [[nodiscard]] name_id intern(std::string_view name);

  struct moment {
    std::uint64_t track;
    std::int64_t steady_ns;
  };
  void begin(const moment& when, const event_label& what);
  void end(const moment& when);
  void instant(const moment& when, const event_label& what);
  void count(const moment& when, std::int64_t value);

  /// Errors: `weft::error` if not all could be written; there is no file then.
  void finish();

 private:
  enum class event_type : std::uint8_t { begin = 1, end = 2, instant = 3, counter = 4 };

  void write_start(const clock_snapshot& start);
  void write_event(const moment& when, event_type type);
  void write_packet(std::uint64_t sequence_flags);
  void add_description(const proto_message& description);
  void label(const event_label& what);

  std::filesystem::path destination_;
  std::filesystem::path unfinished_;
  std::ofstream file_;
  std::unordered_map<std::string, name_id> names_;
  proto_message interned_;  // since the last packet
  proto_message event_;
  proto_message packet_;
  proto_message framed_;
};

}  // namespace weft::counters::detail
