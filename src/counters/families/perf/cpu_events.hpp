// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point events by processor family. A new processor is a new row here.
//
// Sources: Intel 64 SDM volume 3B and perfmon event lists (FP_ARITH_INST_RETIRED, event 0xC7); AMD
// PPRs for families 17h, 19h and 1Ah (PMCx003 retired SSE/AVX FLOPs, PMCx008 retired ops by width).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::counters::detail {

enum class fp_event : std::uint8_t { scalar, packed_128, packed_256, packed_512, operations };

/// Raw codes in the order of `fp_event`, umask << 8 | event; 0: the processor has no such event.
using fp_codes = std::array<std::uint16_t, 5>;

/// The codes of models `first_model` to `last_model` of a family.
struct cpu_events {
  std::string_view vendor;
  int family;
  int first_model;
  int last_model;
  std::string_view name;
  fp_codes codes;
};

namespace cpu_event_codes {
inline constexpr fp_codes intel_256{0x03C7, 0x0CC7, 0x30C7, 0, 0};
inline constexpr fp_codes intel_512{0x03C7, 0x0CC7, 0x30C7, 0xC0C7, 0};
inline constexpr fp_codes zen_1{0, 0, 0, 0, 0xFF03};
inline constexpr fp_codes zen_2{0, 0, 0, 0, 0x0F03};
inline constexpr fp_codes zen_4{0x0408, 0x0808, 0x1008, 0x2008, 0x0F03};
}  // namespace cpu_event_codes

// Deliberately left out: Intel before Broadwell (no such event), and hybrid processors (their two
// kinds of core count differently).
inline constexpr std::array known_cpus{
    cpu_events{"GenuineIntel", 6, 0x3D, 0x3D, "Broadwell", cpu_event_codes::intel_256},
    cpu_events{"GenuineIntel", 6, 0x47, 0x47, "Broadwell", cpu_event_codes::intel_256},
    cpu_events{"GenuineIntel", 6, 0x4F, 0x4F, "Broadwell server", cpu_event_codes::intel_256},
    cpu_events{"GenuineIntel", 6, 0x56, 0x56, "Broadwell-DE", cpu_event_codes::intel_256},
    cpu_events{"GenuineIntel", 6, 0x4E, 0x4E, "Skylake", cpu_event_codes::intel_256},
    cpu_events{"GenuineIntel", 6, 0x5E, 0x5E, "Skylake", cpu_event_codes::intel_256},
    cpu_events{"GenuineIntel", 6, 0x8E, 0x8E, "Kaby Lake", cpu_event_codes::intel_256},
    cpu_events{"GenuineIntel", 6, 0x9E, 0x9E, "Coffee Lake", cpu_event_codes::intel_256},
    cpu_events{"GenuineIntel", 6, 0xA5, 0xA6, "Comet Lake", cpu_event_codes::intel_256},
    cpu_events{"GenuineIntel", 6, 0x55, 0x55, "Skylake server", cpu_event_codes::intel_512},
    cpu_events{"GenuineIntel", 6, 0x6A, 0x6A, "Ice Lake server", cpu_event_codes::intel_512},
    cpu_events{"GenuineIntel", 6, 0x6C, 0x6C, "Ice Lake server", cpu_event_codes::intel_512},
    cpu_events{"GenuineIntel", 6, 0x7D, 0x7E, "Ice Lake", cpu_event_codes::intel_512},
    cpu_events{"GenuineIntel", 6, 0x8C, 0x8D, "Tiger Lake", cpu_event_codes::intel_512},
    cpu_events{"GenuineIntel", 6, 0xA7, 0xA7, "Rocket Lake", cpu_event_codes::intel_512},
    cpu_events{"GenuineIntel", 6, 0x8F, 0x8F, "Sapphire Rapids", cpu_event_codes::intel_512},
    cpu_events{"GenuineIntel", 6, 0xCF, 0xCF, "Emerald Rapids", cpu_event_codes::intel_512},
    cpu_events{"GenuineIntel", 6, 0xAD, 0xAE, "Granite Rapids", cpu_event_codes::intel_512},
    cpu_events{"AuthenticAMD", 0x17, 0x00, 0x2F, "Zen", cpu_event_codes::zen_1},
    cpu_events{"AuthenticAMD", 0x17, 0x30, 0xFF, "Zen 2", cpu_event_codes::zen_2},
    cpu_events{"AuthenticAMD", 0x19, 0x00, 0x0F, "Zen 3", cpu_event_codes::zen_2},
    cpu_events{"AuthenticAMD", 0x19, 0x10, 0x1F, "Zen 4", cpu_event_codes::zen_4},
    cpu_events{"AuthenticAMD", 0x19, 0x20, 0x5F, "Zen 3", cpu_event_codes::zen_2},
    cpu_events{"AuthenticAMD", 0x19, 0x60, 0x7F, "Zen 4", cpu_event_codes::zen_4},
    cpu_events{"AuthenticAMD", 0x19, 0xA0, 0xAF, "Zen 4", cpu_event_codes::zen_4},
    cpu_events{"AuthenticAMD", 0x1A, 0x00, 0xFF, "Zen 5", cpu_event_codes::zen_4},
};

/// Returns the row of a processor, or null if the table does not know it.
[[nodiscard]] constexpr const cpu_events* find_cpu(std::string_view vendor,
                                                   int family,
                                                   int model) noexcept {
  for (const cpu_events& each : known_cpus) {
    if (each.vendor == vendor && each.family == family && each.first_model <= model &&
        model <= each.last_model) {
      return &each;
    }
  }
  return nullptr;
}

}  // namespace weft::counters::detail
