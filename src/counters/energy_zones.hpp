// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Energy meters of the processor packages, which the kernel shows as powercap zones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::counters::detail {

/// One meter: "package", or a part of a package: "core", "uncore", "dram", or "psys", the whole
/// platform.
struct energy_zone {
  std::string part;
  std::optional<std::uint32_t> package;  // none: of no package
  std::filesystem::path folder;
  std::int64_t range_uj = 0;  // the meter begins anew above it
};

/// All meters there are, by path.
///
/// Source: Documentation/power/powercap/powercap.rst.
[[nodiscard]] std::vector<energy_zone> find_energy_zones(const std::filesystem::path& root);

/// Energy since it was made or reset, however often the meter begins anew, if it is read at least
/// once per round of the meter.
class energy_meter {
 public:
  explicit energy_meter(energy_zone zone);

  /// Reads the meter; false if it cannot be read.
  bool advance();
  void reset() { consumed_uj_ = 0; }
  [[nodiscard]] std::int64_t consumed_uj() const { return consumed_uj_; }
  [[nodiscard]] const energy_zone& zone() const { return zone_; }

 private:
  energy_zone zone_;
  std::optional<std::int64_t> last_uj_;
  std::int64_t consumed_uj_ = 0;
};

}  // namespace weft::counters::detail
