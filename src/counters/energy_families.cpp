// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of energy and power of the processor packages: /energy and /runtime/average_power.
#include "counters/energy_families.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/energy_zones.hpp"
#include "counters/proc_counter.hpp"

namespace weft::counters::detail {
namespace {

namespace fs = std::filesystem;

struct energy_row {
  std::string_view part;
  std::string_view help;
};

constexpr std::array rows{
    energy_row{"package", "Energy that processor packages consumed, memory excluded."},
    energy_row{"core", "Energy that the cores of processor packages consumed."},
    energy_row{"uncore", "Energy that graphics units of processor packages consumed."},
    energy_row{"dram", "Energy that the memory of processor packages consumed."},
    energy_row{"psys", "Energy that the whole platform consumed, as far as it is metered."},
};

/// Why no meter could be read.
std::string explain(const fs::path& root, const std::vector<energy_meter>& meters) {
  if (!meters.empty()) {
    return (meters.front().zone().folder / "energy_uj").string() +
           " cannot be read: it is root's alone on most kernels; as root, type `chmod a+r "
           "/sys/class/powercap/intel-rapl:*/energy_uj`";
  }
  return fs::exists(root / "sys/class/powercap")
             ? "no meter of this kind in /sys/class/powercap"
             : "no energy meters here: /sys/class/powercap is missing (a virtual machine, or a "
               "kernel without CONFIG_INTEL_RAPL)";
}

/// Sums meters.
class energy_counter : public counter {
 public:
  energy_counter(const fs::path& root, std::vector<energy_zone> zones) {
    for (energy_zone& zone : zones) {
      meters_.emplace_back(std::move(zone));
    }
    reason_ = explain(root, meters_);
  }

  counter_value evaluate(evaluation& /*now*/) override {
    if (!advance()) {
      return unavailable(reason_);
    }
    return {.value = counter_value::number(consumed_j())};
  }
  void reset(evaluation& /*now*/) override {
    advance();
    for (energy_meter& meter : meters_) {
      meter.reset();
    }
  }

  /// Half of what the fastest meter takes for a round at 1 kW.
  [[nodiscard]] std::chrono::nanoseconds sampling_interval() const override {
    constexpr double most_w = 1000;
    double least_s = 0;
    for (const energy_meter& meter : meters_) {
      const double round_s = 1e-6 * static_cast<double>(meter.zone().range_uj) / most_w;
      least_s = least_s == 0 ? round_s : std::min(least_s, round_s);
    }
    return std::chrono::nanoseconds(static_cast<std::int64_t>(5e8 * least_s));
  }
  void sample(evaluation& /*now*/) override { advance(); }

 protected:
  [[nodiscard]] double consumed_j() const {
    std::int64_t sum_uj = 0;
    for (const energy_meter& meter : meters_) {
      sum_uj += meter.consumed_uj();
    }
    return 1e-6 * static_cast<double>(sum_uj);
  }

 private:
  bool advance() {
    bool is_complete = !meters_.empty();
    for (energy_meter& meter : meters_) {
      is_complete = meter.advance() && is_complete;
    }
    return is_complete;
  }

  std::vector<energy_meter> meters_;
  std::string reason_;
};

/// Energy over time.
class power_counter final : public energy_counter {
 public:
  using energy_counter::energy_counter;

  counter_value evaluate(evaluation& now) override {
    counter_value energy = energy_counter::evaluate(now);
    const double elapsed_s = std::chrono::duration<double>(now.time() - since_).count();
    if (!energy.value) {
      return energy;
    }
    if (elapsed_s <= 0) {
      return unavailable("no time has passed since counting began");
    }
    return {.value = counter_value::number(consumed_j() / elapsed_s)};
  }
  void reset(evaluation& now) override {
    energy_counter::reset(now);
    since_ = now.time();
  }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// The meters of a part that a name means: of one package, or of all.
std::vector<energy_zone> zones_of(const fs::path& root,
                                  std::string_view part,
                                  const counter_name& name) {
  std::vector<energy_zone> zones = find_energy_zones(root);
  const instance_index wanted =
      name.instance.size() > 1 ? name.instance[1].index : instance_index{};
  const auto* package = std::get_if<std::uint32_t>(&wanted);
  std::erase_if(zones, [&](const energy_zone& zone) {
    return zone.part != part || (package != nullptr && zone.package != *package);
  });
  return zones;
}

/// The total, and every package that has such a meter.
std::vector<counter_name> instances(const fs::path& root,
                                    std::string_view part,
                                    const counter_type& type) {
  std::set<std::uint32_t> packages;
  for (const energy_zone& zone : find_energy_zones(root)) {
    if (zone.part == part && zone.package) {
      packages.insert(*zone.package);
    }
  }
  std::vector<counter_name> names{total_of(type)};
  for (const std::uint32_t package : packages) {
    names.push_back(instance_of(type, {.name = "package", .index = package}));
  }
  return names;
}

template <class Counter>
counter_family family_of(const fs::path& root, std::string_view part, const counter_type& type) {
  return {.type = type,
          .instances = [root, part, type] { return instances(root, part, type); },
          .make = [root, part](const counter_name& name) -> std::unique_ptr<counter> {
            return std::make_unique<Counter>(root, zones_of(root, part, name));
          }};
}

}  // namespace

std::vector<counter_family> energy_families(const fs::path& root) {
  std::vector<counter_family> families;
  families.reserve(rows.size() + 1);
  for (const energy_row& row : rows) {
    families.push_back(family_of<energy_counter>(root,
                                                 row.part,
                                                 {.name = "/energy/" + std::string(row.part),
                                                  .unit = "J",
                                                  .help = std::string(row.help),
                                                  .kind = counter_kind::total}));
  }
  families.push_back(family_of<power_counter>(
      root,
      "package",
      {.name = "/runtime/average_power",
       .unit = "W",
       .help = "Energy that processor packages consumed, over time; of all that runs on them.",
       .kind = counter_kind::quotient}));
  return families;
}

}  // namespace weft::counters::detail
