// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of energy and power of the processor packages: /energy and /runtime/average_power.
#include "counters/families/energy.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/text_file.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/family_rows.hpp"
#include "counters/core/unavailable.hpp"

namespace weft::counters::detail {
namespace {

namespace fs = std::filesystem;

struct energy_row {
  std::string_view name;
  std::string_view part;
  std::string_view unit;
  counter_kind kind;
  std::string_view help;
};

// clang-format off
constexpr std::array rows{
energy_row{"/energy/package", "package", "J", counter_kind::total,
  "Energy that processor packages consumed, memory excluded."},
energy_row{"/energy/core", "core", "J", counter_kind::total,
  "Energy that the cores of processor packages consumed."},
energy_row{"/energy/uncore", "uncore", "J", counter_kind::total,
  "Energy that graphics units of processor packages consumed."},
energy_row{"/energy/dram", "dram", "J", counter_kind::total,
  "Energy that the memory of processor packages consumed."},
energy_row{"/energy/psys", "psys", "J", counter_kind::total,
  "Energy that the whole platform consumed, as far as it is metered."},
energy_row{"/runtime/average_power", "package", "W", counter_kind::quotient,
  "Energy that processor packages consumed, over time; of all that runs on them."},
};
// clang-format on

/// A meter: "package", a part of a package ("core", "uncore", "dram"), or "psys", the whole
/// platform.
struct energy_zone {
  std::string part;
  std::optional<std::uint32_t> package;  // none: not part of a package
  fs::path folder;
  std::int64_t range_uj = 0;  // the meter wraps to 0 above this value
};

// "intel-rapl-mmio" meters the same packages again
constexpr std::string_view zone_prefix = "intel-rapl:";
constexpr std::string_view package_prefix = "package-";

/// Returns the zone itself, or for a part such as "intel-rapl:0:1" its package "intel-rapl:0".
std::string package_zone(const std::string& zone) {
  return zone.substr(0, zone.find(':', zone_prefix.size()));
}

std::optional<std::uint32_t> package_number(const fs::path& zone) {
  const std::string name = base::read_text(zone / "name").value_or("");
  if (!name.starts_with(package_prefix)) {
    return std::nullopt;
  }
  const auto number = base::parse_integer(name.substr(package_prefix.size()));
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

std::optional<energy_zone> read_zone(const fs::path& folder) {
  const std::string file = folder.filename();
  const auto name = base::read_text(folder / "name");
  const auto range_uj = base::read_integer(folder / "max_energy_range_uj");
  if (!file.starts_with(zone_prefix) || !name || !range_uj) {
    return std::nullopt;
  }
  return energy_zone{.part = name->starts_with(package_prefix) ? "package" : *name,
                     .package = package_number(folder.parent_path() / package_zone(file)),
                     .folder = folder,
                     .range_uj = *range_uj};
}

/// Returns all meters, sorted by path.
///
/// Source: Documentation/power/powercap/powercap.rst.
std::vector<energy_zone> find_energy_zones(const fs::path& root) {
  std::vector<energy_zone> zones;
  std::error_code unreadable;  // set if unreadable; the loop then has no entries
  for (const auto& entry : fs::directory_iterator(root / "sys/class/powercap", unreadable)) {
    if (auto zone = read_zone(entry.path())) {
      zones.push_back(std::move(*zone));
    }
  }
  std::ranges::sort(zones, {}, &energy_zone::folder);
  return zones;
}

/// The energy since it was made or reset. Correct although the meter wraps, if it is read at least
/// once per wrap.
class energy_meter {
 public:
  explicit energy_meter(energy_zone zone) : zone_(std::move(zone)) { advance(); }

  /// Reads the meter. False if it cannot be read.
  bool advance() {
    const auto now_uj = base::read_integer(zone_.folder / "energy_uj");
    if (!now_uj) {
      return false;
    }
    if (last_uj_) {
      const std::int64_t added_uj = *now_uj - *last_uj_;
      consumed_uj_ += added_uj >= 0 ? added_uj : added_uj + zone_.range_uj;
    }
    last_uj_ = now_uj;
    return true;
  }
  void reset() { consumed_uj_ = 0; }
  [[nodiscard]] std::int64_t consumed_uj() const { return consumed_uj_; }
  [[nodiscard]] const energy_zone& zone() const { return zone_; }

 private:
  energy_zone zone_;
  std::optional<std::int64_t> last_uj_;
  std::int64_t consumed_uj_ = 0;
};

/// Returns why no meter could be read.
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

/// The sum of several meters.
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

  /// Half the time in which the fastest meter wraps at 1 kW.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> sampling_interval() const override {
    constexpr double most_w = 1000;
    std::optional<double> least_s;
    for (const energy_meter& meter : meters_) {
      if (meter.zone().range_uj <= 0) {
        continue;  // the zone does not say where it wraps
      }
      const double round_s = 1e-6 * static_cast<double>(meter.zone().range_uj) / most_w;
      least_s = std::min(least_s.value_or(round_s), round_s);
    }
    if (!least_s) {
      return std::nullopt;
    }
    return std::chrono::nanoseconds(static_cast<std::int64_t>(5e8 * *least_s));
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

/// Energy divided by time.
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

/// Returns the meters that a name means: those of one package, or of all.
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

/// Returns the total, and each package that has such a meter.
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

std::unique_ptr<counter> make(const energy_row& row,
                              const counter_name& name,
                              const fs::path& root) {
  if (row.kind == counter_kind::quotient) {
    return std::make_unique<power_counter>(root, zones_of(root, row.part, name));
  }
  return std::make_unique<energy_counter>(root, zones_of(root, row.part, name));
}

}  // namespace

std::vector<counter_family> energy_families(const fs::path& root) {
  std::vector<counter_family> families;
  for (const energy_row& row : rows) {
    counter_family& added = families.emplace_back();
    added.type = type_of_row(row);
    added.instances = [root, part = row.part, type = added.type] {
      return instances(root, part, type);
    };
    added.make = [root, &row](const counter_name& name) { return make(row, name, root); };
  }
  return families;
}

}  // namespace weft::counters::detail
