// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events for the traffic beyond a core's own caches, by processor. A new processor is a new row
// here.
//
// Sources: Intel perfmon event lists (OFFCORE_REQUESTS), as in Linux, tools/perf/pmu-events; AMD
// PPRs for families 17h, 19h and 1Ah, and Linux' metric all_l2_cache_misses; Arm Neoverse technical
// reference manuals (L2D_CACHE_REFILL). Left out: Zen 1 and hybrid processors.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::counters::detail {

/// Lines of 64 bytes, counted by the sum of events.
struct traffic_events {
  std::array<std::uint32_t, 3> codes;  // raw codes: umask << 8 | event; 0: none
  std::string_view counts;
};

namespace traffic {
// Times 64 bytes, these are what the paper on HPX's performance counters plots as bandwidth.
inline constexpr traffic_events offcore_b0{
    {0x08B0, 0x02B0, 0x04B0},
    "OFFCORE_REQUESTS:{ALL_DATA_RD,DEMAND_CODE_RD,DEMAND_RFO}: data reads with their prefetches, "
    "code reads, reads for ownership; no write-backs"};
inline constexpr traffic_events offcore_b0_without_code{
    {0x08B0, 0x04B0, 0},
    "OFFCORE_REQUESTS:{ALL_DATA_RD,DEMAND_RFO}: this processor does not count code reads; no "
    "write-backs"};
inline constexpr traffic_events offcore_21{
    {0x0821, 0x0221, 0x0421},
    "OFFCORE_REQUESTS:{DATA_RD,DEMAND_CODE_RD,DEMAND_RFO}: data reads with their prefetches, code "
    "reads, reads for ownership; no write-backs"};
inline constexpr traffic_events offcore_21_data{
    {0x0821, 0, 0},
    "OFFCORE_REQUESTS:DATA_RD: data reads with their prefetches; this processor counts neither "
    "code reads nor reads for ownership; no write-backs"};
inline constexpr traffic_events zen_l2_misses{
    {0x0964, 0xFF71, 0xFF72},
    "L2 misses: l2_cache_req_stat.ic_dc_miss_in_l2 + l2_pf_miss_l2_hit_l3 + l2_pf_miss_l2_l3; no "
    "write-backs"};
inline constexpr traffic_events l2_refills{{0x0017, 0, 0}, "L2D_CACHE_REFILL; no write-backs"};
}  // namespace traffic

/// The events of models `first_model` to `last_model` of a family.
struct traffic_row {
  std::string_view vendor;
  int family;
  int first_model;
  int last_model;
  const traffic_events* events;
};

inline constexpr std::array known_traffic{
    traffic_row{"GenuineIntel", 6, 0x2A, 0x2A, &traffic::offcore_b0},  // Sandy Bridge
    traffic_row{"GenuineIntel", 6, 0x2D, 0x2D, &traffic::offcore_b0},
    traffic_row{"GenuineIntel", 6, 0x3A, 0x3A, &traffic::offcore_b0},  // Ivy Bridge
    traffic_row{"GenuineIntel", 6, 0x3E, 0x3E, &traffic::offcore_b0},  // the paper's processor
    traffic_row{"GenuineIntel", 6, 0x3C, 0x3D, &traffic::offcore_b0},  // Haswell, Broadwell
    traffic_row{"GenuineIntel", 6, 0x3F, 0x3F, &traffic::offcore_b0},
    traffic_row{"GenuineIntel", 6, 0x45, 0x47, &traffic::offcore_b0},
    traffic_row{"GenuineIntel", 6, 0x4F, 0x4F, &traffic::offcore_b0},
    traffic_row{"GenuineIntel", 6, 0x56, 0x56, &traffic::offcore_b0},
    traffic_row{"GenuineIntel", 6, 0x4E, 0x4E, &traffic::offcore_b0},  // Skylake to Comet Lake
    traffic_row{"GenuineIntel", 6, 0x55, 0x55, &traffic::offcore_b0},
    traffic_row{"GenuineIntel", 6, 0x5E, 0x5E, &traffic::offcore_b0},
    traffic_row{"GenuineIntel", 6, 0x8E, 0x8E, &traffic::offcore_b0},
    traffic_row{"GenuineIntel", 6, 0x9E, 0x9E, &traffic::offcore_b0},
    traffic_row{"GenuineIntel", 6, 0xA5, 0xA6, &traffic::offcore_b0},
    traffic_row{"GenuineIntel", 6, 0x6A, 0x6A, &traffic::offcore_b0_without_code},  // Ice Lake
    traffic_row{"GenuineIntel", 6, 0x6C, 0x6C, &traffic::offcore_b0_without_code},
    traffic_row{"GenuineIntel", 6, 0x7D, 0x7E, &traffic::offcore_b0_without_code},
    traffic_row{"GenuineIntel", 6, 0x8C, 0x8D, &traffic::offcore_b0_without_code},  // Tiger Lake
    traffic_row{"GenuineIntel", 6, 0xA7, 0xA7, &traffic::offcore_b0_without_code},  // Rocket Lake
    traffic_row{"GenuineIntel", 6, 0x8F, 0x8F, &traffic::offcore_21_data},   // Sapphire Rapids
    traffic_row{"GenuineIntel", 6, 0xCF, 0xCF, &traffic::offcore_21_data},   // Emerald Rapids
    traffic_row{"GenuineIntel", 6, 0xAD, 0xAE, &traffic::offcore_21},        // Granite Rapids
    traffic_row{"AuthenticAMD", 0x17, 0x30, 0xFF, &traffic::zen_l2_misses},  // Zen 2
    traffic_row{"AuthenticAMD", 0x19, 0x00, 0xAF, &traffic::zen_l2_misses},  // Zen 3, Zen 4
    traffic_row{"AuthenticAMD", 0x1A, 0x00, 0xFF, &traffic::zen_l2_misses},  // Zen 5
    traffic_row{"Arm", 8, 0xD0C, 0xD0C, &traffic::l2_refills},               // Neoverse N1
    traffic_row{"Arm", 8, 0xD40, 0xD40, &traffic::l2_refills},               // Neoverse V1
    traffic_row{"Arm", 8, 0xD49, 0xD49, &traffic::l2_refills},               // Neoverse N2
    traffic_row{"Arm", 8, 0xD4F, 0xD4F, &traffic::l2_refills},               // Neoverse V2
};

/// Returns the events of a processor, or null if the table does not know it.
[[nodiscard]] constexpr const traffic_events* find_traffic(std::string_view vendor,
                                                           int family,
                                                           int model) noexcept {
  for (const traffic_row& each : known_traffic) {
    if (each.vendor == vendor && each.family == family && each.first_model <= model &&
        model <= each.last_model) {
      return each.events;
    }
  }
  return nullptr;
}

}  // namespace weft::counters::detail
