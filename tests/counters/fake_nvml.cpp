// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fake NVML, for tests without a GPU. With WEFT_FAKE_NVML_IS_OLD, it lacks
// the newer functions and newer forms of functions.
#include "counters/fake_nvml.hpp"

#include <array>
#include <cstddef>

namespace {

constexpr int success = 0;
constexpr int invalid_argument = 2;

weft::test::fake_nvml state;

weft::test::fake_gpu& read(void* device) {
  ++state.num_readings;
  return *static_cast<weft::test::fake_gpu*>(device);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): named as NVML's
extern "C" {

weft::test::fake_nvml* weft_fake_nvml_state() { return &state; }

const char* nvmlErrorString(int error) {
  constexpr std::array texts = {
      "Success", "Uninitialized", "Invalid Argument", "Not Supported", "Insufficient Permissions"};
  const auto index = static_cast<std::size_t>(error);
  return index < texts.size() ? texts.at(index)
         : error == 13        ? "Function Not Found"
         : error == 18        ? "Driver/library version mismatch"
                              : "Unknown Error";
}

int nvmlDeviceGetUtilizationRates(void* device, unsigned* percents) {
  percents[0] = read(device).gpu_percent;
  percents[1] = read(device).memory_percent;
  return success;
}

int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* bytes) {
  const weft::test::fake_gpu& gpu = read(device);
  const unsigned long long used = gpu.memory_used_bytes + gpu.memory_reserved_bytes;
  bytes[0] = gpu.memory_total_bytes;
  bytes[1] = gpu.memory_total_bytes - used;
  bytes[2] = used;
  return success;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* power_mw) {
  *power_mw = read(device).power_mw;
  return success;
}

int nvmlDeviceGetClockInfo(void* device, unsigned clock, unsigned* clock_mhz) {
  if (clock != 1 && clock != 2) {
    return invalid_argument;
  }
  *clock_mhz = clock == 1 ? read(device).sm_clock_mhz : read(device).memory_clock_mhz;
  return success;
}

int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* temperature_c) {
  *temperature_c = read(device).temperature_c;
  return sensor == 0 ? success : invalid_argument;
}

#if defined(WEFT_FAKE_NVML_IS_OLD)
#define WEFT_NEWEST(name) name
#else
#define WEFT_NEWEST(name) name##_v2

struct fake_memory_v2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};

int nvmlDeviceGetMemoryInfo_v2(void* device, fake_memory_v2* bytes) {
  constexpr int version_mismatch = 25;
  if (bytes->version != 0x02000028) {
    return version_mismatch;
  }
  const weft::test::fake_gpu& gpu = read(device);
  if (gpu.memory_v2_error != 0) {
    return gpu.memory_v2_error;
  }
  bytes->total = gpu.memory_total_bytes;
  bytes->reserved = gpu.memory_reserved_bytes;
  bytes->used = gpu.memory_used_bytes;
  bytes->free = bytes->total - bytes->reserved - bytes->used;
  return success;
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* energy_mj) {
  const weft::test::fake_gpu& gpu = read(device);
  *energy_mj = gpu.energy_mj;
  return gpu.energy_error;
}

int nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* bits) {
  *bits = read(device).throttle_bits;
  return success;
}
#endif

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* bits) {
  *bits = read(device).throttle_bits;
  return success;
}

int WEFT_NEWEST(nvmlInit)() {
  ++state.num_inits;
  return state.init_error;
}

int WEFT_NEWEST(nvmlDeviceGetCount)(unsigned* count) {
  *count = state.num_devices;
  return success;
}

int WEFT_NEWEST(nvmlDeviceGetHandleByIndex)(unsigned index, void** device) {
  if (index >= state.num_devices) {
    return invalid_argument;
  }
  *device = &state.gpus.at(index);
  return success;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
