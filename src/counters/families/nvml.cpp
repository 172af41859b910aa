// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of NVIDIA GPUs: /cuda.
#include "counters/families/nvml.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/family_rows.hpp"
#include "counters/core/shared_library.hpp"
#include "counters/families/proc_counter.hpp"

namespace weft::counters::detail {
namespace {

// NVML's types and constants, which are declared here so that building weft needs no NVIDIA header.
struct nvml_device;
struct nvml_utilization {
  unsigned gpu;
  unsigned memory;
};
struct nvml_memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct nvml_memory_v2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
constexpr unsigned memory_version = sizeof(nvml_memory_v2) | 2U << 24U;
constexpr unsigned sm_clock = 1;
constexpr unsigned memory_clock = 2;
constexpr unsigned chip_sensor = 0;
constexpr int function_not_found = 13;

/// Functions of NVML. Null: the library is older than the function.
struct nvml_functions {
  /// Finds the newest form of each function.
  explicit nvml_functions(shared_library& library) {
    find(library, init, {"nvmlInit_v2", "nvmlInit"});
    find(library, error_string, {"nvmlErrorString"});
    find(library, device_count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
    find(library, device_at, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
    find(library, utilization, {"nvmlDeviceGetUtilizationRates"});
    find(library, memory_v2, {"nvmlDeviceGetMemoryInfo_v2"});
    find(library, memory, {"nvmlDeviceGetMemoryInfo"});
    find(library, energy, {"nvmlDeviceGetTotalEnergyConsumption"});
    find(library, power, {"nvmlDeviceGetPowerUsage"});
    find(library, clock, {"nvmlDeviceGetClockInfo"});
    find(library, temperature, {"nvmlDeviceGetTemperature"});
    find(library,
         throttle_reasons,
         {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  }

  int (*init)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device_at)(unsigned, nvml_device**) = nullptr;
  int (*utilization)(nvml_device*, nvml_utilization*) = nullptr;
  int (*memory_v2)(nvml_device*, nvml_memory_v2*) = nullptr;
  int (*memory)(nvml_device*, nvml_memory*) = nullptr;
  int (*energy)(nvml_device*, unsigned long long*) = nullptr;
  int (*power)(nvml_device*, unsigned*) = nullptr;
  int (*clock)(nvml_device*, unsigned, unsigned*) = nullptr;
  int (*temperature)(nvml_device*, unsigned, unsigned*) = nullptr;
  int (*throttle_reasons)(nvml_device*, unsigned long long*) = nullptr;

 private:
  template <class Function>
  static void find(shared_library& library,
                   Function*& function,
                   std::initializer_list<const char*> names) {
    for (const char* const name : names) {
      if (function == nullptr) {
        library.find(name, function);
      }
    }
  }
};

template <class Function, class... Arguments>
int call(Function* function, Arguments... arguments) {
  return function == nullptr ? function_not_found : function(arguments...);
}

/// A value, which is valid if `error` is 0.
struct nvml_answer {
  int error;
  unsigned long long value;
};
using nvml_reader = nvml_answer (*)(const nvml_functions&, nvml_device*);

template <unsigned nvml_utilization::* part>
nvml_answer read_utilization(const nvml_functions& nvml, nvml_device* device) {
  nvml_utilization shares{};
  const int error = call(nvml.utilization, device, &shares);
  return {.error = error, .value = shares.*part};
}

template <auto part_v2, auto part>
nvml_answer read_memory(const nvml_functions& nvml, nvml_device* device) {
  if (nvml.memory_v2 != nullptr) {
    nvml_memory_v2 sizes{};
    sizes.version = memory_version;
    if (nvml.memory_v2(device, &sizes) == 0) {
      return {.error = 0, .value = sizes.*part_v2};
    }
  }
  nvml_memory sizes{};
  const int error = call(nvml.memory, device, &sizes);
  return {.error = error, .value = sizes.*part};
}

nvml_answer read_energy(const nvml_functions& nvml, nvml_device* device) {
  unsigned long long energy_mj = 0;
  const int error = call(nvml.energy, device, &energy_mj);
  return {.error = error, .value = energy_mj};
}

nvml_answer read_power(const nvml_functions& nvml, nvml_device* device) {
  unsigned power_mw = 0;
  const int error = call(nvml.power, device, &power_mw);
  return {.error = error, .value = power_mw};
}

template <unsigned which>
nvml_answer read_clock(const nvml_functions& nvml, nvml_device* device) {
  unsigned clock_mhz = 0;
  const int error = call(nvml.clock, device, which, &clock_mhz);
  return {.error = error, .value = clock_mhz};
}

nvml_answer read_temperature(const nvml_functions& nvml, nvml_device* device) {
  unsigned temperature_c = 0;
  const int error = call(nvml.temperature, device, chip_sensor, &temperature_c);
  return {.error = error, .value = temperature_c};
}

nvml_answer read_throttle_reasons(const nvml_functions& nvml, nvml_device* device) {
  unsigned long long bits = 0;
  const int error = call(nvml.throttle_reasons, device, &bits);
  return {.error = error, .value = bits};
}

struct nvml_row {
  std::string_view name;
  std::string_view unit;
  nvml_reader read;
  std::string_view help;
  counter_kind kind = counter_kind::gauge;
  bool is_in_thousandths = false;  // of the unit, as NVML has it
};

// clang-format off
constexpr std::array rows{
nvml_row{"/cuda/utilization/gpu", "%", read_utilization<&nvml_utilization::gpu>,
  "Share of NVML's last sample period (1/6 to 1 s) in which any kernel ran, however small: not how full the GPU was."},
nvml_row{"/cuda/utilization/memory", "%", read_utilization<&nvml_utilization::memory>,
  "Share of NVML's last sample period (1/6 to 1 s) in which the GPU's memory was read or written."},
nvml_row{"/cuda/memory/used", "bytes", read_memory<&nvml_memory_v2::used, &nvml_memory::used>,
  "Memory of the GPU that all programs use. Old drivers add what they reserve for themselves."},
nvml_row{"/cuda/memory/total", "bytes", read_memory<&nvml_memory_v2::total, &nvml_memory::total>,
  "Memory that the GPU has."},
nvml_row{"/cuda/energy/total", "J", read_energy,
  "Energy that the GPU consumed, for all programs.", counter_kind::total, true},
nvml_row{"/cuda/power", "W", read_power,
  "Power that the GPU and its memory draw. GPUs of Ampere and newer give the mean of the last second, but A100 and A30 do not.", counter_kind::gauge, true},
nvml_row{"/cuda/clock/sm", "MHz", read_clock<sm_clock>, "Clock of the GPU's multiprocessors."},
nvml_row{"/cuda/clock/memory", "MHz", read_clock<memory_clock>, "Clock of the GPU's memory."},
nvml_row{"/cuda/temperature", "C", read_temperature, "Temperature of the GPU's chip, in degrees Celsius."},
nvml_row{"/cuda/throttle-reasons", "", read_throttle_reasons,
  "Why clocks are below their maximum, a sum: 1 idle, 2 clocks set by a user, 4 power limit, 8 lowered by hardware, "
  "16 equal to another GPU's, 32 lowered by software against heat, 64 by hardware against heat, 128 external power brake, 256 display."},
};
// clang-format on

/// NVML, started.
///
/// Threads: any.
class nvml {
 public:
  explicit nvml(shared_library library)
      : load_problem_(library.problem()), functions_(library), problem_(start()) {}

  /// Without a GPU 1: a device that has a reason in place of values.
  [[nodiscard]] unsigned num_listed() const { return std::max(num_devices_, 1U); }

  /// A GPU, or the reason why there is none.
  struct device {
    nvml_device* handle = nullptr;
    std::string problem;
  };
  [[nodiscard]] device find(unsigned index) const {
    if (!problem_.empty()) {
      return {.problem = problem_};
    }
    device found;
    if (const int error = call(functions_.device_at, index, &found.handle); error != 0) {
      found.problem = "the NVIDIA driver does not give access to this GPU: " + text_of(error);
    }
    return found;
  }

  [[nodiscard]] kept_number read(const device& from, nvml_reader reader) const {
    if (!from.problem.empty()) {
      return {.value = std::nullopt, .reason = from.problem};
    }
    const nvml_answer answer = reader(functions_, from.handle);
    if (answer.error != 0) {
      return {.value = std::nullopt,
              .reason = "the NVIDIA driver has no value: " + text_of(answer.error)};
    }
    return {.value = static_cast<std::int64_t>(answer.value)};
  }

 private:
  /// Returns why there is no GPU; empty: there is one.
  std::string start() {
    if (!load_problem_.empty()) {
      return "no NVIDIA driver (" + load_problem_ + ')';
    }
    if (const int error = call(functions_.init); error != 0) {
      return "NVML does not start: " + text_of(error);
    }
    if (const int error = call(functions_.device_count, &num_devices_); error != 0) {
      return "NVML cannot count the GPUs: " + text_of(error);
    }
    return num_devices_ == 0 ? "the NVIDIA driver finds no GPU" : "";
  }

  [[nodiscard]] std::string text_of(int error) const {
    const std::string number = "NVML's error " + std::to_string(error);
    const char* const text =
        functions_.error_string == nullptr ? nullptr : functions_.error_string(error);
    return text == nullptr ? number : std::string(text) + " (" + number + ')';
  }

  std::string load_problem_;
  nvml_functions functions_;
  unsigned num_devices_ = 0;
  std::string problem_;
};

/// Loads NVML at the first call of `get`.
class nvml_loader {
 public:
  explicit nvml_loader(std::string library) : library_(std::move(library)) {}
  [[nodiscard]] const nvml& get() {
    std::call_once(once_,
                   [this] { loaded_ = std::make_unique<const nvml>(shared_library({library_})); });
    return *loaded_;
  }

 private:
  std::string library_;
  std::once_flag once_;
  std::unique_ptr<const nvml> loaded_;
};

/// A number in thousandths of the counter's unit. A total counts from when it was made.
class thousandths_counter final : public counter {
 public:
  thousandths_counter(counter_kind kind, number_reader read) : whole_(kind, std::move(read)) {
    evaluation now;
    whole_.reset(now);
  }

  [[nodiscard]] counter_value evaluate(evaluation& now) override {
    counter_value value = whole_.evaluate(now);
    if (value.value) {
      value.value = static_cast<double>(std::get<std::int64_t>(*value.value)) / 1000;
    }
    return value;
  }
  void reset(evaluation& now) override { whole_.reset(now); }
  bool pause(evaluation& now) override { return whole_.pause(now); }
  void resume(evaluation& now) override { whole_.resume(now); }

 private:
  proc_counter whole_;
};

std::vector<counter_name> devices(const nvml& from, const counter_type& type) {
  std::vector<counter_name> names;
  names.reserve(from.num_listed());
  for (std::uint32_t i = 0; i < from.num_listed(); ++i) {
    names.push_back(instance_of(type, {.name = "device", .index = i}));
  }
  return names;
}

std::unique_ptr<counter> make(const nvml_row& row,
                              const counter_name& name,
                              const std::shared_ptr<nvml_loader>& loader) {
  refuse_parameters(name);
  const auto index = std::get<std::uint32_t>(name.instance.back().index);
  number_reader read = [&row, loader, device = loader->get().find(index)](evaluation& /*now*/) {
    return loader->get().read(device, row.read);
  };
  if (row.is_in_thousandths) {
    return std::make_unique<thousandths_counter>(row.kind, std::move(read));
  }
  return std::make_unique<proc_counter>(row.kind, std::move(read));
}

}  // namespace

std::vector<counter_family> nvml_families(const std::string& library) {
  const auto loader = std::make_shared<nvml_loader>(library);
  std::vector<counter_family> families;
  for (const nvml_row& row : rows) {
    counter_family& added = families.emplace_back();
    added.type = type_of_row(row);
    added.instances = [type = added.type, loader] { return devices(loader->get(), type); };
    added.make = [&row, loader](const counter_name& name) { return make(row, name, loader); };
  }
  return families;
}

}  // namespace weft::counters::detail
