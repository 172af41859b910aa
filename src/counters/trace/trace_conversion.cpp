// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads rings, writes events.
#include "counters/trace/trace_conversion.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/printable.hpp"
#include "weft/counters/tick_clock.hpp"
#include "weft/counters/trace.hpp"
#include "weft/counters/trace_ring.hpp"
#include "weft/counters/worker_block.hpp"

#include "counters/trace/symbols.hpp"
#include "counters/trace/task_names.hpp"
#include "counters/trace/trace_file.hpp"
#include "counters/trace/trace_reader.hpp"
#include "counters/trace/trace_slices.hpp"
#include "counters/trace/trace_writer.hpp"

namespace weft::counters::detail {
namespace {

constexpr std::uint64_t process_track = 1;

// 73 years. Times are limited to this, so that sums and differences of several times fit.
constexpr std::int64_t longest_ns = std::int64_t{1} << 61;

/// Converts ticks to times of the steady clock.
class tick_scale {
 public:
  explicit tick_scale(const trace_file_header& header) noexcept
      : start_ticks_(header.start_ticks),
        start_ns_(std::min(header.start_steady_ns, longest_ns)),
        ns_per_tick_(header.ns_per_tick) {
    // If the machine has not rebooted since, both clocks have continued after the process ended.
    if (current_boot_id() == header.boot_id.data()) {
      const std::chrono::steady_clock::time_point start{std::chrono::nanoseconds(start_ns_)};
      const tick_moment now = tick_moment_now();
      if (now.ticks > start_ticks_ && now.time - start > std::chrono::milliseconds(10)) {
        ns_per_tick_ = seconds_per_tick({.ticks = start_ticks_, .time = start}, now) * 1e9;
      }
    }
  }

  /// At most 37 years from the start of the recording.
  [[nodiscard]] std::int64_t ns(std::uint64_t ticks) const noexcept {
    constexpr double most_ns = static_cast<double>(longest_ns) / 2;
    const auto passed = static_cast<std::int64_t>(ticks - start_ticks_);
    const double passed_ns = static_cast<double>(passed) * ns_per_tick_;
    return start_ns_ + static_cast<std::int64_t>(std::clamp(passed_ns, -most_ns, most_ns));
  }

 private:
  std::uint64_t start_ticks_;
  std::int64_t start_ns_;
  double ns_per_tick_;
};

/// The time of the newest record; nothing if there is none.
std::optional<std::uint64_t> newest_ticks(const std::vector<ring_view>& rings) {
  std::optional<std::uint64_t> newest;
  std::vector<trace_record> last;
  for (const ring_view& ring : rings) {
    const std::uint64_t num = ring.num_written();
    if (num != 0) {
      ring.copy(num - 1, 1, last);
      for (const trace_record& record : last) {
        newest = std::max(newest.value_or(0), record.ticks);
      }
    }
  }
  return newest;
}

std::string track_name(const ring_view& ring, bool has_several_pools) {
  if (ring.pool() == decisions_pool) {
    return "decisions of policies";
  }
  const std::string worker = name_of_worker(ring.worker(), "worker", " ");
  return has_several_pools ? "pool " + std::to_string(ring.pool()) + ", " + worker : worker;
}

void describe_tracks(trace_writer& writer,
                     const trace_file_header& header,
                     const std::vector<ring_view>& rings) {
  const std::filesystem::path program(header.program.data());
  writer.add_process(process_track, header.process_id, program.filename().string());
  writer.add_counter(slice_builder::busy_workers_track, process_track, "busy workers", 0);
  writer.add_counter(
      slice_builder::waiting_tasks_track, process_track, "tasks spawned, not begun", 1);
  std::set<std::uint32_t> pools;
  for (const ring_view& ring : rings) {
    if (ring.pool() != decisions_pool) {
      pools.insert(ring.pool());
    }
  }
  constexpr int ranks_per_pool = 1 << 16;
  constexpr std::ptrdiff_t most_pools = 1 << 14;  // more pools have equal ranks
  constexpr int first_rank = 2;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    const ring_view& ring = rings[i];
    const auto pool = std::min(std::distance(pools.begin(), pools.find(ring.pool())), most_pools);
    writer.add_track(slice_builder::first_worker_track + i,
                     process_track,
                     track_name(ring, pools.size() > 1),
                     first_rank + static_cast<int>(pool) * ranks_per_pool +
                         static_cast<int>(ring.worker() % ranks_per_pool));
  }
}

std::string name_at(symbol_finder& symbols, std::uint64_t address) {
  const code_place place = symbols.find(address);
  if (place.function.empty()) {
    return place.text;
  }
  const std::string name = task_name_of_symbol(place.function, symbols.on_behalf_of());
  return place.source_file.empty() ? name : name + " (" + place.source_file + ')';
}

/// Tracks which records were written, and which ones are missing before them.
class coverage {
 public:
  coverage(std::size_t num_rings, std::optional<std::int64_t> first_ns)
      : first_ns_(first_ns.value_or(std::numeric_limits<std::int64_t>::min())),
        first_of_ring_(num_rings) {}

  void add(std::size_t ring, std::int64_t steady_ns) {
    if (!first_of_ring_[ring]) {
      first_of_ring_[ring] = steady_ns;
    }
  }

  /// Marks lost records on each worker's track, and returns how many of the written period were
  /// lost.
  std::uint64_t mark_losses(trace_writer& writer, const merging_reader& records) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < first_of_ring_.size(); ++i) {
      const std::int64_t since_ns = first_of_ring_[i].value_or(first_ns_);
      const std::uint64_t num_lost = since_ns > first_ns_ ? records.num_lost(i) : 0;
      sum += num_lost;
      if (num_lost != 0) {
        const std::string what = std::to_string(num_lost) + " earlier records overwritten";
        writer.instant({.track = slice_builder::first_worker_track + i, .steady_ns = since_ns},
                       {.category = event_category::lost, .name = writer.intern(what)});
      }
    }
    return sum;
  }

 private:
  std::int64_t first_ns_;
  std::vector<std::optional<std::int64_t>> first_of_ring_;
};

std::optional<std::int64_t> begin_of(const std::vector<ring_view>& rings,
                                     const tick_scale& scale,
                                     std::chrono::nanoseconds last) {
  const auto newest = newest_ticks(rings);
  return last.count() == 0 || !newest
             ? std::nullopt
             : std::optional(scale.ns(*newest) - std::min<std::int64_t>(last.count(), longest_ns));
}

}  // namespace

trace_summary convert_trace(const trace_file_view& file,
                            const std::filesystem::path& destination,
                            std::optional<std::chrono::nanoseconds> last) {
  const trace_file_header& header = file.header();
  const std::vector<ring_view> rings = file.rings();
  const tick_scale scale(header);
  const auto made = make_trace_writer(destination,
                                      {.steady_ns = header.start_steady_ns,
                                       .realtime_ns = header.start_realtime_ns,
                                       .boottime_ns = header.start_boottime_ns});
  trace_writer& writer = *made;
  describe_tracks(writer, header, rings);

  symbol_finder symbols(std::string_view(header.modules.data(), header.num_module_bytes),
                        file.owner());
  merging_reader records(rings);
  const std::optional<std::int64_t> first_ns =
      begin_of(rings, scale, last.value_or(std::chrono::nanoseconds(header.last_ns)));
  slice_builder slices(
      writer,
      {.num_rings = rings.size(),
       .first_ns = first_ns,
       .is_complete = records.num_lost() == 0,
       .name_of = [&](std::uint64_t address) { return name_at(symbols, address); },
       .annotation_of = [&](std::uint64_t number) { return file.name_of(number); }});
  coverage covered(rings.size(), first_ns);
  std::int64_t now_ns = std::numeric_limits<std::int64_t>::min();
  while (const auto next = records.next()) {
    now_ns = std::max(now_ns, scale.ns(next->record.ticks));
    if (const auto task = slices.unspawned_task(next->record)) {
      if (const auto spawn = records.take_spawn_of(*task)) {
        covered.add(spawn->ring, now_ns);
        slices.add(spawn->ring, now_ns, spawn->record);
      }
    }
    covered.add(next->ring, now_ns);
    slices.add(next->ring, now_ns, next->record);
  }
  slices.finish();
  const std::uint64_t num_lost = covered.mark_losses(writer, records);
  writer.finish();
  return {.file = destination,
          .num_slices = slices.num_slices(),
          .num_lost_records = num_lost,
          .num_unmatched = slices.num_unmatched()};
}

std::string describe(const trace_summary& trace) {
  std::string text =
      "weft: trace " + base::printable(trace.file.string(), base::line_ends::masked) + ": " +
      std::to_string(trace.num_slices) + " slices; open it at https://ui.perfetto.dev\n";
  if (trace.num_lost_records != 0) {
    text += "weft: " + std::to_string(trace.num_lost_records) +
            " older records were overwritten; keep more with WEFT_TRACE_BUFFER=64MiB (per worker), "
            "or trace only the end with :last=1s\n";
  }
  if (trace.num_unmatched != 0) {
    text += "weft: " + std::to_string(trace.num_unmatched) +
            " ends of tasks were skipped, because their beginnings are lost\n";
  }
  return text;
}

}  // namespace weft::counters::detail
