// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Energy meters of the processor packages, which the kernel shows as powercap zones.
#include "counters/energy_zones.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "weft/base/text_file.hpp"

namespace weft::counters::detail {
namespace {

namespace fs = std::filesystem;

// "intel-rapl-mmio" meters the same packages once more
constexpr std::string_view zone_prefix = "intel-rapl:";
constexpr std::string_view package_prefix = "package-";

/// The zone itself or, for "intel-rapl:0:1", the one it is a part of: "intel-rapl:0".
std::string package_zone(const std::string& zone) {
  return zone.substr(0, zone.find(':', zone_prefix.size()));
}

std::optional<std::uint32_t> package_number(const fs::path& zone) {
  const std::string name = read_text(zone / "name").value_or("");
  if (!name.starts_with(package_prefix)) {
    return std::nullopt;
  }
  const auto number = parse_integer(name.substr(package_prefix.size()));
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

std::optional<energy_zone> read_zone(const fs::path& folder) {
  const std::string file = folder.filename();
  const auto name = read_text(folder / "name");
  const auto range_uj = read_integer(folder / "max_energy_range_uj");
  if (!file.starts_with(zone_prefix) || !name || !range_uj) {
    return std::nullopt;
  }
  return energy_zone{.part = name->starts_with(package_prefix) ? "package" : *name,
                     .package = package_number(folder.parent_path() / package_zone(file)),
                     .folder = folder,
                     .range_uj = *range_uj};
}

}  // namespace

std::vector<energy_zone> find_energy_zones(const fs::path& root) {
  std::vector<energy_zone> zones;
  std::error_code unreadable;  // no entries then
  for (const auto& entry : fs::directory_iterator(root / "sys/class/powercap", unreadable)) {
    if (auto zone = read_zone(entry.path())) {
      zones.push_back(std::move(*zone));
    }
  }
  std::ranges::sort(zones, {}, &energy_zone::folder);
  return zones;
}

energy_meter::energy_meter(energy_zone zone) : zone_(std::move(zone)) { advance(); }

bool energy_meter::advance() {
  const auto now_uj = read_integer(zone_.folder / "energy_uj");
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

}  // namespace weft::counters::detail
