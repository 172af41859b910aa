// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of products and quotients, such as "bytes/ns" or "ns^2".
#include "counters/families/unit_powers.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::counters::detail {
namespace {

struct unit_power {
  std::string_view unit;
  int power;
};

class unit_powers {
 public:
  /// Multiplies by `unit` to the power of `sign`, 1 or -1.
  void multiply(std::string_view unit, int sign) {
    std::size_t first = 0;
    int power = sign;
    while (first <= unit.size()) {
      const std::size_t last = std::min(unit.find_first_of("*/", first), unit.size());
      add_factor(unit.substr(first, last - first), power);
      power = last < unit.size() && unit[last] == '/' ? -sign : sign;
      first = last + 1;
    }
  }

  [[nodiscard]] std::string text() const {
    std::string above;
    std::string below;
    for (const auto& [unit, power] : powers_) {
      if (power > 0) {
        above += (above.empty() ? "" : "*") + factor_text(unit, power);
      } else if (power < 0) {
        below += '/' + factor_text(unit, -power);
      }
    }
    return above.empty() && !below.empty() ? '1' + below : above + below;
  }

 private:
  void add_factor(std::string_view factor, int power) {
    const std::size_t caret = std::min(factor.find('^'), factor.size());
    const std::string_view unit = factor.substr(0, caret);
    int exponent = 1;
    if (caret < factor.size()) {
      std::from_chars(factor.data() + caret + 1, factor.data() + factor.size(), exponent);
    }
    if (unit.empty() || unit == "1") {
      return;
    }
    auto known = std::ranges::find(powers_, unit, &unit_power::unit);
    if (known == powers_.end()) {
      known = powers_.insert(known, {.unit = unit, .power = 0});
    }
    known->power += power * exponent;
  }

  static std::string factor_text(std::string_view unit, int power) {
    return std::string(unit) + (power == 1 ? "" : '^' + std::to_string(power));
  }

  std::vector<unit_power> powers_;
};

}  // namespace

std::string product_unit(std::span<const std::string> units) {
  unit_powers product;
  for (const std::string& unit : units) {
    product.multiply(unit, 1);
  }
  return product.text();
}

std::string quotient_unit(std::span<const std::string> units) {
  unit_powers quotient;
  int sign = 1;
  for (const std::string& unit : units) {
    quotient.multiply(unit, sign);
    sign = -1;
  }
  return quotient.text();
}

}  // namespace weft::counters::detail
