// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a trace for Perfetto: tracks, slices on them, instants, flows and counters.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "counters/trace/trace_output.hpp"
#include "counters/trace/trace_proto.hpp"
#include "counters/trace/trace_writer.hpp"

namespace weft::counters::detail {
namespace {

namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace trace_packet {
constexpr std::uint32_t clock_snapshot = 6;
constexpr std::uint32_t timestamp = 8;
constexpr std::uint32_t trusted_packet_sequence_id = 10;
constexpr std::uint32_t track_event = 11;
constexpr std::uint32_t interned_data = 12;
constexpr std::uint32_t sequence_flags = 13;
constexpr std::uint32_t trace_packet_defaults = 59;
constexpr std::uint32_t track_descriptor = 60;
}  // namespace trace_packet
namespace sequence_flag {
constexpr std::uint64_t state_cleared = 1;
constexpr std::uint64_t needs_state = 2;
}  // namespace sequence_flag
namespace packet_defaults {
constexpr std::uint32_t timestamp_clock_id = 58;
}
namespace clock_snapshot_field {
constexpr std::uint32_t clocks = 1;
constexpr std::uint32_t primary_trace_clock = 2;
constexpr std::uint32_t clock_id = 1;
constexpr std::uint32_t timestamp = 2;
}  // namespace clock_snapshot_field
namespace clock {
constexpr std::uint64_t realtime = 1;
constexpr std::uint64_t monotonic = 3;
constexpr std::uint64_t boottime = 6;
}  // namespace clock
namespace track_descriptor {
constexpr std::uint32_t uuid = 1;
constexpr std::uint32_t name = 2;
constexpr std::uint32_t process = 3;
constexpr std::uint32_t parent_uuid = 5;
constexpr std::uint32_t counter = 8;
constexpr std::uint32_t child_ordering = 11;
constexpr std::uint32_t sibling_order_rank = 12;
constexpr std::uint64_t explicit_order = 3;
}  // namespace track_descriptor
namespace process_descriptor {
constexpr std::uint32_t pid = 1;
constexpr std::uint32_t process_name = 6;
}  // namespace process_descriptor
namespace counter_descriptor {
constexpr std::uint32_t unit = 3;
constexpr std::uint64_t unit_count = 2;
}  // namespace counter_descriptor
namespace track_event {
constexpr std::uint32_t category_iids = 3;
constexpr std::uint32_t type = 9;
constexpr std::uint32_t name_iid = 10;
constexpr std::uint32_t track_uuid = 11;
constexpr std::uint32_t counter_value = 30;
constexpr std::uint32_t flow_ids = 47;
constexpr std::uint32_t terminating_flow_ids = 48;
}  // namespace track_event
namespace interned_data {
constexpr std::uint32_t event_categories = 1;
constexpr std::uint32_t event_names = 2;
constexpr std::uint32_t iid = 1;
constexpr std::uint32_t name = 2;
}  // namespace interned_data

constexpr std::uint64_t only_sequence = 1;

proto_message interned_text(std::uint64_t id, std::string_view text) {
  proto_message result;
  result.varint(interned_data::iid, id);
  result.text(interned_data::name, text);
  return result;
}

proto_message reading_of(std::uint64_t clock_id, std::int64_t value_ns) {
  proto_message result;
  result.varint(clock_snapshot_field::clock_id, clock_id);
  result.signed_varint(clock_snapshot_field::timestamp, value_ns);
  return result;
}

proto_message description_of(std::uint64_t track,
                             std::uint64_t parent,
                             std::string_view name,
                             int rank) {
  proto_message result;
  result.varint(track_descriptor::uuid, track);
  result.varint(track_descriptor::parent_uuid, parent);
  result.text(track_descriptor::name, name);
  result.signed_varint(track_descriptor::sibling_order_rank, rank);
  return result;
}

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
  proto_message interned_;  // names interned since the last packet
  proto_message event_;
  proto_message packet_;
  proto_message framed_;
};

perfetto_writer::perfetto_writer(const std::filesystem::path& destination,
                                 const clock_snapshot& start)
    : file_(destination) {
  write_start(start);
}

void perfetto_writer::write_start(const clock_snapshot& start) {
  proto_message clocks;
  clocks.nested(clock_snapshot_field::clocks, reading_of(clock::monotonic, start.steady_ns));
  clocks.nested(clock_snapshot_field::clocks, reading_of(clock::realtime, start.realtime_ns));
  clocks.nested(clock_snapshot_field::clocks, reading_of(clock::boottime, start.boottime_ns));
  clocks.varint(clock_snapshot_field::primary_trace_clock, clock::monotonic);
  packet_.nested(trace_packet::clock_snapshot, clocks);

  proto_message defaults;
  defaults.varint(packet_defaults::timestamp_clock_id, clock::monotonic);
  packet_.nested(trace_packet::trace_packet_defaults, defaults);
  for (std::size_t i = 0; i < category_names.size(); ++i) {
    interned_.nested(interned_data::event_categories, interned_text(i + 1, category_names[i]));
  }
  write_packet(sequence_flag::state_cleared);
}

void perfetto_writer::add_description(const proto_message& description) {
  packet_.nested(trace_packet::track_descriptor, description);
  write_packet(sequence_flag::needs_state);
}

void perfetto_writer::add_process(std::uint64_t track,
                                  std::int64_t process_id,
                                  std::string_view name) {
  proto_message process;
  process.signed_varint(process_descriptor::pid, process_id);
  process.text(process_descriptor::process_name, name);
  proto_message description;
  description.varint(track_descriptor::uuid, track);
  description.nested(track_descriptor::process, process);
  description.varint(track_descriptor::child_ordering, track_descriptor::explicit_order);
  add_description(description);
}

void perfetto_writer::add_track(std::uint64_t track,
                                std::uint64_t parent,
                                std::string_view name,
                                int rank) {
  add_description(description_of(track, parent, name, rank));
}

void perfetto_writer::add_counter(std::uint64_t track,
                                  std::uint64_t parent,
                                  std::string_view name,
                                  int rank) {
  proto_message counter;
  counter.varint(counter_descriptor::unit, counter_descriptor::unit_count);
  proto_message description = description_of(track, parent, name, rank);
  description.nested(track_descriptor::counter, counter);
  add_description(description);
}

name_id perfetto_writer::intern(std::string_view name) {
  const std::uint64_t next = names_.size() + 1;
  const auto [known, is_new] = names_.try_emplace(std::string(name), next);
  if (is_new) {
    interned_.nested(interned_data::event_names, interned_text(next, name));
  }
  return known->second;
}

void perfetto_writer::label(const event_label& what) {
  event_.varint(track_event::category_iids, static_cast<std::uint64_t>(what.category));
  event_.varint(track_event::name_iid, what.name);
  if (what.outgoing_flow != 0) {
    event_.fixed64(track_event::flow_ids, what.outgoing_flow);
  }
  for (const std::uint64_t flow : what.incoming_flows) {
    if (flow != 0) {
      event_.fixed64(track_event::terminating_flow_ids, flow);
    }
  }
}

void perfetto_writer::begin(const moment& when, const event_label& what) {
  label(what);
  write_event(when, event_type::begin);
}

void perfetto_writer::end(const moment& when) { write_event(when, event_type::end); }

void perfetto_writer::instant(const moment& when, const event_label& what) {
  label(what);
  write_event(when, event_type::instant);
}

void perfetto_writer::count(const moment& when, std::int64_t value) {
  event_.signed_varint(track_event::counter_value, value);
  write_event(when, event_type::counter);
}

void perfetto_writer::write_event(const moment& when, event_type type) {
  event_.varint(track_event::type, static_cast<std::uint64_t>(type));
  event_.varint(track_event::track_uuid, when.track);
  packet_.signed_varint(trace_packet::timestamp, when.steady_ns);
  packet_.nested(trace_packet::track_event, event_);
  event_.clear();
  write_packet(sequence_flag::needs_state);
}

void perfetto_writer::write_packet(std::uint64_t sequence_flags) {
  packet_.varint(trace_packet::trusted_packet_sequence_id, only_sequence);
  packet_.varint(trace_packet::sequence_flags, sequence_flags);
  if (!interned_.bytes().empty()) {
    packet_.nested(trace_packet::interned_data, interned_);
    interned_.clear();
  }
  framed_.nested(trace::packet, packet_);
  file_.write(framed_.bytes());
  packet_.clear();
  framed_.clear();
}

}  // namespace

std::unique_ptr<trace_writer> make_perfetto_writer(const std::filesystem::path& destination,
                                                   const clock_snapshot& start) {
  return std::make_unique<perfetto_writer>(destination, start);
}

}  // namespace weft::counters::detail
