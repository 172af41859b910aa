// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a trace as Perfetto reads it: tracks, slices on them, instants, flows and counters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "counters/trace_output.hpp"
#include "counters/trace_proto.hpp"
#include "counters/trace_writer.hpp"

namespace weft::counters::detail {

/// Perfetto's own format, in protocol buffers.
///
/// Source:  Perfetto's protos/perfetto/trace/trace_packet.proto and track_event/track_event.proto.
class perfetto_writer final : public trace_writer {
 public:
  /// Errors: `weft::error` if the file cannot be written.
  perfetto_writer(const std::filesystem::path& destination, const clock_snapshot& start);

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

  void finish() override { file_.finish(); }

 private:
  enum class event_type : std::uint8_t { begin = 1, end = 2, instant = 3, counter = 4 };

  void write_start(const clock_snapshot& start);
  void write_event(const moment& when, event_type type);
  void write_packet(std::uint64_t sequence_flags);
  void add_description(const proto_message& description);
  void label(const event_label& what);

  trace_output file_;
  std::unordered_map<std::string, name_id> names_;
  proto_message interned_;  // since the last packet
  proto_message event_;
  proto_message packet_;
  proto_message framed_;
};

}  // namespace weft::counters::detail
