// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a fake NVML, which tests set.
#pragma once

#include <array>
#include <atomic>

namespace weft::test {

struct fake_gpu {
  unsigned gpu_percent = 0;
  unsigned memory_percent = 0;
  unsigned long long memory_used_bytes = 0;
  unsigned long long memory_reserved_bytes = 0;
  unsigned long long memory_total_bytes = 0;
  unsigned long long energy_mj = 0;
  unsigned power_mw = 0;
  unsigned sm_clock_mhz = 0;
  unsigned memory_clock_mhz = 0;
  unsigned temperature_c = 0;
  unsigned long long throttle_bits = 0;
  int energy_error = 0;     // what a reading of the energy returns
  int memory_v2_error = 0;  // what the newer reading of the memory returns
};

struct fake_nvml {
  int init_error = 0;
  unsigned num_devices = 2;
  std::array<fake_gpu, 2> gpus{};
  std::atomic<int> num_inits = 0;
  std::atomic<int> num_readings = 0;
};

/// A library's function with this name returns its state.
inline constexpr const char* fake_nvml_state = "weft_fake_nvml_state";

}  // namespace weft::test
