// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of counters: a new counter is a new row here.
#include "weft/counters/catalog.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <linux/perf_event.h>

#include "counters/catalog_rows.hpp"
#include "counters/cpu_events.hpp"
#include "counters/event_counter.hpp"
#include "counters/event_source.hpp"
#include "counters/known_work.hpp"

namespace weft::counters {
namespace {

using detail::catalog_row;
using detail::event_code;
using detail::event_recipe;
using detail::fp_event;
using detail::fp_recipe;
using detail::known_work_rounds;
using detail::line_estimate_recipe;
using detail::memory_direction;
using detail::memory_recipe;
using detail::process_usage;
using detail::run_delay_recipe;
using detail::usage_recipe;
using enum counter_scope;

constexpr double seconds(const auto& time) noexcept {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

constexpr catalog_row usage_row(std::string_view name,
                                std::string_view unit,
                                std::string_view note,
                                double (*value)(const process_usage&)) {
  return {{name, unit, process, "getrusage", note}, usage_recipe{value}};
}

constexpr catalog_row event_row(std::string_view name,
                                std::string_view unit,
                                std::string_view source,
                                std::string_view note,
                                const event_recipe& how) {
  return {{name, unit, process, source, note}, how};
}

constexpr catalog_row fp_row(std::string_view name, std::string_view note, const fp_recipe& how) {
  return {{name, "events", process, "perf_event raw", note}, how};
}

constexpr catalog_row memory_row(std::string_view name,
                                 std::string_view note,
                                 memory_direction direction) {
  return {{name, "bytes", machine, "perf_event uncore", note}, memory_recipe{direction}};
}

constexpr event_code software(std::uint64_t event, bool is_user_only) {
  return {.type = PERF_TYPE_SOFTWARE, .config = event, .is_user_only = is_user_only};
}

constexpr event_code hardware(std::uint64_t event) {
  return {.type = PERF_TYPE_HARDWARE, .config = event};
}

// One counter per width, not per width and type: the eight together would not fit the hardware's
// counters, and multiplexing would blur all of them.
constexpr std::string_view fp_note =
    "user mode; floating-point instructions of this width, any element type: times lanes = "
    "operations; Intel counts a fused multiply-add twice, AMD counts once, and moves too";

constexpr std::array rows{
    usage_row("cpu_time",
              "s",
              "user and system time of all threads",
              [](const process_usage& u) { return seconds(u.ru_utime) + seconds(u.ru_stime); }),
    usage_row("user_time",
              "s",
              "time in user mode",
              [](const process_usage& u) { return seconds(u.ru_utime); }),
    usage_row("system_time",
              "s",
              "time in the kernel",
              [](const process_usage& u) { return seconds(u.ru_stime); }),
    usage_row("page_faults_minor",
              "events",
              "served without reading a disk: first touches",
              [](const process_usage& u) { return static_cast<double>(u.ru_minflt); }),
    usage_row("page_faults_major",
              "events",
              "had to read a disk",
              [](const process_usage& u) { return static_cast<double>(u.ru_majflt); }),
    usage_row("context_switches_voluntary",
              "events",
              "a thread waited",
              [](const process_usage& u) { return static_cast<double>(u.ru_nvcsw); }),
    usage_row("context_switches_involuntary",
              "events",
              "a thread was pushed off its CPU",
              [](const process_usage& u) { return static_cast<double>(u.ru_nivcsw); }),
    catalog_row{
        {"run_delay",
         "s",
         process,
         "/proc/self/task/*/schedstat",
         "threads ready to run, but waiting for a CPU; from the first start() to readings(), "
         "pauses included"},
        run_delay_recipe{}},
    event_row(
        "task_clock",
        "s",
        "perf_event software",
        "time on a CPU, all threads",
        {.code = software(PERF_COUNT_SW_TASK_CLOCK, true), .unit_per_count = 1e-9, .least = 1e-6}),
    event_row("cpu_migrations",
              "events",
              "perf_event software",
              "a thread went on on another CPU",
              {.code = software(PERF_COUNT_SW_CPU_MIGRATIONS, false)}),
    event_row("cycles",
              "events",
              "perf_event hardware",
              "user mode; core clock cycles, which turbo and power saving stretch",
              {.code = hardware(PERF_COUNT_HW_CPU_CYCLES), .least = 3.0 * known_work_rounds}),
    event_row("instructions",
              "events",
              "perf_event hardware",
              "user mode; retired",
              {.code = hardware(PERF_COUNT_HW_INSTRUCTIONS), .least = 10.0 * known_work_rounds}),
    event_row("branch_misses",
              "events",
              "perf_event hardware",
              "user mode; mispredicted branches",
              {.code = hardware(PERF_COUNT_HW_BRANCH_MISSES), .least = 0.1 * known_work_rounds}),
    event_row("cache_references",
              "events",
              "perf_event hardware",
              "user mode; Intel: requests to the last-level cache, AMD: to the L2 cache",
              {.code = hardware(PERF_COUNT_HW_CACHE_REFERENCES), .least = 1}),
    event_row("cache_misses",
              "events",
              "perf_event hardware",
              "user mode; Intel: misses of the last-level cache, AMD: of the L2 cache",
              {.code = hardware(PERF_COUNT_HW_CACHE_MISSES)}),
    fp_row("fp_scalar", fp_note, {.event = fp_event::scalar, .least = 0.25 * known_work_rounds}),
    fp_row("fp_128", fp_note, {.event = fp_event::packed_128}),
    fp_row("fp_256", fp_note, {.event = fp_event::packed_256}),
    fp_row("fp_512", fp_note, {.event = fp_event::packed_512}),
    fp_row("fp_operations",
           "user mode; AMD: additions, multiplications, divisions and roots of every lane, a fused "
           "multiply-add counts 2",
           {.event = fp_event::operations, .least = 0.25 * known_work_rounds}),
    memory_row("memory_read", "what the memory controllers read", memory_direction::read),
    memory_row("memory_written", "what the memory controllers wrote", memory_direction::write),
    catalog_row{{"memory_volume_llc_estimate",
                 "bytes",
                 process,
                 "perf_event hardware",
                 "an estimate: last-level cache misses x 64 bytes; no write-backs, not all "
                 "prefetches"},
                line_estimate_recipe{"cache_misses"}},
};

constexpr auto infos = [] {
  std::array<counter_info, rows.size()> result{};
  std::ranges::transform(rows, result.begin(), &catalog_row::info);
  return result;
}();

}  // namespace

std::span<const counter_info> catalog() noexcept { return infos; }

std::span<const catalog_row> detail::catalog_rows() noexcept { return rows; }

}  // namespace weft::counters
