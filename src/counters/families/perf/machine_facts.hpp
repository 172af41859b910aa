// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts that decide whether a kernel counter is available, and the messages if it is not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace weft::counters::detail {

struct machine_facts {
  std::string vendor;        // "GenuineIntel", "AuthenticAMD", "Arm"; empty: not known
  int family = 0;            // Arm: the architecture
  int model = 0;             // Arm: the part number
  bool is_virtual = false;   // the processor reports a hypervisor
  bool has_cpu_pmu = false;  // the kernel drives a performance monitoring unit
  std::optional<std::int64_t> perf_event_paranoid;
};

[[nodiscard]] machine_facts read_machine_facts(const std::filesystem::path& root);

/// The highest kernel.perf_event_paranoid that allows an event.
enum class privilege : std::uint8_t { user_only = 2, kernel_mode = 1, whole_machine = 0 };

/// Returns why `perf_event_open` failed with `-error_code`, and how to solve that.
[[nodiscard]] std::string explain_open_error(int error_code,
                                             privilege needed,
                                             const machine_facts& machine);

}  // namespace weft::counters::detail
