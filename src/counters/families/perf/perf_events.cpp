// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named events of threads that the kernel translates for every processor.
#include "counters/families/perf/perf_events.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <linux/perf_event.h>

#include "counters/families/perf/known_work.hpp"
#include "counters/families/perf/perf_event.hpp"

namespace weft::counters::detail {
namespace {

constexpr event_code hardware(std::uint64_t event) {
  return {.type = PERF_TYPE_HARDWARE, .config = event};
}

constexpr event_code cache(std::uint64_t which, std::uint64_t operation, std::uint64_t result) {
  return {.type = PERF_TYPE_HW_CACHE, .config = which | (operation << 8) | (result << 16)};
}

constexpr event_code loads(std::uint64_t which) {
  return cache(which, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS);
}

constexpr event_code load_misses(std::uint64_t which) {
  return cache(which, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS);
}

constexpr event_code stores(std::uint64_t which) {
  return cache(which, PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS);
}

constexpr event_code store_misses(std::uint64_t which) {
  return cache(which, PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS);
}

constexpr event_code software(std::uint64_t event) {
  return {.type = PERF_TYPE_SOFTWARE, .config = event};
}

/// An event that happens in the kernel, and would not be counted in user mode.
constexpr event_code kernel_software(std::uint64_t event) {
  return {.type = PERF_TYPE_SOFTWARE, .config = event, .is_user_only = false};
}

constexpr double some = 1;
constexpr double each_round = known_work_rounds;

// clang-format off
constexpr std::array rows{
perf_event_row{"cycles", "", hardware(PERF_COUNT_HW_CPU_CYCLES), 3 * each_round,
  "Core clock cycles, which turbo and power saving stretch; user mode."},
perf_event_row{"instructions", "", hardware(PERF_COUNT_HW_INSTRUCTIONS), 10 * each_round,
  "Retired instructions; user mode."},
perf_event_row{"ref-cycles", "", hardware(PERF_COUNT_HW_REF_CPU_CYCLES), some,
  "Cycles of a clock of constant rate; user mode."},
perf_event_row{"bus-cycles", "", hardware(PERF_COUNT_HW_BUS_CYCLES), some,
  "Cycles of the bus clock; user mode."},
perf_event_row{"stalled-cycles-frontend", "", hardware(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND), 0,
  "Cycles in which no instruction was at hand; user mode."},
perf_event_row{"stalled-cycles-backend", "", hardware(PERF_COUNT_HW_STALLED_CYCLES_BACKEND), 0,
  "Cycles in which instructions waited for data or a unit; user mode."},
perf_event_row{"branches", "", hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS), each_round,
  "Retired branches; user mode."},
perf_event_row{"branch-misses", "", hardware(PERF_COUNT_HW_BRANCH_MISSES), 0.1 * each_round,
  "Mispredicted branches; user mode."},
perf_event_row{"cache-references", "", hardware(PERF_COUNT_HW_CACHE_REFERENCES), some,
  "Intel: requests to the last-level cache, AMD: to the L2 cache; user mode."},
perf_event_row{"cache-misses", "", hardware(PERF_COUNT_HW_CACHE_MISSES), 0,
  "Misses of the cache that cache-references is about; user mode."},
perf_event_row{"L1-dcache-loads", "", loads(PERF_COUNT_HW_CACHE_L1D), some,
  "Loads from the L1 data cache; user mode."},
perf_event_row{"L1-dcache-load-misses", "", load_misses(PERF_COUNT_HW_CACHE_L1D), some,
  "Loads that the L1 data cache did not have; user mode."},
perf_event_row{"L1-dcache-stores", "", stores(PERF_COUNT_HW_CACHE_L1D), some,
  "Stores to the L1 data cache; user mode."},
perf_event_row{"L1-icache-load-misses", "", load_misses(PERF_COUNT_HW_CACHE_L1I), 0,
  "Instructions that the L1 instruction cache did not have; user mode."},
perf_event_row{"LLC-loads", "", loads(PERF_COUNT_HW_CACHE_LL), 0,
  "Loads from the last-level cache; user mode."},
perf_event_row{"LLC-load-misses", "", load_misses(PERF_COUNT_HW_CACHE_LL), 0,
  "Loads that the last-level cache did not have; user mode."},
perf_event_row{"LLC-stores", "", stores(PERF_COUNT_HW_CACHE_LL), 0,
  "Stores to the last-level cache; user mode."},
perf_event_row{"LLC-store-misses", "", store_misses(PERF_COUNT_HW_CACHE_LL), 0,
  "Stores that the last-level cache did not have; user mode."},
perf_event_row{"dTLB-loads", "", loads(PERF_COUNT_HW_CACHE_DTLB), 0,
  "Loads that were translated to a physical address; user mode."},
perf_event_row{"dTLB-load-misses", "", load_misses(PERF_COUNT_HW_CACHE_DTLB), 0,
  "Loads whose translation was not at hand; user mode."},
perf_event_row{"iTLB-load-misses", "", load_misses(PERF_COUNT_HW_CACHE_ITLB), 0,
  "Instructions whose translation was not at hand; user mode."},
perf_event_row{"node-loads", "", loads(PERF_COUNT_HW_CACHE_NODE), 0,
  "Loads from memory; user mode."},
perf_event_row{"node-load-misses", "", load_misses(PERF_COUNT_HW_CACHE_NODE), 0,
  "Loads from the memory of another NUMA node; user mode."},
perf_event_row{"task-clock", "ns", software(PERF_COUNT_SW_TASK_CLOCK), 1000,
  "Time on a CPU; all modes."},
perf_event_row{"page-faults", "", software(PERF_COUNT_SW_PAGE_FAULTS), 0,
  "Page faults that user mode caused."},
perf_event_row{"minor-faults", "", software(PERF_COUNT_SW_PAGE_FAULTS_MIN), 0,
  "Page faults that user mode caused, served without reading storage."},
perf_event_row{"major-faults", "", software(PERF_COUNT_SW_PAGE_FAULTS_MAJ), 0,
  "Page faults that user mode caused and that had to read storage."},
perf_event_row{"alignment-faults", "", software(PERF_COUNT_SW_ALIGNMENT_FAULTS), 0,
  "Accesses that the kernel had to mend because they were not aligned."},
perf_event_row{"context-switches", "", kernel_software(PERF_COUNT_SW_CONTEXT_SWITCHES), 0,
  "How often a thread left its CPU; /os/context-switches need no privilege."},
perf_event_row{"cpu-migrations", "", kernel_software(PERF_COUNT_SW_CPU_MIGRATIONS), 0,
  "How often a thread went on on another CPU."},
};
// clang-format on

struct alias {
  std::string_view name;
  std::string_view meant;
};

constexpr std::array aliases{alias{"cpu-cycles", "cycles"},
                             alias{"branch-instructions", "branches"},
                             alias{"faults", "page-faults"},
                             alias{"cs", "context-switches"},
                             alias{"migrations", "cpu-migrations"}};

}  // namespace

std::span<const perf_event_row> perf_event_rows() noexcept { return rows; }

const perf_event_row* find_perf_event(std::string_view name) noexcept {
  const auto* other = std::ranges::find(aliases, name, &alias::name);
  const auto* row =
      std::ranges::find(rows, other == aliases.end() ? name : other->meant, &perf_event_row::name);
  return row == rows.end() ? nullptr : row;
}

}  // namespace weft::counters::detail
